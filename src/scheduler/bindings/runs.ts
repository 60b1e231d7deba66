/** Binds the routes of runs. */

import { Failure, shown } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { answerFlow } from '../../http/shell/flow.ts'
import { addVary } from '../../http/shell/headers.ts'
import { ended, type Run } from '../../pipe/runs/run.ts'
import { negotiate } from '../../rdf/media-types.ts'
import { accepted, linkPages } from '../answering/answers.ts'
import { begun } from '../answering/begun.ts'
import { events, followers } from '../answering/events.ts'
import { asCsv, asJson, asLines } from '../answering/run-items.ts'
import type { SchedulerDeps } from '../deps.ts'
import { runRoutes as routes } from '../routes/runs.ts'

/** Milliseconds for each piece of an answer that comes in pieces. */
const pieceMs = 60_000

export function bindRuns(app: App, deps: SchedulerDeps): void {
  const { runs } = deps
  app.openapi(routes.list, (c) => {
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
  app.openapi(routes.one, (c) => c.json(demanded(deps, c.req.valid('param').runId)))
  app.openapi(routes.report, (c) => {
    const { id } = demanded(deps, c.req.valid('param').runId)
    return c.json(runs.report(id))
  })
  bindItems(app, deps)
  bindEvents(app, deps)
  bindSteps(app, deps)
}

function bindItems(app: App, { http: { log }, ...deps }: SchedulerDeps): void {
  const { runs } = deps
  const types = ['application/json', 'text/csv', 'application/x-ndjson']
  app.openapi(routes.items, (c) => {
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

function bindEvents(app: App, { http: { log }, ...deps }: SchedulerDeps): void {
  const guests = followers()
  app.openapi(routes.events, (c) => {
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

function bindSteps(app: App, deps: SchedulerDeps): void {
  const { runs, launcher } = deps
  const begin = (work: Promise<unknown>) => begun(work, { ...deps, log: deps.http.log })
  const now = (c: AppContext, { id }: Run) => accepted(c, demanded(deps, id))
  app.openapi(routes.cancel, async (c) => {
    const run = demanded(deps, c.req.valid('param').runId)
    if (ended(run)) throw new Failure('conflict', `the run has ended: it is ${run.status}`)
    await begin(launcher.cancel(run.id))
    return now(c, run)
  })
  app.openapi(routes.confirm, async (c) => {
    const run = demanded(deps, c.req.valid('param').runId)
    if (run.counts.held === 0) throw new Failure('conflict', 'the run holds no removals back')
    if (runs.lastComplete(run.pipe)?.id !== run.id) {
      const detail = `it is not the latest complete run of ${shown(run.pipe)}`
      throw new Failure('conflict', detail)
    }
    await begin(deps.confirm(run.id, deps.ending))
    return now(c, run)
  })
  app.openapi(routes.resume, (c) => {
    const run = demanded(deps, c.req.valid('param').runId)
    return accepted(c, launcher.resume(run.id))
  })
  app.openapi(routes.retry, (c) => {
    const run = demanded(deps, c.req.valid('param').runId)
    return accepted(c, launcher.retry(run.id))
  })
}

function demanded({ runs }: Pick<SchedulerDeps, 'runs'>, id: string): Run {
  const run = runs.get(id)
  if (run) return run
  throw new Failure('unknown-run', `there is no run ${shown(id)}`)
}
