/** Chromium for tests of pages, and faults that a person would meet on them. */

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'

const places = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Path of the browser; `undefined` where there is none, and then its tests are skipped. */
export const executablePath = places.find((path) => path !== undefined && existsSync(path))

/** Opens the browser of `executablePath`. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })

/**
 * Collects errors of the console, but for messages that match `expected`, and requests to other hosts than that of `url`. The
 * result grows with them.
 */
export function strangeOn(page: Page, url: string, expected?: RegExp): string[] {
  const strange: string[] = []
  page.on('console', (message) => {
    const isExpected = expected?.test(message.text()) === true
    if (message.type() === 'error' && !isExpected) strange.push(message.text())
  })
  page.on('pageerror', (error) => strange.push(String(error)))
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) strange.push(request.url())
  })
  return strange
}

const require = createRequire(import.meta.url)
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** Returns what axe-core finds on the page as it is, best practices included, as `rule: element`. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe)
  return page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`,
  )
}

/** Returns what axe-core finds on the page, and whether it scrolls sideways in its window. */
export async function faultsOn(page: Page): Promise<readonly string[]> {
  const violations = await violationsOn(page)
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  const window = await page.evaluate<number>('document.documentElement.clientWidth')
  return [...violations, ...(width > window ? [`${width} pixels wide at ${window}`] : [])]
}
