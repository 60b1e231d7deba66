/** A large catalogue goes in by bulk and its ids come out in one list: how fast, and in how much memory. */

import { client, eventually, type Gateway } from '../../support/gateway.ts'
import { perSecond, table, timed } from '../figures.ts'
import { forgetPeak, memory } from '../memory.ts'
import { wire } from '../wire.ts'
import { bulkBody } from './documents.ts'

const perRequest = 500

/** Resolves when everything that was written is searchable. */
export async function indexed(platform: Gateway): Promise<void> {
  const { json } = client(platform)
  const isDone = async () =>
    (await json<{ pending: number }>(`${platform.url}/health`)).pending === 0
  if (!(await eventually(isDone, 3_600_000))) throw new Error('the index did not follow')
}

/** Writes datasets `from` to `to` into the catalogue `load`. */
export async function bulk(
  platform: Gateway,
  {
    pool,
    from,
    to,
  }: { readonly pool: readonly string[]; readonly from: number; readonly to: number },
): Promise<void> {
  const { ask, close } = wire()
  const headers = { 'X-API-Key': platform.key, 'Content-Type': 'text/turtle' }
  for (let at = from; at < to; at += perRequest) {
    const body = bulkBody(pool, 10_000_000 + at, Math.min(perRequest, to - at))
    const address = `${client(platform).repo}/catalogues/load/datasets/bulk`
    const answer = await ask(address, { method: 'PUT', body, headers })
    if (answer.status !== 200 || /"status":[45]/.test(answer.text))
      throw new Error(`bulk: ${answer.status} ${answer.text.slice(0, 300)}`)
  }
  close()
}

export async function loading(
  platform: Gateway,
  pool: readonly string[],
  datasets: number,
): Promise<string> {
  const { repo, search, put, json } = client(platform)
  const { ask, close } = wire()
  const { pid } = platform.process
  const rows: (string | number)[][] = [
    ['', 'seconds', 'datasets/s', 'MB before', 'MB peak', 'MB after'],
  ]
  const measure = async (name: string, count: number, work: () => Promise<void>) => {
    await forgetPeak(pid)
    const before = (await memory(pid)).now
    const ms = await timed(work)
    const { peak, now } = await memory(pid)
    rows.push([name, (ms / 1000).toFixed(1), perSecond(count, ms), before, peak, now])
  }
  await put('/catalogues/load', '<> a <http://www.w3.org/ns/dcat#Catalog> .')
  await measure(`bulk, ${perRequest} datasets per request`, datasets, () =>
    bulk(platform, { pool, from: 0, to: datasets }),
  )
  await measure('until all are searchable', datasets, () => indexed(platform))
  for (const turn of ['first', 'second']) {
    await measure(`list of all ids, ${turn} time`, datasets, async () => {
      const { text } = await ask(`${repo}/datasets?catalogue=load&valueType=originalIds`)
      const found = (JSON.parse(text) as string[]).length
      if (found !== datasets) throw new Error(`${found} ids instead of ${datasets}`)
    })
  }
  await measure('one more dataset in the large catalogue', 1, async () => {
    const body = bulkBody(pool, 90_000_000, 1)
    const answer = await put('/catalogues/load/datasets/origin?originalId=one-more', body)
    if (answer.status !== 201) throw new Error(`PUT: ${answer.status}`)
  })
  const { count } = (
    await json<{ result: { count: number } }>(`${search}/search?filters=dataset&limit=0`)
  ).result
  close()
  return `${table(rows)}\n${count} datasets are searchable`
}
