/** The page of versions: what changed by field and language, and the ways back, for those who may. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { signedIn } from './signed-in.ts'

const [all, reader, other] = [
  'key-for-everything-0001',
  'key-for-reading-water-01',
  'key-for-roads-alone-0001',
]
let directory: string
let platform: Gateway
const prefixes =
  '@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> . '
const hostile = `<script>alert(1)</script>"'`
const put = (path: string, body: string) =>
  fetch(`${client(platform).repo}${path}`, {
    method: 'PUT',
    headers: { 'X-API-Key': all, 'Content-Type': 'text/turtle' },
    body: prefixes + body,
  })
const dataset = (title: string, keyword: string) =>
  put(
    '/catalogues/water/datasets/origin?originalId=levels',
    `<> a dcat:Dataset ; dct:title "${title}"@en ; dct:description ${JSON.stringify(hostile)} ; dcat:keyword "${keyword}" .`,
  )

beforeAll(async () => {
  directory = await temporaryDirectory()
  await writeFile(join(directory, 'api-key'), all)
  platform = await gateway(directory, {
    PLATFORM_HUB_API_KEYS: JSON.stringify({
      [all]: ['*'],
      [reader]: ['reader:water'],
      [other]: ['roads'],
    }),
  })
  await put('/catalogues/water', '<> a dcat:Catalog ; dct:title "Water"@en .')
  await dataset('Levels', 'a')
  await dataset('Water levels', 'a')
  await dataset('Water levels', 'b')
}, 60_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const path = '/en/desk/datasets/levels/history'

it('shows what the newest version changed, and what any two differ in', async () => {
  const { page } = await signedIn(platform, all)
  const newest = await page(path)
  expect(newest).toContain('Version 3 against 2')
  expect(newest.replaceAll(/\s+/g, ' ')).toMatch(/<del>a<\/del>.*<ins>b<\/ins>/)
  const both = await page(`${path}?version=3&with=1`)
  expect(both).toContain('<del>Levels</del>')
  expect(both).toContain('<ins>Water levels</ins>')
  for (const language of ['de', 'fr', 'it'])
    expect(await page(path.replace('en', language))).toContain('<del>a</del>')
})

it('takes one version back and keeps later ones, or goes back as a whole', async () => {
  const { page, post } = await signedIn(platform, all)
  const undone = await post(path, { do: 'undo', version: '2', former: '1' })
  expect([undone.status, undone.headers.get('Location')]).toEqual([303, `${path}?did=undo`])
  const text = await (await fetch(`${client(platform).repo}/datasets/levels.nt`)).text()
  expect([text.includes('"Levels"'), text.includes('"b"')]).toEqual([true, true])
  expect(await page(`${path}?did=undo`)).toContain('role="status"')
  const restored = await post(path, { do: 'restore', version: '4', former: '1' })
  expect(restored.headers.get('Location')).toBe(`${path}?did=restore`)
  const again = await post(path, { do: 'undo', version: '3', former: '2' })
  // What it changed is taken back already.
  expect(again.headers.get('Location')).toBe(`${path}?did=undo`)
  await dataset('Levels', 'c')
  const late = await post(path, { do: 'undo', version: '3', former: '2' })
  expect(late.headers.get('Location')).toBe(`${path}?did=later`)
  expect(await page(path)).not.toContain('<script>alert')
})

it('has no buttons for readers, and is not there for others', async () => {
  const { page } = await signedIn(platform, reader)
  const shown = await page(path)
  expect([shown.includes('Version 3'), shown.includes('value="restore"')]).toEqual([true, false])
  const { get } = await signedIn(platform, other)
  expect((await get(path)).status).toBe(404)
  expect((await fetch(platform.url + path, { redirect: 'manual' })).status).toBe(303)
})
