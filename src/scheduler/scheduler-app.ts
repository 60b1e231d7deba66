/** The scheduler station: its contract bound to triggers, pipes and runs. */

import { Failure } from '../errors.ts'
import { may } from '../http/api-key.ts'
import { type App, type AppContext, newApp } from '../http/app.ts'
import { docs } from '../http/docs-page.ts'
import { slots } from '../http/long-answers.ts'
import { changingGet } from '../http/headers.ts'
import { bindPipes } from './pipe-routes.ts'
import { bindRuns } from './run-routes.ts'
import { bindTriggers } from './trigger-routes.ts'
import type { SchedulerContext } from './scheduler-contract.ts'

/** Lists are open; what changes something, and what runs did one by one, needs a key. */
export function schedulerApp(deps: SchedulerContext): App {
  const app = newApp({ ...deps.http, name: 'scheduler' })
  app.use('/triggers/:pipeId/:triggerId/:status', changingGet)
  guardAll(app, deps)
  seekPipes(app, deps)
  bindTriggers(app, deps)
  bindPipes(app, deps)
  bindRuns(app, deps)
  docs(app, {
    title: 'Scheduler',
    version: deps.version,
    description:
      'When pipes run, what they are, and what their runs did. Times are in UTC. A trigger has an interval, a cron expression or ' +
      'specific times; one without any starts a run at once.',
  })
  return app
}

// Who may change what the scheduler does, and who may read what runs did one by one.

/** Puts key and permission before anything else that a request could be told. */
function guardAll(app: App, deps: Pick<SchedulerContext, 'keys' | 'runs' | 'writesPerKey'>): void {
  const { keys, runs } = deps
  const busy = slots({ atOnce: deps.writesPerKey, limit: 'writesPerKey' })
  const demand = (c: AppContext, catalogue?: string) => {
    const key = keys.require(c)
    if (may(key, { method: c.req.method, path: c.req.path, catalogue })) return key.id
    throw new Failure('forbidden', 'the key has no permission for this')
  }
  app.use(async (c, next) => {
    if (reads.has(c.req.method)) await next()
    else await busy.run(demand(c), next)
  })
  // It changes state: nothing but a GET may meet it, with a key.
  app.on('GET', '/triggers/:pipeId/:triggerId/:status', async (c, next) => {
    if (c.req.method === 'HEAD') {
      const headers = { Allow: 'GET, OPTIONS' }
      throw new Failure('method-not-allowed', 'use GET: HEAD is not possible here', { headers })
    }
    demand(c)
    await next()
  })
  app.on('GET', ['/runs/:runId/items', '/runs/:runId/report'], async (c, next) => {
    demand(c, runs.get(c.req.param('runId') ?? '')?.catalogue)
    await next()
  })
}

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

// Pipes whose files were written a moment ago: whoever writes one and uses it in the same breath is not told that
// there is none.

/** Only for requests that change something, which have a key: looking costs a list of files. */
function seekPipes(app: App, { pipes, ending }: Pick<SchedulerContext, 'pipes' | 'ending'>): void {
  const places = ['/pipes/:pipeId/runs', '/triggers/:pipeId', '/triggers/:pipeId/:triggerId']
  app.on(['POST', 'PUT'], places, async (c, next) => {
    const name = c.req.param('pipeId')
    if (name !== undefined && !pipes.find(name)) {
      await pipes.look(AbortSignal.any([c.get('signal'), ending]))
    }
    await next()
  })
}
