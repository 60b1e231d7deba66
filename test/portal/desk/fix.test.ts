/** From what is wrong with a published dataset to the field that mends it: in one click, for who may change it, without a draft before. */

import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pageIndicators } from '../../../src/portal/parts/quality.ts'
import { executablePath, faultsOn, openBrowser } from '../../support/chromium.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { signedIn } from '../signed-in.ts'

const [all, publisher, reader, other] = [
  'key-for-everything-0001',
  'key-of-a-publisher-0001',
  'key-for-reading-water-01',
  'key-for-roads-alone-0001',
]
const texts = JSON.parse(
  readFileSync(new URL('../../../src/portal/texts/en.json', import.meta.url), 'utf8'),
) as Record<string, string>

let directory: string
let platform: Gateway
let source: Server
let writer: Awaited<ReturnType<typeof signedIn>>

const bare = `<> a dcat:Dataset ; dct:title "Bare"@en ; dcat:distribution <urn:x:file> .
  <urn:x:file> a dcat:Distribution ; dct:title "A file"@en ; dcat:accessURL <http://localhost:1/none> .`
const fine = `<> a dcat:Dataset ; dct:title "Fine"@en ; dct:description "Nothing is wrong."@en .`
const odd = `<> a dcat:Dataset ; dct:title "Odd"@en ; dct:description "Dates in words."@en ; dct:issued "some time in spring" ;
  dcat:distribution <urn:x:odd> .
  <urn:x:odd> a dcat:Distribution ; dct:title "Odd file"@en ; dct:issued "soon" ; dcat:accessURL <http://localhost:1/odd> .`

const harvested = `<https://wells.example/deep> a dcat:Dataset ; dct:identifier "deep" ; dct:title "Deep wells"@en ;
  dct:issued "in times of old" .`

beforeAll(async () => {
  directory = await temporaryDirectory()
  source = createServer((_, answer) => {
    answer.setHeader('Content-Type', 'text/turtle').end(prefixes + harvested)
  })
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve))
  const { port } = source.address() as AddressInfo
  const config = {
    address: `http://127.0.0.1:${port}/`,
    catalogue: 'water',
    inputFormat: 'text/turtle',
  }
  const segments = [
    { header: { name: 'importing-rdf', segmentNumber: 1 }, body: { config } },
    { header: { name: 'exporting-hub', segmentNumber: 2 }, body: { config: {} } },
  ]
  const header = {
    id: 'wells',
    name: 'wells',
    title: 'Wells',
    version: '2.0.0',
    transport: 'payload',
  }
  const pipes = join(directory, 'pipes')
  await mkdir(pipes)
  await writeFile(join(pipes, 'wells.json'), JSON.stringify({ header, body: { segments } }))
  platform = await gateway(directory, {
    PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
    PLATFORM_METRICS_CONFIG: '{"hostDelayMs":0}',
    PLATFORM_HUB_API_KEYS: JSON.stringify({
      [all]: ['*'],
      [publisher]: ['publisher:water', 'publisher:untyped'],
      [reader]: ['reader:water'],
      [other]: ['publisher:roads'],
    }),
  })
  const api = client({ url: platform.url, key: all })
  await api.put(
    '/catalogues/water',
    `${prefixes}<> a dcat:Catalog ; dct:type "dcat-ap" ; dct:title "Water"@en .`,
  )
  await api.put('/catalogues/untyped', `${prefixes}<> a dcat:Catalog ; dct:title "Untyped"@en .`)
  await api.putDataset('untyped', 'plain', prefixes + fine)
  for (const [id, turtle] of Object.entries({ bare, fine, odd }))
    await api.putDataset('water', id, prefixes + turtle)
  await measured()
  writer = await signedIn(platform, publisher)
}, 90_000)
afterAll(async () => {
  await platform.stop()
  source.close()
  await remove(directory)
})

const call = (method: string, path: string, body?: string) =>
  fetch(platform.url + path, {
    method,
    headers: { 'X-API-Key': all, 'Content-Type': 'application/json', Accept: 'application/json' },
    ...(body !== undefined && { body }),
  })

/** Runs a pipe to its end, with which the stream of events ends; resolves with the id of the run. */
async function ran(pipe: string) {
  const run = await call('POST', `/api/scheduler/pipes/${pipe}/runs`, '{}')
  const at = run.headers.get('Location') ?? ''
  await (await fetch(`${at}/events`, { headers: { 'X-API-Key': all } })).text()
  return at.split('/').at(-1) ?? ''
}

/** Measures all datasets. */
async function measured() {
  await ran('metrics')
  await call('POST', '/api/mqa/cache/admin/refresh', '{}')
}

const decoded = (href = '') => href.replaceAll('&amp;', '&')
const quality = (id: string) => `/en/datasets/${id}/quality`
const section = (html: string, id: string) =>
  html.split(`aria-labelledby="${id}`)[1]?.split('</section>')[0] ?? ''
const draftOf = async (id: string) =>
  (await call('GET', `/api/hub/repo/drafts/datasets/${id}`)).status

