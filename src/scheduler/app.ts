/** The scheduler station: its contract bound to triggers, pipes and runs. */

import { newApp, type App } from '../http/app.ts'
import { docs } from '../http/docs-page.ts'
import { changingGet } from '../http/shell/changing-get.ts'
import { guardAll } from './answering/guard.ts'
import { seekPipes } from './answering/seeking.ts'
import { bindPipes } from './bindings/pipes.ts'
import { bindRuns } from './bindings/runs.ts'
import { bindTriggers } from './bindings/triggers.ts'
import type { SchedulerDeps } from './deps.ts'

/** Lists are open; what changes something, and what runs did one by one, needs a key. */
export function schedulerApp(deps: SchedulerDeps): App {
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
