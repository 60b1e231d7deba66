/** The desk on a running platform: who has one, how a dataset is begun, what waits, and that others see nothing of it. */

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { executablePath, openBrowser } from '../../support/chromium.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { harmIn, hostileStrings } from '../hostile-strings.ts'
import { signedIn, signedInOnce } from '../signed-in.ts'

const keys = {
  'key-of-everything': ['*'],
  'steward-of-rivers': ['steward:rivers'],
  'publisher-of-rivers': ['publisher:rivers', 'publisher:lakes'],
  'publisher-of-lakes': ['publisher:lakes'],
  'publisher-of-parks': ['publisher:parks'],
  'reader-of-rivers': ['reader:rivers'],
  'publisher-of-words': ['publisher:words'],
  'starter-of-runs': ['POST /pipes/levels/runs'],
}

let directory: string
let platform: Gateway
const as = signedInOnce(() => platform)

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, { PLATFORM_HUB_API_KEYS: JSON.stringify(keys) })
  const api = client({ url: platform.url, key: 'key-of-everything' })
  for (const [id, title] of [
    ['rivers', 'Three Rivers'],
    ['lakes', 'Nine Lakes'],
    ['parks', 'Parks'],
    ['words', 'Words'],
  ] as const)
    await api.put(`/catalogues/${id}`, `${prefixes}<> a dcat:Catalog ; dct:title "${title}"@en .`)
  await api.putDataset(
    'rivers',
    'trees',
    `${prefixes}<> a dcat:Dataset ; dct:title "Street trees"@en .`,
  )
}, 120_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const begin = async (key: keyof typeof keys, fields: Readonly<Record<string, string>>) => {
  const answer = await (await as(key)).post('/en/desk/new', fields)
  return {
    status: answer.status,
    to: answer.headers.get('Location') ?? '',
    html: await answer.text(),
  }
}

