/** Pages of catalogues, rules and ticked records in a real Chromium: nothing that axe-core finds, also where something is wrong. */

import { mkdir } from 'node:fs/promises'
import { type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { executablePath, faultsOn, openBrowser } from '../../support/chromium.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { signedIn } from '../signed-in.ts'

const key = 'key-of-everything'
let directory: string
let platform: Gateway
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, {
    PLATFORM_HUB_API_KEYS: JSON.stringify({ [key]: ['*'] }),
  })
  const api = client({ url: platform.url, key })
  await api.put('/catalogues/rivers', `${prefixes}<> a dcat:Catalog ; dct:title "The rivers"@en .`)
  const person = await signedIn(platform, key)
  for (const title of ['Ice on the rivers', 'Thrown away'])
    await person.post('/en/desk/new', { title, catalogue: 'rivers' })
  await person.post('/en/desk/catalogues', { title: 'Lakes' })
  await person.post('/en/desk/datasets/thrown-away/check?catalogue=rivers', { do: 'delete' })
  const value = '<http://publications.europa.eu/resource/authority/licence/CC0>'
  const path = 'http://purl.org/dc/terms/license'
  await fetch(`${platform.url}/api/hub/repo/catalogues/rivers/rules`, {
    method: 'PUT',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ languages: ['de', 'en'], defaults: [{ path, value }] }),
  })
}, 120_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

/** Folder for pictures of the pages, where somebody asks for them. */
const pictures = process.env['PICTURES']

const rules = '/desk/catalogues/rivers/rules'
/** Ways to the pages: an address, and what is done there. */
const ways: Readonly<Record<string, readonly [string, (page: Page) => Promise<unknown>]>> = {
  catalogues: ['/desk/catalogues', async () => {}],
  'catalogue-wrong': [
    '/desk/catalogues',
    (page) => page.click('section[aria-labelledby="new"] button'),
  ],
  rules: [rules, async () => {}],
  'rules-wrong': [
    rules,
    async (page) => {
      await page.selectOption('#fill', 'issued')
      await page.click('button[value="fill"]')
      await page.fill('#f-issued input', 'soon')
      await page.fill('#mark', 'many')
      await page.click('.savebar button[value="save"]')
      await page.waitForSelector('#errors')
    },
  ],
  list: ['/desk/datasets?q=ice&sort=title', async () => {}],
  away: ['/desk/datasets?state=away', async () => {}],
  'bulk-refused': [
    '/desk/datasets',
    async (page) => {
      await page.check('input[name="pick"]')
      await page.click('button[value="return"], button[value="publish"]')
      await page.waitForSelector('#bulk-result')
    },
  ],
  'bulk-none': ['/desk/datasets', (page) => page.click('form#bulk p button')],
  form: ['/desk/datasets/ice-on-the-rivers/essentials?catalogue=rivers', async () => {}],
}

test.skipIf(executablePath === undefined)(
  'the pages have no violation of axe, and do not scroll sideways',
  async () => {
    const browser = await openBrowser()
    try {
      const faults: string[] = []
      const page = await (await browser.newContext({ baseURL: platform.url })).newPage()
      await page.goto('/en/sign-in')
      await page.fill('#key', key)
      await page.click('main form button')
      if (pictures !== undefined) await mkdir(pictures, { recursive: true })
      for (const [language, width] of [
        ['de', 320],
        ['en', 390],
        ['en', 1280],
      ] as const) {
        await page.setViewportSize({ width, height: 800 })
        for (const [name, [path, act]] of Object.entries(ways)) {
          await page.goto(`/${language}${path}`)
          await act(page)
          const found = await faultsOn(page)
          faults.push(...found.map((fault) => `${language} ${name} ${width} ${fault}`))
          if (pictures !== undefined)
            await page.screenshot({ path: `${pictures}/${name}-${width}.png`, fullPage: true })
        }
      }
      expect(faults).toEqual([])
    } finally {
      await browser.close()
    }
  },
  180_000,
)
