/**
 * What all importers share: a kind of importer becomes a kind of segment, whose runs turn what the importer finds into messages and
 * decide whether the import is complete.
 */

import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Outbound } from '../../client/outbound.ts'
import { Failure, type Kind } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { JsonObject } from '../../text/json.ts'
import type { Completeness, Message, Validator } from '../../pipe/message.ts'
import type {
  ConfigProblem,
  SegmentContext,
  SegmentKind,
  SegmentPlace,
} from '../../pipe/segment.ts'
import type { Found } from './found.ts'
import {
  choiceOf,
  importConfig,
  type ImportConfig,
  type ImportLimits,
  shapeOf,
} from './import-config.ts'
import { Reception } from './reception.ts'
import { Source } from './source.ts'

/** What an importer knows of the run. */
export type ImportContext = SegmentContext & {
  readonly source: Source
  /** Ends everything that the importer waits for. */
  readonly signal: AbortSignal
  readonly output: 'dcat-ap' | 'source'
  readonly limits: ImportLimits
  /** Directory of the pipe's source, for queries beside it. */
  readonly directory?: string
  /** Directory for temporary files. */
  readonly scratch: string
  /** What the last complete run saw, when it may be relied on. */
  readonly validators: readonly Validator[]
  /** Notes what this run saw; goes with the end of a complete run. */
  readonly validate: (validator: Validator) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** A run of one kind of importer. */
export type ImportRun<Config> = ImportContext & { readonly config: Config & ImportConfig }

export type ImporterKind<Config extends object> = {
  /** Normal form first, then its aliases. */
  readonly names: readonly string[]
  /** Part of every source hash: a new number writes every record again. */
  readonly version: number
  /** Its own keys; those of every importer are `importConfig`. */
  readonly config: z.ZodType<Config>
  /** What cannot be said by a schema, such as a query that does not parse. */
  readonly check?: (config: Config & ImportConfig, place: SegmentPlace) => readonly ConfigProblem[]
  /** Headers that carry a credential, when `{ [auth.header]: value }` is not enough. */
  readonly credentials?: (value: string, header: string) => Readonly<Record<string, string>>
  /** Ends by returning when the source was read to its end. */
  readonly import: (run: ImportRun<Config>) => AsyncIterable<Found>
}

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
  /** What the pipe's last complete run saw under the same `shape`, unless it may not be relied on. */
  readonly validators?: (
    run: Pick<SegmentContext, 'runId' | 'pipe'>,
    shape: string,
    forceDays: number | undefined,
  ) => readonly Validator[]
  /** Whether the pipe of a run owns anything in its catalogue; when nobody knows, it may. */
  readonly owns?: (runId: string) => boolean
  readonly now: () => number
  readonly random: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

/** A segment that any pipe can name. Its config is checked when the pipe is read, its address when it runs. */
export function importerSegment<Config extends object>(
  kind: ImporterKind<Config>,
  deps: ImporterDeps,
): SegmentKind {
  return {
    names: kind.names,
    job: 'import',
    schema: () => schemaOf(kind.config),
    open: (config, place) => {
      const read = readConfig(kind, deps, config, place)
      if ('problems' in read) return { ok: false, problems: read.problems }
      const { settings } = read
      return {
        ok: true,
        run: (_, context, signal) => run({ kind, deps, config: settings, place }, context, signal),
      }
    },
  }
}

function schemaOf(own: z.ZodType): JsonObject {
  const options = { io: 'input', unrepresentable: 'any' } as const
  const [shared, special] = [z.toJSONSchema(importConfig, options), z.toJSONSchema(own, options)]
  const merged = {
    ...shared,
    properties: { ...shared.properties, ...special.properties },
    required: [...new Set([...(shared.required ?? []), ...(special.required ?? [])])],
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON Schema is JSON
  return JSON.parse(JSON.stringify(merged)) as JsonObject
}

function readConfig<Config extends object>(
  kind: ImporterKind<Config>,
  deps: ImporterDeps,
  config: JsonObject,
  place: SegmentPlace,
): { settings: Config & ImportConfig } | { problems: readonly ConfigProblem[] } {
  const shared = importConfig.safeParse(config)
  const own = kind.config.safeParse(config)
  if (!shared.success || !own.success) {
    const issues = [...(shared.error?.issues ?? []), ...(own.error?.issues ?? [])]
    return {
      problems: issues.map(({ path, message }) => ({ key: path.join('.'), detail: message })),
    }
  }
  const settings = { ...shared.data, ...own.data }
  const { auth } = settings
  const problems = [
    ...(auth && deps.secret(auth.secret) === undefined
      ? [{ key: 'auth.secret', detail: `there is no secret called ${auth.secret}` }]
      : []),
    ...(kind.check?.(settings, place) ?? []),
  ]
  return problems.length > 0 ? { problems } : { settings }
}

type Opened<Config extends object> = {
  readonly kind: ImporterKind<Config>
  readonly deps: ImporterDeps
  readonly config: Config & ImportConfig
  readonly place: SegmentPlace
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

const dryRunLimit = 20

/** Records, refusals and pages in the order of the source, and exactly one `end`. Throws what fails the run. */
async function* run<Config extends object>(
  opened: Opened<Config>,
  context: SegmentContext,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const { kind, deps, config, place } = opened
  const { catalogue } = config
  if (deps.catalogueExists && !(await deps.catalogueExists(catalogue, signal)))
    throw new Failure(
      'unknown-catalogue',
      `There is no catalogue ${catalogue}; a harvest makes none.`,
    )
  const output = config.output ?? (place.next === 'transforming-js' ? 'source' : 'dcat-ap')
  const shape = digest(`${kind.names[0]} ${kind.version}\n${output}\n${shapeOf(config)}`)
  const limit = config.limit ?? (context.dryRun ? dryRunLimit : undefined)
  const { limits, now, pause, scratch } = deps
  const isWhole = !context.dryRun && !context.only && context.resumeFrom === undefined
  const isComparable = isWhole && config.limit === undefined && !config.incremental
  const validators = isComparable ? deps.validators?.(context, shape, config.forceDays) : undefined
  const seen: Validator[] = []
  const reception = new Reception({ limits, now, shape, limit, sink: context.sink })
  const verdict = () => verdictOf(opened, context, { reception, shape, seen })
  const passing = {
    ...context,
    config,
    output,
    limits,
    scratch,
    now,
    pause,
    validators: validators ?? [],
    validate: (validator: Validator) => void seen.push(validator),
    ...(place.directory !== undefined && { directory: place.directory }),
  }
  let end = yield* pass(opened, passing, { reception, verdict }, signal)
  // The source changed under our hands: what moved between two pages shows in a second look.
  if (end.kind === 'incomplete' && end.problem?.kind === 'total-changed') {
    reception.startAgain()
    end = yield* pass(opened, passing, { reception, verdict }, signal)
  }
  yield { kind: 'end', completeness: end }
}

type Judging = { readonly reception: Reception; readonly verdict: () => Completeness }

/** Reads the whole source once. */
async function* pass<Config extends object>(
  { kind, deps, config, place }: Opened<Config>,
  context: Omit<ImportRun<Config>, 'source' | 'signal'>,
  { reception, verdict }: Judging,
  signal: AbortSignal,
): AsyncGenerator<Message, Completeness> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const credentials = credentialsOf(kind, deps, config)
  const { sink } = context
  const source = new Source({ deps, config, trust: place.trust, credentials, sink }, either)
  const pace = pacemaker(deps, config)
  try {
    for await (const found of kind.import({ ...context, source, signal: either })) {
      signal.throwIfAborted()
      if (found.kind === 'end') return endOf(found, { reception, verdict })
      for (const message of reception.take(found, source.bytes)) {
        if (message.kind === 'record') await pace(signal)
        yield message
        if (reception.isFull) return { kind: 'incomplete' }
      }
    }
  } catch (error) {
    signal.throwIfAborted()
    const problem = incompleteBy(error, reception.pages)
    if (!problem) throw error
    return { kind: 'incomplete', problem }
  } finally {
    // An importer that is left in the middle may still wait for an answer.
    stop.abort()
  }
  return verdict()
}

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

/** Waits as long as `pulse` asks for between two records. */
function pacemaker({ now, pause }: ImporterDeps, { pulse }: ImportConfig) {
  let last = Number.NEGATIVE_INFINITY
  return async (signal: AbortSignal) => {
    if (pulse === 0) return
    const wait = last + pulse - now()
    if (wait > 0) await pause(wait, signal)
    last = now()
  }
}

function endOf(
  end: Extract<Found, { kind: 'end' }>,
  { reception, verdict }: Judging,
): Completeness {
  if (end.as === 'not-modified') return { kind: 'not-modified' }
  if (end.as === 'cut' && reception.isWhole) return verdict()
  return { kind: 'incomplete', ...(end.problem && { problem: end.problem }) }
}

type Vouching = {
  readonly reception: Reception
  readonly shape: string
  readonly seen: readonly Validator[]
}

/** Of an import that came to its end. */
function verdictOf<Config extends object>(
  { kind, deps, config }: Opened<Config>,
  { runId, only }: SegmentContext,
  { reception, shape, seen }: Vouching,
): Completeness {
  const problem = reception.shortfall(deps.owns?.(runId) ?? true)
  if (problem) return { kind: 'incomplete', problem }
  if (config.incremental || only) return { kind: 'incomplete' }
  const fingerprint = digest(`${kind.names[0]}\n${choiceOf(config)}`)
  return { kind: 'complete', fingerprint, shape, validators: seen }
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

/** On the first page nothing usable is there; later the run is incomplete. */
const dependsOnPage: ReadonlySet<Kind> = new Set<Kind>([
  'source-html',
  'source-error',
  'source-not-found',
  'source-error-envelope',
  'source-malformed',
  'source-truncated',
  'source-throttled',
  'source-timeout',
  'too-large',
])

/**
 * `undefined`: the run fails. Else the problem of an incomplete import. A source that says when to come back is no
 * failure, whatever the page.
 */
function incompleteBy(error: unknown, pages: number): Failure | undefined {
  if (!(error instanceof Failure)) return undefined
  const { kind } = error
  if (leavesIncomplete.has(kind)) return error
  if (kind === 'source-throttled' && error.retryAfter !== undefined) return error
  return dependsOnPage.has(kind) && pages > 0 ? error : undefined
}
