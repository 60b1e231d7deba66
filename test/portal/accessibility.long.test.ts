/** Every page in a real Chromium: no violation that axe-core finds, no sideways scrolling, everything without JavaScript. */

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium, type Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

const places = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const executablePath = places.find((path) => path !== undefined && existsSync(path))

const require = createRequire(import.meta.url)
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const pages = [
  '',
  'datasets?q=water',
  'datasets?q=nothing-at-all&format=PDF',
  'datasets/gauges',
  'datasets/gauges/quality',
  'datasets/facets/keywords',
  'catalogues',
  'catalogues/rivers',
  'publishers',
  'publishers/Rivers%20Authority',
  'vocabularies',
  'quality',
  'sparql',
  'sparql?query=SELECT%20%2A%20WHERE%20%7B%3Fs%20%3Fp%20%3Fo%7D%20LIMIT%205',
  'check',
  'sign-in',
  'nope',
  'harvest',
]

const turtle = `@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
`

describe.skipIf(executablePath === undefined)('the portal in Chromium', () => {
  let directory: string
  let platform: Gateway
  let browser: Browser

  const put = async (path: string, body: string) => {
    const answer = await fetch(`${client(platform).repo}${path}`, {
      method: 'PUT',
      headers: { 'X-API-Key': platform.key, 'Content-Type': 'text/turtle' },
      body: turtle + body,
    })
    if (!answer.ok) throw new Error(await answer.text())
  }

  beforeAll(async () => {
    directory = await temporaryDirectory()
    platform = await gateway(directory)
    browser = await chromium.launch({ executablePath: executablePath ?? '' })
    await put(
      '/catalogues/rivers',
      '<https://r.example/> a dcat:Catalog ; dct:title "Rivers"@en ; dct:description "Rivers."@en ; dct:publisher <https://r.example/org> .',
    )
    for (const [id, title, format] of [
      ['gauges', 'Water levels', 'CSV'],
      ['quality', 'Water quality', 'JSON'],
      ['maps', 'Flood maps', 'CSV'],
    ])
      await put(
        `/catalogues/rivers/datasets/origin?originalId=${id}`,
        `<https://r.example/${id}> a dcat:Dataset ; dct:title "${title}"@en, "Wasser: ${id}"@de ; dct:description "About ${title} in the rivers."@en ; dcat:keyword "river"@en ;
        dct:publisher [ a foaf:Organization ; foaf:name "Rivers Authority" ] ; dcat:distribution [ a dcat:Distribution ; dct:title "Table"@en ; dcat:accessURL <https://r.example/${id}> ; dct:format <http://publications.europa.eu/resource/authority/file-type/${format}> ] .`,
      )
  })
  afterAll(async () => {
    await browser?.close()
    await platform?.stop()
    await remove(directory)
  })

  for (const language of ['en', 'de'])
    for (const colorScheme of ['light', 'dark'] as const)
      it.each([320, 390, 1280])(
        `${language}, ${colorScheme}, %d px: nothing that axe-core finds, nothing that scrolls sideways`,
        async (width) => {
          const context = await browser.newContext({
            viewport: { width, height: 900 },
            colorScheme,
            bypassCSP: true,
          })
          const page = await context.newPage()
          for (const path of pages) {
            await page.goto(`${platform.url}/${language}/${path}`)
            await page.evaluate(axe)
            const found = await page.evaluate(async (tags) => {
              const { violations } = await (
                globalThis as unknown as {
                  axe: {
                    run: (
                      node: unknown,
                      options: object,
                    ) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
                  }
                }
              ).axe.run((globalThis as unknown as { document: unknown }).document, {
                runOnly: tags,
              })
              return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)
            }, rules)
            expect([path, found]).toEqual([path, []])
            const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
            expect([path, isWide]).toEqual([path, false])
          }
          await context.close()
        },
        120_000,
      )

  it('without JavaScript: a search, two filters, one taken away, another order, a file, signing in and out', async () => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 1280, height: 900 },
    })
    const page = await context.newPage()
    await page.goto(`${platform.url}/en/`)
    await page.fill('main input[name=q]', 'water')
    await page.click('main button')
    expect(await page.textContent('h1')).toContain('2 datasets')
    await page.check('input[name=format][value=CSV]')
    await page.click('text=Apply filters')
    expect(await page.textContent('h1')).toContain('One dataset')
    await page.click('.chip')
    expect(await page.textContent('h1')).toContain('2 datasets')
    await page.selectOption('#sort', 'title')
    await page.click('.listbar button')
    expect(page.url()).toContain('sort=title')
    const href = await page.getAttribute('.take a:has-text("CSV")', 'href')
    expect((await page.request.get(platform.url + (href ?? ''))).status()).toBe(200)
    await page.goto(`${platform.url}/en/sign-in`)
    await page.fill('#key', platform.key)
    await page.click('main button')
    expect(page.url()).toMatch(/\/en\/harvest$/)
    await page.click('text=Sign out')
    expect(page.url()).toMatch(/\/en\/$/)
    await context.close()
  }, 60_000)
})
