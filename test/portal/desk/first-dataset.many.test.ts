/** What a publisher does from the invitation to a published dataset with a link to a CSV file, in Chromium without JavaScript. */

import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executablePath, openBrowser, strangeOn } from '../../support/chromium.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../../support/gateway.ts'
import { portal, type Portal } from '../../support/portals/portal.ts'
import { prefixes } from '../../support/repository.ts'

const key = 'key-for-everything-0001'

/** Clicks, fills and choices of a person, counted. */
function counted(page: Page) {
  const done = { count: 0 }
  const click = (selector: string) => {
    done.count += 1
    return page.click(selector)
  }
  const fill = (selector: string, text: string) => {
    done.count += 1
    return page.fill(selector, text)
  }
  const check = (selector: string) => {
    done.count += 1
    return page.check(selector)
  }
  const select = (selector: string, label: string) => {
    done.count += 1
    return page.selectOption(selector, { label })
  }
  return { done, click, fill, check, select, next: () => click('.savebar button[value="next"]') }
}

describe.skipIf(executablePath === undefined)('the first dataset of an invited person', () => {
  let directory: string
  let platform: Gateway
  let browser: Browser
  let host: Portal
  beforeAll(async () => {
    directory = await temporaryDirectory()
    host = await portal(() => new Response('lake,day,germs\nBlue,2026-05-04,3\n'))
    platform = await gateway(directory, {
      PLATFORM_HUB_API_KEYS: JSON.stringify({ [key]: ['*'] }),
      PLATFORM_HUB_VALIDATOR: '{"enabled":true,"metricsPipeName":"metrics"}',
      PLATFORM_METRICS_CONFIG: '{"allow":["127.0.0.1"],"hostDelayMs":1}',
    })
    const api = client({ url: platform.url, key })
    await api.put(
      '/catalogues/water',
      `${prefixes}<> a dcat:Catalog ; dct:title "Water"@en ; dct:type "dcat-ap" .`,
    )
    await fetch(`${api.repo}/catalogues/water/rules`, {
      method: 'PUT',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: '{"review":"none"}',
    })
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await platform.stop()
    await host.close()
    await remove(directory)
  })

  async function invitation(): Promise<string> {
    const answer = await fetch(`${platform.url}/api/hub/repo/accounts`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ kind: 'person', name: 'Anna', permissions: ['publisher:water'] }),
    })
    expect(answer.status).toBe(201)
    const { token } = (await answer.json()) as { token: string }
    return `/en/invitation/${token}`
  }

  const pointsOf = async (id: string) => {
    const answer = await fetch(`${platform.url}/api/hub/search/datasets/${id}`)
    const body = (await answer.json()) as {
      result?: { quality_meas?: { scoring?: number } }
    }
    return body.result?.quality_meas?.scoring ?? 0
  }

  it('has at least 350 points after at most 40 interactions', { timeout: 120_000 }, async () => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      baseURL: platform.url,
      viewport: { width: 1280, height: 800 },
    })
    const page = await context.newPage()
    const strange = strangeOn(page, platform.url)
    const { done, click, fill, check, select, next } = counted(page)
    await page.goto(await invitation())
    await click('main form button')
    await click('main form button:text("Sign in")')
    await fill('#title', 'Bathing water of the Aue lakes')
    await click('button:text-is("Begin")')
    await fill(
      '#f-description textarea',
      'Weekly samples of nine lakes, with germs and temperature.',
    )
    await fill('#f-keywords input', 'lake, bathing, water quality')
    await fill('#f-categories input', 'Environment')
    await check('#f-license input[type="radio"] >> nth=0')
    await fill('#f-publisher [name*=".name."]', 'City of Auenfeld')
    await fill('#f-contact_point [name*=".fn."]', 'Office of health')
    await fill('#f-contact_point [name*=".email."]', 'lakes@auenfeld.example')
    await next()
    await click('text=Add a link')
    await fill('[name$=".access_url.+0"]', `${host.url}/samples.csv`)
    await fill('[name$=".format.+0"]', 'CSV')
    await fill('[name$=".media_type.+0"]', 'text/csv')
    await next()
    await next()
    await fill('#f-spatial input >> nth=0', 'Germany')
    await fill('#f-temporal input >> nth=0', '2026-05')
    await fill('#f-temporal input >> nth=1', '2026-09')
    await fill('#f-issued input', '2026-05-04')
    await next()
    await click('.sections a[href*="/rest?"]')
    await select('#f-access_right select', 'public')
    await next()
    if (!page.url().includes('/check')) await click('.sections a[href*="/check?"]')
    await click('button[value="publish"]')
    await page.waitForSelector('[role="status"]')
    const [, id = ''] = /datasets\/([^/?]+)/.exec(page.url()) ?? []
    expect(await eventually(async () => (await pointsOf(id)) >= 350, 60_000)).toBe(true)
    expect(done.count).toBeLessThanOrEqual(40)
    expect(strange).toEqual([])
    await context.close()
  })
})
