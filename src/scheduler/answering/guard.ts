/** Who may change what the scheduler does, and who may read what runs did one by one. */

import { Failure } from '../../errors.ts'
import { may } from '../../http/api-key.ts'
import { slots } from '../../http/keys/slots.ts'
import type { App, AppContext } from '../../http/app.ts'
import type { SchedulerDeps } from '../deps.ts'

/** Puts key and permission before anything else that a request could be told. */
export function guardAll(
  app: App,
  deps: Pick<SchedulerDeps, 'keys' | 'runs' | 'writesPerKey'>,
): void {
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
      throw new Failure('method-not-allowed', 'HEAD is not possible here, only GET', { headers })
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
