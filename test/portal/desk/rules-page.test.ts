/** Catalogues of a steward and their rules in the browser: who sees them, how they are set, and that forms and checks follow them. */

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { executablePath, openBrowser } from '../../support/chromium.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { harmIn, hostileStrings } from '../hostile-strings.ts'
import { signedInOnce } from '../signed-in.ts'

const keys = {
  'key-of-everything': ['*'],
  'steward-of-rivers': ['steward:rivers'],
  'publisher-of-rivers': ['publisher:rivers'],
  'steward-of-lakes': ['steward:lakes'],
}
type Key = keyof typeof keys

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
  ] as const)
    await api.put(`/catalogues/${id}`, `${prefixes}<> a dcat:Catalog ; dct:title "${title}"@en .`)
}, 120_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const call = async (method: string, path: string, body?: object | string) =>
  fetch(`${platform.url}/api/hub/repo${path}`, {
    method,
    headers: {
      'X-API-Key': 'key-of-everything',
      Accept: 'application/json',
      'Content-Type': typeof body === 'string' ? 'text/turtle' : 'application/json',
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
const dct = (name: string) => `http://purl.org/dc/terms/${name}`
const page = '/en/desk/catalogues/rivers/rules'
const rulesNow = async () =>
  (await (await call('GET', '/catalogues/rivers/rules')).json()) as Record<string, unknown>
const setRules = (rules: object) => call('PUT', '/catalogues/rivers/rules', rules)
const valueOf = (html: string, name: string) =>
  (new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** Sends the form as a browser would: with its hidden fields, and with these. */
async function send(fields: Readonly<Record<string, string>>, key: Key = 'steward-of-rivers') {
  const person = await as(key)
  const html = await person.page(page)
  const hidden = Object.fromEntries(
    ['revision', 'defaults', 'typed'].map((name) => [name, valueOf(html, name)]),
  )
  const answer = await person.post(page, { review: 'new', ...hidden, ...fields })
  return { status: answer.status, html: await answer.text() }
}

beforeEach(async () => {
  await setRules({})
})

test('a steward sees the own catalogues and their rules, an administrator all; others see nothing', async () => {
  const list = '/en/desk/catalogues'
  const html = await (await as('steward-of-rivers')).page(list)
  expect(html).toContain('Three Rivers')
  expect(html).toContain(`href="${page}"`)
  expect(html).toContain('A steward, when it is new')
  expect(html).not.toContain('Nine Lakes')
  expect(html).not.toContain('A new catalogue')
  expect(await (await as('key-of-everything')).page(list)).toContain('A new catalogue')
  const publisher = await as('publisher-of-rivers')
  expect((await publisher.get(list)).status).toBe(404)
  expect(await publisher.page('/en/desk')).not.toContain(list)
  for (const key of ['publisher-of-rivers', 'steward-of-lakes'] as const) {
    expect([key, (await (await as(key)).get(page)).status]).toEqual([key, 404])
    expect([key, (await (await as(key)).post(page, { do: 'save' })).status]).toEqual([key, 404])
  }
  const administrator = await as('key-of-everything')
  expect((await administrator.get('/en/desk/catalogues/none/rules')).status).toBe(404)
})

test('the record of a catalogue is changed in a draft, and an administrator begins a new one', async () => {
  const steward = await as('steward-of-rivers')
  const opened = await steward.post('/en/desk/catalogues', { of: 'rivers' })
  expect(opened.headers.get('Location')).toMatch(/^\/en\/desk\/catalogues\/rivers\/\w+\?catalogue=/)
  expect((await steward.post('/en/desk/catalogues', { title: 'Mine' })).status).toBe(404)
  const administrator = await as('key-of-everything')
  expect((await administrator.post('/en/desk/catalogues', { title: ' ' })).status).toBe(400)
  const begun = await administrator.post('/en/desk/catalogues', { title: 'Snow & ice' })
  const place = begun.headers.get('Location') ?? ''
  expect(place).toMatch(/^\/en\/desk\/catalogues\/snow-ice\/\w+\?catalogue=snow-ice$/)
  expect(await administrator.page(place)).toContain('value="Snow &amp; ice" lang="en"')
  expect(await administrator.page('/en/desk/catalogues')).toContain('Snow &amp; ice')
})

describe('the form of the rules', () => {
  test('saves what it shows', async () => {
    const saved = await send({
      do: 'save',
      review: 'every',
      language: 'de',
      required: dct('license'),
      programs: 'yes',
      points: '220',
    })
    expect(saved.status).toBe(303)
    expect(await rulesNow()).toMatchObject({
      review: 'every',
      languages: ['de'],
      required: [dct('license')],
      programs: true,
      points: 220,
      changedBy: expect.any(String),
    })
    const html = await (await as('steward-of-rivers')).page(page)
    expect(html).toMatch(/name="review" value="every" checked/)
    expect(html).toMatch(/name="language" value="de" checked/)
    expect(html).toMatch(/name="points"[^>]* value="220"/)
    expect(html).toContain('Changed by')
  })

  test.each(['406', '-1', 'many', '1e2', '2.5'])(
    'says at its field that %j are no points, saves nothing, and keeps the rest',
    async (points) => {
      const { status, html } = await send({ do: 'save', points, review: 'none', language: 'fr' })
      expect(status).toBe(400)
      expect(html).toMatch(/id="mark"[^>]*aria-invalid="true"/)
      expect(html).toContain(`value="${points}"`)
      expect(html).toMatch(/name="review" value="none" checked/)
      expect(html).toMatch(/name="language" value="fr" checked/)
      expect(await rulesNow()).toMatchObject({ review: 'new', points: 0 })
    },
  )

  test('does not overwrite what another steward saved meanwhile, unless one says so', async () => {
    const person = await as('steward-of-rivers')
    const revision = valueOf(await person.page(page), 'revision')
    await setRules({ points: 10 })
    const fields = { do: 'save', review: 'none', points: '20', defaults: '', typed: '[]' }
    const late = await person.post(page, { ...fields, revision })
    const html = await late.text()
    expect([late.status, html.includes('Somebody changed them meanwhile')]).toEqual([400, true])
    expect(html).toMatch(/name="points"[^>]* value="20"/)
    expect(await rulesNow()).toMatchObject({ points: 10 })
    const again = await person.post(page, { ...fields, revision: valueOf(html, 'revision') })
    expect(again.status).toBe(303)
    expect(await rulesNow()).toMatchObject({ points: 20, review: 'none' })
  })

  test('has first values with the control of their field: added, wrong, corrected, removed', async () => {
    const person = await as('steward-of-rivers')
    const added = await send({ do: 'fill', fill: 'issued', points: '7' })
    expect([added.status, added.html.includes('id="f-issued"')]).toEqual([200, true])
    expect(added.html).toMatch(/name="points"[^>]* value="7"/)
    const wrong = await send({ do: 'save', shown: 'issued', 'issued.+0': 'soon' })
    expect(wrong.status).toBe(400)
    expect(wrong.html).toContain('value="soon"')
    expect(wrong.html).toContain('href="#f-issued"')
    const [, row = ''] = /name="(issued\.![^"]+)"/.exec(wrong.html) ?? []
    const corrected = await person.post(page, {
      do: 'save',
      review: 'new',
      ...Object.fromEntries(
        ['revision', 'defaults', 'typed'].map((name) => [name, valueOf(wrong.html, name)]),
      ),
      [row]: '2026-05-04',
    })
    expect(corrected.status).toBe(303)
    const { defaults } = await rulesNow()
    expect(defaults).toMatchObject([
      { path: dct('issued'), value: expect.stringContaining('"2026-05-04"') },
    ])
    const html = await person.page(page)
    const [, shown = ''] = /name="(issued\.~[^"]+)"/.exec(html) ?? []
    const less = await send({ do: 'save', shown: 'issued', [shown]: '' })
    expect([less.status, (await rulesNow())['defaults']]).toEqual([303, []])
  })

  test('keeps what it cannot show, and takes nothing about other resources', async () => {
    const foreign = { path: 'http://x.example/own', value: '"kept"' }
    await setRules({ defaults: [foreign], required: ['http://x.example/own'] })
    const person = await as('steward-of-rivers')
    const html = await person.page(page)
    expect(html).toContain('http://x.example/own')
    expect((await send({ do: 'save', required: 'http://x.example/own' })).status).toBe(303)
    expect(await rulesNow()).toMatchObject({ defaults: [foreign], required: [foreign.path] })
    for (const defaults of ['<x> <y> .\n<z>', 'nonsense', '<http://x> _:b0', '<a b> "c"']) {
      const { status } = await send({ do: 'save', defaults })
      expect([303, 400]).toContain(status)
    }
    expect((await send({ do: 'save', typed: '{"a":' })).status).toBe(303)
  })

  test.each(hostileStrings)('is not harmed by %j', async (text) => {
    const { html } = await send({
      do: 'fill',
      fill: text,
      review: text,
      language: text,
      required: text,
      points: text,
      shown: 'issued',
      'issued.+0': text,
    })
    expect(harmIn(html)).toEqual([])
  })
})

