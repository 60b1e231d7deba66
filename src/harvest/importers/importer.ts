/**
 * Base of all importers: wraps a kind of importer as a segment, converts its records to messages, and decides whether the
 * import is complete.
 *
 *     pass 1 ──▶ complete | incomplete | not modified ─────────────────┬──▶ end
 *       ├──────▶ total changed, or records missing that ──▶ pass 2 ──────┘
 *       │        may have moved between its pages
 *       └──────▶ failure ──▶ the run fails, or end: incomplete (`isIncomplete`)
 */

import { hash } from 'node:crypto'
import type { z } from 'zod'
import type { Outbound } from '../../client/outbound.ts'
import { Failure, type Kind } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Completeness, Finding, Message, Validator } from '../../pipe/message.ts'
import type {
  ConfigProblem,
  SegmentContext,
  SegmentKind,
  SegmentPlace,
} from '../../pipe/segment.ts'
import { configProblems, configSchema } from '../../pipe/segment-config.ts'
import {
  selectionOf,
  importConfig,
  type ImportConfig,
  type ImportLimits,
  shapeOf,
} from './import-config.ts'
import { type ImportEvent, ImportRecorder } from './import-recorder.ts'
import { keepExisting, type RecordAddress } from './removal-check.ts'
import { faultsOfOneAnswer, ImportSource } from './source.ts'
import type { Pause } from '../../workers/pause.ts'

/** Context of an importer during a run. */
export type ImportContext = SegmentContext & {
  readonly source: ImportSource
  /** Aborts everything that the importer waits for. */
  readonly signal: AbortSignal
  readonly output: 'dcat-ap' | 'source'
  readonly limits: ImportLimits
  /** Directory of the pipe, for its queries. */
  readonly directory?: string
  /** Directory for temporary files. */
  readonly scratch: string
  /** Validators of the last complete run, if they may be used. */
  readonly validators: readonly Validator[]
  /** Records a validator, which is stored if the run is complete. */
  readonly addValidator: (validator: Validator) => void
  /** Whether the source continues without new records. */
  readonly isOver: () => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly pause: Pause
}

/** A run of one kind of importer. */
export type ImportRun<Config> = ImportContext & { readonly config: Config & ImportConfig }

/** A kind of source: its config and its import function. */
export type ImporterKind<Config extends object> = {
  /** Normal form first, then its aliases. */
  readonly names: readonly string[]
  /** Part of every source hash; a new number causes all records to be written again. */
  readonly version: number
  /** Config keys of this kind; `importConfig` has the common ones. */
  readonly config: z.ZodObject & z.ZodType<Config>
  /** Checks that the schema cannot express, such as the syntax of a query. */
  readonly check?: (config: Config & ImportConfig, place: SegmentPlace) => readonly ConfigProblem[]
  /** Headers that carry a credential; `{ [auth.header]: value }` by default. */
  readonly credentials?: (value: string, header: string) => Readonly<Record<string, string>>
  /** Reads the source once; yields its records, totals and pages, and returns at its end. */
  readonly import: (run: ImportRun<Config>) => AsyncIterable<ImportEvent>
  /** Addresses of one record at the source, best one first. */
  readonly addressesOf?: (
    config: Config & ImportConfig,
    sourceId: string,
  ) => readonly RecordAddress[]
}

/** Dependencies that all importers of a process share. */
export type ImporterDeps = {
  readonly outbound: Outbound
  /** Internal hosts and networks that pipes of the operator may reach. */
  readonly allow: readonly string[]
  readonly limits: ImportLimits
  /** Directory for temporary files. */
  readonly scratch: string
  /** Value of a named secret. */
  readonly secret: (name: string) => string | undefined
  /** Whether a catalogue exists; called before the first request to the source. */
  readonly catalogueExists?: (id: string, signal: AbortSignal) => Promise<boolean>
  /** Validators of the pipe's last complete run with the same `shape`, if they may be used. */
  readonly validators?: (
    run: Pick<SegmentContext, 'runId' | 'pipe'>,
    shape: string,
    forceDays: number | undefined,
  ) => readonly Validator[]
  /** Source ids of the pipe's records that the source has not offered so far. */
  readonly missing?: (runId: string) => readonly string[]
  /** Whether the pipe owns records in its catalogue; absent if unknown. */
  readonly ownsRecords?: (runId: string) => boolean
  readonly now: () => number
  readonly random: () => number
  readonly pause: Pause
  readonly log: Log
}

