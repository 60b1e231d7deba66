/** The check of a draft: what it finds, what is open to whom, and a draft from the form to its published page, without JavaScript. */

import { writeFile } from 'node:fs/promises'

import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executablePath, faultsOn, openBrowser } from '../../support/chromium.ts'
import { gateway, remove, temporaryDirectory, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { harmIn, hostileStrings } from '../hostile-strings.ts'
import { signedIn } from '../signed-in.ts'

const [all, steward, publisher, reader, other] = [
  'key-for-everything-0001',
  'key-of-a-steward-000001',
  'key-of-a-publisher-0001',
  'key-for-reading-water-01',
  'key-for-roads-alone-0001',
]
let directory: string
let platform: Gateway

beforeAll(async () => {
  directory = await temporaryDirectory()
  await writeFile(join(directory, 'api-key'), all)
  platform = await gateway(directory, {
    PLATFORM_PORTAL_CONFIG: '{"timeZone":"Europe/Berlin"}',
    PLATFORM_HUB_API_KEYS: JSON.stringify({
      [all]: ['*'],
      [steward]: ['steward:water'],
      [publisher]: ['publisher:water'],
      [reader]: ['reader:water'],
      [other]: ['publisher:roads'],
    }),
  })
  await call(all, 'PUT', '/catalogues/water', '<> a dcat:Catalog ; dct:title "Water"@en .')
}, 60_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const call = (key: string, method: string, path: string, turtle?: string) =>
  fetch(`${platform.url}/api/hub/repo${path}`, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'text/turtle', Accept: 'application/json' },
    ...(turtle !== undefined && { body: prefixes + turtle }),
  })

const literal = (text: string) => JSON.stringify(text).replaceAll('\u007f', '\\u007f')

/** Makes a draft of a publisher; resolves with the path of its pages and its path at the repository. */
async function drafted(title: string, more = '') {
  const body = `<> a dcat:Dataset ; dct:title ${literal(title)}@en ; dct:description "Weekly samples."@en ${more} .`
  const made = await call(publisher, 'POST', '/drafts/datasets?catalogue=water', body)
  const { id } = (await made.json()) as { id: string }
  const own = `/en/desk/datasets/${id}`
  return { id, own, path: `${own}/check?catalogue=water`, draft: `/drafts/datasets/${id}` }
}

const stateOf = async (draft: string) =>
  ((await (await call(all, 'GET', draft)).json()) as { state?: string }).state
const revisionIn = (html: string) => /name="revision" value="(\d+)"/.exec(html)?.[1] ?? ''
/** Actions of a page, without those about links to its preview. */
const actionsIn = (html: string) =>
  [...html.matchAll(/name="do" value="(\w+)"/g)]
    .map(([, action]) => action)
    .filter((action) => action !== 'link' && action !== 'revoke')

it('shows findings with links to their fields, the points and what will be public', async () => {
  const { path, own } = await drafted(
    'Lakes',
    '; dcat:landingPage <javascript:alert(1)> ; dcat:distribution [ a dcat:Distribution ; dct:title "All"@en ]',
  )
  const { page } = await signedIn(platform, publisher)
  const html = await page(path)
  expect(html).toMatch(/(One thing|\d things) to correct before it can be published/)
  const links = [...html.matchAll(/<(?:strong|h4)><a href="([^"]+)">/g)].map(
    ([, href]) => href ?? '',
  )
  expect(links.length).toBeGreaterThan(2)
  for (const href of new Set(links.map((link) => link.replaceAll('&amp;', '&')))) {
    expect(href).toMatch(new RegExp(`^${own}/.+#f-`))
    const [address = '', field = ''] = href.split('#')
    expect([href, (await page(address)).includes(`id="${field}"`)]).toEqual([href, true])
  }
  expect(html).toContain('of 405 points')
  expect(html).toContain('Weekly samples.')
  expect(html).toContain('class="none">Not said')
  for (const language of ['de', 'fr', 'it'])
    expect(await page(path.replace('en', language))).not.toMatch(/>(publish|waiting)-[a-z]/)
})

