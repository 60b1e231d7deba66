/** Records, addresses and headers that no page foresees: each is answered in time, with a page of bounded size. */

import { decodeHTML } from 'entities'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Port } from '../../src/portal/ports.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { appAlone } from './app-alone.ts'

let directory: string
let platform: Gateway

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix geo: <http://www.opengis.net/ont/geosparql#> .
@prefix locn: <http://www.w3.org/ns/locn#> .
`

const get = (path: string, headers: Record<string, string> = { Accept: 'text/html' }) =>
  fetch(platform.url + path, { headers, redirect: 'manual' })

/** A page that a busy machine could not make in its two seconds asks to be asked again. */
async function inTime(path: string): Promise<{ readonly status: number; readonly text: string }> {
  for (let tries = 0; ; tries += 1) {
    const answer = await get(path)
    const text = await answer.text()
    if (answer.status !== 503 || tries === 5) return { status: answer.status, text }
  }
}

const literal = (text: string) => JSON.stringify(text)

async function dataset(id: string, statements: string): Promise<void> {
  const answer = await client(platform).putDataset(
    'odd',
    id,
    `${prefixes}<https://odd.example/${encodeURIComponent(id)}> a dcat:Dataset ; ${statements} .`,
  )
  if (!answer.ok) throw new Error(`${id}: ${answer.status} ${await answer.text()}`)
}

const geometry = (value: string) =>
  `dct:title "Place"@en ; dct:spatial [ a dct:Location ; locn:geometry ${literal(value)}^^geo:geoJSONLiteral ]`
const ring = (points: readonly (readonly [number, number])[]) =>
  JSON.stringify({ type: 'Polygon', coordinates: [points] })

/** Pages from which a search engine or a reader goes on. */
const mostCharacters = 1_500_000

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  await client(platform).put(
    '/catalogues/odd',
    `${prefixes}<> a dcat:Catalog ; dct:title "Odd"@en .`,
  )
}, 60_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

