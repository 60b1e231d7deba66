/** Every preview that the demonstration offers, and a start of it that fails. */

import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { remove, temporaryDirectory } from '../support/gateway.ts'
import { startDemo, type DemoProcess } from './demo-process.ts'

let temporary: string
let demo: DemoProcess

beforeAll(async () => {
  temporary = await temporaryDirectory()
  demo = await startDemo(temporary)
}, 90_000)
afterAll(async () => {
  await demo?.end()
  await remove(temporary)
})

const shown = async (path: string) =>
  (await fetch(new URL(path, demo.home), { headers: { Accept: 'text/html' } })).text()

async function datasetIds(): Promise<readonly string[]> {
  const answer = await fetch(new URL('api/hub/search/search?filters=dataset&limit=100', demo.home))
  const { result } = (await answer.json()) as { result: { results: { id: string }[] } }
  return result.results.map(({ id }) => id)
}

it('shows a table for every file of which it offers a preview, and many maps', async () => {
  const [empty, maps]: [string[], string[]] = [[], []]
  for (const id of await datasetIds()) {
    const page = await shown(`en/datasets/${id}`)
    for (const [, address = ''] of page.matchAll(/href="([^"]+\/preview)"/g)) {
      const preview = await shown(address)
      if (!preview.includes('<table')) empty.push(address)
      if (preview.includes('<svg class="map"')) maps.push(address)
    }
  }
  expect(empty).toEqual([])
  expect(maps.length).toBeGreaterThanOrEqual(20)
}, 60_000)

it('leaves nothing behind when its port is taken or a setting is wrong', async () => {
  const other = await temporaryDirectory()
  const wrong: readonly (readonly [Record<string, string>, string])[] = [
    [{ PLATFORM_PORT: new URL(demo.home).port }, 'ended with 1'],
    [{ PLATFORM_PORTAL_CONFIG: '{"name":7}' }, 'ended with 2'],
    [{ PLATFORM_METRICS_CONFIG: 'none' }, 'ended with 2'],
  ]
  for (const [settings, end] of wrong) {
    await expect(startDemo(other, settings)).rejects.toThrow(end)
    expect(readdirSync(other).filter((name) => name.startsWith('cartulary-demo'))).toEqual([])
  }
  await remove(other)
}, 60_000)
