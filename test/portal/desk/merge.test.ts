/** The merge of a draft with what others published meanwhile: two people, the same field and different ones, without JavaScript. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  client,
  gateway,
  remove,
  repositoryOf,
  temporaryDirectory,
  type Gateway,
} from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { harmIn, hostileStrings } from '../hostile-strings.ts'
import { signedIn } from '../signed-in.ts'

const [all, anna, marco, reader, other] = [
  'key-for-everything-0001',
  'key-of-a-publisher-0001',
  'key-of-a-publisher-0002',
  'key-for-reading-water-01',
  'key-for-roads-alone-0001',
]
let directory: string
let platform: Gateway
beforeAll(async () => {
  directory = await temporaryDirectory()
  await writeFile(join(directory, 'api-key'), all)
  platform = await gateway(directory, {
    PLATFORM_HUB_API_KEYS: JSON.stringify({
      [all]: ['*'],
      [anna]: ['publisher:water'],
      [marco]: ['publisher:water'],
      [reader]: ['reader:water'],
      [other]: ['publisher:roads'],
    }),
  })
  await client({ url: platform.url, key: all }).put(
    '/catalogues/water',
    `${prefixes}<> a dcat:Catalog ; dct:title "Water"@en .`,
  )
}, 60_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const ask = repositoryOf(() => platform)

const files = `; dcat:distribution <http://localhost:8080/set/distribution/all> .
<http://localhost:8080/set/distribution/all> a dcat:Distribution ; dct:title "All samples"@en ; dcat:accessURL <https://lakes.example/all>`
const put = (id: string, about: string) =>
  client({ url: platform.url, key: all }).putDataset(
    'water',
    id,
    `${prefixes}<> a dcat:Dataset ; ${about} .`,
  )
const title = (id: string, text: string) =>
  `<http://localhost:8080/set/data/${id}> <http://purl.org/dc/terms/title> ${JSON.stringify(text)}@en .`

/** Publishes a record, and opens a draft of it whose title a person changes. */
async function changed(id: string, mine: string) {
  await put(id, 'dct:title "Lakes"@en ; dct:description "Weekly samples of nine lakes."@en')
  await ask(anna, 'POST', `/drafts/datasets?of=${id}`)
  const patch = { remove: [title(id, 'Lakes')], add: [title(id, mine)] }
  expect((await ask(anna, 'PATCH', `/drafts/datasets/${id}`, patch)).status).toBe(200)
  return { own: `/en/desk/datasets/${id}` }
}

