/**
 * Identity of the data: what `cartulary.json` and the store say about themselves, and refusals of what does not belong together.
 */

import { hash } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { syncDirectory } from '../backup/backup.ts'
import { identityName } from '../backup/verify.ts'
import type { Config } from '../config/config.ts'
import { Failure, StartRefused } from '../errors.ts'
import type { Log } from '../log.ts'
import { filesIn, hasContent } from './data-files.ts'
import { names as namesOf, defaultSegments, type Names } from '../rdf/names.ts'
import { systemGraph } from '../rdf/namespaces.ts'
import type { GraphStore, SelectStore } from '../store/graph-store.ts'
import { factLine, systemChange } from '../store/marks.ts'
import { bind, loadQuery } from '../store/queries.ts'
import { withDefaults } from '../text/defaults.ts'

/** Format of `cartulary.json` and of the facts in the system graph. */
export const identityFormat = 1

const identitySchema = z.object({
  format: z.number(),
  /** Id of the store to which the directory belongs; a store without one gets it once. */
  storeId: z.string(),
  baseUri: z.string(),
  /** Kind of resource → path segment in its IRIs. */
  segments: z.record(z.string(), z.string()),
  /** Dialect of the triplestore, or `embedded`. */
  engine: z.string(),
  /** Versions of the program that made and last opened the directory. */
  createdBy: z.string(),
  openedBy: z.string(),
  /** First start with this directory, ISO 8601. */
  created: z.string(),
  /** Names of files that the directory has had, so that their loss is noticed. */
  files: z.array(z.string()).default([]),
  /** Changes of the ledger: a `harvest.sqlite` with a smaller count is an older copy. */
  harvests: z.number().default(0),
  /** Form of dates in search documents unless configured; a directory of a version without this field keeps `utc`. */
  dates: z.enum(['faithful', 'utc']).default('utc'),
})

/** Content of `cartulary.json`. */
export type Identity = z.output<typeof identitySchema>

/** Options of the command line about the data. */
export type StartOptions = {
  /** Take the store over, even if it belongs to another data directory. */
  readonly adopt: boolean
  /** Start although the store is empty or the place of the directory is marked as lost. */
  readonly empty: boolean
  /** Files to set aside before the start, as `resettable` names them. */
  readonly reset: readonly string[]
}

const checksumOf = (identity: object): string => hash('sha256', JSON.stringify(identity), 'hex')

/**
 * Reads `cartulary.json`; `undefined` where no version that writes it has started. Rejects with `StartRefused` when it is damaged
 * or of a newer version.
 */
export async function readIdentity(directory: string): Promise<Identity | undefined> {
  const path = join(directory, identityName)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const identity = parseIdentity(text)
  if (!identity) {
    throw new StartRefused(
      `${path} is damaged: restore it from a backup. Without it, start with --adopt: it is written anew from what the store says.`,
    )
  }
  if (identity.format <= identityFormat) return identity
  throw new StartRefused(
    `${path} was written by Cartulary ${identity.openedBy} (format ${identity.format}; this one knows ${identityFormat}): start that version.`,
  )
}

/** Reads `cartulary.json` of a data directory. Rejects with `StartRefused` also where there is none. */
export async function requireIdentity(directory: string): Promise<Identity> {
  const identity = await readIdentity(directory)
  if (identity) return identity
  throw new StartRefused(`${directory} is no data directory: it has no ${identityName}.`)
}