/**
 * Makes a segment of a kind of importer. The config is checked when the pipe is read; whether the address may be
 * reached, when it runs.
 */
export function importerSegment<Config extends object>(
  kind: ImporterKind<Config>,
  deps: ImporterDeps,
): SegmentKind {
  const schema = importConfig.extend(kind.config.shape)
  return {
    names: kind.names,
    job: 'import',
    schema: () => configSchema(schema),
    open: (rawConfig, place) => {
      const { success, data, error } = schema.safeParse(rawConfig)
      if (!success) return { ok: false, problems: configProblems(error) }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has the keys of both
      const config = data as unknown as Config & ImportConfig
      const { auth } = config
      const problems = [...(kind.check?.(config, place) ?? [])]
      if (auth && deps.secret(auth.secret) === undefined)
        problems.push({ key: 'auth.secret', detail: `there is no secret called ${auth.secret}` })
      if (problems.length > 0) return { ok: false, problems }
      return {
        ok: true,
        run: (_, context, signal) => run({ kind, deps, config, place }, context, signal),
      }
    },
  }
}

/** An importer with the config of a pipe. */
type ConfiguredImporter<Config extends object> = {
  readonly kind: ImporterKind<Config>
  readonly deps: ImporterDeps
  readonly config: Config & ImportConfig
  readonly place: SegmentPlace
}

/** One import of up to two passes over the source. */
type Import<Config extends object> = ConfiguredImporter<Config> & {
  readonly context: Omit<ImportRun<Config>, 'source' | 'signal'>
  readonly recorder: ImportRecorder
  /** Completeness of an import that reached the end of the source. */
  readonly completeness: () => Completeness
}

const digest = (text: string) => hash('sha256', text, 'hex')

/** Records of a dry run whose config has no `limit`. */
const dryRunLimit = 20

/**
 * Yields messages in the order of the source, then a skipped entry for each unlisted record that is kept, and one `end`.
 * Throws failures of the run.
 */
async function* run<Config extends object>(
  importer: ConfiguredImporter<Config>,
  context: SegmentContext,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const { kind, deps, config, place } = importer
  const { catalogue, incremental } = config
  if (deps.catalogueExists && !(await deps.catalogueExists(catalogue, signal)))
    throw new Failure(
      'unknown-catalogue',
      `There is no catalogue ${catalogue}, and a harvest does not create one.`,
    )
  const [name] = kind.names
  const { limits, now, pause, scratch } = deps
  const output = config.output ?? (place.next === 'transforming-js' ? 'source' : 'dcat-ap')
  const outputHash = digest(`${name} ${kind.version}\n${output}\n${shapeOf(config)}`)
  const limit = config.limit ?? (context.dryRun ? dryRunLimit : undefined)
  const isFullRun = !context.dryRun && !context.only && context.resumeFrom === undefined
  const isComparable = isFullRun && config.limit === undefined && !incremental
  const validators =
    (isComparable && deps.validators?.(context, outputHash, config.forceDays)) || []
  const newValidators: Validator[] = []
  const recorder = new ImportRecorder({ limits, now, shape: outputHash, limit, sink: context.sink })
  const completeness = (): Completeness => {
    const problem = recorder.shortfall(deps.ownsRecords?.(context.runId) ?? true)
    if (problem) return { kind: 'incomplete', problem }
    if (incremental || context.only) return { kind: 'incomplete' }
    const fingerprint = digest(`${name}\n${selectionOf(config)}`)
    return { kind: 'complete', fingerprint, outputHash, validators: newValidators }
  }
  const addValidator = (validator: Validator) => void newValidators.push(validator)
  const importMembers = { config, output, limits, scratch, now, pause, directory: place.directory }
  const isOver = () => recorder.isOver
  const importContext = { ...context, ...importMembers, validators, addValidator, isOver }
  const currentImport = { ...importer, context: importContext, recorder, completeness }
  let end = yield* pass(currentImport, signal)
  const missing = () => (end.kind === 'complete' ? (deps.missing?.(context.runId) ?? []) : [])
  // The source may have changed while it was read: a second pass finds records that moved between pages.
  const isChanged = end.kind === 'incomplete' && end.problem?.kind === 'total-changed'
  if (isChanged || (recorder.isLoose && missing().length > 0)) {
    recorder.startAgain()
    newValidators.length = 0
    end = yield* pass(currentImport, signal)
  }
  const addressesOf = (id: string) => kind.addressesOf?.(config, id) ?? []
  const source = sourceOf(currentImport, signal)
  const check = { missing: missing(), source, config, addressesOf, recorder, sink: context.sink }
  const keptRecords = yield* keepExisting(check, signal)
  // Without validators, the next run checks these records again.
  if (keptRecords > 0) newValidators.length = 0
  yield { kind: 'end', completeness: end }
}

