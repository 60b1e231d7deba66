/** Previews of drafts: the real page before it is public, links that show it to others, and what ends them. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

const [all, publisher, reader, other, plain] = [
  'key-for-everything-0001',
  'key-of-a-publisher-0001',
  'key-for-reading-water-01',
  'key-for-roads-alone-0001',
  'key-for-one-endpoint-01',
]
let directory: string
let platform: Gateway
beforeAll(async () => {
  directory = await temporaryDirectory()
  await writeFile(join(directory, 'api-key'), all)
  platform = await gateway(directory, {
    PLATFORM_HUB_API_KEYS: JSON.stringify({
      [all]: ['*'],
      [publisher]: ['publisher:water', 'publisher:hidden'],
      [reader]: ['reader:water'],
      [other]: ['publisher:roads'],
      [plain]: ['GET /datasets/{datasetId}'],
    }),
  })
  const api = client({ url: platform.url, key: all })
  await api.put('/catalogues/water', `${prefixes}<> a dcat:Catalog ; dct:title "Water"@en .`)
  const hidden = `${prefixes}@prefix edp: <https://europeandataportal.eu/voc#> . <> a dcat:Catalog ; dct:title "Hidden"@en ; edp:visibility edp:hidden .`
  await api.put('/catalogues/hidden', hidden)
}, 60_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const ask = repositoryOf(() => platform)

const turtle = (title: string) =>
  `${prefixes}<> a dcat:Dataset ; dct:title ${JSON.stringify(title)}@en ; dct:description "Weekly samples."@en ;
  dct:language <http://publications.europa.eu/resource/authority/language/DEU> ; dct:issued "soon" ; dcat:keyword "lake"@en ;
  dcat:distribution [ a dcat:Distribution ; dct:title "All samples"@en ; dcat:downloadURL <https://lakes.example/all.csv> ;
  dct:format <http://publications.europa.eu/resource/authority/file-type/CSV> ] .`

async function drafted(title: string, key = publisher, catalogue = 'water') {
  const made = await ask(key, 'POST', `/drafts/datasets?catalogue=${catalogue}`, turtle(title))
  const { id } = (await made.json()) as { id: string }
  return { id, own: `/en/desk/datasets/${id}`, draft: `/drafts/datasets/${id}` }
}

const anonymous = (path: string) =>
  fetch(platform.url + path, { headers: { Accept: 'text/html' }, redirect: 'manual' })
const linkIn = (html: string) =>
  /id="share" readonly value="http:\/\/[^/]+([^"]+)"/.exec(html)?.[1] ?? ''

describe('the preview of a draft', () => {
  it('is the page of the dataset, says that it is not public, and leaves nothing in the search', async () => {
    const { own, id } = await drafted('Glacier lakes')
    for (const key of [publisher, reader]) {
      const answer = await (await signedIn(platform, key)).get(`${own}/preview`)
      const html = await answer.text()
      expect([key, answer.status, answer.headers.get('Cache-Control')]).toEqual([
        key,
        200,
        'private, no-store',
      ])
      expect(html).toContain('Preview: not public')
      expect(html).toContain('<meta name="robots" content="noindex" />')
      expect(html).toMatch(/<h1><bdi>Glacier lakes/)
      for (const part of [
        'Weekly samples.',
        'German',
        'All samples',
        'https://lakes.example/all.csv',
      ])
        expect(html).toContain(part)
      expect(html).toContain(`href="${own}/check"`)
      expect(html).toContain('Water</')
      // The left-out value, and what only a published record has.
      expect(html).toContain('id="left-out"')
      for (const absent of [
        'rel="canonical"',
        'ld+json',
        `/datasets/${id}.ttl`,
        '.bib',
        'data-preview',
      ])
        expect([absent, html.includes(absent)]).toEqual([absent, false])
    }
    const { page } = await signedIn(platform, publisher)
    for (const step of ['check', 'essentials'])
      expect(await page(`${own}/${step}?catalogue=water`)).toContain(`${own}/preview`)
    for (const language of ['de', 'fr', 'it'])
      expect(await page(`${own}/preview`.replace('en', language))).not.toMatch(
        />(draft|share)-[a-z]/,
      )
    expect((await anonymous(`/en/datasets/${id}`)).status).toBe(404)
    const found = await fetch(`${platform.url}/api/hub/search/search?q=glacier`)
    expect(((await found.json()) as { result: { count: number } }).result.count).toBe(0)
  })

  it('is the page of a catalogue, too', async () => {
    const body = `${prefixes}<> a dcat:Catalog ; dct:title "Drafted waters"@en ; dct:description "All about *water*."@en .`
    const steward = await signedIn(platform, all)
    const form = '/en/desk/catalogues/water/essentials'
    expect(await steward.page(form)).not.toContain('/desk/catalogues/water/preview')
    await ask(all, 'PUT', '/drafts/catalogues/water', body)
    const html = await steward.page('/en/desk/catalogues/water/preview')
    for (const part of ['Preview: not public', 'Drafted waters', '<em>water</em>'])
      expect(html).toContain(part)
    expect(html).not.toContain('/catalogues/water/dump')
    expect(await steward.page(form)).toContain('href="/en/desk/catalogues/water/preview')
    expect(
      (await (await signedIn(platform, other)).get('/en/desk/catalogues/water/preview')).status,
    ).toBe(404)
    const check = '/en/desk/catalogues/water/check'
    expect(await steward.page(check)).toContain('href="/en/desk/catalogues/water/preview')
    const link = linkIn(await (await steward.post(check, { do: 'link' })).text())
    expect(await (await anonymous(link)).text()).toContain('Drafted waters')
    const unlisted = `${body} <> <https://europeandataportal.eu/voc#visibility> <https://europeandataportal.eu/voc#hidden> .`
    await ask(all, 'PUT', '/drafts/catalogues/unlisted', unlisted)
    expect(await steward.page('/en/desk/catalogues/unlisted/preview')).toContain(
      'not shown to readers',
    )
    expect(await (await fetch(`${platform.url}/api/hub/search/search?q=drafted`)).text()).toContain(
      '"count":0',
    )
  })

  it('is not there for others, and has no page in a catalogue that is hidden', async () => {
    const { own } = await drafted('Closed lakes')
    expect((await (await signedIn(platform, other)).get(`${own}/preview`)).status).toBe(404)
    expect((await anonymous(`${own}/preview`)).status).toBe(303)
    const hidden = await drafted('Hidden lakes', publisher, 'hidden')
    const { page } = await signedIn(platform, publisher)
    expect(await page(`${hidden.own}/preview`)).toContain('This catalogue is not shown to readers')
  })

  it('shows hostile texts as text', async () => {
    const files = hostileStrings.map((text) => {
      const title = JSON.stringify(text)
      return `dcat:distribution [ a dcat:Distribution ; dct:title ${title}@en ; dcat:accessURL ${title} ; dct:rights [ dct:title ${title} ] ]`
    })
    const about = hostileStrings.map((text) => `dcat:keyword ${JSON.stringify(text)}@en`)
    const body = `${prefixes}<> a dcat:Dataset ; dct:title ${JSON.stringify(hostileStrings[0])}@en ; dct:description ${JSON.stringify(hostileStrings.join('\n\n'))}@en ; ${[...files, ...about].join(' ; ')} .`
    const made = await ask(publisher, 'POST', '/drafts/datasets?catalogue=water', body)
    const { id } = (await made.json()) as { id: string }
    const html = await (await signedIn(platform, publisher)).page(`/en/desk/datasets/${id}/preview`)
    expect([...html.matchAll(/<article class="dist">/g)]).toHaveLength(hostileStrings.length)
    expect(harmIn(html)).toEqual([])
  })
})

describe('a link to a preview', () => {
  it('shows it to readers without a key, until it is revoked', async () => {
    const { own, id } = await drafted('Shared lakes')
    const { page, post } = await signedIn(platform, publisher)
    const revision = /name="revision" value="(\d+)"/.exec(await page(`${own}/check`))?.[1] ?? ''
    const made = await post(`${own}/check?catalogue=water`, { do: 'link', revision })
    const html = await made.text()
    expect([made.status, made.url.endsWith('check?catalogue=water')]).toEqual([200, true])
    expect(html).toMatch(/It works until\s*<time|It works until \d|It works until/)
    const link = linkIn(html)
    expect(link).toMatch(new RegExp(`^/en/preview/datasets/${id}/[\\w.-]+$`))
    const answer = await anonymous(link)
    const shown = await answer.text()
    expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([200, 'private, no-store'])
    expect(answer.headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(shown).toContain('Shared lakes')
    expect(shown).toContain('<meta name="robots" content="noindex" />')
    expect(shown).not.toContain(own)
    expect((await anonymous(link.replace('/en/', '/de/'))).status).toBe(200)
    for (const wrong of [`${link}x`, link.replace(id, 'lakes'), link.replace(/\.[^.]+$/, '.x')])
      expect([wrong, (await anonymous(wrong)).status]).toEqual([wrong, 404])
    const revoked = await post(`${own}/check?catalogue=water`, { do: 'revoke', revision })
    expect(revoked.status).toBe(303)
    expect(await page(revoked.headers.get('Location') ?? '')).toContain('All links to the preview')
    const gone = await anonymous(link)
    expect([gone.status, gone.headers.get('Referrer-Policy')]).toEqual([404, 'no-referrer'])
  })

  it('ends with the key of who made it, at once', async () => {
    const facts = { kind: 'program', name: 'Sampler', permissions: ['publisher:water'] }
    const made = await ask(all, 'POST', '/accounts', facts)
    const { key, account } = (await made.json()) as { key: string; account: { id: string } }
    const { draft } = await drafted('Ending lakes', key)
    const tokenOf = async (maker: string) =>
      ((await (await ask(maker, 'POST', `${draft}/links`)).json()) as { token: string }).token
    const [own, others] = [await tokenOf(key), await tokenOf(publisher)]
    const statusOf = async (token: string) =>
      (await fetch(`${platform.url}/api/hub/repo${draft}/shared/${token}`)).status
    expect([await statusOf(own), await statusOf(others)]).toEqual([200, 200])
    // The name of another key in a token makes its signature wrong.
    const [time, , signature] = own.split('.')
    expect(await statusOf([time, others.split('.')[1], signature].join('.'))).toBe(404)
    await ask(all, 'PATCH', `/accounts/${account.id}`, { permissions: ['publisher:roads'] })
    expect(await statusOf(own)).toBe(404)
    await ask(all, 'PATCH', `/accounts/${account.id}`, { permissions: ['reader:water'] })
    expect(await statusOf(own)).toBe(200)
    expect((await ask(all, 'DELETE', `/accounts/${account.id}`)).status).toBe(204)
    expect([await statusOf(own), await statusOf(others)]).toEqual([404, 200])
  })
})

describe('POST /preview of the search', () => {
  const preview = (
    key: string | undefined,
    body: string,
    { query = 'id=lakes&catalogue=water', type = 'text/turtle' } = {},
  ) =>
    fetch(`${platform.url}/api/hub/search/preview?${query}`, {
      method: 'POST',
      headers: { 'Content-Type': type, ...(key !== undefined && { 'X-API-Key': key }) },
      body,
    })

  it('answers the document and what is left out of it, in a language', async () => {
    const query = 'id=lakes&catalogue=water&locale=de'
    const answer = await preview(reader, turtle('Lakes'), { query })
    const { result } = (await answer.json()) as {
      result: {
        record: Record<string, unknown>
        count: number
        findings: { field: string; value: string; reason: string }[]
      }
    }
    expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([200, 'no-store'])
    expect(result.record).toMatchObject({
      id: 'lakes',
      title: { en: 'Lakes' },
      catalog: { id: 'water', title: { en: 'Water' } },
      language: [{ label: 'Deutsch' }],
    })
    expect(result.findings).toMatchObject([{ field: 'issued', value: 'soon', reason: 'bad-date' }])
    expect(result.count).toBe(result.findings.length)
  })

  it.each([
    [undefined, 401],
    [plain, 403],
    [other, 403],
    [reader, 200],
    [publisher, 200],
    [all, 200],
  ])('is for those who may see drafts in the catalogue (%s: %i)', async (key, status) => {
    expect((await preview(key, turtle('Lakes'))).status).toBe(status)
  })

  it.each([
    ['broken RDF', () => '<> a <', 'text/turtle', [400, 'malformed-rdf']],
    ['an empty body', () => '', 'text/turtle', [400, 'empty-body']],
    ['another media type', () => turtle('Lakes'), 'text/plain', [415, 'unsupported-media-type']],
    [
      'another record',
      () => '<https://other.example/> a <https://other.example/T> .',
      'text/turtle',
      [422, 'invalid-content'],
    ],
    [
      'more than 16 MB',
      () => `<> <https://e.example/p> "${'x'.repeat(17 * 2 ** 20)}" .`,
      'text/turtle',
      [413, 'too-large'],
    ],
  ])('refuses %s', async (_, body, type, refusal) => {
    const answer = await preview(publisher, body(), { type })
    const problem = (await answer.json()) as { type: string }
    expect([answer.status, problem.type.replace('urn:cartulary:problem:', '')]).toEqual(refusal)
  })

  it('refuses unknown types, and a catalogue that is hidden or absent', async () => {
    const statusOf = async (query: string) =>
      (await preview(all, turtle('Lakes'), { query })).status
    expect(await statusOf('id=lakes&catalogue=water&type=things')).toBe(400)
    expect(await statusOf('catalogue=water')).toBe(400)
    expect(await statusOf('id=lakes&catalogue=hidden')).toBe(409)
    expect(await statusOf('id=lakes&catalogue=nowhere')).toBe(409)
  })

  it('is no line of the activity', async () => {
    await preview(publisher, turtle('Lakes'))
    const file = new DatabaseSync(join(directory, 'activity.sqlite'), { readOnly: true })
    const rows = file.prepare("SELECT * FROM activity WHERE action = 'postPreview'").all()
    file.close()
    expect(rows).toEqual([])
  })
})
