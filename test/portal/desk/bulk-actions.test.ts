/** Actions on several records of a list, and drafts that are thrown away and taken back: each record is decided by the service. */

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { executablePath, faultsOn, openBrowser } from '../../support/chromium.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { harmIn, hostileStrings } from '../hostile-strings.ts'
import { signedInOnce } from '../signed-in.ts'

const keys = {
  'key-of-everything': ['*'],
  'steward-of-rivers': ['steward:rivers'],
  'publisher-of-rivers': ['publisher:rivers'],
  'publisher-of-lakes': ['publisher:lakes'],
}
type Key = keyof typeof keys

let directory: string
let platform: Gateway
const as = signedInOnce(() => platform)

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, { PLATFORM_HUB_API_KEYS: JSON.stringify(keys) })
  const api = client({ url: platform.url, key: 'key-of-everything' })
  for (const id of ['rivers', 'lakes'])
    await api.put(`/catalogues/${id}`, `${prefixes}<> a dcat:Catalog ; dct:title "The ${id}"@en .`)
}, 120_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const call = (key: Key, method: string, path: string, body?: string) =>
  fetch(`${platform.url}/api/hub/repo${path}`, {
    method,
    headers: { 'X-API-Key': key, Accept: 'application/json', 'Content-Type': 'text/turtle' },
    ...(body !== undefined && { body }),
  })

async function drafted(title: string, more = '; dct:description "Long."@en') {
  const text = JSON.stringify(title).replaceAll('\u007f', '\\u007f')
  const body = `${prefixes}<> a dcat:Dataset ; dct:title ${text}@en ${more} .`
  const made = await call('publisher-of-rivers', 'POST', '/drafts/datasets?catalogue=rivers', body)
  return ((await made.json()) as { id: string }).id
}
const stateOf = async (id: string) =>
  (
    (await (await call('key-of-everything', 'GET', `/drafts/datasets/${id}`)).json()) as {
      state?: string
    }
  ).state
const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
/** Values of the ticks of a page. */
const ticksIn = (html: string) =>
  [...html.matchAll(/name="pick" value="([^"]*)"/g)].map(([, value = '']) => unescaped(value))

const list = '/en/desk/datasets'
/** Ticks the records with these ids in a list and presses a button. */
async function press(
  key: Key,
  action: string,
  ids: readonly string[],
  { path = list, query = '', note = '' } = {},
) {
  const person = await as(key)
  const ticks = ticksIn(await person.page(`${path}${query}`))
  const picked = ticks.filter((value) => ids.includes(value.split(' ')[0] ?? ''))
  return send(key, action, picked, { path, query, note })
}

async function send(
  key: Key,
  action: string,
  picked: readonly string[],
  { path = list, query = '', note = '' } = {},
) {
  const person = await as(key)
  const [, token = ''] = /name="_csrf" value="([^"]+)"/.exec(await person.page(list)) ?? []
  const { headers } = person
  const body = new URLSearchParams({ _csrf: token, do: action, note })
  for (const value of picked) body.append('pick', value)
  const answer = await fetch(`${platform.url}${path}${query}`, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
  })
  const html = await answer.text()
  const [result = ''] =
    /<div role="(?:status|alert)" id="bulk-result">[^]*?<\/ul>|<div role="alert" id="bulk-result">[^]*?<\/p>/.exec(
      html,
    ) ?? []
  return { status: answer.status, html, result }
}