describe('a page of a record', () => {
  const circle = Array.from(
    { length: 40_000 },
    (_, at) =>
      [8 + Math.cos(at / 6400), 50 + Math.sin(at / 6400)].map((one) => Number(one.toFixed(5))) as [
        number,
        number,
      ],
  )
  const records: readonly (readonly [string, string, string])[] = [
    [
      '5,000 distributions',
      'many',
      `dct:title "Many"@en ; dcat:distribution ${Array.from({ length: 5000 }, (_, at) => `<https://odd.example/many/${at}>`).join(', ')} . ${Array.from(
        { length: 5000 },
        (_, at) =>
          `<https://odd.example/many/${at}> a dcat:Distribution ; dcat:accessURL <https://odd.example/f/${at}.csv>`,
      ).join(' . ')}`,
    ],
    [
      '300 languages',
      'languages',
      Array.from({ length: 300 }, (_, at) => {
        const code = `${String.fromCharCode(97 + (at % 26))}${String.fromCharCode(97 + Math.floor(at / 26))}`
        return `dct:title "Title ${at}"@${code} ; dct:description "Text ${at}"@${code}`
      }).join(' ; '),
    ],
    [
      'a description of a megabyte of HTML',
      'html',
      `dct:title "HTML"@en ; dct:description ${literal('<div><b>'.repeat(125_000))}@en`,
    ],
    [
      'a description of a megabyte of Markdown',
      'markdown',
      `dct:title "Markdown"@en ; dct:description ${literal(`${'> '.repeat(50_000)}${'[a]('.repeat(50_000)}${'*_'.repeat(200_000)}`)}@en`,
    ],
    ['no title', 'untitled', 'dct:description "Nothing has a name."@en'],
    ['a title of white space', 'blank', 'dct:title "   "@en'],
    ['a title of 100,000 letters', 'long', `dct:title ${literal('a'.repeat(100_000))}@en`],
    [
      'a place outside of the world',
      'outside',
      geometry(
        ring([
          [500, 500],
          [600, 500],
          [600, 900],
          [500, 500],
        ]),
      ),
    ],
    [
      'a place that crosses itself',
      'crossing',
      geometry(
        ring([
          [0, 0],
          [10, 10],
          [10, 0],
          [0, 10],
          [0, 0],
        ]),
      ),
    ],
    ['a place of 40,000 points', 'points', geometry(ring(circle))],
    [
      'a place around the date line',
      'dateline',
      geometry(
        ring([
          [179, 0],
          [-179, 0],
          [-179, 5],
          [179, 5],
          [179, 0],
        ]),
      ),
    ],
    [
      'a place that is the world',
      'world',
      geometry(
        ring([
          [-180, -90],
          [180, -90],
          [180, 90],
          [-180, 90],
          [-180, -90],
        ]),
      ),
    ],
    ['a place that is no geometry', 'text', geometry('{"type":"Polygon","coordinates":"none"}')],
    ['a place of a single point', 'point', geometry('{"type":"Point","coordinates":[8,50]}')],
  ]
  it.each(records)('with %s is made', async (_what, id, statements) => {
    await dataset(id, statements)
    for (const path of [
      `datasets/${id}`,
      `datasets/${id}/quality`,
      `datasets/${id}.schema.jsonld`,
    ]) {
      const { status, text } = await inTime(`/en/${path}`)
      expect([path, status]).toEqual([path, 200])
      expect(text.length).toBeLessThan(mostCharacters)
      expect(text).not.toMatch(/\b(?:NaN|undefined|\[object Object\])\b/)
    }
    expect((await inTime('/en/datasets?sort=modified')).status).toBe(200)
  })
})

it('a place of a million points is either drawn or refused with the bound that it passes', async () => {
  const points = Array.from({ length: 1_000_000 }, (_, at) => {
    const turn = (2 * Math.PI * at) / 1_000_000
    return `[${(8 + Math.cos(turn)).toFixed(1)},${(50 + Math.sin(turn)).toFixed(1)}]`
  })
  const circle = (count: number) =>
    geometry(
      `{"type":"Polygon","coordinates":[[${[...points.slice(0, count), points[0]].join(',')}]]}`,
    )
  await expect(dataset('million', circle(1_000_000))).rejects.toThrow('longer than 1048576 bytes')
  // As many as fit into the longest literal.
  await dataset('most', circle(80_000))
  const { status, text } = await inTime('/en/datasets/most')
  expect(status).toBe(200)
  expect(text.length).toBeLessThan(mostCharacters)
}, 60_000)

describe('a record whose id', () => {
  const characters = [
    ...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)),
    ...Array.from('äßé中ا💧\u0301\u200b\u202e\ufeff'),
    // One letter stands for all, and one digit.
  ].filter((character) => !/[1-9B-Zb-z]/.test(character))
  it('has any character is found at the address that every list names', async () => {
    for (const [at, character] of characters.entries())
      await dataset(
        `id${character}${at}`,
        `dct:title "Peculiarly identified"@en ; dct:identifier "n${at}"`,
      )
    const links = new Set<string>()
    for (let page = 1; page <= 1 + characters.length / 20; page += 1) {
      const { text } = await inTime(`/en/datasets?q=peculiarly&page=${page}`)
      for (const [, link = ''] of text.matchAll(/<h2>\s*<a href="([^"]+)"/g))
        links.add(decodeHTML(link))
    }
    expect(links.size).toBe(characters.length)
    const endings = ['', '/quality', '/cite.bib', '.schema.jsonld']
    for (const [at, link] of [...links].entries())
      // Each at its own address, and all endings take turns.
      for (const path of new Set([link, `${link}${endings[at % endings.length]}`])) {
        const { status, text } = await inTime(path)
        expect([path, status]).toEqual([path, 200])
        expect(text).toContain('Peculiarly identified')
      }
  }, 60_000)

  it.each(['\u0000', '\t', '\u007f', '\u0085'])(
    'has the control character %j is refused with what is wrong',
    async (character) => {
      await expect(dataset(`id${character}`, 'dct:title "x"')).rejects.toThrow(
        'must not hold control characters',
      )
    },
  )
})

describe('every address', () => {
  const bytes = Array.from({ length: 256 }, (_, at) => `%${at.toString(16).padStart(2, '0')}`)
  it('with any byte in it is a page, a redirect or a problem for people, never an error of ours', async () => {
    // What is no letter, and what no text has, is in three kinds of addresses; every third letter is in one of them.
    const isOdd = (at: number) => at < 0x30 || at === 0x7f || (at >= 0x80 && at % 16 === 0)
    const paths = bytes.flatMap((byte, at) =>
      [`/en/datasets/a${byte}b`, `/en/${byte}`, `/en/datasets?q=${byte}&page=${byte}`].filter(
        (_, kind) => isOdd(at) || at % 9 === kind,
      ),
    )
    const states: (readonly [string, number])[] = []
    for (const path of paths) {
      const answer = await get(path)
      await answer.body?.cancel()
      states.push([path, answer.status])
    }
    expect(states.filter(([, status]) => status >= 500 && status !== 503)).toEqual([])
  })

  const parameters = [
    'page=-1',
    'page=1e9',
    'page=0.5',
    'page=NaN',
    'sort=;drop',
    'from=2024-13-45',
    'to=yesterday',
    'bbox=1,2,3',
    'bbox=a,b,c,d',
    'bbox=400,400,-400,-400',
    'format=',
    `format=${'x'.repeat(5000)}`,
    Array.from({ length: 300 }, (_, at) => `keywords=k${at}`).join('&'),
    `q=${'a+'.repeat(3000)}`,
    'q=%22unclosed',
    'q=((((',
    'q=NOT',
    'q=AND+OR',
    'q=title:',
    'facets={',
    '__proto__=1',
    'constructor=1',
  ]
  it.each(parameters.map((one) => [one.slice(0, 40), one]))(
    '?%s is no error of ours',
    async (_name, query) => {
      for (const path of ['datasets', 'datasets/facets/keywords', 'datasets.csv', 'catalogues']) {
        const answer = await get(`/en/${path}?${query}`)
        await answer.body?.cancel()
        expect([path, answer.status < 500 || answer.status === 503]).toEqual([path, true])
      }
    },
  )

  const accepts = [
    '',
    '*/*',
    'text/*',
    'text/html;q=0',
    'text/html;q=0.1, */*;q=0.2',
    'text/html;q=2',
    'text/html;q=x',
    'text/html;level=1',
    'application/xhtml+xml',
    ',,,',
    ';',
    'a',
    `text/html${',a/b'.repeat(3000)}`,
    'TEXT/HTML',
    'text/turtle, text/html;q=0.9',
  ]
  it.each(accepts.map((one) => [one.slice(0, 40), one]))(
    'for Accept %j is answered',
    async (_name, accept) => {
      for (const path of [
        '/',
        '/en/',
        '/set/data/untitled',
        '/en/datasets/untitled',
        '/nope',
        '/api/hub/search/datasets/none',
      ]) {
        const answer = await get(path, { Accept: accept })
        await answer.body?.cancel()
        expect([path, answer.status < 500 || answer.status === 503]).toEqual([path, true])
      }
    },
  )
})

describe('while a service is away', () => {
  const pages = [
    '',
    'datasets?q=levels',
    'datasets/untitled',
    'datasets/untitled/quality',
    'datasets/facets/keywords',
    'catalogues',
    'catalogues/odd',
    'publishers',
    'vocabularies',
    'vocabularies/x',
    'quality',
    'sparql?query=ASK%7B%7D',
    'check',
    'suggest?q=le',
  ]
  const bases = {
    search: '/api/hub/search',
    repository: '/api/hub/repo',
    metrics: '/api/mqa/cache',
    reports: '/api/mqa/reports',
    sparql: '/sparql',
  }
  const failures: readonly (readonly [string, () => Promise<Response>])[] = [
    ['does not answer', () => Promise.reject(new TypeError('fetch failed'))],
    ['is 503', async () => Response.json({ status: 503, detail: 'away' }, { status: 503 })],
    [
      'answers with something else',
      async () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } }),
    ],
    [
      'answers with broken JSON',
      async () => new Response('{', { headers: { 'Content-Type': 'application/json' } }),
    ],
  ]
  it.each(failures)(
    'because each of its requests %s, every page is whole or says so',
    async (_what, fail) => {
      for (const path of pages) {
        // Each request of the page in its turn: the first one that fails is the one of that number.
        for (let failing = 1; ; failing += 1) {
          let asked = 0
          const portTo =
            (base: string): Port =>
            (rest, init) => {
              asked += 1
              return asked === failing ? fail() : fetch(platform.url + base + rest, init)
            }
          const ports = {
            search: portTo(bases.search),
            repository: portTo(bases.repository),
            metrics: portTo(bases.metrics),
            reports: portTo(bases.reports),
            sparql: portTo(bases.sparql),
          }
          const app = appAlone(ports)
          const answer = await app.request(`http://h/en/${path}`, {
            headers: { Accept: 'text/html' },
          })
          await answer.text()
          expect([path, failing, [200, 404, 503].includes(answer.status), answer.status]).toEqual([
            path,
            failing,
            true,
            answer.status,
          ])
          if (asked < failing) break
        }
      }
    },
    60_000,
  )
})
