/** Every page of the demonstration in a real Chromium: nothing that axe-core finds, no sideways scrolling, everything without JavaScript. */

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executablePath, openBrowser, violationsOn } from '../support/chromium.ts'
import { remove, temporaryDirectory } from '../support/gateway.ts'
import { crawl } from './crawling.ts'
import { startDemo, type DemoProcess } from './demo-process.ts'

const query = encodeURIComponent('SELECT * WHERE { ?s ?p ?o } LIMIT 5')
/** Of strangers. */
const publicPages = [
  '',
  'datasets?q=water&format=CSV',
  'datasets?q=watr+levls&format=PDF',
  'datasets?q=watr+levels&explain=true',
  'datasets?page=2',
  'datasets/gauge-levels',
  'datasets/gauge-levels/quality',
  'datasets/archive-3',
  'datasets/archive-3/quality',
  'datasets/facets/keywords',
  'catalogues',
  'catalogues/three-rivers-water',
  'publishers',
  'publishers/Gew%C3%A4sserlabor%20Auenfeld',
  'vocabularies',
  'vocabularies/subject',
  'vocabularies/subject/trees',
  'quality',
  'quality/catalogues/three-rivers-water',
  'sparql',
  `sparql?query=${query}`,
  'sparql?query=SELEC',
  'check',
  'sign-in',
  'pages/about',
  'pages/about-search',
  'pages/accessibility',
  'nope',
  'datasets/gauge-level',
]