it('says what is wrong, and where the data is from, in the language of the page', async () => {
  const box = '"POLYGON((8.31 47.91,8.74 47.91,8.74 48.12,8.31 48.12,8.31 47.91))"'
  const { path } = await drafted(
    'Ponds',
    `; dcat:landingPage "none" ; dct:language "de" ; dcat:distribution [ a dcat:Distribution ; dct:title "All"@en ]
     ; dct:spatial [ a dct:Location ; <http://www.w3.org/2004/02/skos/core#prefLabel> "Auenfeld"@de ;
       dcat:bbox ${box}^^<http://www.opengis.net/ont/geosparql#wktLiteral> ]`,
  )
  const { page } = await signedIn(platform, publisher)
  const german = await page(path.replace('/en/', '/de/'))
  for (const words of [
    '„none“ ist keine Adresse',
    '„de“ ist nicht in der Liste',
    'Noch nicht angegeben.',
    '<bdi>Auenfeld</bdi> · <bdi>8,3–8,7° O, 47,9–48,1° N</bdi>',
  ])
    expect(german).toContain(words)
  expect(german).not.toContain('<span lang="en"')
  expect(german).not.toContain('Centroid')
  expect(german).toMatch(/<h4>Beschreibung<\/h4><p>Noch nicht angegeben\. <a href=/)
  expect(await page(path)).toContain('Describe the file or link.')
})

it('is refused with what was typed still there', async () => {
  const { path, draft } = await drafted('Springs', '; dcat:landingPage <javascript:alert(1)>')
  const { page, post } = await signedIn(platform, publisher)
  const revision = revisionIn(await page(path))
  const blocked = await post(path, { do: 'submit', note: 'Please & <look>', revision })
  const text = await blocked.text()
  expect(blocked.status).toBe(400)
  expect(text).toContain('Something has to be corrected first.')
  expect(text).toContain('Please &amp; &lt;look&gt;</textarea>')
  const stale = await post(path, { do: 'submit', note: 'again', revision: '99' })
  expect(await stale.text()).toContain('Somebody changed it meanwhile.')
  const forbidden = await post(path, { do: 'publish', note: 'mine', revision })
  expect(await forbidden.text()).toContain('You may not do this here.')
  expect(await stateOf(draft)).toBe('draft')
  expect(await (await post(path, { do: '', note: 'kept' })).text()).toContain('kept</textarea>')
})

it('has the actions of the person, and is not there for others', async () => {
  const { path, own, draft } = await drafted('Rivers')
  const [author, reviewer] = [
    await signedIn(platform, publisher),
    await signedIn(platform, steward),
  ]
  expect(actionsIn(await author.page(path))).toEqual(['submit', 'delete'])
  expect(actionsIn(await reviewer.page(path))).toEqual(['publish', 'schedule', 'delete'])
  for (const key of [reader, other]) {
    const { get, post } = await signedIn(platform, key)
    expect([key, (await get(path)).status]).toEqual([key, 404])
    expect([key, (await post(path, { do: 'publish' })).status]).toEqual([key, 404])
  }
  const revision = revisionIn(await author.page(path))
  const sent = await author.post(path, { do: 'submit', note: 'See the licence', revision })
  expect([sent.status, sent.headers.get('Location')]).toEqual([303, `${path}&did=submit`])
  expect(actionsIn(await author.page(path))).toEqual(['return', 'delete'])
  expect(await author.page(path)).not.toContain(`${own}/essentials`)
  expect(await reviewer.page('/en/desk/waiting')).toContain('See the licence')
  expect(await author.page('/en/desk/waiting')).toContain('Nothing waits.')
  expect(await reviewer.page('/en/desk')).toContain(path)
  expect((await (await signedIn(platform, reader)).get('/en/desk/waiting')).status).toBe(404)
  expect(actionsIn(await reviewer.page(path))).toEqual(['publish', 'return', 'schedule', 'delete'])
  const second = revisionIn(await reviewer.page(path))
  const silent = await reviewer.post(path, { do: 'return', revision: second })
  expect(await silent.text()).toContain('Say why it is sent back')
  await reviewer.post(path, { do: 'return', note: 'Name the lake', revision: second })
  expect(await stateOf(draft)).toBe('returned')
  expect(await author.page('/en/desk/waiting')).toContain('Name the lake')
  expect(await author.page(path)).toContain('Name the lake')
})

