/** The console's page in a real Chromium; skipped where there is none (`CHROMIUM` or /usr/bin/chromium). */

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executablePath, openBrowser } from '../support/chromium.ts'
import { consoleFixture, type ConsoleFixture } from '../support/console/console-fixture.ts'
import { literally } from '../support/console/telnet-client.ts'

describe.skipIf(executablePath === undefined)('the page in Chromium', () => {
  let fixture: ConsoleFixture
  let browser: Browser
  beforeAll(async () => {
    fixture = await consoleFixture()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await fixture.stop()
  })

  const opened = async () => {
    const page = await browser.newPage()
    const troubles: string[] = []
    const asked: string[] = []
    page.on('pageerror', (error) => troubles.push(error.message))
    page.on('console', (message) => {
      // The browser's own line about an answer that refuses a key.
      const isRefusal = /status of 40[01]/.test(message.text())
      if (message.type() === 'error' && !isRefusal) troubles.push(message.text())
    })
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(`${fixture.url}/shell.html`)
    return { page, troubles, asked }
  }
  const entered = async () => {
    const all = await opened()
    await all.page.fill('#key', 'operator')
    await all.page.keyboard.press('Enter')
    expect(await shows(all.page, 'help lists the commands')).toBe(true)
    return all
  }
  const shows = async (page: Page, text: string | RegExp) => {
    const pattern = typeof text === 'string' ? new RegExp(literally(text)) : text
    await expect.poll(() => page.locator('#output').innerText()).toMatch(pattern)
    return true
  }
  const typed = (page: Page) => page.locator('#line').inputValue()
  const type = async (page: Page, line: string) => {
    await page.keyboard.type(line)
    await page.keyboard.press('Enter')
  }

  it('asks for a key and lets nobody in with a wrong one', async () => {
    const { page, troubles } = await opened()
    expect(await page.locator('#console').isVisible()).toBe(false)
    await page.fill('#key', 'wrong')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('#refusal').innerText()).toMatch(/valid API key/)
    expect(await page.locator('#console').isVisible()).toBe(false)
    expect(troubles).toEqual([])
    await page.close()
  })

  it('runs commands and shows their answers; everything comes from its own server', async () => {
    const { page, troubles, asked } = await entered()
    await type(page, 'vocabularies')
    expect(
      await shows(
        page,
        /> vocabularies\s+language {2}1,200 concepts\s+1 vocabulary\s+Command finished\s*$/,
      ),
    ).toBe(true)
    await type(page, 'lanch city')
    expect(await shows(page, 'did you mean launch?')).toBe(true)
    expect(asked.every((url) => url.startsWith(`${fixture.url}/`))).toBe(true)
    expect(troubles).toEqual([])
    await page.close()
  })

  it('[T14] takes no styles but its own', async () => {
    const answer = await fetch(`${fixture.url}/shell.html`)
    expect(answer.headers.get('Content-Security-Policy')).toMatch(/style-src 'self';/)
    const { page, troubles } = await entered()
    expect(troubles).toEqual([])
    const foreign = `(() => { const style = document.createElement('style'); style.textContent = 'body { color: red }'; document.head.append(style); return style.sheet === null || style.sheet.cssRules.length === 0 })()`
    expect(await page.evaluate(foreign)).toBe(true)
    await page.close()
  })

  it('keeps the key in memory only: not in the page, its address or its storage', async () => {
    const { page } = await entered()
    const kept = await page.evaluate(
      `[document.documentElement.outerHTML, location.href, document.cookie, JSON.stringify({ ...localStorage, ...sessionStorage }), document.querySelector('#key').value].join()`,
    )
    expect(kept).not.toContain('operator')
    await page.reload()
    expect(await page.locator('#key').isVisible()).toBe(true)
    await page.close()
  })

  it('has a history', async () => {
    const { page } = await entered()
    await type(page, 'runs lake')
    await type(page, 'pending')
    expect(await shows(page, /no runs\s+Command finished\s+> pending/)).toBe(true)
    await page.keyboard.type('dr')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await typed(page)).toBe('runs lake')
    for (const _ of [1, 2]) await page.keyboard.press('ArrowDown')
    expect(await typed(page)).toBe('dr')
    await page.close()
  })

  it('runs each line that is pasted, and keeps the last one', async () => {
    const { page } = await entered()
    await page.evaluate(
      `(() => { const data = new DataTransfer(); data.setData('text', 'lake\\r\\npending\\nrun'); document.querySelector('#line').value = 'runs '; document.querySelector('#line').setSelectionRange(5, 5); document.querySelector('#line').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true })) })()`,
    )
    expect(
      await shows(page, /> runs lake\s+no runs\s+Command finished\s+> pending\s+2 records/),
    ).toBe(true)
    expect(await typed(page)).toBe('run')
    await page.close()
  })

  it('completes commands and names', async () => {
    const { page } = await entered()
    await page.keyboard.type('vocab')
    await page.keyboard.press('Tab')
    await expect.poll(() => typed(page)).toBe('vocabularies ')
    await page.keyboard.press('Control+c')
    expect(await typed(page)).toBe('')
    await page.keyboard.type('pipe ')
    await page.keyboard.press('Tab')
    expect(await shows(page, /city {2}lake/)).toBe(true)
    await page.close()
  })

  it('Ctrl-C ends an answer and the next command works', async () => {
    const { page } = await entered()
    fixture.seen.left = false
    await type(page, 'tombstones')
    expect(await shows(page, 'gone-')).toBe(true)
    await page.keyboard.press('Control+c')
    expect(await shows(page, /\^C\s*$/)).toBe(true)
    await expect.poll(() => fixture.seen.left).toBe(true)
    await type(page, 'pending')
    expect(await shows(page, '2 records pending')).toBe(true)
    await page.close()
  })

  it('shows what is evil as text', async () => {
    const { page } = await entered()
    await type(page, 'status')
    expect(await shows(page, String.raw`\u001b[2Jcleared\u202e`)).toBe(true)
    await page.close()
  })

  it('forgets everything at exit', async () => {
    const { page } = await entered()
    await type(page, 'exit')
    await expect.poll(() => page.locator('#key').isVisible()).toBe(true)
    expect(await page.locator('#key').inputValue()).toBe('')
    await page.close()
  })
})
