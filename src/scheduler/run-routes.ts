/** Binds the routes of runs. */

import { createRoute, z } from '@hono/zod-openapi'
import { Failure, shown } from '../errors.ts'
import type { App, AppContext } from '../http/app.ts'
import { answerFlow } from '../http/shell/flow.ts'
import { addVary } from '../http/shell/headers.ts'
import type { Log } from '../log.ts'
import { stages } from '../pipe/message.ts'
import { ended, itemStates, type Run, runStatuses } from '../pipe/runs/run.ts'
import { negotiate } from '../rdf/media-types.ts'
import { asCsv, asJson, asLines } from './run-item-pages.ts'
import type { SchedulerContext } from './scheduler-context.ts'
import {
  accepted,
  answer,
  linkHeaders,
  linkPages,
  problemOfRun,
  responses,
  run,
  runHeaders,
  security,
} from './scheduler-contract.ts'

/** Milliseconds for each piece of an answer that comes in pieces. */
const pieceMs = 60_000

export function bindRuns(app: App, deps: SchedulerContext): void {
  const { runs } = deps
  app.openapi(runRoutes.list, (c) => {
    const { pipe, status, catalogue, offset, limit } = c.req.valid('query')
    const found = runs.list({
      ...(pipe !== undefined && { pipe }),
      ...(status && { status }),
      ...(catalogue !== undefined && { catalogue }),
      offset,
      limit: limit + 1,
    })
    linkPages(c, { offset, limit, more: found.length > limit })
    return c.json(found.slice(0, limit))
  })
  app.openapi(runRoutes.one, (c) => c.json(demanded(deps, c.req.valid('param').runId)))
  app.openapi(runRoutes.report, (c) => {
    const { id } = demanded(deps, c.req.valid('param').runId)
    return c.json(runs.report(id))
  })
  bindItems(app, deps)
  bindEvents(app, deps)
  bindSteps(app, deps)
}

function bindItems(app: App, { http: { log }, ...deps }: SchedulerContext): void {
  const { runs } = deps
  const types = ['application/json', 'text/csv', 'application/x-ndjson']
  app.openapi(runRoutes.items, (c) => {
    const run = demanded(deps, c.req.valid('param').runId)
    const { state, stage, offset, limit } = c.req.valid('query')
    const filter = { ...(state && { state }), ...(stage && { stage }) }
    const wanted = negotiate(c.req.header('Accept'), types)
    const flow = (pieces: AsyncGenerator<string>, type: string, more = {}) =>
      answerFlow(c, pieces, { log, pieceMs, headers: { 'Content-Type': type, ...more } })
    addVary(c.res.headers, 'Accept')
    if (wanted === 'text/csv') {
      const pieces = asCsv({ run, items: runs.items(run.id, filter) })
      const name = `attachment; filename="run-${run.id.replaceAll(/[^\w.-]/g, '_')}.csv"`
      return flow(pieces, 'text/csv; charset=utf-8; header=present', {
        'Content-Disposition': name,
      })
    }
    if (wanted === 'application/x-ndjson')
      return flow(asLines({ run, items: runs.items(run.id, filter) }), 'application/x-ndjson')
    if (wanted === undefined) throw new Failure('not-acceptable', `only ${types.join(', ')}`)
    const items = [...runs.items(run.id, { ...filter, offset, limit: limit + 1 })]
    linkPages(c, { offset, limit, more: items.length > limit })
    return flow(asJson({ run, items: items.slice(0, limit) }), 'application/json')
  })
}

function bindEvents(app: App, { http: { log }, ...deps }: SchedulerContext): void {
  const guests = followers()
  app.openapi(runRoutes.events, (c) => {
    const { id } = demanded(deps, c.req.valid('param').runId)
    const signal = AbortSignal.any([c.get('signal'), deps.ending])
    const pieces = events(deps.runs.follow(id, signal), deps.pause, signal)
    return answerFlow(c, guests.admit(c.get('client'), pieces), {
      log,
      pieceMs,
      headers: {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store, no-transform',
        'X-Accel-Buffering': 'no',
      },
    })
  })
}

