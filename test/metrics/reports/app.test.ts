/** How a report is asked for. */

import { describe, expect, it } from 'vitest'
import { appOf, asked, base } from './report-apps.ts'
import { catalogueOf, figuresOf } from './figures-double.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const typeOf = (answer: Response) => answer.headers.get('Content-Type')?.split(';')[0]
const slugOf = async (answer: Response) =>
  ((await answer.json()) as { type: string }).type.split(':').at(-1)

describe('the form of a report', () => {
  it.each([
    ['text/csv', 'text/csv', 'text/csv'],
    ['application/json', 'application/json', 'application/json'],
    ['anything', '*/*', 'application/json'],
    ['CSV rather than HTML', 'text/html;q=0.5, text/csv', 'text/csv'],
  ])('follows Accept: %s', async (_, accept, type) => {
    for (const path of ['/portal', '/catalogues/city']) {
      const answer = await asked(path, { headers: { Accept: accept } })
      expect(answer.status).toBe(200)
      expect(typeOf(answer)).toBe(type)
      expect(answer.headers.get('Vary')).toContain('Accept')
    }
  })

  it.each([
    ['.csv', 'text/csv'],
    ['.json', 'application/json'],
  ])('is that of the suffix %s, whatever Accept says', async (suffix, type) => {
    for (const path of [`/portal${suffix}`, `/catalogues/city${suffix}`])
      expect(typeOf(await asked(path, { headers: { Accept: 'image/png' } }))).toBe(type)
  })

  it('is JSON where nothing is asked for', async () => {
    expect(typeOf(await asked('/portal'))).toBe('application/json')
  })

  it('is refused when there is none of that type', async () => {
    const answer = await asked('/portal', { headers: { Accept: 'image/png' } })
    expect([answer.status, await slugOf(answer)]).toEqual([406, 'not-acceptable'])
  })

  it('CSV comes as a file with a name', async () => {
    const answer = await asked('/catalogues/city.csv')
    expect(answer.headers.get('Content-Disposition')).toBe(
      'attachment; filename="quality-city.csv"',
    )
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present')
  })
})

describe('a report as HTML', () => {
  const page = (path: string, headers: Record<string, string> = { Accept: browser }) =>
    appOf(figuresOf(), { hasPortal: true }).request(`http://localhost${base}${path}`, { headers })

  it.each([
    ['/portal', '/fr/quality'],
    ['/portal/', '/fr/quality'],
    ['/portal.html', '/fr/quality'],
    ['/portal.html?locale=de', '/de/quality'],
    ['/portal.html?locale=de&offset=100&limit=50&order=worst', '/de/quality?order=worst&page=3'],
    ['/catalogues/city', '/fr/quality/catalogues/city'],
    ['/catalogues/city.html?locale=it', '/it/quality/catalogues/city'],
    ['/catalogues/nowhere.html', '/fr/quality/catalogues/nowhere'],
  ])('%s leads to the page of the portal, for good: %s', async (path, address) => {
    const answer = await page(path)
    expect([answer.status, answer.headers.get('Location')]).toEqual([301, address])
    expect(answer.headers.get('Vary')).toContain('Accept-Language')
  })

  it('a suffix leads there whatever Accept says', async () => {
    expect((await page('/portal.html', { Accept: 'application/json' })).status).toBe(301)
    expect((await page('/portal.json')).status).toBe(200)
  })

  it.each(['/portal', '/catalogues/city'])(
    'without a portal %s says where JSON and CSV are',
    async (path) => {
      for (const [address, accept] of [
        [path, browser],
        [`${path}/`, browser],
        [`${path}.html`, '*/*'],
      ] as const) {
        const answer = await asked(address, { headers: { Accept: accept } })
        const { detail } = (await answer.json()) as { detail: string }
        expect([answer.status, detail]).toEqual([
          406,
          `reports as HTML are pages of the portal, which does not run here; ask for http://localhost${base}${path}.json or http://localhost${base}${path}.csv`,
        ])
      }
    },
  )
})