test('several drafts are submitted, sent back with a note, and published', async () => {
  const ids = [await drafted('Bulk one'), await drafted('Bulk two')]
  const submitted = await press('publisher-of-rivers', 'submit', ids, { note: 'Both new' })
  expect([submitted.status, submitted.result.includes('2 done')]).toEqual([200, true])
  expect(await Promise.all(ids.map(stateOf))).toEqual(['review', 'review'])
  const silent = await press('steward-of-rivers', 'return', ids)
  expect(silent.result).toContain('None done, 2 refused')
  expect(silent.result).toContain('Say why it is sent back')
  expect(silent.html).toMatch(/id="note"[^>]*aria-invalid="true"/)
  const back = await press('steward-of-rivers', 'return', ids, { note: 'Which licence?' })
  expect(back.result).toContain('2 done')
  expect(await Promise.all(ids.map(stateOf))).toEqual(['returned', 'returned'])
  const published = await press('steward-of-rivers', 'publish', ids)
  expect(published.result).toContain('2 done')
  for (const id of ids)
    expect((await call('key-of-everything', 'GET', `/datasets/${id}`)).status).toBe(200)
})

test('reviews are published and sent back on the page of what waits, whatever they are of', async () => {
  const path = '/en/desk/waiting'
  const ids = [await drafted('Waits one'), await drafted('Waits two'), await drafted('Waits on')]
  for (const id of ids) await call('publisher-of-rivers', 'POST', `/drafts/datasets/${id}/submit`)
  const [one = '', two = '', on = ''] = ids
  const html = await (await as('steward-of-rivers')).page(path)
  const ticks = ticksIn(html).map((value) => value.split(' ')[0])
  expect(ticks).toEqual(ids)
  expect(
    [...html.matchAll(/<button class="button[^>]*name="do" value="(\w+)"/g)].map((m) => m[1]),
  ).toEqual(['publish', 'return'])
  expect(html).toMatch(/Waits one[^<]*(?:<[^>]*>\s*)*<span class="flag draft">New<\/span>/)
  const published = await press('steward-of-rivers', 'publish', [one], { path })
  expect([published.status, published.result.includes('One done')]).toEqual([200, true])
  expect((await call('key-of-everything', 'GET', `/datasets/${one}`)).status).toBe(200)
  const back = await press('steward-of-rivers', 'return', [two], { path, note: 'Why?' })
  expect(back.result).toContain('One done')
  expect(await stateOf(two)).toBe('returned')
  expect(back.html).toContain('Waits on')
  expect(back.html).not.toMatch(/name="pick" value="waits-two/)
  const author = await (await as('publisher-of-rivers')).page(path)
  expect(author).toMatch(/<h2 id="form-state-returned">Sent back[^]*Waits two/)
  expect(author).not.toContain('name="pick"')
  const { result } = await send('publisher-of-rivers', 'publish', [`${on} rivers 2 Waits on`], {
    path,
  })
  expect(result).toContain('You may not do this here.')
  expect((await send('publisher-of-rivers', 'publish', [], { path })).status).toBe(400)
  expect((await call('steward-of-rivers', 'POST', '/drafts/catalogues?of=rivers')).status).toBe(201)
  const other = await send(
    'steward-of-rivers',
    'delete',
    ['catalogues/rivers rivers 1 The rivers'],
    {
      path,
    },
  )
  expect(other.result).toContain('One done')
})

test.skipIf(executablePath === undefined).each([false, true])(
  'a steward ticks a review and sends it back (script: %s), and axe-core finds nothing',
  async (javaScriptEnabled) => {
    const id = await drafted(`Ticked ${'x'.repeat(90)}`)
    await call('publisher-of-rivers', 'POST', `/drafts/datasets/${id}/submit`)
    const browser = await openBrowser()
    try {
      const options = { javaScriptEnabled, baseURL: platform.url, bypassCSP: true }
      const page = await (await browser.newContext(options)).newPage()
      await page.goto('/en/sign-in')
      await page.fill('#key', 'steward-of-rivers')
      await page.click('main form button')
      expect(page.url()).toMatch(/\/en\/desk$/)
      await page.click('nav.steward a[href="/en/desk/waiting"]')
      const faults = async () => {
        const found: string[] = []
        for (const width of javaScriptEnabled ? [320, 390, 1280] : []) {
          await page.setViewportSize({ width, height: 800 })
          found.push(...(await faultsOn(page)))
        }
        return found
      }
      expect(await faults()).toEqual([])
      await page.check(`input[value^="${id} "]`)
      await page.click('button[value="return"]')
      expect(await page.textContent('[role="alert"]')).toContain('Say why it is sent back')
      expect(await page.isChecked(`input[value^="${id} "]`)).toBe(true)
      expect(await faults()).toEqual([])
      await page.fill('#note', 'Too long a title')
      await page.click('button[value="return"]')
      expect(await page.textContent('[role="status"]')).toContain('One done')
    } finally {
      await browser.close()
    }
    expect(await stateOf(id)).toBe('returned')
  },
  60_000,
)

test('what is refused is named with its reason and a link, and stays ticked; the others are done', async () => {
  const good = await drafted('Good one')
  const blocked = await drafted('Blocked <one>', '; dcat:landingPage <javascript:alert(1)>')
  const { result, html, status } = await press('steward-of-rivers', 'publish', [good, blocked])
  expect(status).toBe(200)
  expect(result).toContain('One done, one refused')
  expect(result).toContain(`/en/desk/datasets/${blocked}/check?catalogue=rivers`)
  expect(result).toContain('Blocked &lt;one&gt;')
  expect(result).toContain('Something has to be corrected first.')
  expect(html.match(/name="pick"[^>]* checked/g)).toHaveLength(1)
})

test('a draft that was changed since the list was shown is refused', async () => {
  const id = await drafted('Changed since')
  const person = await as('publisher-of-rivers')
  const ticks = ticksIn(await person.page(list)).filter((value) => value.startsWith(`${id} `))
  const body = `${prefixes}<> a dcat:Dataset ; dct:title "Changed"@en ; dct:description "Long."@en .`
  await call('publisher-of-rivers', 'PUT', `/drafts/datasets/${id}`, body)
  const { result } = await send('publisher-of-rivers', 'submit', ticks)
  expect(result).toContain('Somebody changed it meanwhile')
  expect(await stateOf(id)).toBe('draft')
})

test('nothing ticked, more than 20, and unknown buttons do nothing', async () => {
  const id = await drafted('Not alone')
  const none = await send('publisher-of-rivers', 'submit', [])
  expect([none.status, none.result.includes('Nothing is ticked')]).toEqual([400, true])
  const many = Array.from({ length: 21 }, (_, at) => `${id}${at || ''} rivers 1 Title ${at}`)
  const over = await send('publisher-of-rivers', 'submit', many)
  expect([over.status, over.result.includes('More than 20 are ticked')]).toEqual([400, true])
  expect((await send('publisher-of-rivers', 'explode', [`${id} rivers 1 x`])).result).toContain(
    'refused',
  )
  expect((await send('publisher-of-rivers', '', [`${id} rivers 1 x`])).status).toBe(200)
  expect(await stateOf(id)).toBe('draft')
})

test('the service decides: others act on nothing, whatever their form says', async () => {
  const id = await drafted('Of others')
  for (const action of ['submit', 'publish', 'return', 'delete', 'withdraw'] as const) {
    const { result } = await send('publisher-of-lakes', action, [`${id} rivers 1 Of others`], {
      note: 'x',
    })
    expect([action, result.includes('None done, one refused')]).toEqual([action, true])
  }
  expect(await stateOf(id)).toBe('draft')
  const { result } = await send('publisher-of-rivers', 'publish', [`${id} rivers 1 Of others`])
  expect(result).toContain('You may not do this here.')
  const html = await (await as('publisher-of-lakes')).page(list)
  expect(html).not.toContain('name="pick"')
  expect(html).not.toContain('id="bulk"')
})

test.each(hostileStrings)('no title and no tick harms the page: %j', async (title) => {
  await drafted(title)
  const { html } = await send('publisher-of-rivers', title, [`a b 1 ${title}`, title], {
    note: title,
  })
  expect(harmIn(html)).toEqual([])
  const sent = await send('publisher-of-rivers', 'submit', [`a b 1 ${title}`], { note: title })
  expect(harmIn(sent.html)).toEqual([])
})

test('a draft is thrown away after a second look, listed with its end, and taken back', async () => {
  const id = await drafted('Thrown once')
  const person = await as('publisher-of-rivers')
  const path = `/en/desk/datasets/${id}/check?catalogue=rivers`
  const check = await person.page(path)
  expect(check).toMatch(/<details class="f"><summary>Throw away …[^]*value="delete"/)
  const [, revision = ''] = /name="revision" value="(\d+)"/.exec(check) ?? []
  const thrown = await person.post(path, { do: 'delete', revision })
  expect(thrown.headers.get('Location')).toBe(`${list}?state=away&did=delete`)
  const away = await person.page(`${list}?state=away&did=delete`)
  expect(away).toContain('Thrown once')
  expect(away).toContain('Will be deleted on')
  expect(away).toContain('It can be taken back for 30 days.')
  expect(await person.page(list)).not.toContain('Thrown once')
  const own = await person.page(path)
  expect(own).toContain('value="restore"')
  expect(own).not.toContain('value="delete"')
  const back = await person.post(path, { do: 'restore', revision: String(Number(revision) + 1) })
  expect(back.status).toBe(303)
  expect(await stateOf(id)).toBe('draft')
  expect((await press('publisher-of-rivers', 'delete', [id])).result).toContain('One done')
  const restored = await press('publisher-of-rivers', 'restore', [id], { query: '?state=away' })
  expect(restored.result).toContain('One done')
  expect(await stateOf(id)).toBe('draft')
})

test('published datasets are withdrawn with a reason, and found by words of their titles', async () => {
  const api = client({ url: platform.url, key: 'key-of-everything' })
  for (const title of ['Alpha ferries', 'Beta ferries'])
    await api.putDataset(
      'rivers',
      title,
      `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en .`,
    )
  const person = await as('publisher-of-rivers')
  const query = '?state=published&q=ferries&sort=title'
  await vi.waitUntil(async () => ticksIn(await person.page(`${list}${query}`)).length === 2, 20_000)
  const ticks = ticksIn(await person.page(`${list}${query}`))
  expect(ticks.map((value) => value.split(' - ')[1])).toEqual(['Alpha ferries', 'Beta ferries'])
  const silent = await send('publisher-of-rivers', 'withdraw', ticks, { query })
  expect(silent.result).toContain('Give a reason')
  const { result } = await send('publisher-of-rivers', 'withdraw', ticks, {
    query,
    note: 'Wrong place.',
  })
  expect(result).toContain('2 done')
  const [id = ''] = ticks[0]?.split(' ') ?? []
  const gone = await call('key-of-everything', 'GET', `/datasets/${id}`)
  expect([gone.status, await gone.text()]).toEqual([410, expect.stringContaining('Wrong place.')])
})

test('drafts are found by a part of their titles, and sorted', async () => {
  for (const title of ['Zürich trams', 'aarau trams', 'Bern trams']) await drafted(title)
  const person = await as('publisher-of-rivers')
  const titles = async (query: string) =>
    ticksIn(await person.page(`${list}?${query}`)).map((value) =>
      value.split(' ').slice(3).join(' '),
    )
  expect(await titles('q=TRAMS&sort=title')).toEqual(['aarau trams', 'Bern trams', 'Zürich trams'])
  expect(await titles('q=zurich+tr')).toEqual(['Zürich trams'])
  expect(await titles('q=trams&sort=changed')).toEqual([
    'Bern trams',
    'aarau trams',
    'Zürich trams',
  ])
  expect(await titles('q=trams&sort=points')).toHaveLength(3)
  expect(await person.page(`${list}?q=trams&sort=title`)).toContain(
    'q=trams&amp;sort=title" aria-current="page"',
  )
})