describe.skipIf(executablePath === undefined)('the portal in Chromium', () => {
  let directory: string
  let demo: DemoProcess
  let browser: Browser

  beforeAll(async () => {
    directory = await temporaryDirectory()
    demo = await startDemo(directory)
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await demo?.end()
    await remove(directory)
  })

  crawl(() => new URL(demo.home).origin, { addresses: 1500, languages: 'every language' })

  async function signIn(page: Page, language = 'en'): Promise<void> {
    await page.goto(`${demo.home}${language}/sign-in`)
    await page.fill('#key', demo.key)
    await page.click('main button')
    await page.waitForURL(/\/desk$/)
  }

  /** Pages behind the sign-in: lists, a pipe, a run with findings, one that waits, its removals. */
  async function stewardPages(page: Page): Promise<readonly string[]> {
    const get = async (path: string) =>
      (await page.request.get(`${demo.home}api/scheduler/${path}`)).json()
    const runs = (await get('runs?pipe=county-archive')) as {
      id: string
      counts: { held: number }
    }[]
    const held = runs.find(({ counts }) => counts.held > 0)?.id
    return [
      'harvest',
      'harvest/runs',
      'harvest/waiting',
      'harvest/deleted',
      'harvest/pipes/county-archive',
      `harvest/runs/${runs.at(-1)?.id}`,
      `harvest/runs/${held}`,
      `harvest/runs/${held}/held`,
    ]
  }

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
          const look = async (path: string) => {
            await page.goto(`${demo.home}${language}/${path}`)
            expect([path, await violationsOn(page)]).toEqual([path, []])
            const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
            expect([path, isWide]).toEqual([path, false])
          }
          for (const path of publicPages) await look(path)
          await signIn(page, language)
          for (const path of await stewardPages(page)) await look(path)
          await context.close()
        },
        180_000,
      )

  it('a check of metadata with findings is as accessible as its form', async () => {
    const page = await (await browser.newContext({ bypassCSP: true })).newPage()
    for (const text of [
      '@prefix dcat: <http://www.w3.org/ns/dcat#> .\n<urn:x> a dcat:Dataset .',
      'no RDF',
    ]) {
      await page.goto(`${demo.home}en/check`)
      await page.fill('#rdf', text)
      await page.click('main button')
      await page.waitForSelector('#result')
      expect(await violationsOn(page)).toEqual([])
    }
    await page.context().close()
  }, 60_000)

  it('text spacing of WCAG 1.4.12 and a zoom of 400 % cut nothing off', async () => {
    const page = await (
      await browser.newContext({ viewport: { width: 320, height: 256 }, bypassCSP: true })
    ).newPage()
    for (const path of [
      '',
      'datasets?q=water',
      'datasets/gauge-levels',
      'datasets/archive-3/quality',
    ]) {
      await page.goto(`${demo.home}en/${path}`)
      await page.addStyleTag({
        content:
          '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-block-end: 2em !important }',
      })
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      expect([path, isWide]).toEqual([path, false])
    }
    await page.context().close()
  }, 60_000)

  it('the keyboard alone reaches the content first, then everything, and one can see where it is', async () => {
    const page = await (
      await browser.newContext({ viewport: { width: 1280, height: 900 } })
    ).newPage()
    for (const path of ['datasets?q=water', 'datasets/gauge-levels']) {
      await page.goto(`${demo.home}en/${path}`)
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.className')).toBe('skip')
      await page.keyboard.press('Enter')
      expect(await page.evaluate('document.activeElement.id')).toBe('content')
      const seen = new Set<string>()
      for (let step = 0; step < 25; step += 1) {
        await page.keyboard.press('Tab')
        const [name, outline] = (await page.evaluate(
          '(() => { const e = document.activeElement; const s = getComputedStyle(e); return [e.outerHTML.slice(0, 120), s.outlineStyle !== "none" || s.boxShadow !== "none"] })()',
        )) as [string, boolean]
        expect([name, outline]).toEqual([name, true])
        seen.add(name)
      }
      expect(seen.size).toBeGreaterThan(15)
    }
    await page.context().close()
  }, 60_000)

  it('without JavaScript: a search, two values of a filter, one taken away, pages, another order, a file', async () => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 1280, height: 900 },
    })
    const page = await context.newPage()
    const count = async () => Number(/\d+/.exec((await page.textContent('h1')) ?? '')?.[0])
    await page.goto(`${demo.home}en/`)
    await page.fill('main input[name=q]', 'water')
    await page.click('main button')
    const all = await count()
    await page.check('input[name=format][value=CSV]')
    await page.click('text=Apply filters')
    const withCsv = await count()
    expect(withCsv).toBeLessThan(all)
    await page.check('input[name=format][value=JSON]')
    await page.click('text=Apply filters')
    expect(await count()).toBeGreaterThanOrEqual(withCsv)
    await page.click('.chip:has-text("JSON")')
    expect(await count()).toBe(withCsv)
    await page.goto(`${demo.home}en/datasets`)
    await page.click('.pages a[rel=next]')
    expect(page.url()).toContain('page=2')
    await page.selectOption('#sort', 'title')
    await page.click('.listbar button')
    expect(page.url()).toContain('sort=title')
    const href = await page.getAttribute('.take a:has-text("CSV")', 'href')
    expect((await page.request.get(new URL(href ?? '', demo.home).href)).status()).toBe(200)
    await context.close()
  }, 60_000)

  it('four clicks from the home page: hourly water levels under an open licence, their file, and who to ask', async () => {
    const page = await (
      await browser.newContext({ viewport: { width: 1280, height: 900 } })
    ).newPage()
    await page.goto(`${demo.home}en/`)
    await page.fill('main input[name=q]', 'water levels')
    await page.click('main form button')
    expect(await page.textContent('.hits li:first-child')).toContain('CC BY')
    await page.click('.hits li:first-child h2 a')
    await page.waitForSelector('.dist')
    const record = (await page.textContent('main')) ?? ''
    expect(record).toMatch(/every fifteen minutes|hour/i)
    expect(await page.getAttribute('.dist a:has-text("Download")', 'href')).toMatch(/^https?:/)
    expect(await page.getAttribute('aside a[href^="mailto:"]', 'href')).toContain('@')
    await page.context().close()
  }, 60_000)

  it('a page loads its style, script and one font, all small and from here', async () => {
    const page = await (await browser.newContext()).newPage()
    const loaded: { readonly url: string; readonly bytes: number }[] = []
    page.on('response', (answer) => {
      void answer
        .request()
        .sizes()
        .then(({ responseBodySize }) => loaded.push({ url: answer.url(), bytes: responseBodySize }))
    })
    await page.goto(`${demo.home}en/datasets/gauge-levels`, { waitUntil: 'networkidle' })
    await expect.poll(() => loaded.length).toBeGreaterThanOrEqual(4)
    const most = { css: 12_000, js: 10_000, woff2: 55_000 }
    const isTooLarge = ({ url, bytes }: (typeof loaded)[number]) =>
      Object.entries(most).some(([ending, size]) => url.endsWith(`.${ending}`) && bytes > size)
    expect(loaded.filter(isTooLarge)).toEqual([])
    expect(loaded.filter(({ url }) => !url.startsWith(demo.home))).toEqual([])
    await page.context().close()
  }, 60_000)

  it.each([390, 1280])(
    'nothing moves while a page of %d px comes over a slow line',
    async (width) => {
      const line = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 }
      const observed = `(window.moved = 0, new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.moved += value
      }).observe({ type: 'layout-shift', buffered: true }))`
      for (const path of [
        '',
        'datasets?q=water',
        'datasets/gauge-levels',
        'datasets/archive-3/quality',
      ]) {
        // A context of its own: nothing is kept from the page before.
        const context = await browser.newContext({ viewport: { width, height: 900 } })
        const page = await context.newPage()
        const session = await context.newCDPSession(page)
        await session.send('Network.emulateNetworkConditions', { offline: false, ...line })
        await page.addInitScript(observed)
        await page.goto(`${demo.home}en/${path}`, { waitUntil: 'networkidle' })
        expect([path, Number(await page.evaluate('window.moved')) < 0.02]).toEqual([path, true])
        await context.close()
      }
    },
    60_000,
  )

  it('suggestions are a list that the keyboard walks through', async () => {
    const page = await (await browser.newContext({ bypassCSP: true })).newPage()
    await page.goto(`${demo.home}en/`)
    await page.type('#q', 'water lev')
    await page.waitForSelector('.suggestions a')
    await page.keyboard.press('ArrowDown')
    expect(await page.getAttribute('#q', 'aria-activedescendant')).toBe('q-suggestions-0')
    expect(await violationsOn(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/datasets\//)
    await page.context().close()
  }, 60_000)

  // The last one: it removes what the others look at.
  it('without JavaScript: signing in, running a pipe, consent to a removal, signing out', async () => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 1280, height: 900 },
    })
    const page = await context.newPage()
    await signIn(page)
    await page.goto(`${demo.home}en/harvest`)
    await page.click('tr:has-text("county archive") button[value=run]')
    expect(page.url()).toMatch(/\/harvest\/runs\//)
    await expect
      .poll(async () => {
        await page.reload()
        return page.textContent('main')
      })
      .toContain('Look at them and decide')
    await page.click('text=Look at them and decide')
    await page.check('input[name=sure]')
    await page.click('button[value=confirm]')
    expect(await page.textContent('main')).toContain('The records are being removed')
    await page.click('text=Sign out')
    expect(page.url()).toMatch(/\/en\/$/)
    await context.close()
  }, 60_000)
})
