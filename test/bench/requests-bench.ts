/** Single requests: PUT of a new, a changed and an unchanged dataset, and GET, alone and eight at a time. */

import { client, type Gateway } from '../support/gateway.ts'
import { numbersBench } from './numbers-bench.ts'
import { documents } from './repository/documents.ts'
import { wire } from './wire.ts'
import { lanes, percentile, perSecond, table, timed } from './figures.ts'

export async function requestsBench(platform: Gateway, folder: string): Promise<string> {
  const api = client(platform)
  const { send, close } = wire()
  const bodies = await documents(folder)
  const rows: (string | number)[][] = [['request', 'concurrency', 'p50 ms', 'p95 ms', 'per second']]
  const measure = async (
    name: string,
    concurrency: number,
    work: (n: number) => Promise<number>,
    status: number,
  ) => {
    let times: number[] = []
    const ms = await timed(async () => {
      times = await lanes(bodies.length, concurrency, async (n) => {
        const answer = await work(n)
        if (answer !== status) throw new Error(`${name}: ${answer} instead of ${status}`)
      })
    })
    rows.push([
      name,
      concurrency,
      percentile(times, 0.5),
      percentile(times, 0.95),
      perSecond(bodies.length, ms),
    ])
  }
  await api.put('/catalogues/requests', '<> a <http://www.w3.org/ns/dcat#Catalog> .')
  for (const concurrency of [1, 8]) {
    const id = (n: number) => `c${concurrency}-${n}`
    const put = (n: number, body: string, headers: Record<string, string> = {}) =>
      send(`${api.repo}/catalogues/requests/datasets/origin?originalId=${id(n)}`, {
        method: 'PUT',
        body,
        headers: { 'X-API-Key': platform.key, 'Content-Type': 'text/turtle', ...headers },
      })
    const sent = (n: number) => bodies[n] ?? ''
    const changed = (n: number) => sent(n).replace(/dct:title "/, 'dct:title "Changed ')
    await measure('GET /health', concurrency, () => send(`${platform.url}/health`), 200)
    await measure('PUT new, searchable', concurrency, (n) => put(n, sent(n)), 201)
    await measure('PUT changed, searchable', concurrency, (n) => put(n, changed(n)), 204)
    await measure(
      'PUT changed back, respond-async',
      concurrency,
      (n) => put(n, sent(n), { Prefer: 'respond-async' }),
      204,
    )
    await measure('PUT unchanged', concurrency, (n) => put(n, sent(n)), 304)
    await measure(
      'GET as Turtle',
      concurrency,
      (n) => send(`${api.repo}/datasets/${id(n)}.ttl`),
      200,
    )
    await measure(
      'GET as N-Triples',
      concurrency,
      (n) => send(`${api.repo}/datasets/${id(n)}.nt`),
      200,
    )
    await measure('search by id', concurrency, (n) => send(`${api.search}/datasets/${id(n)}`), 200)
    await measure(
      'search, 10 hits, facets',
      concurrency,
      () => send(`${api.search}/search?q=data&filters=dataset`),
      200,
    )
  }
  close()
  return `${table(rows)}\n\n${await numbersBench()}`
}
