/**
 * Base of all importers: makes a kind of segment of a kind of importer. Its runs turn the records of the importer into messages and
 * decide whether the import is complete.
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
import { configProblems, configSchema } from '../segment-config.ts'
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
  /** Ends everything that the importer waits for. */
  readonly signal: AbortSignal
  readonly output: 'dcat-ap' | 'source'
  readonly limits: ImportLimits
  /** Directory of the pipe's source, for queries beside it. */
  readonly directory?: string
  /** Directory for temporary files. */
  readonly scratch: string
  /** Validators of the last complete run, when they may be relied on. */
  readonly validators: readonly Validator[]
  /** Notes what this run saw; goes with the end of a complete run. */
  readonly validate: (validator: Validator) => void
  /** Whether the source goes on without new records. */
  readonly isOver: () => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly pause: Pause
}

/** A run of one kind of importer. */
export type ImportRun<Config> = ImportContext & { readonly config: Config & ImportConfig }

/** A kind of source: what its config may say, and how it is read. */
export type ImporterKind<Config extends object> = {
  /** Normal form first, then its aliases. */
  readonly names: readonly string[]
  /** Part of every source hash: a new number writes every record again. */
  readonly version: number
  /** Its own keys; those of every importer are `importConfig`. */
  readonly config: z.ZodObject & z.ZodType<Config>
  /** Checks that a schema cannot express, such as a query that does not parse. */
  readonly check?: (config: Config & ImportConfig, place: SegmentPlace) => readonly ConfigProblem[]
  /** Headers that carry a credential, when `{ [auth.header]: value }` is not enough. */
  readonly credentials?: (value: string, header: string) => Readonly<Record<string, string>>
  /** Ends by returning when the source was read to its end. */
  readonly import: (run: ImportRun<Config>) => AsyncIterable<ImportEvent>
  /** Addresses at which the source may answer for one record, best one first. */
  readonly addressesOf?: (
    config: Config & ImportConfig,
    sourceId: string,
  ) => readonly RecordAddress[]
}

/** Dependencies that all importers of a process share. */
export type ImporterDeps = {
  readonly outbound: Outbound
  /** Hosts and networks inside the institution that pipes of the operator may reach. */
  readonly allow: readonly string[]
  readonly limits: ImportLimits
  /** Directory for temporary files. */
  readonly scratch: string
  /** Value of a named secret. */
  readonly secret: (name: string) => string | undefined
  /** Whether a catalogue exists; asked before the first request to the source. */
  readonly catalogueExists?: (id: string, signal: AbortSignal) => Promise<boolean>
  /** Validators of the pipe's last complete run with the same `shape`, unless they may not be relied on. */
  readonly validators?: (
    run: Pick<SegmentContext, 'runId' | 'pipe'>,
    shape: string,
    forceDays: number | undefined,
  ) => readonly Validator[]
  /** Source ids of what the pipe of a run owns and the source has not offered so far. */
  readonly missing?: (runId: string) => readonly string[]
  /** Whether the pipe of a run owns anything in its catalogue; when nobody knows, it may. */
  readonly owns?: (runId: string) => boolean
  readonly now: () => number
  readonly random: () => number
  readonly pause: Pause
  readonly log: Log
}