function bindSteps(app: App, deps: SchedulerContext): void {
  const { runs, launcher } = deps
  const begin = (work: Promise<unknown>) => begun(work, { ...deps, log: deps.http.log })
  const now = (c: AppContext, { id }: Run) => accepted(c, demanded(deps, id))
  app.openapi(runRoutes.cancel, async (c) => {
    const run = demanded(deps, c.req.valid('param').runId)
    if (ended(run)) throw new Failure('conflict', `the run has ended: it is ${run.status}`)
    await begin(launcher.cancel(run.id))
    return now(c, run)
  })
  app.openapi(runRoutes.confirm, async (c) => {
    const run = demanded(deps, c.req.valid('param').runId)
    if (run.counts.held === 0) throw new Failure('conflict', 'the run holds no removals back')
    if (runs.lastComplete(run.pipe)?.id !== run.id) {
      const detail = `it is not the latest complete run of ${shown(run.pipe)}`
      throw new Failure('conflict', detail)
    }
    await begin(deps.confirm(run.id, deps.ending))
    return now(c, run)
  })
  app.openapi(runRoutes.resume, (c) => {
    const run = demanded(deps, c.req.valid('param').runId)
    return accepted(c, launcher.resume(run.id))
  })
  app.openapi(runRoutes.retry, (c) => {
    const run = demanded(deps, c.req.valid('param').runId)
    return accepted(c, launcher.retry(run.id))
  })
}

function demanded({ runs }: Pick<SchedulerContext, 'runs'>, id: string): Run {
  const run = runs.get(id)
  if (run) return run
  throw new Failure('unknown-run', `there is no run ${shown(id)}`)
}

// A run as it goes on, as Server-Sent Events (HTML Standard 9.2).

/** So often something is sent, lest a proxy takes the connection for dead. */
const beatMs = 15_000

type Pause = (ms: number, signal: AbortSignal) => Promise<void>

/** An event `run` for each state, `end` for the last one, and comments while nothing happens. */
async function* events(
  states: AsyncIterable<Run>,
  pause: Pause,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const source = states[Symbol.asyncIterator]()
  let last: Run | undefined
  try {
    for (;;) {
      const next = source.next()
      while (!(await isFirst(next, pause, signal))) {
        signal.throwIfAborted()
        yield ':\n\n'
      }
      const { done, value } = await next
      if (done === true) break
      last = value
      yield event('run', value)
    }
    if (last) yield event('end', last)
  } finally {
    await source.return?.()
  }
}

const event = (name: string, run: Run): string => `event: ${name}\ndata: ${JSON.stringify(run)}\n\n`

/** Whether the work ends before the next beat; the beat does not go on without it. */
async function isFirst(work: Promise<unknown>, pause: Pause, outer: AbortSignal): Promise<boolean> {
  const settled = new AbortController()
  const beat = pause(beatMs, AbortSignal.any([settled.signal, outer])).then(
    () => false,
    () => false,
  )
  try {
    return await Promise.race([work.then(() => true), beat])
  } finally {
    settled.abort()
  }
}

type Followers = {
  /** The same pieces, counted while somebody reads them. Throws `too-many-requests`. */
  admit(client: string, pieces: AsyncGenerator<string>): AsyncGenerator<string>
}

/** Each follower holds a connection: only so many for one client and for all. */
function followers({ perClient = 16, total = 500 } = {}): Followers {
  const counts = new Map<string, number>()
  let all = 0
  const leave = (client: string) => {
    all -= 1
    const left = (counts.get(client) ?? 1) - 1
    if (left > 0) counts.set(client, left)
    else counts.delete(client)
  }
  async function* counted(client: string, pieces: AsyncGenerator<string>) {
    const here = counts.get(client) ?? 0
    if (here >= perClient || all >= total) {
      const detail = `at most ${perClient} runs can be followed at once`
      throw new Failure('too-many-requests', detail, { retryAfter: 5 })
    }
    counts.set(client, here + 1)
    all += 1
    try {
      yield* pieces
    } finally {
      leave(client)
    }
  }
  return { admit: counted }
}

