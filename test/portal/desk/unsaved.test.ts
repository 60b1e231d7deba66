/** No typed text is lost: the session ends, the repository is away, the disk is full, the profile changes, a form is too large or sent twice. */

import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { deskAlone } from './desk-alone.ts'
import { controlsIn, type Desk, formsOf, lakes, path, send } from './form-sender.ts'

let desk: Desk
beforeEach(async () => {
  desk = await deskAlone(lakes)
})
afterEach(() => desk.close())

type Headers = Readonly<Record<string, string>>

const { typed, nameOf, post, lines } = formsOf(() => desk)

const read = async (address: string, headers: Headers) => {
  const answer = await desk.app.request(`http://localhost${address}`, { headers })
  return { status: answer.status, html: await answer.text() }
}

const tokenIn = (html: string) => /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
const tricky = `Lakes & "ponds" <b>é🌊 ${'x'.repeat(3000)}`

test.each([
  ['signed out in another window', () => desk.signOut()],
  ['not used for more than an hour', () => void (desk.clock.ahead = 3_700_000)],
  ['older than eight hours', () => void (desk.clock.ahead = 8.1 * 3_600_000)],
])(
  'a form of a session that is %s comes back after the sign-in, and is saved from there',
  async (_, end) => {
    const title = await nameOf('Lakes')
    const body = await typed(path('essentials'), {
      [title]: tricky,
      'keywords.+0': 'ice, fog',
      'keywords.@': 'de',
      'license.+0': 'http://publications.europa.eu/resource/authority/licence/CC0',
      'license.+1': 'a licence of our own',
      do: 'next',
    })
    end()
    const sent = await post(path('essentials'), body)
    expect([sent.status, sent.location]).toEqual([303, '/en/sign-in?kept=1'])
    expect((await read(sent.location, {})).html).toContain('kept for 15 minutes')
    const { headers, location } = await desk.signIn('author')
    expect(location).toBe(`${path('essentials')}&restored=1`)
    const { html } = await read(location, headers)
    expect(html).toContain('Your session had ended.')
    const again = controlsIn(html)
    expect(again.get(title)).toBe(tricky)
    expect(again.get('keywords.+0')).toBe('ice, fog')
    expect(html).toMatch(/<option value="de" selected>/)
    expect(again.get('license.+0')).toContain('CC0')
    expect(again.get('license.+1')).toBe('a licence of our own')
    expect(desk.draft.patches).toBe(0)
    again.set('do', 'save')
    expect((await post(path('essentials'), again, headers)).status).toBe(303)
    expect(lines()).toContain('"ice"@de')
    expect(lines()).toContain(JSON.stringify(tricky).slice(1, 20))
    expect((await read(location, headers)).html).not.toContain('Your session had ended.')
  },
)

test('it is given to its own person alone, for 15 minutes', async () => {
  const body = await typed(path('essentials'), { 'keywords.+0': 'secret of the author' })
  desk.signOut()
  await post(path('essentials'), body)
  const other = await desk.signIn('other')
  expect(other.location).toBe('/en/desk')
  const stolen = await read(`${path('essentials')}&restored=1`, other.headers)
  expect(stolen.html).not.toContain('secret of the author')
  expect((await post(path('essentials'), body, other.headers)).status).toBe(403)
  expect((await desk.signIn('author')).location).toContain('restored=1')
  desk.clock.ahead = 15 * 60_000 + 1000
  expect((await desk.signIn('author')).location).toBe('/en/desk')
})

test('a form of an older session comes back at once where its person is signed in again', async () => {
  const body = await typed(path('essentials'), { 'keywords.+0': 'typed before' })
  desk.signOut()
  const { headers } = await desk.signIn('author')
  const sent = await post(path('essentials'), body, headers)
  expect([sent.status, sent.location]).toEqual([303, `${path('essentials')}&restored=1`])
  expect((await read(sent.location, headers)).html).toContain('value="typed before"')
})