/** A segment that any pipe can name. Its config is checked when the pipe is read, its address when it runs. */
export function importerSegment<Config extends object>(
  kind: ImporterKind<Config>,
  deps: ImporterDeps,
): SegmentKind {
  const schema = importConfig.extend(kind.config.shape)
  return {
    names: kind.names,
    job: 'import',
    schema: () => configSchema(schema),
    open: (given, place) => {
      const { success, data, error } = schema.safeParse(given)
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

/** One import, which may pass over its source twice. */
type Import<Config extends object> = ConfiguredImporter<Config> & {
  readonly context: Omit<ImportRun<Config>, 'source' | 'signal'>
  readonly recorder: ImportRecorder
  /** Whether an import that came to its end is complete. */
  readonly verdict: () => Completeness
}

const digest = (text: string) => hash('sha256', text, 'hex')

const dryRunLimit = 20

/** Records, refusals and pages in the order of the source, and exactly one `end`. Throws what fails the run. */
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
  const shape = digest(`${name} ${kind.version}\n${output}\n${shapeOf(config)}`)
  const limit = config.limit ?? (context.dryRun ? dryRunLimit : undefined)
  const isWhole = !context.dryRun && !context.only && context.resumeFrom === undefined
  const isComparable = isWhole && config.limit === undefined && !incremental
  const known = isComparable ? deps.validators?.(context, shape, config.forceDays) : undefined
  const seen: Validator[] = []
  const recorder = new ImportRecorder({ limits, now, shape, limit, sink: context.sink })
  const verdict = (): Completeness => {
    const problem = recorder.shortfall(deps.owns?.(context.runId) ?? true)
    if (problem) return { kind: 'incomplete', problem }
    if (incremental || context.only) return { kind: 'incomplete' }
    const fingerprint = digest(`${name}\n${selectionOf(config)}`)
    return { kind: 'complete', fingerprint, shape, validators: seen }
  }
  const validate = (validator: Validator) => void seen.push(validator)
  const own = { config, output, limits, scratch, now, pause, directory: place.directory }
  const isOver = () => recorder.isOver
  const passing = { ...context, ...own, validators: known ?? [], validate, isOver }
  const importing = { ...importer, context: passing, recorder, verdict }
  let end = yield* pass(importing, signal)
  const missing = () => (end.kind === 'complete' ? (deps.missing?.(context.runId) ?? []) : [])
  // The source changed while it was read: a second look shows what moved between two pages.
  const isChanged = end.kind === 'incomplete' && end.problem?.kind === 'total-changed'
  if (isChanged || (recorder.isLoose && missing().length > 0)) {
    recorder.startAgain()
    seen.length = 0
    end = yield* pass(importing, signal)
  }
  const addressesOf = (id: string) => kind.addressesOf?.(config, id) ?? []
  const source = sourceOf(importing, signal)
  const check = { missing: missing(), source, config, addressesOf, recorder, sink: context.sink }
  const kept = yield* keepExisting(check, signal)
  // What is not known to be gone is asked about again next time.
  if (kept > 0) seen.length = 0
  yield { kind: 'end', completeness: end }
}

const withoutEnd: Finding = {
  slug: 'pages-without-end',
  detail:
    'The source names a page after its last record: reading ended when as many records as it declares were there.',
}
const endless = new Failure(
  'page-repeated',
  'Two pages in a row held no new record, and the source still names a next one: reading ended there.',
)

/** The source of one pass, with the credentials of the config. */
function sourceOf<Config extends object>(
  { kind, deps, config, place, context: { sink } }: Import<Config>,
  signal: AbortSignal,
): ImportSource {
  const credentials = credentialsOf(kind, deps, config)
  return new ImportSource({ deps, config, trust: place.trust, credentials, sink }, signal)
}

/** Reads the whole source once. */
async function* pass<Config extends object>(
  importing: Import<Config>,
  signal: AbortSignal,
): AsyncGenerator<Message, Completeness> {
  const { kind, deps, config, context, recorder, verdict } = importing
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const source = sourceOf(importing, either)
  let last = Number.NEGATIVE_INFINITY
  try {
    for await (const found of kind.import({ ...context, source, signal: either })) {
      signal.throwIfAborted()
      const goesOn = found.kind === 'end' ? found.as === 'over' : found.kind !== 'total'
      if (goesOn && recorder.isOver) {
        if (!recorder.isWhole) return { kind: 'incomplete', problem: endless }
        context.sink.finding(withoutEnd)
        return verdict()
      }
      if (found.kind === 'end') {
        if (found.as === 'not-modified') return { kind: 'not-modified' }
        const problem = found.as === 'incomplete' ? found.problem : undefined
        return { kind: 'incomplete', problem }
      }
      const message = recorder.take(found, source.bytes)
      if (message && message.kind !== 'page' && message.kind !== 'total') source.meetRecord()
      if (!message) continue
      if (message.kind === 'record') {
        // Between two records at least `pulse` milliseconds pass.
        const wait = last + config.pulse - deps.now()
        if (wait > 0) await deps.pause(wait, signal)
        last = deps.now()
      }
      yield message
      if (recorder.isFull) return { kind: 'incomplete' }
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!isIncomplete(error, recorder.pages)) throw error
    // A page that is not there may be the one after the last: the declared total tells.
    if (error.kind === 'source-not-found' && recorder.isWhole) return verdict()
    return { kind: 'incomplete', problem: error }
  } finally {
    // An importer that is left in the middle may still wait for an answer.
    stop.abort()
  }
  return verdict()
}

/** Headers with the credential of the config, by reference to a secret or as it is; none without one. */
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

/** Failures that leave the import incomplete: whatever was read so far stays, and nothing is removed. */
const leavesIncomplete: ReadonlySet<Kind> = new Set<Kind>([
  'source-empty',
  'total-mismatch',
  'total-changed',
  'page-repeated',
  'page-loop',
  'page-limit',
  'next-crosses-origin',
])

/**
 * Else the run fails: on the first page nothing usable is there, later the run is incomplete. A source that says when to come back is
 * no failure, whatever the page.
 */
function isIncomplete(error: unknown, pages: number): error is Failure {
  if (!(error instanceof Failure)) return false
  const { kind, retryAfter } = error
  if (leavesIncomplete.has(kind)) return true
  if (kind === 'source-throttled') return retryAfter !== undefined || pages > 0
  return faultsOfOneAnswer.has(kind) && pages > 0
}
