/** The ground of all importers: a kind of importer becomes a kind of segment. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Log } from '../../log.ts'
import type { Outbound } from '../../client/outbound.ts'
import type { JsonObject } from '../../pipe/document.ts'
import type { Validator } from '../../pipe/message.ts'
import type {
  ConfigProblem,
  SegmentContext,
  SegmentKind,
  SegmentPlace,
} from '../../pipe/segment.ts'
import type { Found } from './found.ts'
import { gather } from './gather.ts'
import {
  choiceOf,
  importConfig,
  type ImportConfig,
  type ImportLimits,
  shapeOf,
} from './import-config.ts'
import type { Source } from './source.ts'
import { openSource } from './open-source.ts'

/** What an importer knows of the run. */
export type ImportContext = SegmentContext & {
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
  /** Ends by returning when the source was read to its end. The source's requests end with the signal. */
  readonly import: (
    config: Config & ImportConfig,
    source: Source,
    context: ImportContext,
    signal: AbortSignal,
  ) => AsyncIterable<Found>
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
        run: (_, context, signal) => run({ kind, deps, settings, place }, context, signal),
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

type Settings<Config> = Config & ImportConfig
type Checked<Config> =
  | { readonly settings: Settings<Config> }
  | { readonly problems: readonly ConfigProblem[] }

function readConfig<Config extends object>(
  kind: ImporterKind<Config>,
  deps: ImporterDeps,
  config: JsonObject,
  place: SegmentPlace,
): Checked<Config> {
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
  readonly settings: Settings<Config>
  readonly place: SegmentPlace
}

function run<Config extends object>(
  { kind, deps, settings, place }: Opened<Config>,
  context: SegmentContext,
  signal: AbortSignal,
) {
  const output = outputOf(settings, place)
  const shape = digest(`${kind.names[0]} ${kind.version}\n${output}\n${shapeOf(settings)}`)
  const isWhole = !context.dryRun && !context.only && context.resumeFrom === undefined
  const seen: Validator[] = []
  const known = isWhole ? (deps.validators?.(context, shape, settings.forceDays) ?? []) : []
  const importing: ImportContext = {
    ...context,
    output,
    limits: deps.limits,
    scratch: deps.scratch,
    validators: settings.limit === undefined && !settings.incremental ? known : [],
    validate: (validator) => seen.push(validator),
    now: deps.now,
    pause: deps.pause,
    ...(place.directory !== undefined && { directory: place.directory }),
  }
  const credentials = credentialsOf(kind, deps, settings)
  const open = (passSignal: AbortSignal) =>
    openSource({ deps, config: settings, place, credentials, sink: context.sink }, passSignal)
  return gather(
    {
      deps,
      settings,
      context: importing,
      shape,
      fingerprint: digest(`${kind.names[0]}\n${choiceOf(settings)}`),
      validators: () => seen,
      open,
      import: (source, passSignal) => kind.import(settings, source, importing, passSignal),
    },
    signal,
  )
}

const outputOf = (config: ImportConfig, place: SegmentPlace) =>
  config.output ?? (place.next === 'transforming-js' ? 'source' : 'dcat-ap')

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

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