it('refuses every action by every address to who may not take it, and changes nothing', async () => {
  const { path, own, draft } = await drafted('Marshes')
  const steps = ['publish', 'submit', 'schedule', 'return', 'save', 'withdraw']
  const year = new Date().getUTCFullYear() + 1
  const fields = { note: 'x', reason: 'x', at: `${year}-07-01T08:00`, rdf: '<> a <urn:x> .' }
  // The check notes the points.
  const now = async () => ({
    ...((await (await call(all, 'GET', draft)).json()) as object),
    score: 0,
  })
  const before = await now()
  const revision = revisionIn(await (await signedIn(platform, publisher)).page(path))
  for (const [key, allowed] of [
    [reader, []],
    [other, []],
    [publisher, ['submit', 'save']],
  ] as const) {
    const { post } = await signedIn(platform, key)
    for (const step of steps.filter((one) => !allowed.some((name) => name === one)))
      for (const address of [path, `${own}/turtle`]) {
        const { status } = await post(address, { do: step, ...fields, revision })
        expect([key, step, status]).toEqual([key, step, key === publisher ? 400 : 404])
      }
    expect((await post(path, { do: 'publish', _csrf: 'forged', revision })).status).toBe(403)
  }
  expect(await now()).toEqual(before)
})

it('is published at a time of the portal, and withdrawn with a reason', async () => {
  const { id, own, path, draft } = await drafted('Wells')
  const { page, post } = await signedIn(platform, steward)
  const revision = revisionIn(await page(path))
  const past = await post(path, { do: 'schedule', at: '2001-01-01T08:00', revision })
  expect(await past.text()).toContain('value="2001-01-01T08:00"')
  const year = new Date().getUTCFullYear() + 1
  const sunday = 31 - new Date(Date.UTC(year, 2, 31)).getUTCDay()
  // In summer, in winter, and in the hour after the clocks were changed.
  for (const [at, instant] of [
    [`${year}-07-01T08:00`, `${year}-07-01T06:00:00.000Z`],
    [`${year}-12-01T08:00`, `${year}-12-01T07:00:00.000Z`],
    [`${year}-03-${sunday}T03:30`, `${year}-03-${sunday}T01:30:00.000Z`],
  ] as const) {
    await post(path, { do: 'schedule', at, revision: revisionIn(await page(path)) })
    const { publishAt } = (await (await call(all, 'GET', draft)).json()) as { publishAt: string }
    expect(publishAt).toBe(instant)
  }
  const done = await post(path, { do: 'publish', revision: revisionIn(await page(path)) })
  expect(done.headers.get('Location')).toBe(`${path}&did=publish`)
  expect((await call(all, 'GET', `/datasets/${id}`)).status).toBe(200)
  const author = await signedIn(platform, publisher)
  expect(actionsIn(await author.page(path))).toEqual(['withdraw'])
  expect(actionsIn(await (await signedIn(platform, reader)).page(path))).toEqual([])
  const silent = await author.post(path, { do: 'withdraw', replacement: 'https://lakes.example/' })
  expect(await silent.text()).toContain('value="https://lakes.example/"')
  const gone = await author.post(path, { do: 'withdraw', reason: 'Measured <wrongly>' })
  expect(gone.headers.get('Location')).toBe('/en/desk/waiting?did=withdraw')
  expect((await call(all, 'GET', `/datasets/${id}`)).status).toBe(410)
  expect((await author.get(`${own}/check`)).status).toBe(404)
  const tombstone = await fetch(`${platform.url}/en/datasets/${id}`, {
    headers: { Accept: 'text/html' },
  })
  expect([tombstone.status, await tombstone.text()]).toEqual([
    410,
    expect.stringContaining('Measured &lt;wrongly&gt;'),
  ])
})

it('is edited as Turtle, and shows the line of an error beside the text', async () => {
  const { id, own, path, draft } = await drafted('Reeds')
  const address = `${own}/turtle?catalogue=water`
  const { page, post, get } = await signedIn(platform, publisher)
  const html = await page(address)
  expect(html).toMatch(/<textarea[^>]*>\n[^]*Reeds[^]*<\/textarea>/)
  const revision = revisionIn(html)
  const record = `${prefixes}<${platform.url}/set/data/${id}> a dcat:Dataset ; dct:title "Reeds & rushes"@en ; dct:description "Plants."@en`
  const broken = await post(address, { do: 'save', rdf: `${record} ; dct:title .`, revision })
  const text = await broken.text()
  expect(broken.status).toBe(400)
  expect(text).toContain('Reeds &amp; rushes')
  expect(text).toMatch(/line \d/)
  expect(text).toContain('class="hit"')
  const stale = await (
    await post(address, { do: 'save', rdf: `${record} .`, revision: '77' })
  ).text()
  expect(stale).toContain('Show the present text')
  expect(stale).toContain('Reeds &amp; rushes')
  const saved = await post(address, { do: 'save', rdf: `${record} .`, revision })
  expect(saved.headers.get('Location')).toBe(`${path}&did=save`)
  expect(await page(path)).toContain('Reeds &amp; rushes')
  await post(path, { do: 'submit', revision: revisionIn(await page(path)) })
  expect(await stateOf(draft)).toBe('review')
  expect((await get(address)).status).toBe(404)
  expect((await (await signedIn(platform, reader)).get(address)).status).toBe(404)
})