// The contract of runs.

const params = z.object({ runId: z.string() })
const request = { params }
const offset = z.coerce.number().int().min(0).max(1_000_000_000).default(0)
const limit = z.coerce.number().int().min(1).max(1000).default(100)

const reported = z
  .looseObject({
    originalId: z.string().optional(),
    stage: z.string(),
    state: z.string(),
    problem: problemOfRun.optional(),
    time: z.iso.datetime(),
  })
  .openapi('RunItem')

const acceptedResponse = (description: string) =>
  responses({ 202: { ...answer(description, run), headers: runHeaders } })

const step = (path: string, summary: string, description: string) =>
  createRoute({
    method: 'post',
    path: `/runs/{runId}/${path}`,
    summary,
    security,
    request,
    responses: acceptedResponse(description),
  })

const runRoutes = {
  list: createRoute({
    method: 'get',
    path: '/runs',
    summary: 'Runs, newest first',
    request: {
      query: z.object({
        pipe: z.string().optional(),
        status: z.enum(runStatuses).optional(),
        catalogue: z.string().optional(),
        offset,
        limit,
      }),
    },
    responses: responses({
      200: { ...answer('Runs', z.array(run)), headers: linkHeaders('first, prev and next page') },
    }),
  }),
  one: createRoute({
    method: 'get',
    path: '/runs/{runId}',
    summary: 'One run',
    request,
    responses: responses({ 200: answer('The run', run) }),
  }),
  items: createRoute({
    method: 'get',
    path: '/runs/{runId}/items',
    summary: 'What a run did one by one; as CSV or NDJSON all of it, streamed',
    security,
    request: {
      params,
      query: z.object({
        state: z.enum(itemStates).optional(),
        stage: z.enum(stages).optional(),
        offset,
        limit,
      }),
    },
    responses: responses({
      200: {
        description: 'Items in order of arrival',
        headers: linkHeaders('first, prev and next page'),
        content: {
          'application/json': { schema: z.array(reported) },
          'text/csv': { schema: z.string() },
          'application/x-ndjson': { schema: z.string() },
        },
      },
    }),
  }),
  report: createRoute({
    method: 'get',
    path: '/runs/{runId}/report',
    summary: 'Counts, problems by kind, and the difference to the run before',
    security,
    request,
    responses: responses({ 200: answer('The report', z.looseObject({ run })) }),
  }),
  events: createRoute({
    method: 'get',
    path: '/runs/{runId}/events',
    summary: 'The run as it goes on (Server-Sent Events): an event "run" per change, "end" last',
    request,
    responses: responses({
      200: {
        description: 'Each event holds the run as JSON',
        content: { 'text/event-stream': { schema: z.string() } },
      },
    }),
  }),
  cancel: createRoute({
    method: 'delete',
    path: '/runs/{runId}',
    summary: 'Cancel a run; it is cancelled when its work in flight has ended',
    security,
    request,
    responses: acceptedResponse('The run as it is now'),
  }),
  confirm: step('confirm', 'Carry out the removals that the run holds back', 'The run'),
  resume: step('resume', 'Let an interrupted run go on', 'The run'),
  retry: step('retry', 'Try again what failed in the run', 'The new run'),
}

// Work that goes on after its answer.

/** What is refused is refused at once; what takes longer than this is under way. */
const waitMs = 500

type Deps = Pick<SchedulerContext, 'pause' | 'ending'> & { readonly log: Log }

/** Rejects as the work does, if it does so soon; later failures are for the log. */
async function begun(work: Promise<unknown>, { pause, ending, log }: Deps): Promise<void> {
  const settled = new AbortController()
  let answered = false
  const watched = work.catch((error: unknown) => {
    if (!answered) throw error
    if (!ending.aborted) log.warn({ err: error }, 'request.unfinished')
  })
  try {
    const waited = pause(waitMs, AbortSignal.any([settled.signal, ending])).catch(() => undefined)
    await Promise.race([watched, waited])
  } finally {
    answered = true
    settled.abort()
  }
}