describe('the form of a dataset', () => {
  const begin = async (title: string) => {
    const answer = await (
      await as('publisher-of-rivers')
    ).post('/en/desk/new', {
      title,
      catalogue: 'rivers',
    })
    return answer.headers.get('Location') ?? ''
  }

  test('asks for texts in the languages of the rules, in their order, and marks what they require', async () => {
    await setRules({ languages: ['it', 'en'], required: [dct('accrualPeriodicity')] })
    const place = await begin('Ruled')
    const html = await (await as('publisher-of-rivers')).page(place)
    const languages = [
      ...html.matchAll(
        /<(?:input|textarea)[^>]*name="(title|description)\.[^"]+"[^>]*lang="(\w+)"/g,
      ),
    ]
    expect(languages.map(([, field, language]) => [field, language])).toEqual([
      ['title', 'it'],
      ['title', 'en'],
      ['description', 'it'],
      ['description', 'en'],
    ])
    expect(html).toContain('id="f-accrual_periodicity"')
    const check = await (
      await as('publisher-of-rivers')
    ).page(place.replace('/essentials', '/check'))
    expect(check).toContain('This catalogue asks for a text in Italian.')
    expect(check).toContain('This catalogue asks for it.')
    expect(check).toContain('/essentials?catalogue=rivers#f-accrual_periodicity')
  })

  test('begins with the first values of the rules', async () => {
    const value = '<http://publications.europa.eu/resource/authority/licence/CC0>'
    await setRules({ defaults: [{ path: dct('license'), value }] })
    const html = await (await as('publisher-of-rivers')).page(await begin('Filled'))
    expect(html).toMatch(/value="http:\/\/publications[^"]+CC0" checked/)
  })

  test('without rules asks in the language of the page alone', async () => {
    const html = await (await as('publisher-of-rivers')).page(await begin('Free'))
    expect(html.match(/<textarea[^>]*name="description\.[^"]+"/g)).toHaveLength(1)
  })
})

