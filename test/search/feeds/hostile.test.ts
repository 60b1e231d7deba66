/** Feeds and packages of records that mean harm, and requests that do: all is told, nothing is broken. */

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { xmlText } from '../../../src/http/feed-formats.ts'
import { feedsFixture, type FeedsFixture } from './feeds-fixture.ts'
import { datasetOf } from './feed-documents.ts'
import { children, textOf, xmlTree } from './xml-tree.ts'

/** What breaks out of elements, attributes and texts, what XML has no place for, what bends the direction of text. */
const pieces = [
  '<script>alert(1)</script>',
  ']]>',
  '<![CDATA[',
  '<!--',
  '<?x ?>',
  '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>&b;',
  '&amp;',
  '&',
  '"',
  "'",
  '" onload="x',
  '</title></entry>',
  '\u0000',
  '\u0008\u000b\u001f',
  '\u007f\u0085',
  '\ud800',
  '\udc00',
  '\ufffe\uffff',
  '\u202e',
  '😀',
  '\r\n\t',
  'javascript:alert(1)',
  'wörd',
]
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 12 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''))

/** What is left of a text in XML. */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g
const told = (text: string) => text.toWellFormed().replace(controls, '')

type Titled = { readonly id: string; readonly title: string }

describe('texts in XML', () => {
  it('come back as they were, but for what XML has no place for', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const xml = `<?xml version="1.0" encoding="utf-8"?>\n<a b="${xmlText(text)}">${xmlText(text)}</a>`
        const tree = xmlTree(xml)
        expect([tree.text, tree.attributes['b']]).toEqual([told(text), told(text)])
        expect(tree.children).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })
})

describe('records that mean harm', () => {
  const texts = fc.sample(hostile, { numRuns: 150, seed: 5 })
  const held = texts.map((text, n) =>
    datasetOf({
      id: `h${n}`,
      title: { en: text, [text]: 'x' },
      description: { [text]: text },
      keywords: [text],
      more: {
        resource: text,
        publisher: { name: text, email: text, homepage: text },
        categories: [{ id: text, label: { en: text } }, text, null, [text]],
        distributions: [
          { title: text, access_url: [text, `https://x.example/${text}`], media_type: text },
          text,
        ],
        issued: text,
        spatial: text,
      },
    }),
  )
  let site: FeedsFixture
  beforeAll(async () => {
    site = await feedsFixture(held)
  })
  afterAll(() => site.close())

  it.each(['atom', 'rss'])('are whole entries of an %s feed', async (form) => {
    const root = xmlTree(await site.text(`/en/feeds/datasets.${form}?limit=1000&sort=id+asc`))
    const list = form === 'atom' ? children(root, 'entry') : children(root.children[0]!, 'item')
    expect(list).toHaveLength(texts.length)
    const titles = new Set(list.map((entry) => textOf(entry, 'title')))
    // A title of nothing but blanks is none.
    for (const text of texts.filter((one) => one.trim() !== '')) {
      expect(titles).toContain(told(text))
    }
  })

  it.each(['atom', 'rss'])('lead to addresses of the web only in an %s feed', async (form) => {
    const root = xmlTree(await site.text(`/en/feeds/datasets.${form}?limit=1000`))
    const list = form === 'atom' ? children(root, 'entry') : children(root.children[0]!, 'item')
    const addresses = list.flatMap((entry) =>
      [...entry.children, ...children(entry, 'author').flatMap((one) => one.children)].flatMap(
        ({ name, attributes, text }) => [
          attributes['href'] ?? attributes['url'] ?? (name === 'uri' ? text : undefined) ?? [],
        ],
      ),
    )
    const schemes = new Set(addresses.flat().map((one) => new URL(one).protocol))
    expect([...schemes]).toEqual(['https:'])
  })

  it('are packages that say the same', async () => {
    const answer = await site.request('/ckan/package_search?rows=1000&sort=name+asc')
    const { result } = (await answer.json()) as { result: { results: readonly Titled[] } }
    expect(new Map(result.results.map(({ id, title }) => [id, title.toWellFormed()]))).toEqual(
      // Where English says nothing, the other language does.
      new Map(texts.map((text, n) => [`h${n}`, text.trim() === '' ? 'x' : text.toWellFormed()])),
    )
  })

  it('have no place in a sitemap but by their ids', async () => {
    const page = xmlTree(await site.text('/sitemap/1'))
    expect(page.children).toHaveLength(texts.length)
  })
})

describe('requests that mean harm', () => {
  let site: FeedsFixture
  beforeAll(async () => {
    site = await feedsFixture([datasetOf({ id: 'one', title: { en: 'Water' } })])
  })
  afterAll(() => site.close())

  it('are whole feeds or problems, whatever is searched', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, fc.constantFrom('atom', 'rss'), async (text, form) => {
        const query = new URLSearchParams({ q: text, fields: text, 'boost.x': '1', sort: text })
        const answer = await site.request(`/en/feeds/datasets.${form}?${query.toString()}`)
        const body = await answer.text()
        const whole = answer.status === 200 ? xmlTree(body).name : String(JSON.parse(body).status)
        expect([form === 'atom' ? 'feed' : 'rss', '400']).toContain(whole)
      }),
      { numRuns: 200 },
    )
  })

  it('are answers of CKAN, whatever its parameters are', async () => {
    const value = fc.oneof(hostile, fc.constantFrom('-1', '0', '1e9', '99999999999999', '[]', '{}'))
    const names = ['q', 'fq', 'rows', 'start', 'sort', 'facet', 'facet.field', 'facet.limit', 'id']
    const call = fc.dictionary(fc.constantFrom(...names, '__proto__', 'constructor'), value)
    const action = fc.constantFrom('package_search', 'package_list', 'package_show')
    await fc.assert(
      fc.asyncProperty(action, call, async (name, parameters) => {
        const query = new URLSearchParams(Object.entries(parameters)).toString()
        const get = await site.request(`/ckan/${name}?${query}`)
        const init = { method: 'POST', body: JSON.stringify(parameters) }
        const post = await site.request(`/ckan/${name}`, init)
        for (const answer of [get, post]) {
          expect([200, 404, 409]).toContain(answer.status)
          const body: unknown = await answer.json()
          expect(body).toMatchObject({ success: answer.status === 200 })
        }
      }),
      { numRuns: 300 },
    )
  })
})