test('a token of no session keeps nothing, and neither does a form of another site', async () => {
  const body = await typed(path('essentials'), { 'keywords.+0': 'x' })
  desk.signOut()
  const foreign = { ...desk.headers, 'Sec-Fetch-Site': 'cross-site' }
  expect((await post(path('essentials'), body, foreign)).location).toBe('/en/sign-in')
  body.set('_csrf', 'guessed')
  expect((await post(path('essentials'), body)).location).toBe('/en/sign-in')
  expect((await desk.signIn('author')).location).toBe('/en/desk')
})

test('forms of several windows are kept beside each other, the ten newest of a person', async () => {
  const token = tokenIn(await desk.page(path('essentials')))
  desk.signOut()
  for (let n = 0; n < 12; n++)
    await post(
      `/en/desk/datasets/lakes/essentials?catalogue=water&add=${n}`,
      new URLSearchParams({ _csrf: token, 'keywords.+0': `window ${n}` }),
    )
  const { headers, location } = await desk.signIn('author')
  const { html } = await read(location, headers)
  expect(html).toContain('window 11')
  const others = [...html.matchAll(/href="(\/[^"]+add=\d+&amp;restored=1)"/g)].map(([, to]) => to)
  expect(others).toHaveLength(9)
  const next = (others[0] ?? '').replaceAll('&amp;', '&')
  expect((await read(next, headers)).html).toContain('window 10')
})

test('a form with a described value and an area comes back as it was', async () => {
  const body = await typed(path('essentials'), {
    'contact_point.+3.fn.+0': 'Second office',
    'contact_point.+3.email.+0': 'second@',
  })
  const area = await typed(path('coverage'), { 'spatial.+9.geometry.+0.west': '7.25' })
  desk.signOut()
  await post(path('coverage'), area)
  await post(path('essentials'), body)
  const { headers, location } = await desk.signIn('author')
  const again = controlsIn((await read(location, headers)).html)
  expect(again.get('contact_point.+3.fn.+0')).toBe('Second office')
  expect(again.get('contact_point.+3.email.+0')).toBe('second@')
})

test.each([
  ['without room', { status: 507, kind: 'store-full' }, 507, 'no space left'],
  ['away', { status: 503, kind: 'store-unavailable' }, 503, 'does not work at the moment'],
])(
  'a repository %s: the form comes back with all that was typed',
  async (_, fault, status, words) => {
    const title = await nameOf('Lakes')
    const body = await typed(path('essentials'), { [title]: 'New lakes', 'keywords.+0': 'ice' })
    desk.draft.fault = fault
    const answer = await post(path('essentials'), body)
    expect([answer.status, answer.html]).toEqual([status, expect.stringContaining(words)])
    const again = controlsIn(answer.html)
    expect([again.get(title), again.get('keywords.+0')]).toEqual(['New lakes', 'ice'])
    desk.draft.fault = undefined
    expect((await post(path('essentials'), again)).status).toBe(303)
    expect(lines()).toContain('"New lakes"@en')
  },
)

test('a repository that does not answer at all: a page has what was typed, and sends it again', async () => {
  const title = await nameOf('Lakes')
  const body = await typed(path('essentials'), { [title]: 'New <lakes>', do: 'save' })
  desk.draft.fault = { status: 503, kind: 'store-unavailable', isAll: true }
  const answer = await post(path('essentials'), body)
  expect(answer.status).toBe(503)
  expect(answer.html).toContain('value="New &lt;lakes&gt;"')
  expect(answer.html).toContain('does not work at the moment')
  desk.draft.fault = undefined
  const again = new URLSearchParams()
  for (const [tag] of answer.html.matchAll(/<input[^>]*>/g)) {
    const [name, value] = ['name', 'value'].map(
      (part) => new RegExp(` ${part}="([^"]*)"`).exec(tag)?.[1],
    )
    if (name !== undefined && name !== 'q')
      again.append(name, (value ?? '').replaceAll('&lt;', '<').replaceAll('&gt;', '>'))
  }
  again.set('do', 'save')
  expect((await post(path('essentials'), again)).status).toBe(303)
  expect(lines()).toContain('"New <lakes>"@en')
})

