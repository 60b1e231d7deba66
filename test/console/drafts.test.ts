/** The commands about drafts and versions, on a running platform: each does what the API permits to the holder of the key. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

const keys = {
  'key-of-everything-1': ['*'],
  'steward-of-water-01': ['steward:water', 'POST /shell/exec'],
  'publisher-of-water-1': ['publisher:water', 'POST /shell/exec'],
  'publisher-of-roads-1': ['publisher:roads', 'POST /shell/exec'],
}
type Key = keyof typeof keys

let directory: string
let platform: Gateway

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, {
    PLATFORM_HUB_API_KEYS: JSON.stringify(keys),
    PLATFORM_HUB_SHELL_CONFIG: '{"http":{}}',
  })
  await send('PUT', '/catalogues/water', '<> a dcat:Catalog ; dct:title "Water"@en .')
}, 60_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const send = (method: string, path: string, turtle?: string, key: Key = 'key-of-everything-1') =>
  fetch(`${platform.url}/api/hub/repo${path}`, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'text/turtle' },
    ...(turtle !== undefined && { body: prefixes + turtle }),
  })

async function said(line: string, key: Key = 'publisher-of-water-1'): Promise<string> {
  const answer = await fetch(`${platform.url}/shell/exec`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'text/plain' },
    body: line,
  })
  return answer.text()
}

const text = (title: string) =>
  `<> a dcat:Dataset ; dct:title "${title}"@en ; dct:description "Weekly samples."@en .`
const drafted = (id: string, body: string) =>
  send('PUT', `/drafts/datasets/${id}?catalogue=water`, body, 'publisher-of-water-1')

it('takes a draft from its list through the review to its publication', async () => {
  expect(await said('draft list')).toBe('0 drafts\nCommand finished\n')
  await drafted('lakes', text('Lakes'))
  expect(await said('draft list --state draft --catalogue water')).toMatch(
    /^lakes {2}draft {2}water {2}\S+ {2}20\d\d-\d\d-\d\d {2}Lakes\n1 draft\nCommand finished\n$/,
  )
  expect(await said('draft show lakes')).toMatch(
    /^title +Lakes\nid +lakes\nstate +draft\ncatalogue +water\n[^]*^may +write delete submit links$/m,
  )
  expect(await said('draft export lakes')).toContain('"Weekly samples."@en')
  expect(await said('draft publish lakes')).toMatch(/^Command failed: a steward of the catalogue/)
  expect(await said('draft submit lakes --note "Please look"')).toBe('review\nCommand finished\n')
  const seen = await said('draft show lakes', 'steward-of-water-01')
  expect(seen).toMatch(/^note +Please look \(\S+\)$/m)
  expect(await said('draft return lakes', 'steward-of-water-01')).toMatch(
    /^Command failed: .*say why it is sent back/,
  )
  expect(await said('draft return lakes --note "Which lakes?"', 'steward-of-water-01')).toBe(
    'returned\nCommand finished\n',
  )
  expect(await said('draft publish lakes', 'steward-of-water-01')).toBe(
    'published\nCommand finished\n',
  )
  expect(await said('draft list')).toBe('0 drafts\nCommand finished\n')
  expect((await send('GET', '/datasets/lakes')).status).toBe(200)
})

it('checks a draft, and ends with a failure where something blocks its publication', async () => {
  await drafted('springs', text('Springs').replace('.@en', '.'))
  await drafted('nameless', '<> a dcat:Dataset ; dcat:landingPage <javascript:alert(1)> .')
  const checked = await said('draft check nameless')
  expect(checked).toMatch(/^blocks {2}dct:title +it has no title$/m)
  expect(checked).toMatch(
    /^blocks {2}dcat:landingPage +addresses of this kind are not published: /m,
  )
  expect(checked).toMatch(
    /\n\d+ points\nCommand failed: \d findings to correct before publication\n$/,
  )
  expect(await said('draft schedule springs --at 2020-01-01T00:00:00Z')).toMatch(
    /^Command failed: /,
  )
})

it('throws a draft away, and takes it back', async () => {
  await drafted('wells', text('Wells'))
  expect(await said('draft discard wells')).toMatch(/^thrown away; /)
  expect(await said('draft list --state away')).toMatch(/^wells {2}away /)
  expect(await said('draft restore wells')).toBe('draft\nCommand finished\n')
})

it('shows others nothing of a draft, and says what is wrong with a line', async () => {
  for (const word of ['show', 'check', 'export', 'submit', 'publish', 'discard', 'restore'])
    expect([word, await said(`draft ${word} wells`, 'publisher-of-roads-1')]).toEqual([
      word,
      'Command failed: there is no draft "wells"\n',
    ])
  expect(await said('draft list', 'publisher-of-roads-1')).toBe('0 drafts\nCommand finished\n')
  for (const line of ['draft show', 'draft list x', 'draft burn wells', 'version undo lakes'])
    expect([line, await said(line)]).toEqual([line, expect.stringMatching(/failed: usage: /)])
  expect(await said('draft list --type boats')).toMatch(/^Command failed: /)
  expect(await said('help version')).toMatch(/^version <list\|show\|diff\|undo\|restore> <id>/)
})

it('lists versions, shows and compares them, takes one back and goes back to one', async () => {
  const put = (turtle: string) =>
    send('PUT', '/catalogues/water/datasets/origin?originalId=rivers', turtle)
  for (const title of ['Rivers', 'Three rivers', 'Four rivers']) await put(text(title))
  const list = await said('version list rivers')
  expect(list.match(/^\d {2}20\S+Z {2}\w+ {2}\w+$/gm)).toHaveLength(3)
  expect(list).toMatch(/\n3 versions\nCommand finished\n$/)
  expect(await said('version show rivers 1')).toContain('"Rivers"@en')
  const change = await said('version diff rivers 3')
  expect(change).toMatch(/^- .*"Three rivers"@en \.\n\+ .*"Four rivers"@en \.\nCommand finished\n$/)
  expect(await said('version diff rivers 3 1')).toMatch(/^- .*"Rivers"@en/)
  expect(await said('version undo rivers 3')).toMatch(/^Command failed: /)
  expect(await said('version undo rivers 3', 'steward-of-water-01')).toMatch(/^taken back/)
  expect(await said('version restore rivers 1', 'steward-of-water-01')).toMatch(/^gone back/)
  const after = await said('version list rivers')
  expect(after).toMatch(/ console .*restored version 1\n.* console .*undid version 3\n/)
  const file = new DatabaseSync(join(directory, 'activity.sqlite'), { readOnly: true })
  const rows = file.prepare('SELECT DISTINCT via FROM activity WHERE path LIKE ?').all('%/restore')
  file.close()
  expect(rows).toEqual([{ via: 'console' }])
  expect(await said('version show rivers 9')).toMatch(/^Command failed: there is no version 9/)
  expect(await said('version list water --type catalogues')).toContain('1 version\n')
})
