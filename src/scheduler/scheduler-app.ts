/** HTTP app of the scheduler: triggers, pipes and runs. */

import { type App, newApp } from '../http/app.ts'
import { mountContract } from '../http/docs-page.ts'
import { mount } from '../http/endpoint.ts'
import { writeLimiter } from '../http/long-answers.ts'
import { pipeEndpoints } from './pipe-routes.ts'
import { followerLimiter, runEndpoints } from './run-routes.ts'
import type { SchedulerContext } from './scheduler-contract.ts'
import { triggerEndpoints } from './trigger-routes.ts'

/** All endpoints of the scheduler. */
export const schedulerEndpoints = [...triggerEndpoints, ...pipeEndpoints, ...runEndpoints]

/** Creates the app. Reads are public, except items and reports of runs; these and changes need a key. */
export function schedulerApp(deps: Omit<SchedulerContext, 'followers'>): App {
  const { http, keys, version, writesPerKey } = deps
  const app = newApp({ ...http, name: 'scheduler' })
  const writes = writeLimiter(writesPerKey)
  const services = { ...deps, followers: followerLimiter() }
  mount(app, schedulerEndpoints, services, { keys, limit: (...args) => writes.run(...args) })
  mountContract(app, {
    title: 'Scheduler',
    version,
    description:
      'When pipes run, what they are, and what their runs did. Times are in UTC; a cron expression may have a time zone of its own. A trigger has an interval, a cron expression or ' +
      'specific times; one without any starts a run at once.',
  })
  return app
}