function parseIdentity(text: string): Identity | undefined {
  try {
    const { checksum, ...identity }: Record<string, unknown> = JSON.parse(text)
    if (checksum !== checksumOf(identity)) return undefined
    return identitySchema.safeParse(identity).data
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}

/** Writes `cartulary.json` atomically and durably; mode 600. */
export async function writeIdentity(directory: string, identity: Identity): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, identityName)
  const text = JSON.stringify({ ...identity, checksum: checksumOf(identity) }, undefined, 2)
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(`${text}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
  await syncDirectory(directory)
}

/** Writes changes of the identity one after the other; failures are logged. */
export type IdentityWriter = {
  /** Changes of the ledger when the directory was opened. */
  readonly harvests: number
  /** Notes the number of changes of the ledger. */
  readonly noteHarvests: (count: number) => Promise<void>
  /** Notes which files the directory has, so that their loss is noticed. */
  readonly noteFiles: () => Promise<void>
}

/** Makes the writer of an identity that was read or made. */
export function identityWriter(identity: Identity, directory: string, log: Log): IdentityWriter {
  let [current, lastWrite] = [identity, Promise.resolve()]
  const write = async () => {
    try {
      await writeIdentity(directory, current)
    } catch (error) {
      log.warn({ err: error }, 'identity.write-failed')
    }
  }
  const note = (change: Partial<Identity>): Promise<void> => {
    current = { ...current, ...change }
    lastWrite = lastWrite.then(write)
    return lastWrite
  }
  return {
    harvests: identity.harvests,
    noteHarvests: (harvests) => note({ harvests }),
    noteFiles: async () => {
      const files = [...filesIn(directory, current.files)]
      if (files.length > current.files.length) await note({ files })
    },
  }
}

const queries = { facts: loadQuery('platform-facts'), catalogues: loadQuery('own-catalogues') }

/** Facts that a store has about itself. */
type Facts = { readonly storeId: string; readonly baseUri: string; readonly format: number }

async function factsOf(store: SelectStore): Promise<Facts | undefined> {
  const [row] = await store.select(bind(queries.facts, {}))
  if (!row?.['store'] || !row['base'] || !row['format']) return undefined
  const [storeId, baseUri] = [row['store'].value, row['base'].value]
  return { storeId, baseUri, format: Number(row['format'].value) }
}

const linesOf = ({ storeId, baseUri, format: number }: Facts): string[] => [
  factLine(systemGraph, 'store', storeId),
  factLine(systemGraph, 'base', baseUri),
  factLine(systemGraph, 'format', String(number)),
]

type Identifying = {
  readonly store: Pick<GraphStore, 'select' | 'write'>
  readonly config: Config
  readonly startOptions: StartOptions
  /** Identity of the directory, if it has one. */
  readonly kept: Identity | undefined
  /** Number of records in the embedded index; 0 with another search engine. */
  readonly indexed: number
  readonly version: string
  readonly log: Log
  /** Id for a store that has none, unless the directory knows one and the store does not begin anew. */
  readonly newId: string
}

/**
 * Decides whose data it is, and writes that into store and directory. `isOther`: the other files of the directory describe
 * another store. The base of the data replaces the default one; a configured base and the path segments of IRIs must be the same.
 * Rejects with the reason and the cure.
 */
export async function identify(
  given: Identifying,
): Promise<{ readonly identity: Identity; readonly isOther: boolean }> {
  const { store, config, kept, startOptions, log } = given
  const facts = await factsOf(store)
  const catalogues = facts ? [] : await cataloguesOf(store)
  refuseOthers(given, facts)
  const isEmpty = !facts && catalogues.length === 0
  if (isEmpty) refuseLost(given)
  const known = startOptions.adopt && facts ? undefined : kept
  const isAnew = isEmpty && startOptions.empty
  const identity = identityOf(given, {
    storeId: facts?.storeId ?? (isAnew ? undefined : known?.storeId) ?? given.newId,
    baseUri: known?.baseUri ?? facts?.baseUri ?? baseAmong(catalogues, given),
  })
  refuseOtherNames(identity, given)
  if (!facts) await store.write([systemChange({ add: linesOf(identity) })])
  else if (facts.format < identityFormat) {
    const lineOf = (number: number) => [factLine(systemGraph, 'format', String(number))]
    await store.write([systemChange({ remove: lineOf(facts.format), add: lineOf(identityFormat) })])
  }
  if (JSON.stringify(identity) !== JSON.stringify(kept))
    await writeIdentity(config.dataDir, identity)
  const { base } = namesOf(config.baseUri)
  if (identity.baseUri !== base)
    log.info({ base: identity.baseUri, not: base }, 'base.taken-from-data')
  return { identity, isOther: isAnew || (kept !== undefined && kept.storeId !== identity.storeId) }
}

/** Rejects with `StartRefused` for a data directory that a process that writes has used: a reader keeps nothing in its own. */
export async function refuseWriterDirectory({ dataDir }: Config): Promise<void> {
  if (!(await readIdentity(dataDir))) return
  throw new StartRefused(
    `${dataDir} is the data directory of a process that writes: give this reader (PLATFORM_WRITER_URL) an empty PLATFORM_DATA_DIR of its own.`,
  )
}

/**
 * Base IRI of the data in the store of the writer. Rejects with `store-unavailable` while the writer has not begun it, and with
 * `StartRefused` for another base than the configured one and a newer format.
 */
export async function baseOfWriter(config: Config, store: SelectStore): Promise<string> {
  const facts = await factsOf(store)
  if (!facts)
    throw new Failure('store-unavailable', 'The process that writes has not begun this store yet.')
  if (facts.format > identityFormat) throw newerStore(facts)
  const { base } = namesOf(config.baseUri)
  if (config.isBaseChosen && facts.baseUri !== base) throw otherBase(facts.baseUri, config)
  return facts.baseUri
}

/** Rejects a store of another platform or of a newer version before its lease is waited for. */
export async function checkOwner(
  given: Omit<Identifying, 'store'>,
  store: SelectStore,
): Promise<void> {
  refuseOthers(given, await factsOf(store))
}

const identityOf = (
  { config, kept, version, indexed }: Identifying,
  owner: Pick<Identity, 'storeId' | 'baseUri'>,
): Identity => ({
  format: identityFormat,
  ...owner,
  segments: withDefaults(defaultSegments, config.segments),
  engine: config.triplestore?.dialect ?? 'embedded',
  createdBy: kept?.createdBy ?? version,
  openedBy: version,
  created: kept?.created ?? new Date().toISOString(),
  files: kept?.files ?? [],
  harvests: kept?.harvests ?? 0,
  dates: kept?.dates ?? (indexed > 0 ? 'utc' : 'faithful'),
})

async function cataloguesOf(store: SelectStore): Promise<string[]> {
  const rows = await store.select(bind(queries.catalogues, {}))
  return rows.flatMap(({ catalogue }) => (catalogue ? [catalogue.value] : []))
}

const newerStore = (facts: Pick<Facts, 'format'>) =>
  new StartRefused(
    `The store was written by a newer version of Cartulary (format ${facts.format}; this one knows ${identityFormat}): start that version.`,
  )

const otherBase = (found: string, { baseUri, dataDir }: Config) => {
  const { base } = namesOf(baseUri)
  return new StartRefused(
    `The data has the base IRI ${found}, and PLATFORM_BASE_URI is ${base}. Every IRI of the data begins with its base: set PLATFORM_BASE_URI to ${found}, or unset it; or write the data anew under the other base: cartulary rebase --from ${found} --to ${base} --data ${dataDir}`,
  )
}

/** Refuses a store of another platform or of a newer version. */
function refuseOthers(
  { kept, startOptions, config }: Omit<Identifying, 'store'>,
  facts: Facts | undefined,
): void {
  if (!facts) return
  if (facts.format > identityFormat) throw newerStore(facts)
  if (startOptions.adopt) return
  const ownerText = `The store belongs to a platform with the base IRI ${facts.baseUri} (store ${facts.storeId})`
  const adoptText = 'or start with --adopt to take the store over as it is.'
  if (!kept && config.triplestore) {
    throw new StartRefused(
      `${ownerText}, and ${config.dataDir} has never seen it: what was deleted, who harvested what and the triggers lie in that platform's data directory. Start with that directory, ${adoptText}`,
    )
  }
  if (kept && kept.storeId !== facts.storeId) {
    throw new StartRefused(
      `${ownerText}; ${join(config.dataDir, identityName)} belongs to store ${kept.storeId} with the base IRI ${kept.baseUri}. Put the right store or the right data directory in place, ${adoptText}`,
    )
  }
}

