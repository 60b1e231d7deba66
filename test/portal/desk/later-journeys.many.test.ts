/** Journeys of a dataset after its first form in a real Chromium, each with and without JavaScript: its day, and the way back. */

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { executablePath, faultsOn } from '../../support/chromium.ts'
import { client } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { all, begun, browserDesk, ways } from './browser-desk.ts'

const steward = 'key-of-a-steward-000001'
const minuteMs = 60_000

describe.skipIf(executablePath === undefined)('a dataset in a browser', () => {
  const desk = browserDesk(
    { [steward]: ['steward:water'] },
    { PLATFORM_PORTAL_CONFIG: '{"timeZone":"UTC"}' },
  )
  const opened = (hasScript: boolean) => desk.opened(hasScript, steward)

  const put = async (id: string, about: string) => {
    const api = client({ url: desk.platform().url, key: all })
    const body = `${prefixes}<> a dcat:Dataset ; dct:description "Weekly samples."@en ; ${about} .`
    const { ok } = await api.putDataset('water', id, body)
    expect(ok).toBe(true)
  }
  const stored = async (id: string) =>
    (await fetch(`${desk.platform().url}/api/hub/repo/datasets/${id}.nt`)).text()
  const statusOf = async (id: string) =>
    (await fetch(`${desk.platform().url}/api/hub/repo/datasets/${id}`)).status

  /** Time of the first version. */
  async function firstAt(id: string): Promise<number> {
    const headers = { 'X-API-Key': all }
    const answer = await fetch(`${desk.platform().url}/api/hub/repo/datasets/${id}/versions`, {
      headers,
    })
    return Date.parse(/"at":"([^"]+)"/.exec(await answer.text())?.[1] ?? '')
  }

  /** Next full minute that is at least 20 seconds away: the form has minutes. */
  const soon = () => new Date(Math.ceil((Date.now() + 20_000) / minuteMs) * minuteMs)

  async function scheduled(page: Page, name: string) {
    await begun(page, `Planned ${name}`)
    await page.fill('#f-description textarea', 'Samples of next week.')
    await page.click('.savebar button[value="save"]')
    await page.waitForSelector('.savebar .saved svg')
    await page.click('.sections a[href*="/check?"]')
    await page.waitForURL('**/check?**')
    const id = /datasets\/([^/]+)\//.exec(page.url())?.[1] ?? ''
    expect(await statusOf(id)).toBe(404)
    const at = soon()
    await page.fill('#at', at.toISOString().slice(0, 16))
    await page.click('button[value="schedule"]')
    await page.waitForSelector('[role="status"]')
    expect(await page.textContent('main')).toContain('It will be public on')
    await page.goto('/en/desk')
    expect(await page.textContent('.todo')).toContain(`Planned ${name}`)
    return { id, at }
  }

  it(
    'is published at its time, and not before, without JavaScript and with it',
    { timeout: 180_000 },
    async () => {
      const people = await Promise.all(ways.map(([, hasScript]) => opened(hasScript)))
      const planned = await Promise.all(
        people.map(({ page }, index) => scheduled(page, ways[index]?.[0] ?? '')),
      )
      for (const [index, { id, at }] of planned.entries()) {
        await expect.poll(() => statusOf(id), { timeout: 100_000, interval: 200 }).toBe(200)
        const late = (await firstAt(id)) - at.getTime()
        expect([late >= 0, late < 30_000]).toEqual([true, true])
        const page = people[index]?.page
        await page?.goto(`/en/desk/datasets/${id}/check?catalogue=water`)
        await page?.click('text=See the page')
        expect(await page?.textContent('h1')).toContain('Planned')
        await page?.goto('/en/desk/waiting')
        expect(await page?.textContent('main')).not.toContain('Planned')
      }
      for (const { faults, context } of people) {
        expect(faults).toEqual([])
        await context.close()
      }
    },
  )

  it.each(ways)(
    'loses its first change by an undo and keeps the later one, %s JavaScript',
    { timeout: 60_000 },
    async (name, hasScript) => {
      const id = `levels-${name}`
      await put(id, 'dct:title "Levels"@en ; dcat:keyword "lake"@en')
      await put(id, 'dct:title "Levels of water"@en ; dcat:keyword "lake"@en')
      await put(id, 'dct:title "Levels of water"@en ; dcat:keyword "river"@en')
      const { page, context, faults } = await opened(hasScript)
      await page.goto(`/en/desk/datasets/${id}/history`)
      expect(await page.textContent('#diff')).toBe('Version 3 against 2')
      await page.click('text=What it changed: Version 2')
      expect(await page.textContent('#diff')).toBe('Version 2 against 1')
      expect(await page.textContent('ins')).toBe(' of water')
      // axe-core needs script.
      expect(hasScript ? await faultsOn(page) : []).toEqual([])
      await page.click('button:text("Undo version 2")')
      await page.waitForURL('**/check?did=undo')
      expect(await page.textContent('[role="status"]')).toContain('takes a version back')
      expect(await stored(id)).toContain('"Levels of water"@en')
      await page.click('button[value="publish"]')
      expect(await page.textContent('[role="status"]')).toContain('Published')
      const text = await stored(id)
      expect([text.includes('"Levels"@en'), text.includes('"river"@en')]).toEqual([true, true])
      expect(text).not.toContain('"lake"')
      await page.goto(`/en/desk/datasets/${id}/history`)
      expect(await page.textContent('#diff')).toBe('Version 4 against 3')
      expect(faults).toEqual([])
      await context.close()
    },
  )
})
