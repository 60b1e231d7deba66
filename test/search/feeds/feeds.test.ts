/** Feeds through their doors: entries, links, parameters. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { address, feedsFixture, type FeedsFixture } from './feeds-fixture.ts'
import { datasetOf } from './feed-documents.ts'
import { children, linkOf, textOf, xmlTree } from './xml-tree.ts'

const rivers = datasetOf({
  id: 'rivers',
  title: { en: 'Rivers & lakes', de: 'Flüsse' },
  description: { de: 'Pegel <b>stündlich</b>' },
  issued: '2020-01-01T00:00:00Z',
  modified: '2024-03-01T10:00:00Z',
  more: {
    publisher: {
      type: 'Organization',
      name: 'Water Board',
      email: 'mailto:water@board.example',
      homepage: 'https://board.example/',
    },
    categories: [
      {
        id: 'ENVI',
        label: { en: 'Environment', de: 'Umwelt' },
        resource: 'https://t.example/ENVI',
      },
      { id: 'REGI', resource: 'https://t.example/REGI' },
    ],
    distributions: [
      {
        id: 'a',
        title: { de: 'Tabelle' },
        download_url: ['https://files.example/a.csv'],
        access_url: ['https://files.example/a'],
        media_type: 'text/csv',
        byte_size: 120,
      },
      { id: 'b', access_url: ['https://files.example/b?x=1&y=2'] },
      { id: 'c', access_url: ['javascript:alert(1)'] },
    ],
  },
})

const many = Array.from({ length: 24 }, (_, n) =>
  datasetOf({
    id: `n${String(n).padStart(2, '0')}`,
    keywords: [n % 2 === 0 ? 'even' : 'odd'],
    modified: `2023-01-${String(n + 1).padStart(2, '0')}T00:00:00Z`,
  }),
)

let feeds: FeedsFixture
beforeAll(async () => {
  feeds = await feedsFixture([rivers, ...many])
})
afterAll(() => feeds.close())

const feed = async (path: string) => xmlTree(await feeds.text(path))
const atom = (query = '', lang = 'en') => feed(`/${lang}/feeds/datasets.atom${query}`)
const rss = async (query = '', lang = 'en') =>
  children(await feed(`/${lang}/feeds/datasets.rss${query}`), 'channel')[0]!

describe('an Atom feed', () => {
  it('names itself, its newest change and its author', async () => {
    const root = await atom()
    expect(root.name).toBe('feed')
    expect(root.attributes).toEqual({ xmlns: 'http://www.w3.org/2005/Atom', 'xml:lang': 'en' })
    expect(textOf(root, 'id')).toBe(`${address}/en/feeds/datasets.atom`)
    expect(textOf(root, 'title')).toBe('Datasets')
    expect(textOf(root, 'updated')).toBe('2024-03-01T10:00:00.000Z')
    expect(textOf(children(root, 'author')[0]!, 'name')).toBe('portal.example')
  })

  it('has the last changed datasets first, ten of them', async () => {
    const entries = children(await atom(), 'entry')
    expect(entries).toHaveLength(10)
    expect(entries.slice(0, 3).map((entry) => textOf(entry, 'id'))).toEqual([
      'https://portal.example/set/data/rivers',
      'https://portal.example/set/data/n23',
      'https://portal.example/set/data/n22',
    ])
  })

  it('tells of a dataset what it is, who published it, and where its files are', async () => {
    const [entry] = children(await atom('?q=rivers'), 'entry')
    expect(textOf(entry!, 'title')).toBe('Rivers & lakes')
    expect(textOf(entry!, 'published')).toBe('2020-01-01T00:00:00.000Z')
    expect(textOf(entry!, 'updated')).toBe('2024-03-01T10:00:00.000Z')
    expect(linkOf(entry!, 'alternate')).toBe('https://portal.example/en/datasets/rivers')
    const author = children(entry!, 'author')[0]!
    expect(author.children.map(({ name, text }) => `${name} ${text}`)).toEqual([
      'name Water Board',
      'uri https://board.example/',
      'email water@board.example',
    ])
    expect(children(entry!, 'category').map(({ attributes }) => attributes)).toEqual([
      { term: 'ENVI', label: 'Environment' },
      { term: 'REGI' },
    ])
    const files = children(entry!, 'link').filter(
      ({ attributes }) => attributes['rel'] !== 'alternate',
    )
    expect(files.map(({ attributes }) => attributes)).toEqual([
      {
        rel: 'enclosure',
        href: 'https://files.example/a.csv',
        title: 'Tabelle',
        type: 'text/csv',
        length: '120',
      },
      { rel: 'enclosure', href: 'https://files.example/b?x=1&y=2' },
    ])
  })

  it('speaks the wanted language, else the main one of the catalogue, and says so', async () => {
    const [german] = children(await atom('?q=rivers', 'de'), 'entry')
    expect(textOf(german!, 'title')).toBe('Flüsse')
    expect(children(german!, 'title')[0]!.attributes).toEqual({})
    const [french] = children(await atom('?q=rivers', 'fr'), 'entry')
    expect(textOf(french!, 'title')).toBe('Flüsse')
    expect(children(french!, 'title')[0]!.attributes).toEqual({ 'xml:lang': 'de' })
    expect(linkOf(french!, 'alternate')).toBe('https://portal.example/fr/datasets/rivers')
  })

  it('names the catalogue as author where there is no publisher', async () => {
    const [entry] = children(await atom('?q=n05'), 'entry')
    expect(textOf(children(entry!, 'author')[0]!, 'name')).toBe('Catalogue c1')
  })

  it('has links to all pages', async () => {
    const links = async (query: string) => {
      const root = await atom(query)
      const rels = ['self', 'first', 'previous', 'next', 'last']
      return rels.map((rel) => linkOf(root, rel)?.split('datasets.atom')[1])
    }
    expect(await links('')).toEqual(['', '', undefined, '?page=1', '?page=2'])
    expect(await links('?page=1')).toEqual(['?page=1', '', '', '?page=2', '?page=2'])
    expect(await links('?page=2&x=1')).toEqual(['?page=2', '', '?page=1', undefined, '?page=2'])
    expect(await links('?limit=5&page=9')).toEqual([
      '?limit=5&page=9',
      '?limit=5',
      '?limit=5&page=4',
      undefined,
      '?limit=5&page=4',
    ])
    expect(await links('?q=nothing')).toEqual([
      '?q=nothing',
      '?q=nothing',
      undefined,
      undefined,
      '?q=nothing',
    ])
  })

  it('was updated now when it is empty', async () => {
    const root = await atom('?q=nothing')
    expect(textOf(root, 'updated')).toBe('2026-11-21T12:00:00.000Z')
    expect(children(root, 'entry')).toEqual([])
  })
})

describe('an RSS feed', () => {
  it('has a channel with its items', async () => {
    const channel = await rss('?limit=1')
    expect(textOf(channel, 'title')).toBe('Datasets')
    expect(textOf(channel, 'link')).toBe(`${address}/`)
    expect(textOf(channel, 'language')).toBe('en')
    expect(textOf(channel, 'lastBuildDate')).toBe('Fri, 01 Mar 2024 10:00:00 GMT')
    expect(linkOf(channel, 'self')).toBe(`${address}/en/feeds/datasets.rss?limit=1`)
    expect(linkOf(channel, 'next')).toBe(`${address}/en/feeds/datasets.rss?limit=1&page=1`)
    expect(children(channel, 'item')).toHaveLength(1)
  })

  it('tells of a dataset in the words of RSS', async () => {
    const [item] = children(await rss('?q=rivers'), 'item')
    const [guid] = children(item!, 'guid')
    expect(guid).toMatchObject({
      text: 'https://portal.example/set/data/rivers',
      attributes: { isPermaLink: 'false' },
    })
    expect(textOf(item!, 'link')).toBe('https://portal.example/en/datasets/rivers')
    expect(textOf(item!, 'pubDate')).toBe('Fri, 01 Mar 2024 10:00:00 GMT')
    expect(children(item!, 'category').map(({ text }) => text)).toEqual(['Environment', 'REGI'])
    expect(children(item!, 'enclosure').map(({ attributes }) => attributes)).toEqual([
      { url: 'https://files.example/a.csv', length: '120', type: 'text/csv' },
    ])
  })

  it('keeps tags in a description from being tags where it is shown', async () => {
    const [item] = children(await rss('?q=rivers'), 'item')
    expect(textOf(item!, 'description')).toBe('Pegel &#x3C;b&#x3E;stündlich&#x3C;/b&#x3E;')
  })
})

describe('the parameters of a feed', () => {
  const ids = async (query: string) =>
    children(await atom(query), 'entry')
      .map((entry) => textOf(entry, 'id')?.split('/').at(-1))
      .join(' ')

  it.each([
    ['?facets={"keywords":["even"]}&limit=2', 'n22 n20'],
    [`?facets=${encodeURIComponent('{"keywords":["odd"]}')}&limit=2&page=1`, 'n19 n17'],
    ['?sort=modified+asc&limit=3', 'n00 n01 n02'],
    ['?minDate=2023-01-23&maxDate=2023-12-31&dateType=modified', 'n23 n22'],
    ['?q=rivers+n03&sort=modified', 'rivers n03'],
    ['?q=rivers&includes=id&countOnly=true&scroll=true&filters=catalogue', 'rivers'],
    ['?page&limit=2&facetOperator=AND', 'rivers n23'],
    ['?page=1001&limit=10', ''],
  ])('%s', async (query, expected) => {
    expect(await ids(query)).toBe(expected)
  })

  it.each([
    ['limit=0', 'invalid-parameter', 'limit'],
    ['limit=1001', 'invalid-parameter', 'limit'],
    ['page=-1', 'invalid-parameter', 'page'],
    ['facets=x', 'malformed-json', 'facets'],
    [`q=${'a+'.repeat(300)}`, 'query-too-complex', 'q'],
  ])('%s is a problem that names it', async (query, kind, parameter) => {
    const answer = await feeds.request(`/en/feeds/datasets.rss?${query}`)
    expect(answer.status).toBe(400)
    const body: unknown = await answer.json()
    expect(body).toMatchObject({ type: `urn:cartulary:problem:${kind}`, errors: [{ parameter }] })
  })
})

describe('the door of a feed', () => {
  it('serves its media type, never as a page', async () => {
    const types = ['atom', 'rss'].map(async (form) => {
      const { headers } = await feeds.request(`/en/feeds/datasets.${form}`)
      return [headers.get('Content-Type'), headers.get('X-Content-Type-Options')]
    })
    expect(await Promise.all(types)).toEqual([
      ['application/atom+xml; charset=utf-8', 'nosniff'],
      ['application/rss+xml; charset=utf-8', 'nosniff'],
    ])
  })

  it('answers 304 to whoever has the present state', async () => {
    const path = '/en/feeds/datasets.atom?q=rivers'
    const tag = (await feeds.request(path)).headers.get('ETag') ?? ''
    const again = await feeds.request(path, { headers: { 'If-None-Match': tag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  it.each(['no', 'ga', 'tlh'])('knows the language %s', async (lang) => {
    expect((await feeds.request(`/${lang}/feeds/datasets.rss`)).status).toBe(200)
  })

  it.each(['EN', 'e', 'engl', 'de-CH', '%3Cx%3E'])('has nothing in %s', async (lang) => {
    expect((await feeds.request(`/${lang}/feeds/datasets.rss`)).status).toBe(404)
  })

  it('can be asked and not written to', async () => {
    const answer = await feeds.request('/en/feeds/datasets.rss', { method: 'POST' })
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})