/** Refuses an empty store beside files that show that there was one, unless `--empty` was given. */
export function refuseLost({
  kept,
  indexed,
  startOptions,
  config,
}: Pick<Identifying, 'kept' | 'indexed' | 'startOptions' | 'config'>): void {
  const others = filesIn(config.dataDir, []).filter(
    (name) => name !== 'api-key' && hasContent(join(config.dataDir, name)),
  )
  const [other] = others.filter((name) => !name.startsWith('store/'))
  if (startOptions.empty || (!kept && indexed === 0 && !other)) return
  const place = config.triplestore
    ? `The store at ${config.triplestore.queryEndpoint}`
    : join(config.dataDir, 'store', 'store.db')
  const count = `${indexed} ${indexed === 1 ? 'record' : 'records'}`
  const evidence =
    indexed > 0
      ? `the index knows ${count}`
      : `${kept ? identityName : other} says that there was a store`
  throw new StartRefused(
    `${place} is missing or empty; ${evidence}. Restore a backup of the store, or start with --empty.`,
  )
}

/**
 * Base IRI of the catalogues of a store that has no facts about itself: the configured one where a catalogue has it or there is
 * none, else that of the first.
 */
function baseAmong(catalogues: readonly string[], { config }: Identifying): string {
  const names = namesOf(config.baseUri, config.segments)
  const bases = [...new Set(catalogues.flatMap((iri) => baseOf(iri, names) ?? []))]
  return bases.includes(names.base) ? names.base : (bases[0] ?? names.base)
}

function baseOf(catalogue: string, { base, catalogue: iriOf }: Names): string | undefined {
  const segment = iriOf('').slice(base.length)
  const index = catalogue.lastIndexOf(segment)
  return index > 0 && !catalogue.slice(index + segment.length).includes('/')
    ? catalogue.slice(0, index)
    : undefined
}

/** Refuses settings that would make other IRIs than those of the data. */
function refuseOtherNames(identity: Identity, { config, kept }: Identifying): void {
  const { base } = namesOf(config.baseUri)
  if (config.isBaseChosen && identity.baseUri !== base) {
    throw otherBase(identity.baseUri, config)
  }
  for (const [kind, before] of Object.entries(kept?.segments ?? {})) {
    const now = identity.segments[kind]
    if (now === before) continue
    throw new StartRefused(
      `The IRIs of the data have ${before} in those of a ${kind}, and PLATFORM_IRI_SEGMENTS makes it ${now}: set it to what it was.`,
    )
  }
}
