/** Endpoints of runs: lists, items, reports, events, and actions of operators. */

import { z } from '@hono/zod-openapi'
import { Failure, shown } from '../errors.ts'
import { anyone, mayAs, mayCall } from '../http/endpoint.ts'
import { sendPieces } from '../http/long-answers.ts'
import { addVary } from '../http/headers.ts'
import { runStages } from '../pipe/message.ts'
import {
  hasEnded,
  itemSchema,
  itemStates,
  reportSchema,
  type Run,
  type RunItem,
  runSchema,
  runStatuses,
} from '../pipe/runs/run.ts'
import { negotiate } from '../rdf/media-types.ts'
import { FairLimiter } from '../workers/fair-limiter.ts'
import type { Release } from '../workers/fair-limiter.ts'
import {
  accepted,
  answer,
  linkHeaders,
  linkPages,
  runHeaders,
  type SchedulerContext,
  schedulerEndpoint,
} from './scheduler-contract.ts'

/** Time limit in ms for each chunk of a streamed answer. */
const chunkMs = 60_000

const runPath = z.object({ runId: z.string() })
/** Paging: offset and limit of a list. */
const offset = z.coerce.number().int().min(0).max(1_000_000_000).default(0)
const limit = z.coerce.number().int().min(1).max(1000).default(100)
/** Query of the list of runs, newest first; filters are combined with AND. */
const listQuery = z.object({
  pipe: z.string().optional(),
  status: z.enum(runStatuses).optional(),
  catalogue: z.string().optional(),
  offset,
  limit,
})
/** Query of the items of a run, in order of arrival; filters are combined with AND. */
const itemQuery = z.object({
  state: z.enum(itemStates).optional(),
  stage: z.enum(runStages).optional(),
  record: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .meta({ description: 'Id of the record: of the platform, of the source, or the original one' }),
  finding: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'Only records with a finding of this kind, such as unmapped-value' }),
  offset,
  limit,
})
const headers = linkHeaders('first, prev and next page')

/** Permission to read items and reports: also that of a reader of the run's catalogue. */
const mayReadItems = mayAs<SchedulerContext>(
  'reader',
  (c, { runs }) => runs.get(c.req.param('runId') ?? '')?.catalogue,
)

const listRuns = schedulerEndpoint({
  method: 'get',
  path: '/runs',
  operation: 'getRuns',
  summary: 'Runs, newest first',
  auth: anyone,
  query: listQuery,
  answers: { 200: { ...answer('Runs', z.array(runSchema)), headers } },
  handle: ({ c, query: { offset, limit, ...filter } }, { runs }) => {
    const page = runs.list({ ...filter, offset, limit: limit + 1 })
    linkPages(c, { offset, limit, hasMore: page.length > limit })
    return page.slice(0, limit)
  },
})

const readRun = schedulerEndpoint({
  method: 'get',
  path: '/runs/{runId}',
  operation: 'getRunsByRunId',
  summary: 'One run',
  auth: anyone,
  params: runPath,
  answers: { 200: answer('The run', runSchema) },
  handle: ({ params }, context) => runOf(context, params.runId),
})

const readReport = schedulerEndpoint({
  method: 'get',
  path: '/runs/{runId}/report',
  operation: 'getRunsByRunIdReport',
  summary: 'Counts, problems by kind, and the difference to the run before',
  auth: mayReadItems,
  params: runPath,
  answers: { 200: answer('The report', reportSchema) },
  handle: ({ params }, context) => context.runs.report(runOf(context, params.runId).id),
})

const itemContent = {
  'application/json': { schema: z.array(itemSchema) },
  'text/csv': { schema: z.string() },
  'application/x-ndjson': { schema: z.string() },
}
const itemTypes = Object.keys(itemContent)

/** Lists items as JSON pages, or streams all that pass the filter as CSV or NDJSON with constant memory, without paging. */
const listItems = schedulerEndpoint({
  method: 'get',
  path: '/runs/{runId}/items',
  operation: 'getRunsByRunIdItems',
  summary: 'What a run did one by one; as CSV or NDJSON all of it, streamed',
  auth: mayReadItems,
  params: runPath,
  query: itemQuery,
  answers: { 200: { description: 'Items in order of arrival', headers, content: itemContent } },
  handle: ({ c, params, query: { offset, limit, ...filter } }, context) => {
    const { runs, http } = context
    const run = runOf(context, params.runId)
    const type = negotiate(c.req.header('Accept'), itemTypes)
    const stream = (pieces: AsyncGenerator<string>, type: string, moreHeaders = {}) => {
      const headers = { 'Content-Type': type, ...moreHeaders }
      return sendPieces(c, pieces, { log: http.log, pieceMs: chunkMs, headers })
    }
    addVary(c.res.headers, 'Accept')
    if (type === undefined) throw new Failure('not-acceptable', `only ${itemTypes.join(', ')}`)
    if (type === 'application/json') {
      const items = [...runs.items(run.id, { ...filter, offset, limit: limit + 1 })]
      linkPages(c, { offset, limit, hasMore: items.length > limit })
      return items.slice(0, limit)
    }
    const runWithItems = { run, items: runs.items(run.id, filter) }
    if (type === 'application/x-ndjson') return stream(toNdjson(runWithItems), type)
    const name = `attachment; filename="run-${run.id.replaceAll(/[^\w.-]/g, '_')}.csv"`
    const csv = 'text/csv; charset=utf-8; header=present'
    return stream(toCsv(runWithItems), csv, { 'Content-Disposition': name })
  },
})

const eventHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}

/** Streams the states of a run as server-sent events until it has ended, the client disconnects or the service stops. */
const followRun = schedulerEndpoint({
  method: 'get',
  path: '/runs/{runId}/events',
  operation: 'getRunsByRunIdEvents',
  summary:
    'The run as it goes on (Server-Sent Events): "run" for each change and every 15 s, "end" last',
  auth: anyone,
  params: runPath,
  answers: {
    200: {
      description: 'Each event holds the run as JSON',
      content: { 'text/event-stream': { schema: z.string() } },
    },
  },
  handle: ({ c, params, signal }, context) => {
    const { id } = runOf(context, params.runId)
    const states = context.runs.follow(id, AbortSignal.any([signal, context.stopping]))
    const pieces = withSlot(() => context.followers.take(c.get('client'), signal), eventsOf(states))
    return sendPieces(c, pieces, { log: context.http.log, pieceMs: chunkMs, headers: eventHeaders })
  },
})

/** Defines an endpoint for an action on a run, which answers 202 with the run that `act` returns. */
const runAction = (
  name: 'cancel' | 'confirm' | 'keep' | 'resume' | 'retry',
  summary: string,
  description: string,
  act: (run: Run, context: SchedulerContext) => Promise<Run> | Run,
) =>
  schedulerEndpoint({
    method: name === 'cancel' ? 'delete' : 'post',
    path: name === 'cancel' ? '/runs/{runId}' : `/runs/{runId}/${name}`,
    operation:
      name === 'cancel'
        ? 'deleteRunsByRunId'
        : `postRunsByRunId${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    summary,
    auth: mayCall,
    params: runPath,
    answers: { 202: { ...answer(description, runSchema), headers: runHeaders } },
    handle: async ({ c, params }, context) =>
      accepted(c, await act(runOf(context, params.runId), context)),
  })

/** Waits for the work as `failEarly` does; returns the run as it is then. */
async function start(work: Promise<unknown>, { id }: Run, context: SchedulerContext): Promise<Run> {
  await failEarly(work, context)
  return runOf(context, id)
}

const cancelRun = runAction(
  'cancel',
  'Cancel a run; it is cancelled when its work in flight has ended',
  'The run as it is now',
  (run, context) => {
    if (hasEnded(run)) throw new Failure('conflict', `the run has ended: it is ${run.status}`)
    return start(context.launcher.cancel(run.id), run, context)
  },
)

const confirmRun = runAction(
  'confirm',
  'Carry out the removals that the run holds back',
  'The run',
  (run, context) => {
    requireHeldRemovals(run)
    if (context.runs.lastComplete(run.pipe)?.id !== run.id) {
      const detail = `it is not the latest complete run of ${shown(run.pipe)}`
      throw new Failure('conflict', detail)
    }
    return start(context.confirm(run.id, context.stopping), run, context)
  },
)

const keepRecords = runAction(
  'keep',
  'Keep the records whose removal the run holds back, until a later run asks again',
  'The run',
  (run, context) => {
    requireHeldRemovals(run)
    context.runs.note(run.id, { action: 'keep', done: run.counts.held, failed: 0 })
    return runOf(context, run.id)
  },
)

const resumeRun = runAction(
  'resume',
  'Let an interrupted run go on',
  'The run',
  ({ id }, { launcher }) => launcher.resume(id),
)

const retryRun = runAction(
  'retry',
  'Try again what failed in the run',
  'The new run',
  ({ id }, { launcher }) => launcher.retry(id),
)

export const runEndpoints = [
  listRuns,
  readRun,
  readReport,
  listItems,
  followRun,
  cancelRun,
  confirmRun,
  keepRecords,
  resumeRun,
  retryRun,
]

/** Throws `conflict` if the run has no held removals, or they were already confirmed and removed without a failure. */
function requireHeldRemovals({ counts, notes = [] }: Run): void {
  if (counts.held === 0) throw new Failure('conflict', 'the run holds back no removals')
  const note = notes.find(({ action, done, failed }) => action === 'confirm' && done > 0 && !failed)
  if (note) throw new Failure('conflict', `the removals were carried out at ${note.time}`)
}

/** Finds a run. Throws `unknown-run`. */
function runOf({ runs }: SchedulerContext, id: string): Run {
  const run = runs.get(id)
  if (run) return run
  throw new Failure('unknown-run', `there is no run ${shown(id)}`)
}

/** Server-sent events (HTML Standard 9.2): `run` for each state, then `end` with the final one, if the run has ended. */
async function* eventsOf(states: AsyncIterable<Run>): AsyncGenerator<string> {
  const event = (name: string, run: Run) => `event: ${name}\ndata: ${JSON.stringify(run)}\n\n`
  for await (const run of states) {
    yield event('run', run)
    if (hasEnded(run)) yield event('end', run)
  }
}

// A browser may show several runs; the limit protects against clients that leak connections.
const mostPerClient = 16
const mostFollowers = 500

/** Limits the number of followers. Refuses with `too-many-requests`. */
export function followerLimiter(): FairLimiter {
  const detail = `at most ${mostPerClient} runs can be followed at once`
  const refusal = () => new Failure('too-many-requests', detail, { retryAfter: 5 })
  return new FairLimiter({ atOnce: mostFollowers, perClient: mostPerClient, refusal })
}

/** Yields the chunks while holding a slot of the limiter. */
async function* withSlot(
  slot: () => Promise<Release>,
  pieces: AsyncGenerator<string>,
): AsyncGenerator<string> {
  const release = await slot()
  try {
    yield* pieces
  } finally {
    release()
  }
}

/** Time in ms after which an action is answered although it goes on. */
const waitMs = 500

/** Rejects if the work fails within `waitMs`; later failures are logged, unless the service stops. */
async function failEarly(
  work: Promise<unknown>,
  { pause, stopping, http }: SchedulerContext,
): Promise<void> {
  let isAnswered = false
  work.catch((err: unknown) => {
    if (isAnswered && !stopping.aborted) http.log.warn({ err }, 'request.finish-failed')
  })
  await Promise.race([work, pause(waitMs, stopping)])
  isAnswered = true
}

// Items of a run as chunks of NDJSON and CSV.

type RunWithItems = { readonly run: Run; readonly items: Iterable<RunItem> }

/** NDJSON, one item per line. */
export const toNdjson = ({ items }: RunWithItems): AsyncGenerator<string> =>
  chunksOf(items, (item) => `${JSON.stringify(item)}\n`)

/** Value of a CSV cell; `undefined` becomes an empty cell. */
type Cell = string | number | undefined

/** CSV columns in order. Clients depend on their names. */
const columns: Readonly<Record<string, (item: RunItem, run: Run) => Cell>> = {
  run: (_, run) => run.id,
  pipe: (_, run) => run.pipe,
  catalogue: (_, run) => run.catalogue,
  state: ({ state }) => state,
  stage: ({ stage }) => stage,
  originalId: ({ originalId, sourceId }) => originalId ?? sourceId,
  platformId: ({ platformId }) => platformId,
  sourceUrl: ({ sourceUrl }) => sourceUrl,
  problem: ({ problem }) => problem?.type.split(':').at(-1),
  detail: ({ problem, note }) => problem?.detail ?? note,
  line: ({ line, problem }) => placeOf(problem)?.line ?? line,
  column: ({ problem }) => placeOf(problem)?.column,
  time: ({ time }) => time,
}

/** Position of a problem in the document of the source. */
const placeOf = (problem: RunItem['problem']) =>
  problem?.errors?.find(({ line }) => line !== undefined)

/** CSV (RFC 4180). */
export const toCsv = ({ run, items }: RunWithItems): AsyncGenerator<string> =>
  chunksOf(
    items,
    (item) => {
      const cells = Object.values(columns).map((column) => cellText(column(item, run)))
      return `${cells.join(',')}\r\n`
    },
    `${Object.keys(columns).join(',')}\r\n`,
  )

/** Escapes a cell. A leading apostrophe prevents spreadsheets from evaluating it as a formula. */
function cellText(value: Cell): string {
  const text = String(value ?? '')
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Characters from which on a chunk is complete, to limit the overhead per item. */
const chunkCharacters = 16_384

/** Joins the texts of items to chunks. */
async function* chunksOf(
  items: Iterable<RunItem>,
  text: (item: RunItem) => string,
  heading = '',
): AsyncGenerator<string> {
  let piece = heading
  for (const item of items) {
    piece += text(item)
    if (piece.length < chunkCharacters) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