/** Control that has the focus at an address, by its fragment. */
async function focused(address: string): Promise<string> {
  const [path = '', id = ''] = address.split('#')
  const html = await writer.page(path)
  expect(html.split(`id="${id}"`).length).toBe(2)
  return (
    new RegExp(`<(input|select|textarea|a) [^>]*id="${id.replaceAll('.', String.raw`\.`)}"`).exec(
      html,
    )?.[1] ?? ''
  )
}

it('leads from each of the 23 indicators to a field, and makes no draft of it', async () => {
  const table = section(await writer.page(quality('bare')), 'all')
  const addresses = pageIndicators.map(({ key }) => {
    const name = texts[`indicator-${key}`] ?? ''
    return [key, decoded(new RegExp(`<a href="([^"]+)">${name}</a>`).exec(table)?.[1])] as const
  })
  expect(addresses).toHaveLength(23)
  for (const [key, address] of addresses) {
    expect([key, address]).toEqual([
      key,
      expect.stringMatching(new RegExp(`^/en/desk/datasets/bare/.+[?&]fix=${key}.*#f-`)),
    ])
    expect([key, await focused(address)]).toEqual([
      key,
      expect.stringMatching(/^(input|select|textarea)$/),
    ])
    const html = await writer.page(address.split('#')[0] ?? '')
    expect([key, html.includes(`<strong>${texts[`fix-${key}`]}</strong> (+ `)]).toEqual([key, true])
  }
  expect(await draftOf('bare')).toBe(404)
})

