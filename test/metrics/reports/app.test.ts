/** How a report is asked for. */

import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { appOf, asked } from './ground.ts'
import { catalogueOf, figuresOf } from './figures-double.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const typeOf = (answer: Response) => answer.headers.get('Content-Type')?.split(';')[0]
const slugOf = async (answer: Response) =>
  ((await answer.json()) as { type: string }).type.split(':').at(-1)

describe('the form of a report', () => {
  it.each([
    ['what a browser sends', browser, 'text/html'],
    ['text/csv', 'text/csv', 'text/csv'],
    ['application/json', 'application/json', 'application/json'],
    ['anything', '*/*', 'application/json'],
    ['a wish for CSV before HTML', 'text/html;q=0.5, text/csv', 'text/csv'],
  ])('follows Accept: %s', async (_, accept, type) => {
    for (const path of ['/portal', '/catalogues/city']) {
      const answer = await asked(path, { headers: { Accept: accept } })
      expect(answer.status).toBe(200)
      expect(typeOf(answer)).toBe(type)
      expect(answer.headers.get('Vary')).toContain('Accept')
    }
  })

  it.each([
    ['.html', 'text/html'],
    ['.csv', 'text/csv'],
    ['.json', 'application/json'],
  ])('is that of the suffix %s, whatever Accept says', async (suffix, type) => {
    for (const path of [`/portal${suffix}`, `/catalogues/city${suffix}`])
      expect(typeOf(await asked(path, { headers: { Accept: 'image/png' } }))).toBe(type)
  })

  it('is JSON without any wish', async () => {
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

describe('a report that is not there', () => {
  it.each(['/catalogues/nowhere', '/catalogues/nowhere.html', '/catalogues/city.pdf'])(
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
      ['.html', '.csv', '.json'].map(async (suffix) =>
        (await asked(`/portal${suffix}`)).headers.get('ETag'),
      ),
    )
    expect(new Set(tags).size).toBe(3)
    for (const tag of tags) expect(tag).toMatch(/^W\/"7-/)
  })

  it('a reader who has it gets 304 without the report', async () => {
    const first = await asked('/catalogues/city.html')
    const tag = first.headers.get('ETag') ?? ''
    const again = await asked('/catalogues/city.html', { headers: { 'If-None-Match': tag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const refreshed = { at: new Date('2026-11-23T04:30:00Z'), number: 8 }
    const later = await asked('/catalogues/city.html', {
      figures: figuresOf({ refreshed }),
      headers: { 'If-None-Match': tag },
    })
    expect(later.status).toBe(200)
    expect(later.headers.get('Last-Modified')).toBe('Mon, 23 Nov 2026 04:30:00 GMT')
  })

  it('HEAD has the headers and no body', async () => {
    const answer = await appOf().request('/api/mqa/reports/portal.html', { method: 'HEAD' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    expect(answer.headers.get('ETag')).toMatch(/^W\/"7-html-/)
  })

  it('a page is compressed for those who can', async () => {
    const answer = await asked('/portal.html', { headers: { 'Accept-Encoding': 'gzip' } })
    expect(answer.headers.get('Content-Encoding')).toBe('gzip')
  })
})

describe('a page', () => {
  it('may use its own style and nothing else: no script, no frame, nothing from elsewhere', async () => {
    const answer = await asked('/portal.html')
    const page = await answer.text()
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? ''
    const policy = answer.headers.get('Content-Security-Policy') ?? ''
    expect(policy).toContain(`default-src 'none'`)
    expect(policy).toContain(`style-src 'sha256-${hash('sha256', style, 'base64')}'`)
    expect(policy).not.toMatch(/unsafe|script-src|'self'/)
    expect(page).not.toMatch(/<script|<iframe|\son\w+=|\sstyle=|@import|url\(/i)
  })
})

describe('the list of catalogues', () => {
  const many = figuresOf({
    catalogues: Array.from({ length: 10_000 }, (_, n) => catalogueOf(`c${n}`, { en: `Nr ${n}` })),
  })

  it('has an end, however many there are', async () => {
    const page = await (await asked('/portal.html', { figures: many })).text()
    expect(page.length).toBeLessThan(100_000)
    expect(page).toContain('1 to 50 of 10,000')
    expect(page.match(/href="\.\/catalogues\//g)).toHaveLength(50)
    expect(page).toContain('href="./portal.html?offset=50&amp;limit=50#catalogues"')
  })

  it('goes on without the figures of the portal', async () => {
    const page = await (
      await asked('/portal.html?offset=100&limit=25&order=worst', { figures: many })
    ).text()
    expect(page).toContain('101 to 125 of 10,000, the lowest score first')
    expect(page).toContain('href="./portal.html?order=worst&amp;offset=75&amp;limit=25#catalogues"')
    expect(page).toContain('>Nr 9899<')
    expect(page).not.toContain('Five dimensions')
  })

  it('behind its end is empty and leads back', async () => {
    const page = await (await asked('/portal.html?offset=20000', { figures: many })).text()
    expect(page).toContain('There are 10,000.')
    expect(page).toContain('>First</a>')
    expect(page).not.toContain('>Next</a>')
  })

  it('JSON has the same page of it', async () => {
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

describe('links', () => {
  const hrefs = (page: string) => [...page.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)

  it.each([
    ['/catalogues/city', '../catalogues/city.csv'],
    ['/catalogues/city/', '../../catalogues/city.csv'],
    ['/catalogues/city.html?locale=de', '../catalogues/city.csv?locale=de'],
    ['/portal', './portal.csv'],
    ['/portal/', '../portal.csv'],
  ])('of %s lead to %s from where the page is', async (path, expected) => {
    const page = await (await asked(path, { headers: { Accept: browser } })).text()
    expect(hrefs(page)).toContain(expected)
    const address = new URL(expected, `http://localhost/api/mqa/reports${path}`)
    expect(address.pathname).toMatch(/^\/api\/mqa\/reports\/(?:portal|catalogues\/city)\.csv$/)
  })

  it('keep the language', async () => {
    const page = await (await asked('/portal.html?locale=de')).text()
    expect(hrefs(page)).toContain('./catalogues/city.html?locale=de')
  })
})
