/** The quality pages in a real Chromium, on screen and on paper; skipped where there is none (`CHROMIUM` or /usr/bin/chromium). */

import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executablePath, openBrowser, violationsOn } from '../support/chromium.ts'
import { serve } from '../../src/http/serve.ts'
import { catalogueOf, datasetOf, figuresOf } from '../metrics/reports/figures-double.ts'
import { qualityPortal } from './quality-reports.ts'

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

type ColorScheme = 'light' | 'dark'

type QualityPrintCases = {
  /** Color scheme, width in CSS pixels and language of the screens that axe-core looks at. */
  readonly screens: readonly (readonly [ColorScheme, number, string])[]
  /** Pages that are printed to PDF, as paths of the portal. */
  readonly printed: readonly string[]
}

/** The pages that each test opens in English. */
export const qualityPaths = ['en/quality', 'en/quality/catalogues/city'] as const

/** Defines the tests of the quality pages for these screens and prints. */
export function qualityPrint({ screens, printed }: QualityPrintCases): void {
  describe.skipIf(executablePath === undefined)('a page in Chromium', () => {
    let served: Awaited<ReturnType<typeof serve>>
    let browser: Browser
    beforeAll(async () => {
      served = await serve(qualityPortal(figures), { host: '127.0.0.1', port: 0 })
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser?.close()
      await served?.close()
    })

    const opened = async (path: string, options: BrowserContextOptions = {}) => {
      const page = await browser.newPage(options)
      const troubles: string[] = []
      page.on('pageerror', (error) => troubles.push(error.message))
      page.on('console', (message) => troubles.push(message.text()))
      await page.goto(`${served.url}/${path}`)
      return { page, troubles }
    }

    it.each(qualityPaths)('%s is styled, nothing in it is refused', async (path) => {
      const { page, troubles } = await opened(path)
      expect(troubles).toEqual([])
      expect(await page.title()).not.toBe('taken')
      expect(
        await page.evaluate(`getComputedStyle(document.querySelector('.chart polyline')).fill`),
      ).toBe('none')
      await page.close()
    })

    it.each(qualityPaths)('%s reads the same without JavaScript', async (path) => {
      const { page } = await opened(path, { javaScriptEnabled: false })
      expect(await page.locator('h2').allInnerTexts()).toContain('Score over time')
      expect(await page.locator('svg.chart').isVisible()).toBe(true)
      await page.close()
    })

    it.each(screens)(
      'has nothing that axe-core finds, in %s at %i pixels, and no sideways scrolling: %s',
      async (colorScheme, width, locale) => {
        const { page } = await opened(`${locale}/quality`, {
          bypassCSP: true,
          colorScheme,
          viewport: { width, height: 800 },
        })
        expect(await violationsOn(page)).toEqual([])
        expect(await overflowing(page)).toEqual([])
        await page.close()
      },
    )

    it.each(printed)(
      '%s on paper: A4 pages that name every heading, and nothing wider than them',
      async (path) => {
        const { page } = await opened(path, { colorScheme: 'dark' })
        const headings = await page.locator('main :is(h1, h2)').allTextContents()
        const pdf = await page.pdf({ preferCSSPageSize: true, outline: true, tagged: true })
        const text = pdf.toString('latin1')
        const boxes = [...text.matchAll(/\/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]/g)]
        expect(boxes.length).toBeGreaterThanOrEqual(3)
        for (const [, width, height] of boxes) {
          expect(Number(width)).toBeCloseTo(595, -0.5)
          expect(Number(height)).toBeCloseTo(842, -0.5)
        }
        const named = outlineOf(text).map(unspaced)
        expect(headings.length).toBeGreaterThanOrEqual(9)
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
}

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
      .filter((one) => !one.closest('.vh, .skip') && !(one.closest('.scroll') && getComputedStyle(one.closest('.scroll')).overflowX === 'auto'))
      .filter((one) => one.getBoundingClientRect().right > width + 1)
      .map((one) => one.tagName + ': ' + one.textContent.slice(0, 40))
  })()`)
