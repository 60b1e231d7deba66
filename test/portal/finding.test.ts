/** What people find with: maps, the search with its filters and pages, and the same search for programs. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Port } from '../../src/portal/ports.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { appAlone, portsTo } from './app-alone.ts'

let directory: string
let platform: Gateway

async function page(path: string): Promise<string> {
  const answer = await fetch(new URL(path, platform.url), { headers: { Accept: 'text/html' } })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
  return answer.text()
}

/** What one expression finds in a text, with the entities of addresses read. */
const all = (text: string, expression: RegExp): readonly string[] =>
  [...text.matchAll(expression)].map(([, found = '']) => found.replaceAll('&amp;', '&'))

/** Addresses of links with a text. */
const links = (text: string, label: string): readonly string[] =>
  all(text, new RegExp(`href="([^"]+)"[^>]*>(?:<svg.*?</svg>)?\\s*${label}`, 'gs'))

async function put(path: string, body: string): Promise<void> {
  const answer = await client(platform).put(
    path,
    `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
     @prefix geo: <http://www.opengis.net/ont/geosparql#> .\n${body}`,
  )
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

const box = (west: number, south: number, east: number, north: number): string =>
  `POLYGON((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`

const dataset = (id: string, title: string, area: string) =>
  put(
    `/catalogues/city/datasets/origin?originalId=${id}`,
    `<https://city.example/${id}> a dcat:Dataset ; dct:title ${JSON.stringify(title)}@de ;
       dcat:keyword "${id}"@de ; dct:modified "2026-01-01"^^<http://www.w3.org/2001/XMLSchema#date> ; dct:spatial [ a dct:Location ; dcat:bbox "${area}"^^geo:wktLiteral ] .`,
  )

const titles = ['Zoo', 'Äpfel', 'Apfelbäume', 'École', 'Echo', 'Ulm', 'Übergang', 'über allem']

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  await put('/catalogues/city', '<https://city.example/> a dcat:Catalog ; dct:title "City"@en .')
  await dataset('rhine', 'Rhein', box(7, 47, 8, 48))
  await dataset('world', 'Welt', box(-180, -90, 180, 90))
  for (const [at, title] of titles.entries()) await dataset(`t-${at}`, title, 'POINT(13 52)')
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

describe('a map', () => {
  it.each([
    ['en', ['Germany', 'Switzerland', 'France']],
    ['de', ['Deutschland', 'Schweiz', 'Frankreich']],
    ['fr', ['Allemagne', 'Suisse', 'France']],
    ['it', ['Germania', 'Svizzera', 'Francia']],
  ])('names countries in the language of the page: %s', async (language, expected) => {
    const names = all(await page(`/${language}/datasets/rhine`), /<text [^>]*>([^<]+)</g)
    expect(names).toEqual(expect.arrayContaining(expected))
  })

  it.each(['/en/datasets/world', '/en/'])(
    'of the world ends before the poles: %s',
    async (path) => {
      const [svg = ''] = /<svg class="map".*?<\/svg>/s.exec(await page(path)) ?? []
      expect(svg).toContain('<path class="land" d="M')
      expect(svg).not.toMatch(/NaN|Infinity/)
    },
  )

  it('of the home page leads to the search with the field for a place open', async () => {
    const [search = ''] = links(await page('/en/'), 'Search by place')
    const text = await page(search)
    expect(text).toMatch(/<details class="filters" open>/)
    expect(text).toMatch(/<details class="facet" open>(?:(?!<\/details>).)*id="place"/s)
    expect(await page('/en/datasets')).not.toMatch(/<details class="filters" open>/)
  })
})

describe('the search', () => {
  const narrow = '?q=rhein&sort=title&keywords=rhine&bbox=0%2C40%2C20%2C60&from=2020-01-01'

  it('keeps what its form of filters does not show', async () => {
    const [, form = ''] =
      /<details class="filters">(.*?)<\/form>/s.exec(
        await page(`/en/datasets?keywords=rhine&keywords=t-1&bbox=0,40,20,60&sort=title`),
      ) ?? []
    expect(all(form, /type="hidden" name="([^"]+)"/g).toSorted()).toEqual(
      ['bbox', 'keywords', 'keywords', 'sort'].toSorted(),
    )
  })

  it('has a chip for each filter, whose link removes that filter alone', async () => {
    const text = await page(`/en/datasets${narrow}`)
    const removed = all(text, /class="chip" href="([^"]+)"/g).map(
      (href) => new URL(href, platform.url).searchParams,
    )
    const names = ['q', 'sort', 'keywords', 'bbox', 'from']
    const gone = removed.map((left) => names.filter((name) => !left.has(name)).join())
    expect(new Set(gone)).toEqual(new Set(['bbox', 'from', 'keywords']))
  })

  it.each([
    ['a box from east to west', 'bbox=20,40,0,60'],
    ['a box without height', 'bbox=0,40,20,40'],
    ['a box of three sides', 'bbox=0,40,20'],
    ['a box beyond the pole', 'bbox=0,40,20,95'],
    ['a day that no calendar has', 'from=2023-02-30'],
    ['a sort that there is not', 'sort=toString'],
    ['a page before the first one', 'page=0'],
  ])('leaves out %s', async (_what, parameter) => {
    const text = await page(`/en/datasets?${parameter}`)
    expect(text).not.toContain('class="chip"')
    expect(text).toContain(`Hits 1 to ${titles.length + 2} of ${titles.length + 2}`)
  })

  it('is had by programs with the same hits', async () => {
    const text = await page(`/en/datasets${narrow}`)
    expect(text).toContain('Hits 1 to 1 of 1')
    const [atom, rss, json, csv] = ['Atom', 'RSS', 'JSON', 'CSV'].map(
      (label) => links(text.slice(text.indexOf('class="take"')), label)[0] ?? '',
    )
    const read = async (path = '') => (await fetch(new URL(path, platform.url))).text()
    expect(JSON.parse(await read(json))).toMatchObject({
      result: { count: 1, results: [{ id: 'rhine' }] },
    })
    expect((await read(csv)).split('\r\n')).toHaveLength(3)
    expect(all(await read(atom), /<entry>(.)?/gs)).toHaveLength(1)
    expect(all(await read(rss), /<item>(.)?/gs)).toHaveLength(1)
  })

  // A busy machine may leave out the nearest words and the suggestions, which have little time.
  it('finds the nearest words in place of one that no record has, and says so', async () => {
    const near = async () => {
      const text = await page('/en/datasets?q=rheim&keywords=rhine')
      return [all(text, /No dataset has (.*?)\. These have (\w+)/g), all(text, /<h1>(.*?)<\/h1>/g)]
    }
    await expect.poll(near).toEqual([['“rheim”'], ['One dataset for “rheim”']])
    const [exact = ''] = links(
      await page('/en/datasets?q=rheim&keywords=rhine'),
      'Only datasets with these words',
    )
    expect(await page(exact)).toContain('No datasets for “rheim”')
  })

  it('suggests other words without the filters where nothing is found under them', async () => {
    const meant = async () => {
      const text = await page('/en/datasets?q=rheim&keywords=t-1')
      const [found] = all(text, /That finds (\w+ dataset)\./g)
      return [links(text, '<strong>rhein')[0], found]
    }
    await expect.poll(meant).toEqual(['/en/datasets?q=rhein', 'one dataset'])
  })

  it('suggests words under the same filters to a search for its own words alone', async () => {
    const meant = async () =>
      links(await page('/en/datasets?q=rheim&keywords=rhine&related=false'), '<strong>rhein')[0]
    await expect.poll(meant).toEqual('/en/datasets?related=false&keywords=rhine&q=rhein')
  })

  it('leads to no page that is not there', async () => {
    const text = await page('/en/datasets?page=400')
    expect(text).toContain('No hits on this page')
    expect(text).not.toMatch(/rel="(?:prev|next)"/)
  })

  it.each(['de', 'fr'])('sorts titles as readers of the language do: %s', async (language) => {
    const text = await page(`/${language}/datasets?sort=title`)
    const found = all(text, /<h2><a [^>]*><[^>]*>([^<]*)/g)
    const own = found.filter((title) => titles.includes(title))
    expect(own).toEqual(titles.toSorted(new Intl.Collator(language).compare))
  })
})

