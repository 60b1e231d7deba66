/** Runs one importer by itself against a portal: the real outbound client, a sink that remembers, no exporter. */

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../../src/errors.ts'
import type { ImporterDeps } from '../../../src/harvest/importers/importer.ts'
import { usualLimits, type ImportLimits } from '../../../src/harvest/importers/import-config.ts'
import type { OutboundLimits } from '../../../src/client/deadlines.ts'
import { logger } from '../../../src/log.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import type { Completeness, Message, RecordMessage, Validator } from '../../../src/pipe/message.ts'
import type { SegmentContext, SegmentKind, SegmentPlace } from '../../../src/pipe/segment.ts'
import { outboundFixture } from '../../support/portals/outbound.ts'

export type Imported = {
  readonly messages: readonly Message[]
  readonly records: readonly RecordMessage[]
  readonly refused: readonly Extract<Message, { kind: 'refused' }>[]
  /** Absent when the run failed. */
  readonly end?: Completeness
  /** What failed the run. */
  readonly failure?: Failure
  /** Slug of the problem of a failed or an incomplete run. */
  readonly problem: string | undefined
  readonly pages: readonly { readonly cursor?: string; readonly bytes?: number }[]
  readonly requests: readonly { readonly host: string; readonly status: number | 'error' }[]
  readonly offered: number
  readonly totals: readonly number[]
  /** Of the run as a whole: slug and detail. */
  readonly findings: readonly string[]
  /** Source id and reason. */
  readonly skipped: readonly string[]
  /** Everything that was logged, as text. */
  readonly log: string
  /** Pauses that were asked for; nobody waited for them. */
  readonly pauses: readonly number[]
}

export type Run = {
  readonly kind: (deps: ImporterDeps) => SegmentKind
  readonly config: JsonObject
  readonly place?: Partial<SegmentPlace>
  readonly context?: Partial<SegmentContext>
  readonly limits?: Partial<ImportLimits>
  readonly outbound?: Partial<OutboundLimits>
  readonly names?: Readonly<Record<string, readonly string[]>>
  readonly secrets?: Readonly<Record<string, string>>
  readonly validators?: readonly Validator[]
  readonly catalogues?: readonly string[]
  /** Whether the pipe owns records; nobody knows when absent. */
  readonly owns?: boolean
  readonly signal?: AbortSignal
  /** Told of each message before the next is asked for. */
  readonly meanwhile?: (message: Message) => void | Promise<void>
}

/** Where documents that do not fit into memory go in tests. */
const scratch = join(tmpdir(), `cartulary-import-${process.pid}`)

/** Throws the config's problems; everything else is in the answer. */
export async function importOf(run: Run): Promise<Imported> {
  const { client, pauses } = outboundFixture({ limits: run.outbound ?? {}, names: run.names ?? {} })
  const lines: string[] = []
  const log = logger('debug', { write: (line) => void lines.push(line) })
  const kind = run.kind({
    outbound: client,
    allow: [],
    limits: { ...usualLimits, ...run.limits },
    scratch,
    secret: (name) => run.secrets?.[name],
    ...(run.validators && { validators: () => run.validators ?? [] }),
    ...(run.owns !== undefined && { ownsRecords: () => run.owns === true }),
    ...(run.catalogues && {
      catalogueExists: async (id) => run.catalogues?.includes(id) === true,
    }),
    now: () => Math.round(performance.now()),
    random: () => 0.5,
    pause: async (milliseconds) => void pauses.push(milliseconds),
    log,
  })
  const opened = kind.open({ catalogue: 'city', ...run.config }, { trust: 'trusted', ...run.place })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems))
  const seen = remembering()
  const context = { runId: 'r1', pipe: 'p1', sink: seen.sink, log, dryRun: false, ...run.context }
  const messages: Message[] = []
  let failure: Failure | undefined
  try {
    const signal = run.signal ?? AbortSignal.timeout(30_000)
    for await (const message of opened.run(nothing(), context, signal)) {
      messages.push(message)
      await run.meanwhile?.(message)
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    failure = error
  } finally {
    await client.close()
  }
  return { ...seen.told, ...summary(messages, failure), messages, log: lines.join(''), pauses }
}

async function* nothing(): AsyncGenerator<Message> {
  // The first segment of a pipe has no input.
}

function summary(messages: readonly Message[], failure: Failure | undefined) {
  const ends = messages.filter((message) => message.kind === 'end')
  if (ends.length + (failure ? 1 : 0) !== 1) throw new Error(`${ends.length} ends`)
  if (ends[0] && messages.at(-1) !== ends[0]) throw new Error('something comes after the end')
  const end = ends[0]?.completeness
  const problem = failure ?? (end?.kind === 'incomplete' ? end.problem : undefined)
  return {
    records: messages.filter((message) => message.kind === 'record'),
    refused: messages.filter((message) => message.kind === 'refused'),
    skipped: messages.flatMap((message) =>
      message.kind === 'skipped' ? [`${message.sourceId} ${message.reason}`] : [],
    ),
    problem: problem?.kind,
    ...(end && { end }),
    ...(failure && { failure }),
  }
}

function remembering() {
  const pages: { cursor?: string; bytes?: number }[] = []
  const requests: { host: string; status: number | 'error' }[] = []
  const totals: number[] = []
  const findings: string[] = []
  let offered = 0
  const sink: SegmentContext['sink'] = {
    item: () => {},
    finding: ({ slug, detail }) => void findings.push(`${slug} ${detail}`),
    total: (total) => void totals.push(total),
    offered: (count = 1) => {
      offered += count
    },
    adopted: () => {},
    page: (page) => void pages.push(page),
    request: (request) => void requests.push(request),
    alive: () => {},
    processed: () => {},
    outcome: () => {},
  }
  return {
    sink,
    told: {
      pages,
      requests,
      totals,
      findings,
      get offered() {
        return offered
      },
    },
  }
}