const pagesWithoutEnd: Finding = {
  slug: 'pages-without-end',
  detail:
    'The source names a page after its last record: reading ended when as many records as it declares were there.',
}
const pagesWithoutRecords = new Failure(
  'page-repeated',
  'Two pages in a row held no new record, and the source still names a next one: reading ended there.',
)

/** Source for one pass or the removal check, with the credentials of the config. */
function sourceOf<Config extends object>(
  { kind, deps, config, place, context: { sink } }: Import<Config>,
  signal: AbortSignal,
): ImportSource {
  const credentials = credentialsOf(kind, deps, config)
  return new ImportSource({ deps, config, trust: place.trust, credentials, sink }, signal)
}

/** Reads the source once, up to its end or the limit of records; returns how complete the pass was. */
async function* pass<Config extends object>(
  currentImport: Import<Config>,
  signal: AbortSignal,
): AsyncGenerator<Message, Completeness> {
  const { kind, deps, config, context, recorder, completeness } = currentImport
  const stop = new AbortController()
  const passSignal = AbortSignal.any([signal, stop.signal])
  const source = sourceOf(currentImport, passSignal)
  let lastRecordMs = Number.NEGATIVE_INFINITY
  try {
    for await (const event of kind.import({ ...context, source, signal: passSignal })) {
      signal.throwIfAborted()
      const goesOn = event.kind === 'end' ? event.outcome === 'over' : event.kind !== 'total'
      if (goesOn && recorder.isOver) {
        if (!recorder.hasAllDeclared) return { kind: 'incomplete', problem: pagesWithoutRecords }
        context.sink.finding(pagesWithoutEnd)
        return completeness()
      }
      if (event.kind === 'end') {
        if (event.outcome === 'not-modified') return { kind: 'not-modified' }
        const problem = event.outcome === 'incomplete' ? event.problem : undefined
        return { kind: 'incomplete', problem }
      }
      const message = recorder.take(event, source.bytes)
      if (message && message.kind !== 'page' && message.kind !== 'total') source.resetIdlePages()
      if (!message) continue
      if (message.kind === 'record') {
        // Waits for `pulse` ms between two records.
        const wait = lastRecordMs + config.pulse - deps.now()
        if (wait > 0) await deps.pause(wait, signal)
        lastRecordMs = deps.now()
      }
      yield message
      if (recorder.isFull) return { kind: 'incomplete' }
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!isIncomplete(error, recorder.pages)) throw error
    // The missing page may be the one after the last; compare with the declared total.
    if (error.kind === 'source-not-found' && recorder.hasAllDeclared) return completeness()
    return { kind: 'incomplete', problem: error }
  } finally {
    // Aborts pending requests when the import ends early.
    stop.abort()
  }
  return completeness()
}

/** Headers with the credential of the config, given as secret reference or literal. */
function credentialsOf<Config extends object>(
  kind: ImporterKind<Config>,
  deps: ImporterDeps,
  { auth, apikey, auth_key: authKey }: ImportConfig,
): Readonly<Record<string, string>> {
  const value = auth ? deps.secret(auth.secret) : (apikey ?? authKey)
  if (value === undefined) return {}
  const header = auth?.header ?? 'Authorization'
  return kind.credentials?.(value, header) ?? { [header]: value }
}

/** Failures that make even an import without a page incomplete, not failed: its records are written, nothing is removed. */
const incompleteKinds: ReadonlySet<Kind> = new Set<Kind>([
  'source-empty',
  'total-mismatch',
  'total-changed',
  'page-repeated',
  'page-loop',
  'page-limit',
  'next-crosses-origin',
])

/**
 * Whether a failure makes the run incomplete instead of failed. Before the end of the first page, faults of one answer make it
 * fail, and so does a throttled source that does not say when to come back.
 */
function isIncomplete(error: unknown, pages: number): error is Failure {
  if (!(error instanceof Failure)) return false
  const { kind, retryAfter } = error
  if (incompleteKinds.has(kind)) return true
  if (kind === 'source-throttled') return retryAfter !== undefined || pages > 0
  return faultsOfOneAnswer.has(kind) && pages > 0
}
