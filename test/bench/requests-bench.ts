/** Single requests: PUT of a new, a changed and an unchanged dataset, and GET, alone and eight at a time. */

import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { client, type Gateway } from '../support/gateway.ts'
import { lanes, percentile, perSecond, table, timed } from './figures.ts'

/** Turtle documents of one dataset each, in `{folder}/datasets`. */
async function documents(folder: string): Promise<string[]> {
  const names = (await readdir(join(folder, 'datasets'), { recursive: true }))
    .filter((name) => name.endsWith('.ttl'))
    .sort()
  return Promise.all(names.map((name) => readFile(join(folder, 'datasets', name), 'utf8')))
}

export async function requestsBench(platform: Gateway, folder: string): Promise<string> {
  const api = client(platform)
  const bodies = await documents(folder)
  const rows: (string | number)[][] = [['request', 'concurrency', 'p50 ms', 'p95 ms', 'per second']]
  const measure = async (
    name: string,
    concurrency: number,
    work: (n: number) => Promise<Response>,
    status: number,
  ) => {
    let times: number[] = []
    const ms = await timed(async () => {
      times = await lanes(bodies.length, concurrency, async (n) => {
        const answer = await work(n)
        await answer.arrayBuffer()
        if (answer.status !== status)
          throw new Error(`${name}: ${answer.status} instead of ${status}`)
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
  for (const concurrency of [1, 8]) {
    const id = (n: number) => `c${concurrency}-${n}`
    const put = (n: number, body: string, headers = {}) =>
      api.putDataset('requests', id(n), body, headers)
    const changed = (n: number) => (bodies[n] ?? '').replace(/dct:title "/, 'dct:title "Changed ')
    await api.put('/catalogues/requests', '<> a <http://www.w3.org/ns/dcat#Catalog> .')
    await measure('PUT new, searchable', concurrency, (n) => put(n, bodies[n] ?? ''), 201)
    await measure('PUT changed, searchable', concurrency, (n) => put(n, changed(n)), 204)
    await measure(
      'PUT changed back, respond-async',
      concurrency,
      (n) => put(n, bodies[n] ?? '', { Prefer: 'respond-async' }),
      204,
    )
    await measure('PUT unchanged', concurrency, (n) => put(n, bodies[n] ?? ''), 304)
    await measure(
      'GET as Turtle',
      concurrency,
      (n) => fetch(`${api.repo}/datasets/${id(n)}.ttl`),
      200,
    )
    await measure(
      'GET as N-Triples',
      concurrency,
      (n) => fetch(`${api.repo}/datasets/${id(n)}.nt`),
      200,
    )
    await measure('search by id', concurrency, (n) => fetch(`${api.search}/datasets/${id(n)}`), 200)
  }
  return table(rows)
}
