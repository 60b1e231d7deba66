/** Pages of the merge and of previews in a real Chromium: nothing that axe-core finds, and a decision with and without JavaScript. */

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executablePath, faultsOn, openBrowser, strangeOn } from '../../support/chromium.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'

const keys = { 'key-of-everything': ['*'], 'publisher-of-water': ['publisher:water'] }
const long = `${'A description of some length, about lakes. '.repeat(8)}${'x'.repeat(80)}`

describe.skipIf(executablePath === undefined)('in a browser', () => {
  let directory: string
  let platform: Gateway
  let browser: Browser
  beforeAll(async () => {
    directory = await temporaryDirectory()
    platform = await gateway(directory, { PLATFORM_HUB_API_KEYS: JSON.stringify(keys) })
    const api = client({ url: platform.url, key: 'key-of-everything' })
    await api.put('/catalogues/water', `${prefixes}<> a dcat:Catalog ; dct:title "Water"@en .`)
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await platform.stop()
    await remove(directory)
  })

  /** Draft of a record whose title and description both sides changed, and whose file the other one removed. */
  async function clash(id: string) {
    const api = client({ url: platform.url, key: 'key-of-everything' })
    const put = (about: string) =>
      api.putDataset('water', id, `${prefixes}<> a dcat:Dataset ; ${about} .`)
    const ask = (method: string, path: string, body?: object) =>
      fetch(api.repo + path, {
        method,
        headers: { 'X-API-Key': 'publisher-of-water', 'Content-Type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
    await put(
      `dct:title "Lakes"@en ; dct:description "${long}"@en ; dcat:distribution [ a dcat:Distribution ; dct:title "All"@en ; dcat:accessURL <https://lakes.example/> ]`,
    )
    const text = await (await fetch(`${api.repo}/datasets/${id}.nt`)).text()
    const file = /dcat#distribution> (<[^>]+>)/.exec(text)?.[1] ?? ''
    await ask('POST', `/drafts/datasets?of=${id}`)
    const line = (node: string, name: string, value: string) =>
      `${node} <http://purl.org/dc/terms/${name}> "${value}"@en .`
    const record = `<http://localhost:8080/set/data/${id}>`
    await ask('PATCH', `/drafts/datasets/${id}`, {
      remove: [
        line(record, 'title', 'Lakes'),
        line(record, 'description', long),
        line(file, 'title', 'All'),
      ],
      add: [
        line(record, 'title', 'Bathing lakes'),
        line(record, 'description', `Here. ${long}`),
        line(file, 'title', 'All of them'),
      ],
    })
    await put(
      `dct:title "Lakes and ponds"@en ; dct:description "${long} There."@en ; dcat:keyword "lake"`,
    )
    return `/en/desk/datasets/${id}`
  }

  async function signIn(javaScriptEnabled: boolean, bypassCSP = true) {
    const context = await browser.newContext({
      javaScriptEnabled,
      baseURL: platform.url,
      bypassCSP,
    })
    const page = await context.newPage()
    await page.goto('/en/sign-in')
    await page.fill('#key', 'publisher-of-water')
    await page.click('main form button')
    return page
  }

  it('axe-core finds nothing, and nothing scrolls sideways', { timeout: 180_000 }, async () => {
    const own = await clash('seen')
    const page = await signIn(true)
    const found: string[] = []
    const look = async (address: string) => {
      for (const width of [320, 390, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(address)
        found.push(...(await faultsOn(page)).map((fault) => `${width} ${address} ${fault}`))
      }
    }
    for (const address of [`${own}/merge`, `${own}/preview`, `${own}/check`])
      for (const language of ['en', 'de']) await look(address.replace('en', language))
    await page.goto(`${own}/check`)
    await page.click('button[value="link"]')
    found.push(...(await faultsOn(page)))
    await look(new URL(await page.inputValue('#share')).pathname)
    expect(found).toEqual([])
  })

  it.each([
    ['without', false],
    ['with', true],
  ])(
    'a person decides field by field %s JavaScript',
    { timeout: 120_000 },
    async (way, hasScript) => {
      const own = await clash(`decided-${way}`)
      const page = await signIn(hasScript, false)
      // The browser says so of the page that refuses to publish.
      const faults = strangeOn(page, platform.url, /status of 400/)
      await page.goto(`${own}/check`)
      await page.click('button[value="publish"]')
      await page.click('text=Compare and decide')
      expect(await page.locator('fieldset').count()).toBe(3)
      expect(
        await page.locator('fieldset', { hasText: 'Description' }).locator('textarea').inputValue(),
      ).toBe(`Here. ${long} There.`)
      const choose = (name: string, choice: string) =>
        page.getByRole('group', { name }).locator(`input[value="${choice}"]`).check()
      await choose('Title, English', 'theirs')
      await choose('Description, English', 'both')
      await page.click('button.primary[value="decide"]')
      expect(await page.textContent('[role="status"]')).toContain('begins from the newest version')
      await page.click('text=See the whole page')
      expect(await page.textContent('main')).toContain('Preview: not public')
      expect(await page.textContent('h1')).toContain('Lakes and ponds')
      expect(await page.textContent('main')).toContain('All of them')
      await page.click('text=Back to the check')
      await page.click('button[value="publish"]')
      expect(await page.textContent('[role="status"]')).toContain('Published')
      const text = await (
        await fetch(`${platform.url}/api/hub/repo/datasets/decided-${way}.nt`)
      ).text()
      for (const value of [
        '"Lakes and ponds"@en',
        `"Here. ${long} There."@en`,
        '"All of them"@en',
        '"lake"',
      ])
        expect([value, text.includes(value)]).toEqual([value, true])
      expect(faults).toEqual([])
    },
  )
})