it('leads from corrections, the files they are about, findings and left-out values to their fields', async () => {
  const html = await writer.page(quality('odd'))
  const hrefs = (part: string) =>
    [...part.matchAll(/<a href="(\/en\/desk\/[^"]+)">/g)].map(([, href]) => decoded(href))
  const fixes = hrefs(section(html, 'fix'))
  expect(fixes.length).toBeGreaterThanOrEqual(5)
  expect(fixes.filter((href) => href.includes('/files/distributions.~'))).not.toEqual([])
  const leftOut = hrefs(section(html, 'left-out'))
  const [ofFile = '', ofDataset = ''] = leftOut.toSorted((a, b) => b.length - a.length)
  expect(ofDataset).toMatch(/fix=bad-date&field=issued#f-issued$/)
  expect(ofFile).toMatch(/\/files\/distributions\.~[^?]+\?.*fix=bad-date&field=.*#f-.*\.issued$/)
  for (const address of [...fixes, ofDataset, ofFile])
    expect([address, await focused(address)]).not.toEqual([address, ''])
  expect(await writer.page(ofDataset.split('#')[0] ?? '')).toContain('Not a date or time')
  expect(await draftOf('odd')).toBe(404)
})

it('leads from findings of a catalogue and of a run to the fields, for who may write there', async () => {
  const run = await ran('wells')
  const pages = ['/en/quality/catalogues/water', `/en/harvest/runs/${run}`]
  const linksOf = (html: string) =>
    [...html.matchAll(/href="(\/en\/desk\/datasets\/[^"]+\/fix\?[^"]+)"/g)].map(([, href]) =>
      decoded(href),
    )
  for (const [index, path] of pages.entries()) {
    const [first = ''] = linksOf(await writer.page(path))
    const answer = await writer.get(first)
    const field = answer.headers.get('Location') ?? ''
    expect([index, answer.status, field]).toEqual([index, 303, expect.stringContaining('&fix=')])
    expect([field, await focused(field)]).not.toEqual([field, ''])
    for (const key of [reader, other]) {
      const person = await signedIn(platform, key)
      expect([key, linksOf(await (await person.get(path)).text())]).toEqual([key, []])
      expect([key, (await person.get(first)).status]).toEqual([key, 404])
    }
  }
  const unknown = await writer.get(
    '/en/desk/datasets/bare/fix?catalogue=water&fix=bad-date&path=none',
  )
  expect(unknown.headers.get('Location')).toBe('/en/desk/datasets/bare/check')
})

it('shows who may not change the dataset what it always showed, and no form', async () => {
  const strangers = await fetch(platform.url + quality('bare'), {
    headers: { Accept: 'text/html' },
  })
  const texts = [await strangers.text()]
  for (const key of [reader, other]) {
    const { get, page } = await signedIn(platform, key)
    texts.push(await page(quality('bare')))
    const form = await get(
      '/en/desk/datasets/bare/essentials?catalogue=roads&fix=keywordAvailability',
    )
    expect([key, form.status]).toEqual([key, 404])
  }
  for (const text of texts) {
    expect(text.includes('fix=')).toBe(false)
    expect(text.includes('href="/en/check?dataset=bare"')).toBe(true)
  }
})

it('saves nothing when nothing was changed, and makes the draft with the first change', async () => {
  const path = '/en/desk/datasets/odd/essentials?catalogue=water&fix=keywordAvailability'
  expect((await writer.post(path, { do: 'save' })).status).toBe(303)
  expect(await draftOf('odd')).toBe(404)
  const saved = await writer.post(path, { do: 'save', 'keywords.+0': 'spring', 'keywords.@': 'en' })
  const next = saved.headers.get('Location') ?? ''
  expect(next).toMatch(/from=\d+&saved=1&fix=keywordAvailability$/)
  const [, before, after] = /(\d+) → (\d+) points/.exec(await writer.page(next)) ?? []
  expect(Number(after) - Number(before)).toBe(30)
  expect(await draftOf('odd')).toBe(200)
  expect(await (await call('GET', '/api/hub/repo/datasets/odd')).text()).not.toContain('spring"@en')
})

it('counts no compliance where the metrics measure none: in a catalogue that is not of DCAT-AP', async () => {
  const path = '/en/desk/datasets/plain/essentials?catalogue=untyped&fix=keywordAvailability'
  const saved = await writer.post(path, { do: 'save', 'keywords.+0': 'plain', 'keywords.@': 'en' })
  const next = await writer.page(saved.headers.get('Location') ?? '')
  expect(next).toContain('0 → 30 points')
  await call('PUT', '/api/hub/repo/drafts/datasets/publish/plain')
  await measured()
  const answer = await call('GET', '/api/mqa/cache/datasets/plain')
  const { result } = (await answer.json()) as { result: { results: { info: { score: number } }[] } }
  expect(result.results[0]?.info.score).toBe(30)
})

it('says what a chosen concept earned, too', async () => {
  const theme = '/en/desk/datasets/odd/pick/categories?catalogue=water&fix=categoryAvailability'
  const iri = 'http://publications.europa.eu/resource/authority/data-theme/ENVI'
  expect(await writer.page(theme.replace('pick/categories', 'essentials'))).toContain(
    theme.replaceAll('&', '&amp;'),
  )
  const saved = await writer.post(theme, { do: 'next', 'categories.+0': iri })
  const next = await writer.page(saved.headers.get('Location') ?? '')
  const [, before, after] = /(\d+) → (\d+) points/.exec(next) ?? []
  expect(Number(after) - Number(before)).toBe(30)
})

it('does not make a form of what waits for a review', async () => {
  const drafts = `${platform.url}/api/hub/repo/drafts/datasets`
  const step = (method: string, path: string) =>
    fetch(drafts + path, { method, headers: { 'X-API-Key': publisher } })
  const form = async () => (await writer.get('/en/desk/datasets/fine/essentials')).status
  expect((await writer.page(quality('fine'))).includes('fix=')).toBe(true)
  await step('POST', '?of=fine')
  expect((await step('POST', '/fine/submit')).status).toBe(200)
  expect((await writer.page(quality('fine'))).includes('fix=')).toBe(false)
  expect(await form()).toBe(404)
  await step('POST', '/fine/return')
  expect((await step('DELETE', '/fine')).status).toBe(200)
  expect(await form()).toBe(200)
})

describe.skipIf(executablePath === undefined)('in a browser', () => {
  it.each([
    ['without', false, 'bare'],
    ['with', true, 'fine'],
  ] as const)(
    '%s JavaScript one click leads to the control, which is typed into, and the page says what it earned',
    async (_, javaScriptEnabled, id) => {
      const browser = await openBrowser()
      const context = await browser.newContext({ javaScriptEnabled })
      const page = await context.newPage()
      await page.goto(`${platform.url}/en/sign-in`)
      await page.locator('input[name="key"]').fill(publisher)
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/desk$/)
      await page.goto(platform.url + quality(id))
      await page.locator('#all').locator('xpath=..').getByRole('link', { name: 'Keywords' }).click()
      expect(page.url()).toContain('fix=keywordAvailability#f-keywords')
      await page.locator('input#f-keywords:focus').waitFor()
      // The script begins with what is there when it is loaded.
      await page.waitForLoadState()
      await page.keyboard.type('lake')
      if (javaScriptEnabled) {
        // Saving while one types does not take away what the correction earned.
        await page.locator('textarea[name^="description."]').first().focus()
        const from = page.locator('input[name="from"]')
        await eventually(async () => /^\d+$/.test(await from.inputValue()))
      }
      await page.locator('.savebar button[value="save"]').click()
      const words = await page.locator('[role=status] .notice').textContent()
      const [, before, after] = /(\d+) → (\d+) points/.exec(words ?? '') ?? []
      expect(Number(after) - Number(before)).toBe(30)
      await browser.close()
    },
    60_000,
  )

  it.each([320, 390, 1280])(
    'the field to correct has no fault at %s px',
    async (width) => {
      const browser = await openBrowser()
      const context = await browser.newContext({ viewport: { width, height: 800 } })
      const page = await context.newPage()
      await page.goto(`${platform.url}/en/sign-in`)
      await page.locator('input[name="key"]').fill(publisher)
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/desk$/)
      const found = new Map<string, readonly string[]>()
      for (const fix of ['keywordAvailability', 'licenceAvailability', 'temporalAvailability']) {
        await page.goto(
          `${platform.url}/en/desk/datasets/bare/essentials?catalogue=water&fix=${fix}`,
        )
        found.set(fix, await faultsOn(page))
      }
      await page.goto(platform.url + quality('bare'))
      found.set('quality', await faultsOn(page))
      expect([...found].filter(([, faults]) => faults.length > 0)).toEqual([])
      await browser.close()
    },
    60_000,
  )
})
