/** A server that sends its callers elsewhere. */

import { portal, type Portal } from './portal.ts'

/**
 * `/to?url=…&status=302` leads there, `/chain?hops=n` needs n redirects, `/self` leads to itself, `/ring?place=1` through
 * three places in a circle; everything else answers "arrived".
 */
export function redirector(): Promise<Portal> {
  return portal((request) => {
    const url = new URL(request.url)
    const wanted = url.searchParams
    const lead = (to: string) =>
      new Response(null, {
        status: Number(wanted.get('status') ?? 302),
        headers: { Location: to },
      })
    if (url.pathname === '/to') return lead(wanted.get('url') ?? '/')
    if (url.pathname === '/self') return lead('/self')
    if (url.pathname === '/ring')
      return lead(`/ring?place=${(Number(wanted.get('place')) % 3) + 1}`)
    const hops = Number(wanted.get('hops') ?? 0)
    return hops > 0 ? lead(`/chain?hops=${hops - 1}`) : new Response('arrived')
  })
}