test('the text as Turtle is in the answer of a full disk, and comes back after the sign-in', async () => {
  const body = new URLSearchParams({
    _csrf: tokenIn(await desk.page(path('essentials'))),
    do: 'save',
    revision: '1',
    rdf: '<> a <urn:typed-by-hand> .',
  })
  desk.draft.fault = { status: 507, kind: 'store-full' }
  const full = await post(path('turtle'), body)
  expect([full.status, full.html]).toEqual([507, expect.stringContaining('no space left')])
  expect(full.html).toContain('urn:typed-by-hand')
  desk.draft.fault = undefined
  desk.signOut()
  await post(path('turtle'), body)
  const { headers, location } = await desk.signIn('author')
  expect(location).toBe(`${path('turtle')}&restored=1`)
  expect((await read(location, headers)).html).toContain('urn:typed-by-hand')
})

test.each([
  [
    '200 values of a field',
    (body: URLSearchParams) => {
      for (let n = 0; n < 201; n++) body.set(`identifier.+${n}`, `id ${n}`)
      return 'id 200'
    },
  ],
  [
    '2,000 fields',
    (body: URLSearchParams) => {
      for (let n = 0; n < 2001; n++) body.set(`title.+x${n}.a.b`, '')
      body.set('keywords.+0', 'typed as well')
      return 'typed as well'
    },
  ],
  [
    '2 MB',
    (body: URLSearchParams) => {
      body.set('description.+fr', `${'x'.repeat(2 ** 21)}the end`)
      return 'the end'
    },
  ],
])('a form above %s comes back whole, and names Turtle', async (what, enlarge) => {
  const address = path(what.startsWith('200') ? 'rest' : 'essentials')
  const body = await typed(address, {})
  const text = enlarge(body)
  const answer = await post(address, body)
  expect([answer.status, answer.html.includes(text)]).toEqual([413, true])
  expect(answer.html).toMatch(/href="[^"]*\/turtle\?catalogue=water">Edit as Turtle/)
  expect(desk.draft.patches).toBe(0)
})

/** Opens the desk with a dataset that has files of these titles. */
async function openWithFiles(titles: readonly string[]) {
  const iris = titles.map((_, n) => `<https://data.example/set/distribution/n${n}>`)
  const about = titles.map((title, n) => `${iris[n]} a dcat:Distribution ; dct:title "${title}" .`)
  const links = `<https://data.example/set/data/lakes> dcat:distribution ${iris.join(' , ')} .`
  desk.close()
  desk = await deskAlone(`${lakes} . ${links} ${about.join(' ')} <urn:x> a <urn:y>`)
}

test('the 101st file is refused with what was typed', async () => {
  await openWithFiles(Array.from({ length: 100 }, () => 'f'))
  const address = '/en/desk/datasets/lakes/files/distributions.%2B0?catalogue=water'
  const field = 'distributions.+0.access_url.+0'
  const answer = await post(address, await typed(address, { [field]: 'https://lakes.example/101' }))
  expect([answer.status, answer.html]).toEqual([
    413,
    expect.stringContaining('https://lakes.example/101'),
  ])
})

