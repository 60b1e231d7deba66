/** Journeys over the desk in a real Chromium, each with and without JavaScript; and the comfort that the script adds. */

import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { executablePath, faultsOn } from '../../support/chromium.ts'
import { begun, browserDesk, signInOn, ways } from './browser-desk.ts'

/** HTML of the focused control where the bar at the end of the window lies over it, else an empty text. */
const coveredByBar = `(() => {
  const [one, bar] = [document.activeElement, document.querySelector('.savebar')]
  if (!one || !bar || bar.contains(one) || one === document.body) return ''
  const [own, other] = [one.getBoundingClientRect(), bar.getBoundingClientRect()]
  const isVisible = own.height > 2 && own.width > 2
  return isVisible && own.bottom > other.top + 1 && own.top < other.bottom && own.top >= other.top - 1 ? one.outerHTML : ''
})()`

const steward = 'key-of-a-steward-000001'

describe.skipIf(executablePath === undefined)('the desk in a browser', () => {
  const desk = browserDesk({ [steward]: ['steward:water'] })
  const opened = (hasScript: boolean, viewport = { width: 1280, height: 700 }) =>
    desk.opened(hasScript, steward, { viewport })

  const save = async (page: Page) => {
    await page.click('.savebar button[value="save"]')
    await page.waitForSelector('.savebar .saved svg')
  }
  const section = (page: Page, name: string) => page.click(`.sections a[href*="/${name}?"]`)
  const idOf = (page: Page) => /datasets\/([^/]+)\//.exec(page.url())?.[1] ?? ''
  const graphOf = (page: Page) => desk.graphOf(new URL(page.url()).pathname)

  async function publishWithLink(page: Page, name: string) {
    await begun(page, `Bathing water ${name}`)
    await page.fill('#f-description textarea', 'Weekly samples of nine lakes.')
    await page.fill('#f-keywords input', 'lake, bathing')
    await page.check('#f-license input[type="radio"] >> nth=0')
    await page.click('.savebar button[value="next"]')
    await page.click('text=Add a link')
    await page.fill('[name$=".access_url.+0"]', 'https://lakes.example/samples.csv')
    await page.fill('[name$=".format.+0"]', 'CSV')
    await page.click('.savebar button[value="next"]')
    expect(await page.textContent('main')).toContain('CSV')
    await section(page, 'check')
    const id = idOf(page)
    await page.click('button[value="publish"]')
    await page.waitForSelector('[role="status"]')
    const answer = await fetch(`${desk.platform().url}/api/hub/repo/datasets/${id}.nt`)
    const published = await answer.text()
    for (const text of ['samples.csv', '"bathing"@en', 'file-type/CSV', 'licence/'])
      expect(published).toContain(text)
  }

  async function correctThree(page: Page, name: string) {
    await begun(page, `Errors ${name}`)
    await page.fill('#f-categories input', 'Enviroment')
    await page.fill('#f-contact_point [name*=".email."]', 'at the office')
    await save(page)
    expect(await page.textContent('#errors')).toContain('2 answers need another look')
    await section(page, 'coverage')
    await page.fill('#f-issued input', 'soon')
    await save(page)
    expect(await page.inputValue('#f-issued input')).toBe('soon')
    expect(await page.getAttribute('#f-issued input', 'aria-invalid')).toBe('true')
    await page.fill('#f-issued input', '2026-05-04')
    await save(page)
    expect(await page.locator('#errors').count()).toBe(0)
    await section(page, 'essentials')
    await page.click('button:text("Did you mean Environment?")')
    await page.waitForSelector('#f-categories .value')
    await page.fill('#f-contact_point [name*=".email."]', 'office@lakes.example')
    await save(page)
    expect(await page.locator('#errors').count()).toBe(0)
    expect(await graphOf(page)).toContain('mailto:office@lakes.example')
  }

  async function pick(page: Page, name: string) {
    await begun(page, `Picker ${name}`)
    await page.click('#f-categories a[href*="/pick/"]')
    await page.fill('#find', 'heal')
    await page.click('text=Find >> nth=-1')
    await page.check('text=Health')
    await page.click('.savebar button[value="next"]')
    await page.waitForSelector('#f-categories .value')
    expect(await page.textContent('#f-categories')).toContain('Health')
  }

  /** Faults of the page in a narrow window and in a wide one; axe-core needs script. */
  const faultsAtWidths = async (page: Page, way: string) => {
    const found: string[] = []
    for (const width of way === 'with' ? [320, 1280] : []) {
      await page.setViewportSize({ width, height: 700 })
      found.push(...(await faultsOn(page)))
    }
    return found
  }

  async function loseSession(page: Page, name: string, context: BrowserContext) {
    await begun(page, `Session ${name}`)
    await page.fill('#f-title input', `Session of ${name}`)
    await page.fill('#f-description textarea', 'Typed while the session ended.\n\nAll of it.')
    await context.clearCookies()
    await page.click('.savebar button[value="next"]')
    await page.waitForURL('**/sign-in?kept=1')
    expect(await page.textContent('main')).toContain('kept for 15 minutes')
    expect(await faultsAtWidths(page, name)).toEqual([])
    await signInOn(page, steward)
    await page.waitForURL('**restored=1**')
    expect(await page.inputValue('#f-title input')).toBe(`Session of ${name}`)
    expect(await page.inputValue('#f-description textarea')).toBe(
      'Typed while the session ended.\n\nAll of it.',
    )
    expect(await faultsAtWidths(page, name)).toEqual([])
    await save(page)
    expect(await graphOf(page)).toContain('Typed while the session ended.')
    await page.goto('/en/desk/catalogues/water/rules')
    await page.check('input[name="review"][value="every"]')
    await page.fill('#mark', '321')
    await context.clearCookies()
    await page.click('.savebar button[value="save"]')
    await page.waitForURL('**/sign-in?kept=1')
    await signInOn(page, steward)
    await page.waitForURL('**restored=1**')
    expect(await page.inputValue('#mark')).toBe('321')
    expect(await page.isChecked('input[name="review"][value="every"]')).toBe(true)
    expect(await faultsAtWidths(page, name)).toEqual([])
    await page.goto('/en/desk/new')
    await page.fill('#title', `Begun without a session ${name}`)
    await context.clearCookies()
    await page.click('button:text-is("Begin")')
    await page.waitForURL('**/sign-in?kept=1')
    await signInOn(page, steward)
    await page.waitForURL('**restored=1**')
    expect(await page.inputValue('#title')).toBe(`Begun without a session ${name}`)
  }

  const journeys = [
    ['a dataset with a link to a CSV file is published', publishWithLink],
    ['three errors are corrected', correctThree],
    ['a concept is picked', pick],
    ['a session ends while one writes', loseSession],
  ] as const

  describe.each(ways)('%s JavaScript', (name, hasScript) => {
    it.each(journeys)('%s', { timeout: 60_000 }, async (_, journey) => {
      const { context, page, faults } = await opened(hasScript)
      await journey(page, name, context)
      expect(faults).toEqual([])
      await context.close()
    })
  })

  it('the keyboard alone publishes', { timeout: 60_000 }, async () => {
    const { context, page } = await opened(false)
    await page.goto('/en/desk/new')
    const reach = async (selector: string) => {
      for (let step = 0; step < 150; step++) {
        await page.keyboard.press('Tab')
        const wanted = JSON.stringify(selector)
        if (await page.evaluate<boolean>(`document.activeElement.matches(${wanted})`)) return
      }
      throw new Error(`the keyboard does not reach ${selector}`)
    }
    await reach('#title')
    await page.keyboard.type('By keyboard alone')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#f-description')
    await reach('#f-description textarea')
    await page.keyboard.type('Typed.')
    await reach('.savebar button[value="save"]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.savebar .saved svg')
    await reach('.sections a[href*="/check"]')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/check?**')
    const id = idOf(page)
    await reach('button[value="publish"]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role="status"]')
    expect((await fetch(`${desk.platform().url}/api/hub/repo/datasets/${id}`)).status).toBe(200)
    await context.close()
  })

  it.each([
    { width: 1280, height: 700 },
    { width: 390, height: 640 },
  ])('no focused control is covered by the bar: %o', { timeout: 60_000 }, async (size) => {
    const { context, page } = await opened(true, size)
    await begun(page, `Covered at ${size.width}`)
    const covered: string[] = []
    for (let step = 0; step < 120; step++) {
      await page.keyboard.press('Tab')
      const found = await page.evaluate<string>(coveredByBar)
      if (found !== '') covered.push(found.slice(0, 150))
    }
    expect(covered).toEqual([])
    await context.close()
  })

  describe('the script', () => {
    it('saves 2 seconds after the last change, and what is left', { timeout: 60_000 }, async () => {
      const { context, page, faults } = await opened(true)
      await page.clock.install()
      await begun(page, 'Autosave')
      const title = page.locator('#f-title input')
      await title.focus()
      for (const text of ['Auto', 'Autosaved', 'Autosaved lakes']) {
        await title.fill(text)
        const saved = page.waitForResponse((answer) => answer.url().includes('saved='))
        await page.clock.fastForward(2100)
        await saved
        await expect.poll(() => graphOf(page)).toContain(`"${text}"@en`)
      }
      expect((await graphOf(page)).match(/terms\/title>/g)).toHaveLength(1)
      expect(await page.evaluate('document.activeElement.closest("fieldset").id')).toBe('f-title')
      expect(await page.textContent('.saved')).toContain('Saved')
      await page.fill('#f-keywords input', 'lake, ice')
      await page.clock.fastForward(10_000)
      expect(await page.inputValue('#f-keywords input')).toBe('lake, ice')
      await page.locator('#f-description textarea').focus()
      await page.clock.fastForward(500)
      await page.waitForSelector('#f-keywords .value')
      expect(await page.locator('#f-keywords .value').count()).toBe(2)
      const area = page.locator('#f-description textarea')
      const height = async () => (await area.boundingBox())?.height ?? 0
      const before = await height()
      await area.fill('line\n'.repeat(30))
      expect(await height()).toBeGreaterThan(before + 200)
      expect(faults).toEqual([])
      await context.close()
    })

    it('makes one value of what is typed with pauses', { timeout: 60_000 }, async () => {
      const { context, page, faults } = await opened(true)
      await page.clock.install()
      await begun(page, 'Pauses')
      const type = async (selector: string, parts: readonly string[]) => {
        const control = page.locator(selector).first()
        await control.focus()
        for (const part of parts) {
          await control.pressSequentially(part)
          const saved = page.waitForResponse((answer) => answer.url().includes('saved='))
          await page.clock.fastForward(2100)
          await saved
          await expect
            .poll(() => page.evaluate('document.querySelector(".saved").textContent'))
            .toContain('Saved')
        }
      }
      await type('#f-contact_point [name*=".fn."]', ['Lake', ' Office', ' South'])
      await type('#f-contact_point [name*=".email."]', ['a@lakes.example', '.org'])
      await type('#f-contact_point [name*=".telephone."]', ['+49 30 12', '34 5'])
      await type('#f-description textarea', ['One.', '\nTwo.'])
      await page.locator('#f-license input[type="radio"]').nth(0).focus()
      for (const key of ['Space', 'ArrowDown', 'ArrowDown']) {
        const saved = page.waitForResponse((answer) => answer.url().includes('saved='))
        await page.keyboard.press(key)
        await page.clock.fastForward(2100)
        await saved
      }
      await page.locator('#f-title input').focus()
      await page.clock.fastForward(2100)
      await expect.poll(() => graphOf(page)).toContain('CC_BYSA_4_0')
      const graph = await graphOf(page)
      const values = (path: string) =>
        [...graph.matchAll(new RegExp(`[/#]${path}> (.+) \\.$`, 'gm'))].map(([, value]) => value)
      expect(values('contactPoint')).toHaveLength(1)
      expect(values('fn')).toEqual(['"Lake Office South"'])
      expect(values('hasEmail')).toEqual(['<mailto:a@lakes.example.org>'])
      expect(values('hasTelephone')).toHaveLength(1)
      expect(values('description')).toEqual(['"One.\\nTwo."@en'])
      expect(values('license')).toHaveLength(1)
      expect(faults).toEqual([])
      await context.close()
    })

    it(
      'says that nothing is saved while the platform fails, and saves later',
      { timeout: 60_000 },
      async () => {
        const { context, page } = await opened(true)
        await page.clock.install()
        await begun(page, 'Failing')
        await page.route('**/essentials?**', (route) => route.abort())
        await page.fill('#f-title input', 'Typed meanwhile')
        await page.clock.fastForward(2100)
        await expect.poll(() => page.textContent('.saved')).toContain('Not saved')
        expect(await page.inputValue('#f-title input')).toBe('Typed meanwhile')
        await page.unroute('**/essentials?**')
        await page.clock.fastForward(31_000)
        await expect.poll(() => graphOf(page)).toContain('"Typed meanwhile"@en')
        await context.close()
      },
    )

    it('asks before one leaves with text that is not saved', { timeout: 60_000 }, async () => {
      const { context, page } = await opened(true)
      await begun(page, 'Leaving')
      await page.clock.install()
      await page.locator('#f-title input').pressSequentially(' and more')
      const asked = page.waitForEvent('dialog')
      const leaving = page.goto('/en/desk').catch(() => undefined)
      const dialog = await asked
      expect(dialog.type()).toBe('beforeunload')
      await dialog.accept()
      await leaving
      await context.close()
    })

    it(
      'offers concepts while one types, and takes them by keyboard',
      { timeout: 60_000 },
      async () => {
        const { context, page, faults } = await opened(true)
        await begun(page, 'Combobox')
        const box = page.locator('#f-categories input')
        await box.focus()
        await box.pressSequentially('envi')
        await page.waitForSelector('#f-categories [role="option"]')
        expect(await faultsOn(page)).toEqual([])
        await page.keyboard.press('ArrowDown')
        expect(await box.getAttribute('aria-activedescendant')).toContain('-suggestions-')
        await page.keyboard.press('Enter')
        await page.waitForSelector('#f-categories .value')
        expect(await graphOf(page)).toContain('data-theme/ENVI')
        const focused = await page.evaluate('document.activeElement.closest("fieldset").id')
        expect(focused).toBe('f-categories')
        expect(faults).toEqual([])
        await context.close()
      },
    )

    it('drags the corners of an area, and the numbers follow', { timeout: 60_000 }, async () => {
      const { context, page, faults } = await opened(true)
      await begun(page, 'Area')
      await section(page, 'coverage')
      await page.click('#f-spatial summary >> nth=0')
      for (const [side, degrees] of Object.entries({ west: 8, south: 47, east: 9, north: 48 }))
        await page.fill(`#f-spatial [name$=".${side}"]`, String(degrees))
      await page.click('text=Show on the map')
      await page.waitForSelector('.handle')
      const corner = await page.locator('.handle').first().boundingBox()
      const [x, y] = [
        (corner?.x ?? 0) + (corner?.width ?? 0) / 2,
        (corner?.y ?? 0) + (corner?.height ?? 0) / 2,
      ]
      expect(corner?.width).toBeGreaterThanOrEqual(24)
      await page.mouse.move(x, y)
      await page.mouse.down()
      await page.mouse.move(x - 40, y + 30, { steps: 5 })
      const saved = page.waitForResponse((answer) => answer.url().includes('saved='))
      await page.mouse.up()
      await saved
      const west = Number(await page.inputValue('#f-spatial [name$=".west"]'))
      expect(west).toBeLessThan(8)
      expect(west).toBeGreaterThan(6)
      await expect.poll(() => graphOf(page)).toContain(String(west))
      expect(Number(await page.inputValue('#f-spatial [name$=".east"]'))).toBe(9)
      expect(faults).toEqual([])
      await context.close()
    })

    it(
      'says 5 minutes before the end of the session so, and stays',
      { timeout: 60_000 },
      async () => {
        const { context, page, faults } = await opened(true)
        await page.clock.install()
        await begun(page, 'Staying')
        await page.clock.fastForward(54 * 60_000)
        expect(await page.locator('.session').count()).toBe(0)
        await page.clock.fastForward(2 * 60_000)
        expect(await page.textContent('.session')).toContain('ends in 5 minutes')
        expect(await faultsOn(page)).toEqual([])
        await page.click('.session button')
        await expect.poll(() => page.locator('.session').count()).toBe(0)
        expect(faults).toEqual([])
        await context.close()
      },
    )

    it('goes on after a sign-in in another window', { timeout: 60_000 }, async () => {
      const { context, page, faults } = await opened(true)
      await begun(page, 'Two windows')
      await context.clearCookies()
      await page.fill('#f-title input', 'Typed without a session')
      await expect.poll(() => page.textContent('.saved')).toContain('Your session has ended')
      const other = await context.newPage()
      await other.goto('/en/sign-in')
      await signInOn(other, steward)
      await other.close()
      await page.evaluate('void dispatchEvent(new Event("focus"))')
      await expect.poll(() => graphOf(page)).toContain('"Typed without a session"@en')
      expect(faults).toEqual([])
      await context.close()
    })
  })
})
