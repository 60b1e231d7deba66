/** Suggestions while somebody types, the pages that the portal comes with, and an operator's own look. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { executablePath, openBrowser } from '../support/chromium.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

let directory: string
let platform: Gateway

beforeAll(async () => {
  directory = await temporaryDirectory()
  const own = join(directory, 'own')
  await mkdir(join(own, 'pages'), { recursive: true })
  await writeFile(join(own, 'pages', 'about.md'), '---\ntitle: Who we are\n---\nThe city.\n')
  await mkdir(join(own, 'assets'))
  await mkdir(join(own, 'texts'))
  await writeFile(join(own, 'assets', 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  await writeFile(join(own, 'texts', 'en.json'), '{"home-lead":"What we know about our city."}')
  await writeFile(join(own, 'custom.css'), '@layer custom { :root { --accent: #333 } }')
  platform = await gateway(directory, {
    PLATFORM_PORTAL_CONFIG: JSON.stringify({
      name: { en: 'Open Data Auenfeld', fr: 'Données ouvertes Auenfeld' },
      logo: 'logo.svg',
      examples: { en: ['trees'], de: ['Bäume'] },
      colours: { accent: '#7a1f5c' },
      directory: own,
      footer: [
        {
          title: 'City',
          links: [{ page: 'about' }, { title: 'Shop', href: 'https://shop.example/' }],
        },
      ],
    }),
  })
  const put = async (path: string, body: string) => {
    const answer = await fetch(`${client(platform).repo}${path}`, {
      method: 'PUT',
      headers: { 'X-API-Key': platform.key, 'Content-Type': 'text/turtle' },
      body: `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .\n${body}`,
    })
    expect(answer.status).toBeLessThan(300)
  }
  await put('/catalogues/city', '<https://c.example/> a dcat:Catalog ; dct:title "City"@en .')
  for (const [id, title] of [
    ['levels', 'Water levels & <b>gauges</b>'],
    ['parks', 'Parks'],
  ])
    await put(
      `/catalogues/city/datasets/origin?originalId=${id}`,
      `<https://c.example/${id}> a dcat:Dataset ; dct:title ${JSON.stringify(title)}@en ;
       dcat:theme <http://publications.europa.eu/resource/authority/data-theme/ENVI> ;
       dct:publisher [ a foaf:Organization ; foaf:name "Waterworks of the city" ] .`,
    )
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const suggest = async (q: string): Promise<object> =>
  (await (await fetch(`${platform.url}/en/suggest?q=${encodeURIComponent(q)}`)).json()) as object

it('suggestions are titles, themes and publishers with a word that begins like what was typed', async () => {
  expect(await suggest('wat')).toMatchObject({
    titles: [{ label: 'Water levels & <b>gauges</b>', path: '/en/datasets/levels' }],
    themes: [],
    publishers: [{ label: 'Waterworks of the city', path: expect.stringMatching(/\?publisher=/) }],
  })
  expect(await suggest('envi')).toMatchObject({
    themes: [{ label: 'Environment', path: '/en/datasets?categories=ENVI' }],
  })
})

it.each(['', 'w', '  ', '"', '(((', 'NOT', '*'.repeat(500), '\u0000', '💧'])(
  'nothing that somebody types breaks them: %j',
  async (q) => {
    expect(await suggest(q)).toMatchObject({ titles: [], words: [], themes: [], publishers: [] })
  },
)

it('name, logo, colours, a text and a style come from one folder, and change without a restart', async () => {
  const get = (path: string) => fetch(platform.url + path, { headers: { Accept: 'text/html' } })
  const home = await (await get('/en/')).text()
  expect(home).toContain('<span>Open Data Auenfeld</span>')
  expect(home).toContain('What we know about our city.')
  const [, logo = ''] = /<img src="([^"]+)"/.exec(home) ?? []
  expect((await get(logo)).headers.get('Content-Type')).toBe('image/svg+xml')
  const styles = [...home.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(
    ([, href]) => href,
  )
  const texts = await Promise.all(styles.map(async (href) => (await get(href ?? '')).text()))
  expect(texts[0]).toContain('#7a1f5c')
  expect(texts[1]).toContain('--accent: #333')
  await writeFile(join(directory, 'own', 'texts', 'en.json'), '{"home-lead":"Another sentence."}')
  await expect.poll(async () => (await get('/en/')).text()).toContain('Another sentence.')
  expect((await get('/theme/0/..%2ftexts%2fen.json')).status).toBe(404)
})

it('the portal comes with a page about itself and one about accessibility, which the operator replaces by name', async () => {
  const page = async (path: string) =>
    (await fetch(platform.url + path, { headers: { Accept: 'text/html' } })).text()
  expect(await page('/de/pages/accessibility')).toContain('Erklärung zur Barrierefreiheit')
  expect(await page('/de/pages/about')).toContain('Who we are')
  const [, footer = ''] = (await page('/de/')).split('<footer')
  expect(footer).toMatch(/City<[^]+href="\/de\/pages\/about"[^]+href="https:\/\/shop\.example\/"/)
  expect(await page('/en/')).toContain('/en/pages/accessibility')
})

it('the portal comes with a page about the search, which says that without an embedder nothing that is typed is sent', async () => {
  const page = async (path: string) =>
    (await fetch(platform.url + path, { headers: { Accept: 'text/html' } })).text()
  const about = 'pages/about-search'
  expect(await page(`/en/${about}`)).toContain('What you type does not leave this platform.')
  expect(await page(`/de/${about}`)).toContain('Ihre Eingabe verlässt diese Plattform nicht.')
  expect(await page('/en/')).toContain(`href="/en/${about}"`)
  const [list = ''] = (await page('/en/datasets?q=levels&explain=true')).split('<footer')
  expect(list).toContain(`href="/en/${about}"`)
})

it('the name of the portal is in the pages of the APIs', async () => {
  const html = { headers: { Accept: 'text/html' } }
  const page = async (path: string) => (await fetch(platform.url + path, html)).text()
  for (const api of ['/api/hub/search/', '/api/hub/repo/', '/api/mqa/reports/'])
    expect(await page(api)).toMatch(/<title>[^<]+ – Open Data Auenfeld<\/title>/)
})

it('examples are in the language of the page, in that of the portal where it has none', async () => {
  const page = async (path: string) => (await fetch(platform.url + path)).text()
  const searches = async (language: string) =>
    [...(await page(`/${language}/`)).matchAll(/\?q=([^"]+)">[^<]+<\/a>/g)].map(([, q]) => q)
  expect(await Promise.all(['en', 'de', 'fr'].map(searches))).toEqual([
    ['trees'],
    [encodeURIComponent('Bäume')],
    ['trees'],
  ])
  expect(await page('/de/sparql')).toContain('>Datensätze nach Thema</a>')
  expect(await page('/de/sparql')).not.toContain('# de:')
})

it.skipIf(executablePath === undefined)(
  'a logo is 40 pixels high at every width, whatever its own size is (skipped without Chromium)',
  async () => {
    const browser = await openBrowser()
    try {
      const svg = (size: string) =>
        `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect width="100%" height="100%"/></svg>`
      const sizes = [
        '',
        'viewBox="0 0 10 10"',
        'width="4000" height="3000"',
        'width="9000" height="20"',
      ]
      for (const size of sizes) {
        const page = await browser.newPage()
        await page.route('**/logo.svg', (route) =>
          route.fulfill({ contentType: 'image/svg+xml', body: svg(size) }),
        )
        await page.goto(`${platform.url}/en/`)
        for (const width of [320, 390, 1280]) {
          await page.setViewportSize({ width, height: 800 })
          const box = await page.locator('.brand img').boundingBox()
          const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
          expect([size, width, box?.height, wide <= width]).toEqual([size, width, 40, true])
          expect(box!.width).toBeGreaterThan(0)
        }
        await page.close()
      }
    } finally {
      await browser.close()
    }
  },
)