test('of many files 50 are on a page, and a search finds those with its words', async () => {
  await openWithFiles(Array.from({ length: 120 }, (_, n) => `Samples of day ${n + 1}.`))
  const filesOf = (html: string) => html.match(/files\/distributions\.~/g)?.length
  const pages = [2, 3].map((page) => `${path('files')}&page=${page}`)
  const [second, third] = await Promise.all(pages.map(desk.page))
  expect([filesOf(await desk.page(path('files'))), filesOf(third ?? '')]).toEqual([50, 21])
  expect(second).toMatch(/<nav class="pages"[^]*page=1[^]*Page 2[^]*page=3/)
  const found = await post(
    path('files'),
    await typed(path('files'), { find: 'DAY 77.', do: 'find:distributions' }),
  )
  expect(found.location).toMatch(/&q=DAY%2077\.#f-distributions$/)
  const byEnter = await typed(path('files'), { find: 'day 8', do: 'save' })
  expect((await post(path('files'), byEnter)).location).toContain('&q=day%208')
  const html = await desk.page(found.location)
  expect([filesOf(html), html.includes('Samples of day 77.')]).toEqual([1, true])
  const saved = await typed(found.location, { do: 'save' })
  const action = /<form method="post" action="([^"]+\/files[^"]*)"/.exec(html)?.[1] ?? ''
  expect((await post(action.replaceAll('&amp;', '&'), saved)).location).toContain('&q=DAY%2077.')
})

test('a form that is sent twice is saved once', async () => {
  const title = await nameOf('Lakes')
  const body = await typed(path('essentials'), {
    [title]: 'New lakes',
    'keywords.+0': 'ice',
    'contact_point.+4.fn.+0': 'Second office',
    'categories.+0': 'Enviroment',
  })
  expect((await post(path('essentials'), body)).status).toBe(303)
  const [first, { patches }] = [lines(), desk.draft]
  const second = await post(path('essentials'), body)
  expect([second.status, second.location]).toEqual([303, expect.stringContaining('saved=1')])
  expect([lines(), desk.draft.patches]).toEqual([first, patches])
  const address = '/en/desk/datasets/lakes/files/distributions.%2B0?catalogue=water'
  const file = await typed(address, { 'distributions.+0.access_url.+0': 'https://lakes.example/n' })
  for (const _ of [1, 2]) expect((await post(address, file)).status).toBe(303)
  expect(lines().match(/accessURL> <https:\/\/lakes.example\/n>/g)).toHaveLength(1)
})

test('two windows: each keeps what the other changed, and of one field both are shown to choose', async () => {
  const [title, german] = [await nameOf('Lakes'), await nameOf('Seen')]
  const first = await typed(path('essentials'), { [title]: 'Lakes of A' })
  const second = await typed(path('essentials'), { [german]: 'Seen von B', 'keywords.+0': 'b' })
  await post(path('essentials'), first)
  expect((await post(path('essentials'), second)).location).toContain('saved=merged')
  for (const text of ['"Lakes of A"@en', '"Seen von B"@de', '"b"@en'])
    expect(lines()).toContain(text)
  first.set(title, 'Lakes of C')
  const both = await post(path('essentials'), first)
  expect([both.status, lines().includes('"Lakes of A"@en')]).toEqual([412, true])
  for (const text of ['Others changed the same field', 'Lakes of A', 'Lakes of C'])
    expect(both.html).toContain(text)
  expect((await post(path('essentials'), controlsIn(both.html))).status).toBe(303)
  expect(lines()).toContain('"Lakes of C"@en')
  expect(lines()).not.toContain('"Lakes of A"')
})

test('hidden characters are refused with their name at the field, and stay', async () => {
  await send(desk, 'essentials', 'save', {
    [await nameOf('Lakes')]: 'Lakes\u202egpj',
    'categories.+0': 'Envi\u0007ronment',
  })
  const html = await desk.page(path('essentials'))
  expect(html).toContain('U+202E RIGHT-TO-LEFT OVERRIDE')
  expect(html).toContain('U+0007')
  expect(html).toContain('value="Lakes\u202egpj"')
})

test('what the profile no longer has a field for is kept as it is, typed texts too', async () => {
  desk.draft.typed = [
    {
      node: 'https://data.example/set/data/lakes',
      path: 'https://old.example/field',
      language: '',
      text: 'of an old field',
      message: 'no-date',
    },
  ]
  const html = await desk.page(path('rest'))
  expect(html).toMatch(/\d statements kept as they are/)
  for (const text of ['https://data.example/own', 'of an old field']) expect(html).toContain(text)
  await send(desk, 'essentials', 'save', { 'keywords.+0': 'ice' })
  expect(lines()).toContain('"kept"')
  expect(desk.draft.typed).toMatchObject([{ text: 'of an old field' }])
})

test('what was ticked to be picked is ticked again after the sign-in', async () => {
  const health = 'http://publications.europa.eu/resource/authority/data-theme/HEAL'
  const token = tokenIn(await desk.page(path('pick/categories')))
  desk.signOut()
  const body = new URLSearchParams({ _csrf: token, 'categories.+7': health, do: 'next' })
  await post(path('pick/categories'), body)
  const { headers, location } = await desk.signIn('author')
  expect((await read(location, headers)).html).toMatch(new RegExp(`value="${health}" checked`))
})

test('a form whose page cannot show it again comes back as a list, and is sent from there', async () => {
  const token = tokenIn(await desk.page(path('essentials')))
  desk.signOut()
  await post(
    '/en/desk/people',
    new URLSearchParams({ _csrf: token, name: 'Anna <B>', do: 'person' }),
  )
  const { headers, location } = await desk.signIn('author')
  expect(location).toBe('/en/desk/people?restored=1')
  const { html } = await read(location, headers)
  expect(html).toContain('value="Anna &lt;B&gt;"')
  expect(html).toMatch(/<form[^>]*action="\/en\/desk\/people">/)
  expect(html).toContain('name="do" value="person"')
})

test('a session is prolonged by its person, at most to 24 hours, and nothing is kept of that', async () => {
  const token = tokenIn(await desk.page(path('essentials')))
  const stay = () => post('/en/desk/stay', new URLSearchParams({ _csrf: token }))
  for (let hour = 1; hour < 24; hour++) {
    desk.clock.ahead = hour * 3_590_000
    expect([hour, (await stay()).location]).toEqual([hour, '/en/desk'])
  }
  desk.clock.ahead = 24 * 3_600_000 + 1000
  expect((await stay()).location).toBe('/en/sign-in')
  expect((await desk.signIn('author')).location).toBe('/en/desk')
})

test('the script has at most 9 kB, and only pages of the desk load it', async () => {
  const script = /src="([^"]+desk\.\w+\.js)"/.exec(await desk.page(path('essentials')))?.[1] ?? ''
  const answer = await desk.app.request(`http://localhost${script}`)
  expect(gzipSync(await answer.text()).byteLength).toBeLessThan(9000)
  expect(await desk.page('/en/sign-in')).not.toContain('/desk.')
})

