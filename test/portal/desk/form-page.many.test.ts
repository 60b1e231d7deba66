/** Forms of a draft in a real Chromium: nothing that axe-core finds, at three widths, light and dark. */

import { expect, test } from 'vitest'
import { executablePath, faultsOn, openBrowser } from '../../support/chromium.ts'
import { deskAlone } from './desk-alone.ts'
import { lakes, path, send, steps } from './form-sender.ts'

test.skipIf(executablePath === undefined)(
  'axe-core finds nothing, and nothing scrolls sideways',
  { timeout: 120_000 },
  async () => {
    const own = await deskAlone(lakes)
    await send(own, 'essentials', 'save', { 'categories.+0': 'Enviroment' })
    const browser = await openBrowser()
    const found: string[] = []
    for (const [width, colorScheme] of [
      [320, 'light'],
      [390, 'dark'],
      [1280, 'light'],
    ] as const) {
      const page = await browser.newPage({
        viewport: { width, height: 800 },
        colorScheme,
        javaScriptEnabled: true,
        bypassCSP: true,
      })
      await page.route('**/*', async (route) => {
        const url = new URL(route.request().url())
        const answer = await own.app.request(url.href, { headers: own.headers })
        await route.fulfill({
          status: answer.status,
          headers: Object.fromEntries(answer.headers),
          body: Buffer.from(await answer.arrayBuffer()),
        })
      })
      const link =
        /href="([^"]+files\/distributions\.~[^"]+)"/
          .exec(await own.page(path('files')))?.[1]
          ?.replaceAll('&amp;', '&') ?? ''
      for (const address of [
        ...steps.map(path),
        link,
        path('files/distributions.%2B0'),
        path('files/distributions.%2B0').replace('/en/', '/it/'),
        path('pick/categories'),
        '/de/desk/datasets/lakes/essentials?catalogue=water',
      ]) {
        await page.goto(`http://localhost${address}`)
        found.push(...(await faultsOn(page)).map((fault) => `${width} ${address} ${fault}`))
      }
      await page.close()
    }
    await browser.close()
    own.close()
    expect(found).toEqual([])
  },
)
