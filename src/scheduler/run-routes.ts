/** Runs over HTTP: lists, items, reports, events, and what an operator does about them. */

import { z } from '@hono/zod-openapi'
import { Failure, shown } from '../errors.ts'
import type { App } from '../http/app.ts'
import { answerFlow } from '../http/long-answers.ts'
import { addVary } from '../http/headers.ts'
import { stages } from '../pipe/message.ts'
import {
  ended,
  itemSchema,
  itemStates,
  reportSchema,
  type Run,
  type RunItem,
  runSchema,
  runStatuses,
} from '../pipe/runs/run.ts'
import { negotiate } from '../rdf/media-types.ts'
import {
  accepted,
  answer,
  linkHeaders,
  linkPages,
  route,
  runHeaders,
  type SchedulerContext,
} from './scheduler-contract.ts'

/** Milliseconds for each piece of an answer that comes in pieces. */
const pieceMs = 60_000

const ofRun = { params: z.object({ runId: z.string() }) }
/** Where a page of a list begins, and how many it holds. */
const offset = z.coerce.number().int().min(0).max(1_000_000_000).default(0)
const limit = z.coerce.number().int().min(1).max(1000).default(100)
/** Newest first; all filters have to fit. */
const listQuery = z.object({
  pipe: z.string().exactOptional(),
  status: z.enum(runStatuses).exactOptional(),
  catalogue: z.string().exactOptional(),
  offset,
  limit,
})
/** In order of arrival; all filters have to fit. */
const itemQuery = z.object({
  state: z.enum(itemStates).exactOptional(),
  stage: z.enum(stages).exactOptional(),
  record: z
    .string()
    .min(1)
    .max(2000)
    .exactOptional()
    .meta({ description: 'Id of the record: of the platform, of the source, or the original one' }),
  finding: z
    .string()
    .max(100)
    .exactOptional()
    .meta({ description: 'Only records with a finding of this kind, such as unmapped-value' }),
  offset,
  limit,
})
const headers = linkHeaders('first, prev and next page')

/** Binds the routes of runs. */
export function bindRuns(app: App, context: SchedulerContext): void {
  const { runs } = context
  const found = { 200: { ...answer('Runs', z.array(runSchema)), headers } }
  app.openapi(route('get /runs', 'Runs, newest first', found, { query: listQuery }), (c) => {
    const { offset, limit, ...filter } = c.req.valid('query')
    const found = runs.list({ ...filter, offset, limit: limit + 1 })
    linkPages(c, { offset, limit, more: found.length > limit })
    return c.json(found.slice(0, limit))
  })
  app.openapi(
    route('get /runs/{runId}', 'One run', { 200: answer('The run', runSchema) }, ofRun),
    (c) => c.json(runOf(context, c.req.valid('param').runId)),
  )
  const summary = 'Counts, problems by kind, and the difference to the run before'
  const report = { 200: answer('The report', reportSchema) }
  app.openapi(route('get /runs/{runId}/report', summary, report, ofRun), (c) =>
    c.json(runs.report(runOf(context, c.req.valid('param').runId).id)),
  )
  bindItems(app, context)
  bindEvents(app, context)
  bindSteps(app, context)
}