test('what was typed into a field that the profile no longer has is in the answer, and all else is saved', async () => {
  const body = await typed(path('essentials'), {
    'keywords.+0': 'ice',
    'old_field.+0': 'Typed into <a field> that is gone',
    'old_field.~abcdefgh.part.+0': 'and into its part',
    'old_field.@': 'de',
  })
  const { status, html } = await post(path('essentials'), body)
  expect(status).toBe(409)
  expect(html).toContain('Typed into &lt;a field&gt; that is gone')
  expect(html).toContain('and into its part')
  expect(html).toContain('Old field')
  expect(lines()).toContain('"ice"@en')
})

test('a new file becomes a page of its own by its first save, which the script follows', async () => {
  const address = '/en/desk/datasets/lakes/files/distributions.%2B0?catalogue=water'
  const file = await typed(address, { 'distributions.+0.access_url.+0': 'https://lakes.example/n' })
  expect(await desk.page(address)).toContain('data-autosave')
  const { location } = await post(address, file)
  expect(location).toMatch(/files\/distributions\.~[\w-]{16}\?/)
  expect((await post(address, file)).location).toBe(location)
  const own = await typed(location, {})
  expect([...own.values()]).toContain('https://lakes.example/n')
  expect((await post(location, own)).location).toContain('saved=1')
  expect(lines().match(/accessURL> <https:\/\/lakes.example\/n>/g)).toHaveLength(1)
})
