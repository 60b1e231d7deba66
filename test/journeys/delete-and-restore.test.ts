/** Delete and restore, as a visitor of the search sees it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

let directory: string
let platform: Gateway
const size = 40

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  const { put } = client(platform)
  await put('/catalogues/rivers', `${prefixes}<> a dcat:Catalog ; dct:title "Rivers"@en .`)
  const datasets = Array.from(
    { length: size },
    (_, n) => `<urn:x:${n}> a dcat:Dataset ; dct:identifier "r-${n}" ; dct:title "Gauge ${n}"@en .`,
  )
  const answer = await put('/catalogues/rivers/datasets/bulk', prefixes + datasets.join('\n'))
  await answer.text()
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const ask = (method: string, path: string) =>
  fetch(client(platform).repo + path, { method, headers: { 'X-API-Key': platform.key } })
const found = async (): Promise<number> => {
  const { search, json } = client(platform)
  const { result } = await json<{ result: { count: number } }>(
    `${search}/search?q=gauge&filter=dataset&limit=0`,
  )
  return result.count
}
const finds = (count: number) => eventually(async () => (await found()) === count)
const searched = async (path: string) => (await fetch(client(platform).search + path)).status

describe('a dataset', () => {
  it('is out of search when its DELETE is answered, and in again when its restore is', async () => {
    expect(await finds(size)).toBe(true)
    const gone = await ask('DELETE', '/datasets/r-7')
    expect([gone.status, gone.headers.get('Index-Status')]).toEqual([204, 'done'])
    expect(await searched('/datasets/r-7')).toBe(404)
    const back = await ask('POST', '/datasets/r-7/restore')
    expect([back.status, back.headers.get('Index-Status')]).toEqual([201, 'done'])
    expect(await searched('/datasets/r-7')).toBe(200)
  })
})

describe('a catalogue', () => {
  it('is out of search when its DELETE is answered, and its datasets follow', async () => {
    const gone = await ask('DELETE', '/catalogues/rivers')
    expect([gone.status, gone.headers.get('Index-Status')]).toEqual([204, 'done'])
    expect(await searched('/catalogues/rivers')).toBe(404)
    expect(await finds(0)).toBe(true)
  })

  it('is in search again when its restore is answered, and its datasets follow', async () => {
    // 409 until the removal of its datasets has ended.
    const restore = async () => {
      const back = await ask('POST', '/catalogues/rivers/restore')
      return [back.status, back.headers.get('Index-Status')]
    }
    await expect.poll(restore).toEqual([201, 'done'])
    expect(await searched('/catalogues/rivers')).toBe(200)
    expect(await finds(size)).toBe(true)
  })
})
