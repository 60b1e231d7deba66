/** Journeys over forms that are open while more happens, in a real Chromium: two people in one form, and a file before its first saving. */

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { executablePath } from '../../support/chromium.ts'
import { begun, browserDesk, signInOn, ways } from './browser-desk.ts'

const [anna, bert] = ['key-of-a-steward-000001', 'key-of-a-publisher-00001']

describe.skipIf(executablePath === undefined)('open forms in a browser', () => {
  const { opened, graphOf } = browserDesk({
    [anna]: ['steward:water'],
    [bert]: ['publisher:water'],
  })

  const press = (page: Page) =>
    page.click('.savebar button[value="save"]').then(() => page.waitForSelector('.savebar'))
  const refused = (page: Page) =>
    page.waitForResponse(
      (answer) => answer.request().method() === 'POST' && answer.status() === 412,
    )

  it.each(ways)(
    'two people in one form keep what the other wrote, and see both texts of one field, %s JavaScript',
    { timeout: 60_000 },
    async (way, hasScript) => {
      const [one, other] = [await opened(hasScript, anna), await opened(hasScript, bert)]
      const path = await begun(one.page, `Lakes ${way}`)
      await other.page.goto(path)
      await one.page.fill('#f-description textarea', 'By Anna.')
      await press(one.page)
      await expect.poll(() => graphOf(path)).toContain('"By Anna."@en')
      await other.page.fill('#f-keywords input', 'by-bert')
      await press(other.page)
      await expect.poll(() => graphOf(path)).toContain('"by-bert"@en')
      expect(await graphOf(path)).toContain('"By Anna."@en')
      await expect.poll(() => other.page.textContent('.saved')).toContain('changed meanwhile')
      expect(await other.page.inputValue('#f-description textarea')).toBe('By Anna.')

      await one.page.fill('#f-title input', 'Lakes of Anna')
      await press(one.page)
      await expect.poll(() => graphOf(path)).toContain('"Lakes of Anna"@en')
      const answer = hasScript ? refused(other.page) : undefined
      await other.page.fill('#f-title input', 'Lakes of Bert')
      await answer
      const says = hasScript ? 'the same field' : ''
      await expect.poll(() => other.page.textContent('.saved')).toContain(says)
      await press(other.page)
      await other.page.waitForSelector('#unsaved')
      expect(await graphOf(path)).toContain('"Lakes of Anna"@en')
      const texts = () =>
        other.page
          .locator('#f-title input')
          .evaluateAll((inputs) => inputs.map((i) => 'value' in i && i.value))
      expect(await texts()).toEqual(['Lakes of Anna', 'Lakes of Bert'])
      await press(other.page)
      await other.page.waitForSelector('.savebar .saved svg')
      expect(await texts()).toEqual(['Lakes of Bert'])
      expect(await graphOf(path)).not.toContain('Lakes of Anna')
      expect(one.faults).toEqual([])
      expect(other.faults.filter((fault) => !fault.includes('412'))).toEqual([])
      await one.context.close()
      await other.context.close()
    },
  )

  it(
    'a new file is saved while one writes, once, and after the session had ended',
    { timeout: 60_000 },
    async () => {
      const { context, page, faults } = await opened(true, bert)
      const path = await begun(page, 'Files while one writes')
      await page.goto(`${path.replace('essentials', 'files/distributions.%2B0')}?catalogue=water`)
      const url = page.locator('[name$=".access_url.+0"]')
      await url.pressSequentially('https://lakes.example/a')
      await page.waitForURL('**/files/distributions.~**')
      await expect.poll(() => graphOf(path)).toContain('<https://lakes.example/a>')
      await page.keyboard.type('ll.csv')
      await expect.poll(() => graphOf(path)).toContain('<https://lakes.example/all.csv>')
      await page.locator('[name*=".title."]').first().fill('All samples')
      await expect.poll(() => graphOf(path)).toContain('"All samples"@en')
      const graph = await graphOf(path)
      expect(graph.match(/dcat#distribution> /g)).toHaveLength(1)
      expect(graph.match(/accessURL> /g)).toHaveLength(1)
      expect(graph.match(/downloadURL> /g)).toHaveLength(1)
      await page.goto(`${path.replace('essentials', 'files/distributions.%2B0')}?catalogue=water`)
      await context.clearCookies()
      await page.fill('[name$=".access_url.+0"]', 'https://lakes.example/second')
      await expect.poll(() => page.textContent('.saved')).toContain('Your session has ended')
      const other = await context.newPage()
      await other.goto('/en/sign-in')
      await signInOn(other, bert)
      await other.close()
      await page.evaluate('void dispatchEvent(new Event("focus"))')
      await expect.poll(() => graphOf(path)).toContain('<https://lakes.example/second>')
      await page.waitForURL('**/files/distributions.~**')
      await page.reload()
      expect(await page.inputValue('[name*=".access_url."]')).toBe('https://lakes.example/second')
      expect((await graphOf(path)).match(/dcat#distribution> /g)).toHaveLength(2)
      expect(faults).toEqual([])
      await context.close()
    },
  )

  it(
    'a new file whose session ended is there after the sign-in without JavaScript',
    { timeout: 60_000 },
    async () => {
      const { context, page, faults } = await opened(false, bert)
      const path = await begun(page, 'Files without script')
      await page.goto(`${path.replace('essentials', 'files/distributions.%2B0')}?catalogue=water`)
      await page.fill('[name$=".access_url.+0"]', 'https://lakes.example/typed')
      await context.clearCookies()
      await page.click('.savebar button[value="save"]')
      await page.waitForURL('**/sign-in?kept=1')
      await page.fill('#key', bert)
      await page.click('main form button')
      await page.waitForURL('**restored=1**')
      expect(await page.inputValue('[name$=".access_url.+0"]')).toBe('https://lakes.example/typed')
      await press(page)
      await page.waitForURL('**/files/distributions.~**')
      await press(page)
      expect(
        (await graphOf(path)).match(/accessURL> <https:\/\/lakes.example\/typed>/g),
      ).toHaveLength(1)
      expect(faults).toEqual([])
      await context.close()
    },
  )
})