const field = (html: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''
const hidden = (html: string) => ({
  baseTag: field(html, 'baseTag'),
  revision: field(html, 'revision'),
  do: 'decide',
})
const rdfOf = async (id: string) =>
  (await fetch(`${platform.url}/api/hub/repo/datasets/${id}.nt`)).text()
const published = async (own: string, key = anna) => {
  const { page, post } = await signedIn(platform, key)
  const revision = field(await page(`${own}/check`), 'revision')
  return post(`${own}/check?catalogue=water`, { do: 'publish', revision })
}

it('is not needed where two people changed different fields: both are there, and the page says so', async () => {
  const { own } = await changed('apart', 'Bathing lakes')
  const { page } = await signedIn(platform, marco)
  await put(
    'apart',
    'dct:title "Lakes"@en ; dct:description "Daily samples."@en ; dcat:keyword "lake"',
  )
  expect(await page(`${own}/merge`)).toContain('The changes do not touch each other')
  const done = await published(own)
  const to = done.headers.get('Location') ?? ''
  expect([done.status, to]).toEqual([303, expect.stringContaining('did=publish&others=')])
  const text = await rdfOf('apart')
  for (const value of ['"Bathing lakes"', '"Daily samples."', '"lake"'])
    expect(text).toContain(value)
  const shown = await page(to)
  expect(shown).toContain('Others had changed meanwhile')
  expect(shown).toMatch(/Others had changed meanwhile[^<]*Description[^<]*Keywords/)
})

it('is for decisions where both changed the same: theirs, mine, as it was, or written together', async () => {
  for (const [choice, result, text] of [
    ['mine', 'Bathing lakes', ''],
    ['theirs', 'Lakes and ponds', ''],
    ['before', 'Lakes', ''],
    ['both', 'Bathing lakes and ponds', 'Bathing lakes and ponds'],
  ] as const) {
    const id = `same-${choice}`
    const { own } = await changed(id, 'Bathing lakes')
    await put(id, 'dct:title "Lakes and ponds"@en ; dct:description "Daily samples."@en')
    const refused = await published(own)
    const check = await refused.text()
    expect([refused.status, check.includes(`href="${own}/merge"`)]).toEqual([400, true])
    const { page, post } = await signedIn(platform, anna)
    const html = await page(`${own}/merge`)
    expect(html).toContain('In one field you must say what counts.')
    expect(html).toMatch(/<legend class="vh">Title, English<\/legend>/)
    expect(html).toMatch(/<ins>Bathing lakes<\/ins>|Bathing/)
    expect(html).toMatch(/<dt>Theirs, kept<\/dt><dd>Description<\/dd>/)
    const decided = await post(`${own}/merge`, { ...hidden(html), c0: choice, t0: text })
    const to = decided.headers.get('Location') ?? ''
    expect([choice, decided.status, to]).toEqual([
      choice,
      303,
      expect.stringContaining('did=merge'),
    ])
    const next = await page(to)
    expect(next).toContain('The draft now begins from the newest version.')
    expect(next).toMatch(/Others had changed meanwhile[^<]*Description/)
    expect((await published(own)).status).toBe(303)
    const titles = [...(await rdfOf(id)).matchAll(/terms\/title> "([^"]*)"@en/g)]
    expect([choice, titles.map(([, one]) => one)]).toEqual([choice, [result]])
    expect(await rdfOf(id)).toContain('"Daily samples."')
  }
})

it('asks again where the record changed once more, and for a text that is not written', async () => {
  const { own } = await changed('again', 'Bathing lakes')
  await put('again', 'dct:title "Ponds"@en ; dct:description "Daily samples."@en')
  const { page, post } = await signedIn(platform, anna)
  const html = await page(`${own}/merge`)
  const empty = await post(`${own}/merge`, { ...hidden(html), c0: 'both', t0: ' ' })
  const text = await empty.text()
  expect([empty.status, text.includes('Write the text, or choose another answer.')]).toEqual([
    400,
    true,
  ])
  expect(text).toMatch(/value="both" checked/)
  await put('again', 'dct:title "Puddles"@en ; dct:description "Daily samples."@en')
  const late = await post(`${own}/merge`, { ...hidden(html), c0: 'mine' })
  const shown = await late.text()
  expect([late.status, shown.includes('Somebody changed it meanwhile.')]).toEqual([400, true])
  expect(shown).toContain('Puddles')
  const stale = await post(`${own}/merge`, { ...hidden(shown), revision: '1', c0: 'mine' })
  expect(stale.status).toBe(400)
  expect((await post(`${own}/merge`, { ...hidden(shown), c0: 'mine' })).status).toBe(303)
})

it('decides about a file that one removed and the other described anew as a whole', async () => {
  const address = '<http://localhost:8080/set/distribution/all>'
  for (const [choice, isKept] of [
    ['mine', true],
    ['theirs', false],
  ] as const) {
    const id = `file-${choice}`
    await put(id, `dct:title "Lakes"@en ; dct:description "Weekly."@en ${files}`)
    const text = await rdfOf(id)
    const file = /dcat#distribution> (<[^>]+>)/.exec(text)?.[1] ?? address
    await ask(anna, 'POST', `/drafts/datasets?of=${id}`)
    const line = (name: string) => `${file} <http://purl.org/dc/terms/title> "${name}"@en .`
    const patch = { remove: [line('All samples')], add: [line('All samples of 2026')] }
    expect((await ask(anna, 'PATCH', `/drafts/datasets/${id}`, patch)).status).toBe(200)
    await put(id, 'dct:title "Lakes"@en ; dct:description "Weekly."@en')
    const own = `/en/desk/datasets/${id}`
    const { page, post } = await signedIn(platform, anna)
    const html = await page(`${own}/merge`)
    expect(html).toContain('All samples of 2026')
    expect(html).toContain('No value')
    expect([...html.matchAll(/<fieldset/g)]).toHaveLength(1)
    expect((await post(`${own}/merge`, { ...hidden(html), c0: choice })).status).toBe(303)
    const draft = await (
      await fetch(`${platform.url}/api/hub/repo/drafts/datasets/${id}`, {
        headers: { 'X-API-Key': anna, Accept: 'application/n-triples' },
      })
    ).text()
    expect([choice, draft.includes('All samples of 2026')]).toEqual([choice, isKept])
    expect([choice, draft.includes(file)]).toEqual([choice, isKept])
    expect([choice, draft.includes('https://lakes.example/all')]).toEqual([choice, isKept])
  }
})

it('says where the record was withdrawn meanwhile, or has not changed', async () => {
  const { own } = await changed('gone', 'Bathing lakes')
  const { page } = await signedIn(platform, anna)
  expect(await page(`${own}/merge`)).toContain('There is nothing to decide.')
  expect((await ask(all, 'DELETE', '/datasets/gone')).status).toBe(204)
  const shown = await page(`${own}/merge`)
  expect(shown).toContain('The published record was withdrawn meanwhile')
  expect(shown).not.toContain('name="baseTag"')
  for (const language of ['de', 'fr', 'it'])
    expect(await page(`${own}/merge`.replace('en', language))).not.toMatch(/>(merge|publish)-[a-z]/)
})

it('is not there for who may not write the draft', async () => {
  const { own } = await changed('closed', 'Bathing lakes')
  for (const key of [reader, other]) {
    const { get, post } = await signedIn(platform, key)
    expect([key, (await get(`${own}/merge`)).status]).toEqual([key, 404])
    expect([key, (await post(`${own}/merge`, { do: 'decide', c0: 'mine' })).status]).toEqual([
      key,
      404,
    ])
  }
  const { post } = await signedIn(platform, anna)
  expect((await post(`${own}/merge`, { _csrf: 'forged' })).status).toBe(403)
  // What is in review is changed by who could publish it.
  await ask(all, 'PUT', '/catalogues/water/rules', { review: 'every' })
  await ask(anna, 'POST', '/drafts/datasets/closed/submit', {})
  await put('closed', 'dct:title "Ponds"@en ; dct:description "Daily."@en')
  const merge = (await (await ask(anna, 'GET', '/drafts/datasets/closed/merge')).json()) as {
    baseTag: string
  }
  const body = { baseTag: merge.baseTag }
  expect((await ask(anna, 'POST', '/drafts/datasets/closed/merge', body)).status).toBe(409)
  await ask(all, 'PUT', '/catalogues/water/rules', { review: 'new' })
})

it('shows hostile texts of all sides as text', async () => {
  const name = (index: number) => `"@en-x-h${index}`
  const quoted = (text: string, side: string) => JSON.stringify(`${text} ${side}`).slice(0, -1)
  const titles = (side: string) =>
    hostileStrings.map((text, index) => quoted(text, side) + name(index))
  const about = (side: string) =>
    `dct:title ${titles(side).join(' , ')} ; dct:description "Weekly."@en`
  await put('hostile', about('before'))
  await ask(anna, 'POST', '/drafts/datasets?of=hostile')
  const lines = (side: string) =>
    titles(side).map(
      (text) =>
        `<http://localhost:8080/set/data/hostile> <http://purl.org/dc/terms/title> ${text} .`,
    )
  const patch = { remove: lines('before'), add: lines('mine') }
  expect((await ask(anna, 'PATCH', '/drafts/datasets/hostile', patch)).status).toBe(200)
  await put('hostile', about('theirs'))
  const { page, post } = await signedIn(platform, anna)
  const own = '/en/desk/datasets/hostile'
  const html = await page(`${own}/merge`)
  expect([...html.matchAll(/<fieldset/g)]).toHaveLength(hostileStrings.length)
  expect(harmIn(html)).toEqual([])
  const choices = hostileStrings.flatMap((text, index) => [
    [`c${index}`, ['mine', 'theirs', 'before', 'both'][index % 4] ?? ''],
    [`t${index}`, `${text} both`],
  ])
  const fields = { ...hidden(html), ...Object.fromEntries(choices) }
  expect((await post(`${own}/merge`, fields)).status).toBe(303)
  for (const step of ['check', 'preview', 'history'])
    expect([step, harmIn(await page(`${own}/${step}?others=%3Cscript%3E`))]).toEqual([step, []])
})

it('is where a draft leads that could not be published at its time', async () => {
  const { own } = await changed('scheduled', 'Bathing lakes')
  const file = new DatabaseSync(join(directory, 'records.sqlite'))
  file
    .prepare(
      "UPDATE draft SET state = 'returned', note = 'GET …/merge', noted_by = '' WHERE id = ?",
    )
    .run('scheduled')
  file.close()
  const html = await (await signedIn(platform, anna)).page(`${own}/check`)
  expect(html).toContain('It could not be published at its time')
  expect(html).toContain(`href="${own}/merge"`)
  expect(html).not.toContain('GET …')
})