describe('a report that is not there', () => {
  it.each(['/catalogues/nowhere', '/catalogues/nowhere.csv', '/catalogues/city.pdf'])(
    '%s is 404',
    async (path) => {
      const answer = await asked(path)
      expect([answer.status, await slugOf(answer)]).toEqual([404, 'unknown-catalogue'])
    },
  )

  it.each([
    '/portal?limit=0',
    '/portal?limit=1001',
    '/portal?offset=-1',
    '/portal?order=up',
    '/portal?locale=%3Cscript%3E',
    '/catalogues/city?locale=',
  ])('%s is 400', async (path) => {
    const answer = await asked(path)
    expect([answer.status, await slugOf(answer)]).toEqual([400, 'invalid-parameter'])
  })

  it('writes are refused', async () => {
    const answer = await appOf().request('/api/mqa/reports/portal', { method: 'POST' })
    expect(answer.status).toBe(405)
  })
})

describe('the state of a report', () => {
  it('is the number of the refresh, one for each form', async () => {
    const tags = await Promise.all(
      ['.csv', '.json'].map(async (suffix) =>
        (await asked(`/portal${suffix}`)).headers.get('ETag'),
      ),
    )
    expect(new Set(tags).size).toBe(2)
    for (const tag of tags) expect(tag).toMatch(/^W\/"7-/)
  })

  it('a reader who has it gets 304 without the report', async () => {
    const first = await asked('/catalogues/city.json')
    const tag = first.headers.get('ETag') ?? ''
    const again = await asked('/catalogues/city.json', { headers: { 'If-None-Match': tag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const refreshed = { at: new Date('2026-11-23T04:30:00Z'), number: 8 }
    const later = await asked('/catalogues/city.json', {
      figures: figuresOf({ refreshed }),
      headers: { 'If-None-Match': tag },
    })
    expect(later.status).toBe(200)
    expect(later.headers.get('Last-Modified')).toBe('Mon, 23 Nov 2026 04:30:00 GMT')
  })

  it('HEAD has the headers and no body', async () => {
    const answer = await appOf().request(`${base}/portal.json`, { method: 'HEAD' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    expect(answer.headers.get('ETag')).toMatch(/^W\/"7-json-/)
  })

  it('is compressed for those who can', async () => {
    const answer = await asked('/portal.csv', { headers: { 'Accept-Encoding': 'gzip' } })
    expect(answer.headers.get('Content-Encoding')).toBe('gzip')
  })
})

describe('the list of catalogues', () => {
  const many = figuresOf({
    catalogues: Array.from({ length: 10_000 }, (_, n) => catalogueOf(`c${n}`, { en: `Nr ${n}` })),
  })

  it('comes alone after its first page, and is empty after its end', async () => {
    const page = async (query: string) => {
      const answer = await asked(`/portal.json?${query}`, { figures: many })
      const { measured, catalogues } = (await answer.json()) as {
        measured: object | null
        catalogues: { results: { id: string }[] }
      }
      return [measured !== null, catalogues.results.length, catalogues.results[0]?.id]
    }
    expect(await page('')).toEqual([true, 50, 'c0'])
    expect(await page('offset=100&limit=25&order=worst')).toEqual([false, 25, 'c9899'])
    expect(await page('offset=20000')).toEqual([false, 0, undefined])
  })

  it('is counted whole', async () => {
    const answer = await asked('/portal.json?offset=9990&limit=50', { figures: many })
    const { catalogues } = (await answer.json()) as {
      catalogues: { count: number; results: { id: string; datasets: number }[] }
    }
    expect(catalogues.count).toBe(10_000)
    expect(catalogues.results.map(({ id }) => id)).toEqual(
      Array.from({ length: 10 }, (_, n) => `c${9990 + n}`),
    )
  })
})

describe('the contract', () => {
  it('is served beside the reports', async () => {
    const answer = await asked('/openapi.json')
    const { paths } = (await answer.json()) as { paths: Record<string, object> }
    expect(Object.keys(paths)).toEqual([
      '/portal',
      '/portal.html',
      '/portal.csv',
      '/portal.json',
      '/catalogues/{id}',
    ])
  })
})
