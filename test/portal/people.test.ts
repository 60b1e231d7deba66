/** People and keys in a real Chromium: invite, open, sign in, begin a draft, renew, revoke; with and without JavaScript. */

import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executablePath, faultsOn, openBrowser } from '../support/chromium.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

/** Faults of the page in a narrow window, and in a wide one. */
async function faultsAtWidths(page: Page): Promise<readonly string[]> {
  await page.setViewportSize({ width: 320, height: 700 })
  const narrow = await faultsOn(page)
  await page.setViewportSize({ width: 1280, height: 900 })
  return [...narrow, ...(await faultsOn(page))]
}

describe.skipIf(executablePath === undefined)('people and keys', () => {
  let directory: string
  let platform: Gateway
  let browser: Browser
  beforeAll(async () => {
    directory = await temporaryDirectory()
    platform = await gateway(directory, {
      PLATFORM_HUB_API_KEYS: JSON.stringify({
        'key-of-everything': ['*'],
        'key-of-rivers': ['rivers'],
      }),
    })
    const api = client({ url: platform.url, key: 'key-of-everything' })
    await api.put('/catalogues/rivers', `${prefixes}<> a dcat:Catalog ; dct:title "Rivers"@en .`)
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await platform.stop()
    await remove(directory)
  })

  /** Opens a page of a new person; `strange` gets errors of its console and requests to other hosts. */
  const open = async (javaScriptEnabled: boolean, strange: string[]) => {
    const context = await browser.newContext({ javaScriptEnabled, baseURL: platform.url })
    const page = await context.newPage()
    page.on('console', (message) => {
      // The browser says so of each answer with such a status.
      const isAsked = message.text().includes('status of 404')
      if (message.type() === 'error' && !isAsked) strange.push(message.text())
    })
    page.on('pageerror', (error) => strange.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(platform.url)) strange.push(request.url())
    })
    return page
  }
  const signIn = async (page: Page, key: string) => {
    await page.goto('/en/sign-in')
    await page.fill('#key', key)
    await page.click('main form button')
  }

  it.each([
    ['without', false],
    ['with', true],
  ])(
    '%s JavaScript: invite, open, sign in, begin a draft, renew, revoke',
    async (name, hasScript) => {
      const faults: string[] = []
      const note = async (page: Page) => {
        if (hasScript) faults.push(...(await faultsAtWidths(page)))
      }
      const administrator = await open(hasScript, faults)
      await signIn(administrator, 'key-of-everything')
      await administrator.goto('/en/desk/people')
      await note(administrator)
      await administrator.fill('#name', `Anna ${name}`)
      await administrator.check('input[value="steward"]')
      const rivers = administrator.locator('input[name="in-rivers"]')
      // The index may not have the catalogue yet, and then the form has all of them.
      if ((await rivers.count()) > 0) await rivers.check()
      else await administrator.check('input[name="in-*"]')
      await administrator.click('button[value="person"]')
      const link = await administrator.locator('#secret').innerText()
      expect(link).toContain('/en/invitation/')
      await note(administrator)

      const anna = await open(hasScript, faults)
      const first = await anna.goto(link)
      expect(first?.headers()).toMatchObject({ 'referrer-policy': 'no-referrer' })
      await note(anna)
      await anna.click('main form button')
      const key = await anna.locator('#secret').innerText()
      expect(key).toMatch(/^ctl_u_/)
      expect(await anna.locator('#key').getAttribute('autocomplete')).toBe('new-password')
      await note(anna)
      await anna.click('main form button:text("Sign in")')
      await anna.waitForURL('**/en/desk')
      await anna.goto('/en/desk/new')
      await anna.fill('#title', `Reeds ${name}`)
      await anna.click('button:text-is("Begin")')
      await anna.waitForSelector('#f-title')
      await anna.goto('/en/desk/me')
      await note(anna)
      await anna.click('button[value="renew"]')
      const renewed = await anna.locator('#secret').innerText()
      expect(renewed).toMatch(/^ctl_u_/)
      expect(renewed).not.toBe(key)
      await note(anna)
      // The list is for administrators.
      expect((await anna.goto('/en/desk/people'))?.status()).toBe(404)
      await anna.goto('/en/desk')
      expect(await anna.textContent('main')).toContain(`Reeds ${name}`)

      const again = await open(hasScript, faults)
      await again.goto(link)
      await again.click('main form button')
      expect(await again.locator('[role="alert"]').innerText()).toContain('was used')
      await note(again)

      await administrator.goto('/en/desk/people')
      await administrator
        .locator('tr', { hasText: `Anna ${name}` })
        .locator('button[value="revoke"]')
        .click()
      expect(await administrator.locator('tr', { hasText: `Anna ${name}` }).count()).toBe(0)
      await anna.click('nav a[href="/en/desk/datasets"]')
      await anna.waitForURL('**/en/sign-in**')
      const headers = { 'X-API-Key': renewed }
      expect((await fetch(`${platform.url}/api/hub/repo/account`, { headers })).status).toBe(401)
      expect(faults).toEqual([])
      const token = link.split('/').at(-1) ?? 'none'
      for (const one of [token, key, renewed]) expect(platform.log()).not.toContain(one)
      const file = new DatabaseSync(join(directory, 'activity.sqlite'), { readOnly: true })
      const rows = file.prepare(`SELECT action, name FROM activity WHERE via = 'portal'`).all()
      file.close()
      expect(rows).toContainEqual({ action: 'postAccountKey', name: `Anna ${name}` })
      expect(JSON.stringify(rows)).not.toContain(token)
    },
    120_000,
  )
})