/** Calls the draft API with a key. */
const api = (key: keyof typeof keys, method: string, path: string, body?: object) =>
  fetch(`${platform.url}/api/hub/repo/drafts/datasets${path}`, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

test('an empty desk teaches: it greets, offers the ways to begin, and says how it goes', async () => {
  const html = await (await as('publisher-of-parks')).page('/en/desk')
  // A key of the configuration has no name.
  expect(html).toContain('<h1>Your desk</h1>')
  const account = { kind: 'program', name: 'Anna Berger', permissions: ['publisher:parks'] }
  const made = await fetch(`${platform.url}/api/hub/repo/accounts`, {
    method: 'POST',
    headers: { 'X-API-Key': 'key-of-everything', 'Content-Type': 'application/json' },
    body: JSON.stringify(account),
  })
  const { key } = (await made.json()) as { key: string }
  expect(await (await signedIn(platform, key)).page('/en/desk')).toContain(
    '<h1>Welcome, Anna Berger</h1>',
  )
  expect(html).toContain('With an empty form')
  expect(html).toMatch(/<a href="\/en\/desk\/new#desk-metadata">With metadata that you have<\/a>/)
  expect(html).not.toContain('With what is published')
  expect(html).toContain('How it goes')
  expect(html).toContain('<option value="parks">Parks</option>')
  expect(await (await as('publisher-of-parks')).page('/de/desk')).toContain('Schreibtisch')
})

test('who publishes nowhere has no desk, and no link to one', async () => {
  for (const key of ['reader-of-rivers', 'starter-of-runs'] as const) {
    const person = await as(key)
    for (const path of ['/en/desk', '/en/desk/datasets', '/en/desk/new'])
      expect([key, path, (await person.get(path)).status]).toEqual([key, path, 404])
    expect(await person.page('/en/')).not.toContain('/en/desk"')
    expect((await begin(key, { title: 'Mine', catalogue: 'rivers' })).status).toBe(404)
  }
  const page = await (await as('publisher-of-rivers')).page('/en/')
  expect(page).toContain('href="/en/desk"')
  expect(await (await as('publisher-of-rivers')).page('/en/desk')).not.toContain('/en/desk/people')
  expect(await (await as('key-of-everything')).page('/en/desk')).toContain('/en/desk/people')
})

test('who has a desk begins there after the sign-in, all others at the sources', async () => {
  const first = async (key: string) => {
    const body = new URLSearchParams({ key })
    const init = { method: 'POST', body, redirect: 'manual' } as const
    return (await fetch(`${platform.url}/en/sign-in`, init)).headers.get('Location')
  }
  for (const key of ['publisher-of-parks', 'steward-of-rivers', 'key-of-everything'])
    expect([key, await first(key)]).toEqual([key, '/en/desk'])
  for (const key of ['reader-of-rivers', 'starter-of-runs'])
    expect([key, await first(key)]).toEqual([key, '/en/harvest'])
})

test('a title and a catalogue lead to the first section of the new draft', async () => {
  const { status, to } = await begin('publisher-of-rivers', {
    title: ' Bathing "lakes" \\ 2026 ',
    catalogue: 'lakes',
  })
  expect([status, to]).toEqual([
    303,
    '/en/desk/datasets/bathing-lakes-2026/essentials?catalogue=lakes',
  ])
  const person = await as('publisher-of-rivers')
  expect(await person.page(to)).toContain('value="Bathing &quot;lakes&quot; \\ 2026" lang="en"')
  const desk = await person.page('/en/desk')
  expect(desk).toContain(`href="${to}"`)
  expect(desk).toContain('Drafts (1)')
})

test('what is wrong with a title or with Turtle is said, and what was typed stays', async () => {
  for (const title of ['', '   ', 'x'.repeat(501), 'turn\u202eed', 'a\u0000b']) {
    const { status, html } = await begin('publisher-of-rivers', { title, catalogue: 'lakes' })
    expect([title, status]).toEqual([title, 400])
    expect(html).toContain('aria-invalid="true"')
    expect(html).toContain('<option value="lakes" selected>')
  }
  for (const turtle of ['<> a <x> ; "<b>', '<#a> <#b> <#c> .', ' ']) {
    const { status, html } = await begin('publisher-of-rivers', {
      do: 'turtle',
      turtle,
      catalogue: 'lakes',
    })
    expect([turtle, status]).toEqual([turtle, 400])
    expect(html).toContain('role="alert"')
    expect(html).not.toContain('"<b>')
  }
})

test('a dataset begins with pasted Turtle, under an id of its title', async () => {
  const turtle = `${prefixes}<https://other.example/1> a dcat:Dataset ; dct:title "Snow"@en ; dct:description "Depth."@en ; dcat:keyword "ice"@en .`
  const { status, to } = await begin('publisher-of-rivers', {
    do: 'turtle',
    turtle,
    catalogue: 'rivers',
  })
  expect([status, to]).toEqual([303, '/en/desk/datasets/snow/essentials?catalogue=rivers'])
  expect(await (await as('publisher-of-rivers')).page(to)).toContain('ice')
})

test('a person of another catalogue begins nothing there, and sees nothing of it', async () => {
  const ways: readonly Record<string, string>[] = [
    { title: 'Mine' },
    { do: 'turtle', turtle: `${prefixes}<> a dcat:Dataset .` },
  ]
  for (const fields of ways)
    expect((await begin('publisher-of-parks', { ...fields, catalogue: 'lakes' })).status).toBe(404)
  expect((await begin('publisher-of-parks', { of: 'trees' })).status).toBe(404)
  expect((await begin('publisher-of-parks', { title: 'Mine', catalogue: 'none' })).status).toBe(404)
  const person = await as('publisher-of-parks')
  for (const path of [
    '/en/desk',
    '/en/desk/datasets',
    '/en/desk/datasets?state=published',
    '/en/desk/new',
  ]) {
    const html = await person.page(path)
    for (const word of ['Snow', 'Bathing', 'Street trees', 'Nine Lakes'])
      expect([path, word, html.includes(word)]).toEqual([path, word, false])
  }
  expect((await person.get('/en/desk/datasets?catalogue=lakes')).status).toBe(404)
})

test('a published dataset is changed in its draft, which is the same for the second who opens it', async () => {
  const person = await as('publisher-of-rivers')
  await vi.waitUntil(
    async () => (await person.page('/en/desk/datasets?state=published')).includes('Street trees'),
    20_000,
  )
  const id = /name="of" value="([^"]+)"/.exec(
    await person.page('/en/desk/datasets?state=published'),
  )?.[1]
  const [first, second] = [
    await begin('publisher-of-rivers', { of: id ?? '' }),
    await begin('steward-of-rivers', { of: id ?? '' }),
  ]
  expect(first.to).toBe(`/en/desk/datasets/${id}/essentials?catalogue=rivers`)
  expect(second.to).toBe(first.to)
  const desk = await person.page('/en/desk')
  expect(desk).toMatch(/<a href="\/en\/desk\/datasets\?state=published">With what is published/)
  expect(desk.match(/Street trees<\/bdi><\/a>/g)).toHaveLength(1)
  expect(desk).toMatch(/flag public">Published<\/span> <span class="flag draft">Draft/)
})

