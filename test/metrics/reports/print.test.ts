/** The pages in a real Chromium, on screen and on paper; skipped where there is none (`CHROMIUM` or /usr/bin/chromium). */

import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serve } from '../../../src/http/serve.ts'
import { catalogueOf, datasetOf, figuresOf } from './figures-double.ts'
import { appOf } from './ground.ts'

const places = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const executablePath = places.find((path) => path !== undefined && existsSync(path))

/** Titles that no line can hold, and one that would like to be a script. */
const figures = figuresOf({
  catalogues: [
    catalogueOf('city', { en: `City <script>document.title = 'taken'</script>` }),
    ...Array.from({ length: 60 }, (_, n) => catalogueOf(`c${n}`, { ar: `مستوى المياه ${n}` })),
  ],
  worst: [datasetOf('x', 12, { de: 'Straßenverkehrsunfallstatistikdatensatz'.repeat(4) })],
})

/** Millimetres to CSS pixels. */
const pixels = (mm: number) => Math.round((mm / 25.4) * 96)

describe.skipIf(executablePath === undefined)('a page in Chromium', () => {
  let served: Awaited<ReturnType<typeof serve>>
  let browser: Browser
  beforeAll(async () => {
    served = await serve(appOf(figures), { host: '127.0.0.1', port: 0 })
    browser = await chromium.launch({
      ...(executablePath !== undefined && { executablePath }),
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    })
  })
  afterAll(async () => {
    await browser?.close()
    await served?.close()
  })

  const paths = ['/portal.html', '/catalogues/city.html'] as const
  const opened = async (path: string, options: BrowserContextOptions = {}) => {
    const page = await browser.newPage(options)
    const troubles: string[] = []
    const urls: string[] = []
    page.on('pageerror', (error) => troubles.push(error.message))
    page.on('console', (message) => troubles.push(message.text()))
    page.on('request', (request) => urls.push(request.url()))
    await page.goto(`${served.url}/api/mqa/reports${path}`)
    return { page, troubles, urls }
  }

  it.each(paths)('%s is one file, styled, with nothing refused and no script run', async (path) => {
    const { page, troubles, urls } = await opened(path)
    expect(urls.filter((url) => !url.startsWith('data:'))).toHaveLength(1)
    expect(troubles).toEqual([])
    expect(await page.title()).toMatch(/ – metadata quality(?: – .+)?$/)
    expect(await page.evaluate(`getComputedStyle(document.body).maxWidth`)).toBe('896px')
    expect(await page.evaluate('document.scripts.length')).toBe(0)
    await page.close()
  })

  it.each(paths)('%s reads the same without JavaScript', async (path) => {
    const { page } = await opened(path, { javaScriptEnabled: false })
    expect(await page.locator('h2').allInnerTexts()).toContain('Score over time')
    expect(await page.locator('#over-time svg[role=img]').isVisible()).toBe(true)
    await page.close()
  })

  it.each([
    ['light', 1100, 'en'],
    ['dark', 1100, 'en'],
    ['light', 390, 'en'],
    ['light', 390, 'de'],
    ['light', 390, 'fr'],
    ['light', 390, 'it'],
  ] as const)(
    'has enough contrast (AA) in %s at %i pixels, and no sideways scrolling: %s',
    async (colorScheme, width, locale) => {
      const { page } = await opened(`/portal.html?locale=${locale}`, {
        colorScheme,
        viewport: { width, height: 800 },
      })
      expect(await page.evaluate(faint)).toEqual([])
      expect(await overflowing(page)).toEqual([])
      await page.close()
    },
  )

  it('gives every chart a name and a description, and hides what is only decoration', async () => {
    const { page } = await opened('/portal.html')
    const bare = `[...document.querySelectorAll('body svg')].filter((svg) => !svg.closest('[aria-hidden=true]') && !svg.parentElement.closest('svg') &&
      svg.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id)?.textContent).filter(Boolean).length !== 2).length`
    expect(await page.evaluate(bare)).toBe(0)
    expect(await page.evaluate(`document.querySelectorAll('svg[role=img]').length`)).toBe(1)
    await page.close()
  })

  it.each([...paths, ...['de', 'fr', 'it'].map((locale) => `${paths[1]}?locale=${locale}`)])(
    '%s on paper: A4 pages that name every heading, and nothing wider than them',
    async (path) => {
      const { page } = await opened(path, { colorScheme: 'dark' })
      const headings = await page.locator('h1, h2').allTextContents()
      const pdf = await page.pdf({ preferCSSPageSize: true, outline: true, tagged: true })
      const text = pdf.toString('latin1')
      const boxes = [...text.matchAll(/\/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]/g)]
      expect(boxes.length).toBeGreaterThanOrEqual(3)
      for (const [, width, height] of boxes) {
        expect(Number(width)).toBeCloseTo(595, -0.5)
        expect(Number(height)).toBeCloseTo(842, -0.5)
      }
      const named = outlineOf(text).map(unspaced)
      expect(headings.length).toBeGreaterThanOrEqual(10)
      for (const heading of headings) expect(named).toContain(unspaced(heading))

      await page.emulateMedia({ media: 'print' })
      await page.setViewportSize({ width: pixels(210 - 2 * 15), height: pixels(297) })
      expect(await overflowing(page)).toEqual([])
      expect(await page.evaluate(`getComputedStyle(document.body).backgroundColor`)).toBe(
        'rgb(255, 255, 255)',
      )
      await page.close()
    },
  )
})

/** Where a heading goes on in another line, some versions of Chromium leave the space out of the outline. */
const unspaced = (text: string): string => text.replace(/\s/gu, '')

/** Titles of the outline (PDF 1.7, 12.3.3): literal strings, or hexadecimal ones in UTF-16. */
function outlineOf(pdf: string): string[] {
  const literal = [...pdf.matchAll(/\/Title\s*\(((?:[^()\\]|\\.)*)\)/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1'),
  )
  const hex = [...pdf.matchAll(/\/Title\s*<([0-9A-Fa-f]*)>/g)].map(([, digits = '']) => {
    const bytes = Buffer.from(digits, 'hex')
    return bytes.subarray(2).swap16().toString('utf16le')
  })
  return [...literal, ...hex]
}

/** What sticks out of the page; what scrolls by itself may, on screens. */
const overflowing = (page: Page) =>
  page.evaluate(`(() => {
    const width = document.documentElement.clientWidth
    return [...document.querySelectorAll('body *')]
      .filter((one) => !one.closest('.unseen') && !(one.closest('.wide') && getComputedStyle(one.closest('.wide')).overflowX === 'auto'))
      .filter((one) => one.getBoundingClientRect().right > width + 1)
      .map((one) => one.tagName + ': ' + one.textContent.slice(0, 40))
  })()`)

/** Texts whose colour is nearer than 4.5 to 1 to the page (WCAG 2.2, 1.4.3). */
const faint = `(() => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const paper = luminance(getComputedStyle(document.body).backgroundColor)
  const ratio = (colour) => {
    const own = luminance(colour)
    return (Math.max(own, paper) + 0.05) / (Math.min(own, paper) + 0.05)
  }
  const texts = [...document.querySelectorAll('body *')].filter((one) =>
    [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
  return texts
    .filter((one) => !['title', 'desc'].includes(one.tagName))
    .map((one) => [one.textContent.slice(0, 40), ratio(one.namespaceURI.endsWith('svg') ? getComputedStyle(one).fill : getComputedStyle(one).color)])
    .filter(([, found]) => found < 4.5)
})()`