/** Pages of JSON, or everything as CSV or NDJSON: read and sent piece by piece, so that memory does not grow with the run. */
function bindItems(app: App, context: SchedulerContext): void {
  const { runs, http } = context
  const content = {
    'application/json': { schema: z.array(itemSchema) },
    'text/csv': { schema: z.string() },
    'application/x-ndjson': { schema: z.string() },
  }
  const types = Object.keys(content)
  app.openapi(
    route(
      'get /runs/{runId}/items',
      'What a run did one by one; as CSV or NDJSON all of it, streamed',
      { 200: { description: 'Items in order of arrival', headers, content } },
      { ...ofRun, query: itemQuery },
    ),
    (c) => {
      const run = runOf(context, c.req.valid('param').runId)
      const { offset, limit, ...filter } = c.req.valid('query')
      const type = negotiate(c.req.header('Accept'), types)
      const flow = (pieces: AsyncGenerator<string>, type: string, more = {}) => {
        const headers = { 'Content-Type': type, ...more }
        return answerFlow(c, pieces, { log: http.log, pieceMs, headers })
      }
      addVary(c.res.headers, 'Accept')
      if (type === undefined) throw new Failure('not-acceptable', `only ${types.join(', ')}`)
      if (type === 'application/json') {
        const items = [...runs.items(run.id, { ...filter, offset, limit: limit + 1 })]
        linkPages(c, { offset, limit, more: items.length > limit })
        return c.json(items.slice(0, limit))
      }
      const all = { run, items: runs.items(run.id, filter) }
      if (type === 'application/x-ndjson') return flow(asLines(all), type)
      const name = `attachment; filename="run-${run.id.replaceAll(/[^\w.-]/g, '_')}.csv"`
      const csv = 'text/csv; charset=utf-8; header=present'
      return flow(asCsv(all), csv, { 'Content-Disposition': name })
    },
  )
}

/** A connection of its own for each follower, until the run has ended or the follower goes. */
function bindEvents(app: App, context: SchedulerContext): void {
  const counted = followers()
  const content = { 'text/event-stream': { schema: z.string() } }
  const headers = {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
  }
  const summary =
    'The run as it goes on (Server-Sent Events): "run" for each change and every 15 s, "end" last'
  const good = { 200: { description: 'Each event holds the run as JSON', content } }
  app.openapi(route('get /runs/{runId}/events', summary, good, ofRun), (c) => {
    const { id } = runOf(context, c.req.valid('param').runId)
    const signal = AbortSignal.any([c.get('signal'), context.ending])
    const pieces = counted(c.get('client'), events(context.runs.follow(id, signal)))
    return answerFlow(c, pieces, { log: context.http.log, pieceMs, headers })
  })
}

/** What a person can do about a run; each answers 202 with the run as it is then. */
function bindSteps(app: App, context: SchedulerContext): void {
  const { runs, launcher } = context
  const bind = (
    endpoint: `post /runs/{runId}/${string}` | 'delete /runs/{runId}',
    summary: string,
    description: string,
    step: (run: Run) => Promise<Run> | Run,
  ) => {
    const good = { 202: { ...answer(description, runSchema), headers: runHeaders } }
    app.openapi(route(endpoint, summary, good, ofRun), async (c) =>
      accepted(c, await step(runOf(context, c.req.valid('param').runId))),
    )
  }
  const begin = async (work: Promise<unknown>, { id }: Run) => {
    await begun(work, context)
    return runOf(context, id)
  }
  const cancelling = 'Cancel a run; it is cancelled when its work in flight has ended'
  bind('delete /runs/{runId}', cancelling, 'The run as it is now', (run) => {
    if (ended(run)) throw new Failure('conflict', `the run has ended: it is ${run.status}`)
    return begin(launcher.cancel(run.id), run)
  })
  const confirming = 'Carry out the removals that the run holds back'
  bind('post /runs/{runId}/confirm', confirming, 'The run', (run) => {
    demandHeld(run)
    if (runs.lastComplete(run.pipe)?.id !== run.id) {
      const detail = `it is not the latest complete run of ${shown(run.pipe)}`
      throw new Failure('conflict', detail)
    }
    return begin(context.confirm(run.id, context.ending), run)
  })
  const keeping = 'Keep the records whose removal the run holds back, until a later run asks again'
  bind('post /runs/{runId}/keep', keeping, 'The run', (run) => {
    demandHeld(run)
    runs.note(run.id, { action: 'keep', done: run.counts.held, failed: 0 })
    return runOf(context, run.id)
  })
  bind('post /runs/{runId}/resume', 'Let an interrupted run go on', 'The run', ({ id }) =>
    launcher.resume(id),
  )
  bind('post /runs/{runId}/retry', 'Try again what failed in the run', 'The new run', ({ id }) =>
    launcher.retry(id),
  )
}