test('what waits: a review for its steward, then the answer for its author; nothing for others', async () => {
  expect(
    (await api('publisher-of-rivers', 'POST', '/snow/submit', { note: 'New <b>' })).status,
  ).toBe(200)
  const waits = async (key: keyof typeof keys) => {
    const html = await (await as(key)).page('/en/desk')
    return /<ul class="todo"[^]*?<\/ul>/.exec(html)?.[0]
  }
  expect(await waits('steward-of-rivers')).toContain('asks for a review: “New &lt;b&gt;”')
  expect(await waits('steward-of-rivers')).toContain(
    '/en/desk/datasets/snow/check?catalogue=rivers',
  )
  expect(await waits('publisher-of-rivers')).toBeUndefined()
  expect(
    (await api('steward-of-rivers', 'POST', '/snow/return', { note: 'Which licence?' })).status,
  ).toBe(200)
  const list = await waits('publisher-of-rivers')
  expect(list).toContain('sent it back: “Which licence?”')
  expect(list).toContain('/en/desk/datasets/snow/essentials?catalogue=rivers')
  expect(await waits('publisher-of-lakes')).toBeUndefined()
  const person = await as('publisher-of-rivers')
  const returned = await person.page('/en/desk/datasets?state=returned')
  expect(returned).toContain('Snow')
  expect(returned).not.toContain('Bathing')
})

test('the points of a draft are those of what it says now; where nobody counted them there are none', async () => {
  const person = await as('publisher-of-rivers')
  const own = '/en/desk/datasets/snow'
  const row = async () =>
    /<tr[^>]*><th[^>]*><a[^>]*><bdi[^>]*>Snow[^]*?<\/tr>/.exec(await person.page('/en/desk'))?.[0]
  const points = async () =>
    /class="fill" width="(\d+)"[^]*?<\/svg>(\d+)<\/span>/.exec((await row()) ?? '')?.slice(1)
  await person.page(`${own}/check?catalogue=rivers`)
  const [bar, score] = (await points()) ?? []
  expect([Number(score) > 0, bar]).toEqual([true, score])
  const theme = 'http://publications.europa.eu/resource/authority/data-theme/ENVI'
  const line = `<http://localhost:8080/set/data/snow> <http://www.w3.org/ns/dcat#theme> <${theme}> .`
  await api('publisher-of-rivers', 'PATCH', '/snow', { add: [line], remove: [] })
  expect(await row()).toContain('data-label="Points"><span class="nowrap">–</span>')
  await person.post(`${own}/essentials?catalogue=rivers`, { do: 'save' })
  expect(Number((await points())?.[1])).toBeGreaterThan(Number(score))
})

