/** Who may administer the cache. */

import { Failure } from '../../../errors.ts'
import type { App, AppContext } from '../../../http/app.ts'
import { may, type ApiKeys } from '../../../http/api-key.ts'

/**
 * Puts key and permission before anything else that a request could be told. Whoever may clear everything may also look at the
 * schedules and remove a single catalogue.
 */
export function guardAdmin(app: App, keys: ApiKeys): void {
  const demand = (c: AppContext) => {
    const key = keys.require(c)
    const { method, path } = c.req
    const isOpen = may(key, { method, path }) || may(key, { method: 'POST', path: '/admin/clear' })
    if (!isOpen) throw new Failure('forbidden', 'the key has no permission for this')
  }
  app.use('/admin/*', async (c, next) => {
    if (c.req.method !== 'OPTIONS') demand(c)
    await next()
  })
  app.on('DELETE', '/catalogues/:id', async (c, next) => {
    demand(c)
    await next()
  })
}