/** Throws `conflict` where the run holds back no removals, or they were carried out. */
function demandHeld({ counts, notes = [] }: Run): void {
  if (counts.held === 0) throw new Failure('conflict', 'the run holds back no removals')
  const made = notes.find(({ action, done, failed }) => action === 'confirm' && done > 0 && !failed)
  if (made) throw new Failure('conflict', `the removals were carried out at ${made.time}`)
}

/** Throws `unknown-run`. */
function runOf({ runs }: SchedulerContext, id: string): Run {
  const run = runs.get(id)
  if (run) return run
  throw new Failure('unknown-run', `there is no run ${shown(id)}`)
}

/** An event `run` for each state, and `end` with the last one (HTML Standard 9.2). */
async function* events(states: AsyncIterable<Run>): AsyncGenerator<string> {
  const event = (name: string, run: Run) => `event: ${name}\ndata: ${JSON.stringify(run)}\n\n`
  for await (const run of states) {
    yield event('run', run)
    if (ended(run)) yield event('end', run)
  }
}

// A browser with a page for each of a few runs needs some; a program that forgets to close its connections needs a limit.
const mostPerClient = 16
const mostFollowers = 500

/** Each follower holds a connection: only so many for one client and for all; more are `too-many-requests`. */
function followers() {
  /** One entry for each. */
  const clients: string[] = []
  return async function* counted(client: string, pieces: AsyncGenerator<string>) {
    const here = clients.filter((one) => one === client).length
    if (here >= mostPerClient || clients.length >= mostFollowers) {
      const detail = `at most ${mostPerClient} runs can be followed at once`
      throw new Failure('too-many-requests', detail, { retryAfter: 5 })
    }
    clients.push(client)
    try {
      yield* pieces
    } finally {
      clients.splice(clients.indexOf(client), 1)
    }
  }
}

/** What takes longer than this goes on after its answer. */
const waitMs = 500

/** Rejects as the work does, if it does so soon; later failures are for the log. */
async function begun(
  work: Promise<unknown>,
  { pause, ending, http }: SchedulerContext,
): Promise<void> {
  let isAnswered = false
  work.catch((err: unknown) => {
    if (isAnswered && !ending.aborted) http.log.warn({ err }, 'request.unfinished')
  })
  await Promise.race([work, pause(waitMs, ending)])
  isAnswered = true
}

// What a run did one by one, as pieces of NDJSON and of CSV.

type Reported = { readonly run: Run; readonly items: Iterable<RunItem> }

/** NDJSON: one item in each line. */
export const asLines = ({ items }: Reported): AsyncGenerator<string> =>
  gathered(items, (item) => `${JSON.stringify(item)}\n`)

/** Of the CSV; an absent value is an empty cell. */
type Cell = string | number | undefined

/** Columns of the CSV, in their order; programs of others read them by name. */
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

/** Where in the document of the source the problem is, if anywhere. */
const placeOf = (problem: RunItem['problem']) =>
  problem?.errors?.find(({ line }) => line !== undefined)

/** RFC 4180. */
export const asCsv = ({ run, items }: Reported): AsyncGenerator<string> =>
  gathered(
    items,
    (item) => {
      const cells = Object.values(columns).map((column) => cellText(column(item, run)))
      return `${cells.join(',')}\r\n`
    },
    `${Object.keys(columns).join(',')}\r\n`,
  )

/** A cell that begins as a formula would be run by a spreadsheet: a quote in front makes it text. */
function cellText(value: Cell): string {
  const text = String(value ?? '')
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One piece per item would cost more than the item. */
const pieceCharacters = 16_384

/** The texts of the items, a number of them in each piece. */
async function* gathered(
  items: Iterable<RunItem>,
  text: (item: RunItem) => string,
  head = '',
): AsyncGenerator<string> {
  let piece = head
  for (const item of items) {
    piece += text(item)
    if (piece.length < pieceCharacters) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
