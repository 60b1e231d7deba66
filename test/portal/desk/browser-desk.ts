/** The desk of a real platform with the catalogue `water` in a real Chromium. */

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { openBrowser, strangeOn } from '../../support/chromium.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'

/** Key that permits everything. */
export const all = 'key-for-everything-0001'
/** Each journey runs without and with JavaScript. */
export const ways = [
  ['without', false],
  ['with', true],
] as const

/** Signs in on the page of the sign-in. */
export const signInOn = async (page: Page, key: string) => {
  await page.fill('#key', key)
  await page.click('main form button')
}

/** Begins a dataset; resolves with the path of its first page. */
export async function begun(page: Page, title: string): Promise<string> {
  await page.goto('/en/desk/new')
  await page.fill('#title', title)
  await page.click('button:text-is("Begin")')
  await page.waitForSelector('#f-title')
  return new URL(page.url()).pathname
}

/** Starts platform and browser before the tests of a `describe`, and ends them after it; `keys` are those beside `all`. */
export function browserDesk(
  keys: Readonly<Record<string, readonly string[]>>,
  env: Readonly<Record<string, string>> = {},
) {
  let directory: string
  let platform: Gateway
  let browser: Browser
  beforeAll(async () => {
    directory = await temporaryDirectory()
    const PLATFORM_HUB_API_KEYS = JSON.stringify({ [all]: ['*'], ...keys })
    platform = await gateway(directory, { PLATFORM_HUB_API_KEYS, ...env })
    const api = client({ url: platform.url, key: all })
    await api.put('/catalogues/water', `${prefixes}<> a dcat:Catalog ; dct:title "Water"@en .`)
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await platform.stop()
    await remove(directory)
  })
  return {
    platform: () => platform,
    /** Opens a page for the holder of a key; `faults` are errors of the console and requests to other hosts. */
    opened: async (javaScriptEnabled: boolean, key: string, options?: BrowserContextOptions) => {
      const baseURL = platform.url
      const context = await browser.newContext({ javaScriptEnabled, baseURL, ...options })
      const page = await context.newPage()
      const faults = strangeOn(page, platform.url)
      await page.goto('/en/sign-in')
      await signInOn(page, key)
      return { context, page, faults }
    },
    /** N-Triples of the draft whose form has the path. */
    graphOf: async (path: string) => {
      const headers = { 'X-API-Key': all, Accept: 'application/n-triples' }
      const id = path.split('/')[4] ?? ''
      return (await fetch(`${platform.url}/api/hub/repo/drafts/datasets/${id}`, { headers })).text()
    },
  }
}
