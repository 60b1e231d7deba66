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

it('makes a draft that takes one version back and keeps later ones, or goes back as a whole', async () => {
  const { page, post } = await signedIn(platform, all)
  const own = path.replace('/history', '')
  const publish = async () => {
    const text = await page(`${own}/check`)
    const [, revision = ''] = /name="revision" value="(\d+)"/.exec(text) ?? []
    return post(`${own}/check?catalogue=water`, { do: 'publish', revision })
  }
  const stored = async () => (await fetch(`${client(platform).repo}/datasets/levels.nt`)).text()
  const undone = await post(path, { do: 'undo', version: '2', former: '1' })
  expect([undone.status, undone.headers.get('Location')]).toEqual([303, `${own}/check?did=undo`])
  expect(await page(`${own}/check?did=undo`)).toContain('This draft takes a version back.')
  // Nothing is public before the draft is published, and there is one draft.
  expect(await stored()).toContain('"Water levels"')
  const second = await post(path, { do: 'restore', version: '3', former: '1' })
  expect(second.headers.get('Location')).toBe(`${path}?did=draft`)
  expect(await page(`${path}?did=draft`)).toContain('There is a draft of this record already.')
  expect((await publish()).status).toBe(303)
  const text = await stored()
  expect([text.includes('"Levels"'), text.includes('"b"')]).toEqual([true, true])
  const restored = await post(path, { do: 'restore', version: '4', former: '1' })
  expect(restored.headers.get('Location')).toBe(`${own}/check?did=version`)
  expect(await page(`${own}/check?did=version`)).toContain('This draft is an earlier version.')
  expect((await publish()).status).toBe(303)
  expect(await stored()).toContain('"a"')
})

it('asks what counts where later versions changed the same', async () => {
  const { page, post } = await signedIn(platform, all)
  const own = path.replace('/history', '')
  await dataset('Levels of water', 'c')
  const late = await post(path, { do: 'undo', version: '2', former: '1' })
  expect(late.headers.get('Location')).toBe(`${own}/merge?did=undo`)
  const html = await page(`${own}/merge?did=undo`)
  expect(html).toContain('Levels of water')
  expect(html).toMatch(
    /value="mine" checked><b>Yours<\/b><span><\/span><span class="soft marked">.*Levels/,
  )
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''
  const form = { baseTag: field('baseTag'), revision: field('revision'), c0: 'mine' }
  expect((await post(`${own}/merge`, form)).status).toBe(303)
  expect(await page(`${own}/check`)).toContain('Levels')
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