describe('a search for words', () => {
  const asked: URLSearchParams[] = []
  /** Page of an answer of the search. */
  const pageOf = async (path: string, result: object) => {
    const search: Port = async (address) => {
      asked.push(new URL(address, 'http://h').searchParams)
      return Response.json({ result })
    }
    return (await appAlone(portsTo(search)).request(`http://h${path}`)).text()
  }
  const hit = (id: string, members = {}) => ({ id, title: { en: id }, ...members })

  it('asks for most of the words and related records, and by the words alone on request', async () => {
    const answer = { count: 1, results: [hit('a')] }
    const text = await pageOf('/en/datasets?q=water+levels', answer)
    expect([asked.at(-1)?.get('words'), asked.at(-1)?.get('related')]).toEqual(['most', 'true'])
    const take = text.slice(text.indexOf('class="take"'))
    expect(links(take, 'Atom')[0]).toContain('words=most')
    const [alone = ''] = links(text, 'Only datasets with these words')
    expect(alone).toBe('/en/datasets?q=water+levels&words=any&related=false')
    const others = await pageOf(alone, answer)
    expect([asked.at(-1)?.get('words'), asked.at(-1)?.get('related')]).toEqual(['any', 'false'])
    const chip =
      /class="chip" href="([^"]+)"><span>\s*<span class="vh">Remove filter <.span>Only datasets/g
    expect(all(others, chip)).toEqual(['/en/datasets?q=water+levels'])
  })

  it('names hits that are only related', async () => {
    const results = [hit('a'), hit('b', { related: true })]
    const text = await pageOf('/en/datasets?q=water', { count: 2, related: 1, results })
    const isRelated = text.split('<li><h2>').map((item) => item.includes('class="tag">Related<'))
    expect(isRelated).toEqual([false, false, true])
    expect(links(text, 'Only datasets with these words')).toHaveLength(1)
  })

  it('does not call related records found where no record has the words', async () => {
    const results = [hit('a', { related: true })]
    const text = await pageOf('/en/datasets?q=water', { count: 1, related: 1, results })
    expect(text).toContain('No datasets for “water”</h1>')
    expect(text).toMatch(/role="status">No dataset has these words\. Related:</)
  })

  it.each([
    [1, 'No dataset is nearer to the query in meaning.'],
    [0.29, 'Near to the query in meaning: 29 %, where the nearest dataset has 100 %.'],
    [0, 'Not among the 200 datasets nearest to the query in meaning.'],
  ])('says in a sentence how close a hit is in meaning: %s', async (meaning, sentence) => {
    const results = [hit('a', { _why: { words: [], side: 0, title: false, meaning } })]
    const text = await pageOf('/en/datasets?q=wasser&explain=true', { count: 1, results })
    expect(text).toContain(`<dt>Meaning</dt><dd>${sentence}</dd>`)
  })

  it('explains its order on request', async () => {
    const words = [{ word: 'wasser', as: 'trinkwasser', how: 'part', in: ['title.de'], share: 0.5 }]
    const results = [hit('a', { _why: { words, side: 2, title: true } })]
    const plain = await pageOf('/en/datasets?q=wasser', { count: 1, results: [hit('a')] })
    const [address = ''] = links(plain, 'How this order came about')
    const text = await pageOf(address, { count: 1, results })
    expect(asked.at(-1)?.get('explain')).toBe('true')
    const row = /<dt>wasser<.dt><dd><strong>trinkwasser<.strong> · (.*?)<.dd>/g
    expect(all(text, row)).toEqual(['compound or part of one · 50 % · Title'])
    expect(text).toContain('<dt>Words side by side</dt><dd>2</dd>')
    expect(text).toContain('<dt>The query is its title</dt><dd>Yes</dd>')
    expect(links(text, 'Hide how')).toEqual(['/en/datasets?q=wasser'])
  })
})

it('a search as CSV is read as the client takes it, and ends behind 10,000 rows', async () => {
  const pages: (string | null)[] = []
  const search: Port = async (path) => {
    const { searchParams } = new URL(path, 'http://h')
    const [page, limit] = [searchParams.get('page'), Number(searchParams.get('limit'))]
    pages.push(page)
    const results = Array.from({ length: limit }, (_, at) => ({ id: `${page}-${at}` }))
    return Response.json({ result: { count: 12_000, results } })
  }
  const app = appAlone(portsTo(search))
  const answer = await app.request('http://h/en/datasets.csv?q=water')
  expect(pages.length).toBeLessThan(5)
  const rows = (await answer.text()).trimEnd().split('\r\n')
  expect(rows).toHaveLength(10_001)
  expect(new Set(rows).size).toBe(10_001)
  expect(rows[0]).toMatch(/^id,address,title,/)
  expect(pages).toEqual(Array.from({ length: pages.length }, (_, at) => String(at)))
})