it('shows hostile notes and titles as text', async () => {
  const { page, post } = await signedIn(platform, publisher)
  const reviewer = await signedIn(platform, steward)
  for (const text of hostileStrings.filter((_, index) => index % 8 === 0)) {
    const { path, id } = await drafted(`x ${text.toWellFormed().replaceAll('\0', '')}`)
    if (id === undefined) continue
    await post(path, { do: 'submit', note: text, revision: revisionIn(await page(path)) })
    for (const html of [await page(path), await reviewer.page('/en/desk/waiting')])
      expect(harmIn(html)).toEqual([])
  }
}, 60_000)

describe.skipIf(executablePath === undefined)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  const signIn = async (key: string, javaScriptEnabled = false) => {
    const context = await browser.newContext({
      javaScriptEnabled,
      baseURL: platform.url,
      bypassCSP: true,
    })
    const page = await context.newPage()
    await page.goto('/en/sign-in')
    await page.fill('#key', key)
    await page.click('main form button')
    return page
  }

  const faultsAt = async (page: Page, address: string): Promise<readonly string[]> => {
    const found: string[] = []
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(address)
      found.push(...(await faultsOn(page)).map((fault) => `${width} ${address} ${fault}`))
    }
    return found
  }

  it('axe-core finds nothing, and nothing scrolls sideways', { timeout: 120_000 }, async () => {
    const { path } = await drafted('Brooks', '; dcat:landingPage <javascript:alert(1)>')
    const sent = await drafted(`Ponds ${'x'.repeat(90)}`)
    const author = await signedIn(platform, publisher)
    const revision = revisionIn(await author.page(sent.path))
    await author.post(sent.path, { do: 'submit', note: `Look ${'y'.repeat(90)}`, revision })
    const live = await drafted('Streams')
    await call(all, 'PUT', `/drafts/datasets/publish/${live.id}`)
    const page = await signIn(steward, true)
    const found: string[] = []
    for (const address of [
      path,
      path.replace('/en/', '/de/'),
      sent.path,
      live.path,
      path.replace('check', 'turtle'),
      '/en/desk/waiting',
      '/de/desk/waiting',
    ])
      found.push(...(await faultsAt(page, address)))
    expect(found).toEqual([])
  })

  it.each([
    ['without', false],
    ['with', true],
  ])(
    'a draft goes from the form to its published page %s JavaScript',
    {
      timeout: 120_000,
    },
    async (way, hasScript) => {
      const { id, own } = await drafted(`Glacier lakes ${way}`)
      const author = await signIn(publisher, hasScript)
      await author.goto(`${own}/essentials?catalogue=water`)
      await author.fill(`input[value="Glacier lakes ${way}"]`, `Lakes of the glacier ${way}`)
      await author.click('button[value="save"]:not(.vh)')
      await author.click('.sections a[href*="/check"]')
      await author.fill('#note', 'The first of its kind')
      await author.click('button[value="submit"]')
      expect(await author.textContent('[role="status"]')).toContain('Sent for review')

      const reviewer = await signIn(steward, hasScript)
      await reviewer.goto('/en/desk/waiting')
      await reviewer.click(`text=Lakes of the glacier ${way}`)
      expect(await reviewer.textContent('main')).toContain('The first of its kind')
      await reviewer.click('button[value="publish"]')
      expect(await reviewer.textContent('[role="status"]')).toContain('Published')
      await expect
        .poll(async () => (await fetch(`${platform.url}/en/datasets/${id}`)).status, {
          timeout: 20_000,
        })
        .toBe(200)
      await reviewer.click('text=See the page')
      expect(await reviewer.textContent('h1')).toContain('Lakes of the glacier')
    },
  )
})