describe.skipIf(executablePath === undefined)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  const signIn = async (key: Key, javaScriptEnabled: boolean) => {
    const context = await browser.newContext({ javaScriptEnabled, baseURL: platform.url })
    const tab = await context.newPage()
    await tab.goto('/en/sign-in')
    await tab.fill('#key', key)
    await tab.click('main form button')
    return tab
  }

  test.each([
    ['without', false],
    ['with', true],
  ] as const)(
    'a steward sets rules, the form shows them, and the check holds to them, %s JavaScript',
    { timeout: 120_000 },
    async (word, hasScript) => {
      const steward = await signIn('steward-of-rivers', hasScript)
      await steward.goto('/en/desk/catalogues')
      await steward.click('a:has-text("Rules")')
      await steward.check('input[name="review"][value="none"]')
      await steward.check('input[name="language"][value="de"]')
      await steward.check(`input[name="required"][value="${dct('license')}"]`)
      await steward.selectOption('#fill', 'accrual_periodicity')
      await steward.click('button[value="fill"]')
      expect(await steward.isChecked('input[name="language"][value="de"]')).toBe(true)
      await steward.fill('#f-accrual_periodicity input', 'daily')
      await steward.click('.savebar button[value="save"]')
      expect(await steward.textContent('[role="status"]')).toContain('Saved')

      const publisher = await signIn('publisher-of-rivers', hasScript)
      await publisher.goto('/en/desk/new')
      await publisher.fill('#title', `Snow depth ${word}`)
      await publisher.click('button:text("Begin")')
      expect(await publisher.textContent('#f-license')).toContain('Required')
      expect(await publisher.inputValue('#f-title input[lang="de"]')).toBe('')
      await publisher.click('.sections a[href*="/check"]')
      expect(await publisher.textContent('main')).toContain(
        'This catalogue asks for a text in German.',
      )
      await publisher.click('button[value="publish"]')
      expect(await publisher.textContent('[role="alert"]')).toContain(
        'Something has to be corrected',
      )
      expect(await publisher.textContent('.answers')).toContain('daily')
      await publisher.goto(`/en/desk/datasets/snow-depth-${word}/essentials?catalogue=rivers`)
      await publisher.fill('#f-title input[lang="de"]', 'Schneehöhe')
      await publisher.fill('#f-description textarea[lang="de"]', 'Wöchentlich gemessen.')
      await publisher.check('#f-license input[value$="/CC0"]')
      await publisher.click('.savebar button[value="save"]')
      await publisher.click('.sections a[href*="/check"]')
      await publisher.click('button[value="publish"]')
      expect(await publisher.textContent('[role="status"]')).toContain('Published')
    },
  )
})
