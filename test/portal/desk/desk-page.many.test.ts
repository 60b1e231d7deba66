/** Pages of the desk in a real Chromium: nothing that axe-core finds at 320, 390 and 1280 pixels, in two languages. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { executablePath, faultsOn, openBrowser } from '../../support/chromium.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { signedIn } from '../signed-in.ts'

const keys = {
  'key-of-everything': ['*'],
  'publisher-of-rivers': ['publisher:rivers'],
  'publisher-of-words': ['publisher:words'],
}

let directory: string
let platform: Gateway
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, { PLATFORM_HUB_API_KEYS: JSON.stringify(keys) })
  const api = client({ url: platform.url, key: 'key-of-everything' })
  for (const id of ['rivers', 'words'])
    await api.put(`/catalogues/${id}`, `${prefixes}<> a dcat:Catalog ; dct:title "The ${id}"@en .`)
  await api.putDataset(
    'rivers',
    'trees',
    `${prefixes}<> a dcat:Dataset ; dct:title "Street trees"@en .`,
  )
  const begun = { title: 'Ice on the rivers', catalogue: 'rivers' }
  await (await signedIn(platform, 'publisher-of-rivers')).post('/en/desk/new', begun)
}, 120_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

test.skipIf(executablePath === undefined)(
  'the pages of the desk have no violation of axe, and do not scroll sideways',
  async () => {
    const browser = await openBrowser()
    try {
      const faults: string[] = []
      for (const key of [
        'publisher-of-rivers',
        'key-of-everything',
        'publisher-of-words',
      ] as const) {
        const page = await (await browser.newContext({ baseURL: platform.url })).newPage()
        await page.goto('/en/sign-in')
        await page.fill('#key', key)
        await page.click('main form button')
        for (const path of [
          'desk',
          'desk/new',
          'desk/datasets',
          'desk/datasets?state=published',
          'desk/datasets?state=review',
          'desk/waiting',
        ])
          for (const [language, width] of [
            ['en', 320],
            ['de', 320],
            ['de', 390],
            ['de', 1280],
          ] as const) {
            await page.setViewportSize({ width, height: 800 })
            await page.goto(`/${language}/${path}`)
            const found = await faultsOn(page)
            faults.push(...found.map((fault) => `${key} ${language}/${path} ${width} ${fault}`))
          }
      }
      expect(faults).toEqual([])
    } finally {
      await browser.close()
    }
  },
  180_000,
)
