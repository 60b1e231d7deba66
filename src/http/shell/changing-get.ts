/** GETs that change something, which older clients send: neither a page of another site nor a browser's prefetch may. */

import type { MiddlewareHandler } from 'hono'
import { Failure } from '../../errors.ts'
import type { AppEnv } from './context.ts'

/**
 * To be set on the path before everything else: answers carry no CORS header, not even errors, and a request that its
 * browser calls cross-site or a prefetch (Fetch Metadata; `Purpose` and `X-Moz` of older ones) is `forbidden`.
 */
export const changingGet: MiddlewareHandler<AppEnv> = async (c, next) => {
  const isPreflight = c.req.method === 'OPTIONS'
  const method = isPreflight ? c.req.header('Access-Control-Request-Method') : c.req.method
  if (method !== 'GET' && method !== 'HEAD') return next()
  c.set('changes', true)
  const site = c.req.header('Sec-Fetch-Site')?.trim().toLowerCase()
  if (site === 'cross-site')
    throw new Failure('forbidden', 'a page of another site may not do this')
  const purposes = ['Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz'].map((name) =>
    c.req.header(name),
  )
  if (
    purposes.some((purpose) => purpose !== undefined && /prefetch|prerender|preview/i.test(purpose))
  ) {
    throw new Failure('forbidden', 'this changes something and is not done ahead of time')
  }
  return next()
}
