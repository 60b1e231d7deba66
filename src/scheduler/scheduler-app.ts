/** The HTTP service of the scheduler: triggers, pipes and runs. */

import { type App, newApp } from '../http/app.ts'
import { docs } from '../http/docs-page.ts'
import { mount } from '../http/endpoint.ts'
import { slots } from '../http/long-answers.ts'
import { pipeEndpoints } from './pipe-routes.ts'
import { followerCounter, runEndpoints } from './run-routes.ts'
import type { SchedulerContext } from './scheduler-contract.ts'
import { triggerEndpoints } from './trigger-routes.ts'

/** All endpoints of the scheduler. */
export const schedulerEndpoints = [...triggerEndpoints, ...pipeEndpoints, ...runEndpoints]

/** Makes the app. Lists are open; changes, and the items and reports of runs, need a key. */
export function schedulerApp(deps: Omit<SchedulerContext, 'countFollower'>): App {
  const { http, keys, version, writesPerKey } = deps
  const app = newApp({ ...http, name: 'scheduler' })
  const { run: limit } = slots({ atOnce: writesPerKey, limit: 'writesPerKey' })
  mount(app, schedulerEndpoints, { ...deps, countFollower: followerCounter() }, { keys, limit })
  docs(app, {
    title: 'Scheduler',
    version,
    description:
      'When pipes run, what they are, and what their runs did. Times are in UTC. A trigger has an interval, a cron expression or ' +
      'specific times; one without any starts a run at once.',
  })
  return app
}