test('the desk begins a dataset, and shows figures of the own catalogues where they are known', async () => {
  const person = await as('publisher-of-rivers')
  const html = await person.page('/en/desk')
  const aside = /<aside aria-label="Your catalogues">[^]*?<\/aside>/.exec(html)?.[0]
  expect(aside).toContain('<dt>Three Rivers</dt>')
  expect(aside).toMatch(/href="[^"]*state=published&amp;catalogue=rivers">One dataset<\/a>/)
  // Nothing is published in the other catalogue, and nobody measured either.
  expect(aside).not.toContain('Nine Lakes')
  expect(aside).not.toContain('on average')
  const [, action] = /<form class="stack" method="post" action="([^"]+)">/.exec(html) ?? []
  const sent = await person.post(action ?? '', { title: 'Begun at the desk', catalogue: 'lakes' })
  expect(sent.headers.get('Location')).toContain('/en/desk/datasets/begun-at-the-desk/essentials')
  await api('publisher-of-rivers', 'DELETE', '/begun-at-the-desk')
})

test('keys that end in two weeks wait for administrators, and their people are warned', async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const make = async (name: string, ends: string) => {
    const account = { kind: 'program', name, permissions: ['publisher:parks'], ends }
    const made = await fetch(`${platform.url}/api/hub/repo/accounts`, {
      method: 'POST',
      headers: { 'X-API-Key': 'key-of-everything', 'Content-Type': 'application/json' },
      body: JSON.stringify(account),
    })
    return ((await made.json()) as { key: string }).key
  }
  const [soon, late] = [await make('Import <b>', inDays(6)), await make('Export', inDays(60))]
  const waiting = await (await as('key-of-everything')).page('/en/desk/waiting')
  const list = /<h2 id="waiting-keys">Keys that end soon[^]*?<\/ul>/.exec(waiting)?.[0]
  expect(list).toMatch(/people\?edit=[^"]+#new">Import &lt;b&gt;<\/a>/)
  expect(list).not.toContain('Export')
  expect(await (await as('steward-of-rivers')).page('/en/desk/waiting')).not.toContain('Import')
  expect(await (await signedIn(platform, soon)).page('/en/desk')).toContain('Your key ends soon')
  expect(await (await signedIn(platform, late)).page('/en/desk')).not.toContain('Your key ends')
})

test('a page of the list has 50 drafts, and leads to the next', async () => {
  for (let number = 0; number < 51; number += 1) {
    const { status } = await begin('publisher-of-words', {
      title: `Word ${number}`,
      catalogue: 'words',
    })
    expect(status).toBe(303)
  }
  const person = await as('publisher-of-words')
  const rows = (html: string) => html.match(/<tr role="row"><th scope="row"/g)?.length ?? 0
  const first = await person.page('/en/desk/datasets?catalogue=words')
  expect([rows(first), first.includes('rel="next"')]).toEqual([50, true])
  const second = await person.page('/en/desk/datasets?catalogue=words&page=2')
  expect([rows(second), second.includes('rel="prev"'), second.includes('rel="next"')]).toEqual([
    1,
    true,
    false,
  ])
  for (const page of ['0', '-1', 'x', '1e99', '3'])
    expect((await person.get(`/en/desk/datasets?page=${page}`)).status).toBe(200)
}, 60_000)

test.each(hostileStrings)('no title harms the pages: %j', async (title) => {
  const { html } = await begin('publisher-of-parks', { title, catalogue: 'parks' })
  expect(harmIn(html)).toEqual([])
  const person = await as('publisher-of-parks')
  for (const path of [
    '/en/desk',
    '/en/desk/datasets',
    `/en/desk/datasets?state=${encodeURIComponent(title)}`,
  ])
    expect(harmIn(await person.page(path))).toEqual([])
})

test.skipIf(executablePath === undefined)(
  'a title begins a dataset without script',
  async () => {
    const browser = await openBrowser()
    try {
      const context = await browser.newContext({ javaScriptEnabled: false, baseURL: platform.url })
      const page = await context.newPage()
      await page.goto('/en/sign-in')
      await page.fill('#key', 'publisher-of-lakes')
      await page.click('main form button')
      await page.fill('#title', 'Ice on the lakes')
      await page.click('button:text("Begin")')
      expect(page.url()).toContain('/en/desk/datasets/ice-on-the-lakes/essentials')
    } finally {
      await browser.close()
    }
  },
  60_000,
)
