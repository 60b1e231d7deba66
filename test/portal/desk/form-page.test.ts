/** The form of a draft: what it shows, what it saves, and that it is usable without a script by everybody. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { toLine } from '../../../src/rdf/lines.ts'
import { harmIn, hostileStrings } from '../hostile-strings.ts'
import { deskAlone } from './desk-alone.ts'
import { controlsIn, type Desk, lakes, path, send, steps } from './form-sender.ts'

let desk: Desk
beforeAll(async () => {
  desk = await deskAlone(lakes)
})
afterAll(() => desk.close())

test('saving every section without a change asks the repository for nothing', async () => {
  const own = await deskAlone(lakes)
  for (const step of steps) expect((await send(own, step, 'save')).status).toBe(303)
  expect(own.draft.patches).toBe(0)
  expect([...own.draft.actors]).toHaveLength(1)
  own.close()
})

test('a section has its fields with need, points and value, and the list of sections counts answers', async () => {
  const html = await desk.page(path('essentials'))
  expect(html).toContain('<h1>Lakes</h1>')
  expect(html).toContain('id="f-title"')
  expect(html).toContain('value="Lakes" lang="en"')
  expect(html).toContain('✓ 30 points')
  expect(html).toContain('<strong>325</strong>')
  expect(html).toContain('name="_csrf"')
  expect(html).toContain('Environment')
  expect(await desk.page('/de/desk/datasets/lakes/essentials?catalogue=water')).toContain(
    'Ansprechstelle',
  )
  expect(await desk.page(path('rest'))).toContain('https://data.example/own')
})

test('an edit is one statement, and the page leads back to its field', async () => {
  const own = await deskAlone(lakes)
  const html = await own.page(path('essentials'))
  const name = /name="(title\.[^"]+)" value="Lakes"/.exec(html)?.[1] ?? ''
  const before = own.quads().map(toLine)
  const { status, location } = await send(own, 'essentials', 'add:keywords', {
    [name]: 'Bathing lakes',
    'keywords.+0': 'swim, bath',
  })
  expect([status, location]).toEqual([303, expect.stringMatching(/essentials\?.*#f-keywords$/)])
  const after = own.quads().map(toLine)
  expect(before.filter((line) => !after.includes(line)).map((line) => line.split(' ')[2])).toEqual([
    '"Lakes"@en',
  ])
  expect(after.filter((line) => !before.includes(line)).map((line) => line.split('> ')[2])).toEqual(
    expect.arrayContaining(['"Bathing lakes"@en .', '"swim"@en .', '"bath"@en .']),
  )
  own.close()
})

test('Add makes an empty row, Remove takes the statement and what only it leads to', async () => {
  const own = await deskAlone(lakes)
  const { location } = await send(own, 'essentials', 'add:title', { 'title.@': 'it' })
  expect(await own.page(location.split('#')[0] ?? '')).toContain('lang="it"')
  const contact =
    /value="remove:(contact_point\.[^".]+)"/.exec(await own.page(path('essentials')))?.[1] ?? ''
  await send(own, 'essentials', `remove:${contact}`)
  expect(own.quads().map(toLine).join('\n')).not.toContain('Lake Office')
  own.close()
})

test('typed text that is no value comes back with what is wrong, first on the page and at its field', async () => {
  const own = await deskAlone(lakes)
  const name = /name="(issued\.[^"]+)"/.exec(await own.page(path('coverage')))?.[1] ?? ''
  await send(own, 'coverage', 'save', { [name]: 'soon' })
  expect(own.draft.typed).toMatchObject([{ text: 'soon' }])
  const html = await own.page(path('coverage'))
  expect(html).toContain('role="alert"')
  expect(html).toContain('value="soon"')
  expect(html).toContain('aria-invalid="true"')
  expect(html).toContain('1 to correct')
  own.close()
})

test('two who save at once are both heard', async () => {
  const own = await deskAlone(lakes)
  own.draft.refusals = 2
  expect((await send(own, 'essentials', 'save', { 'keywords.+0': 'ice' })).status).toBe(303)
  expect(own.quads().map(toLine).join('\n')).toContain('"ice"@en')
  own.close()
})

test('a file has a page of its own, a new one is made there, and concepts are chosen from their list', async () => {
  const own = await deskAlone(lakes)
  const list = await own.page(path('files'))
  const link =
    /href="([^"]+files\/distributions[^"]+)"/.exec(list)?.[1]?.replaceAll('&amp;', '&') ?? ''
  expect(await own.page(link)).toContain('https://lakes.example/all.csv')
  const made = await send(
    own,
    '/en/desk/datasets/lakes/files/distributions.%2B0?catalogue=water',
    'next',
    {
      'distributions.+0.access_url.+0': 'https://lakes.example/new.csv',
      'distributions.+0.format.+0': 'csv',
    },
  )
  expect(made.location).toContain('/files?')
  expect(own.quads().map(toLine).join('\n')).toContain('https://lakes.example/new.csv')
  const pick = await own.page(`${path('pick/categories')}&q=heal`)
  expect(pick).toContain('Health')
  await send(own, `${path('pick/categories')}&q=heal`, 'next', {
    'categories.+0': 'http://publications.europa.eu/resource/authority/data-theme/HEAL',
  })
  expect(own.quads().map(toLine).join('\n')).toContain('data-theme/HEAL')
  own.close()
})

test('who may not write in the catalogue finds nothing, and forms of others are refused', async () => {
  expect((await desk.get('/en/desk/datasets/lakes/essentials')).status).toBe(200)
  const foreign = await deskAlone(lakes, 'other')
  expect((await foreign.get('/en/desk/datasets/lakes/essentials')).status).toBe(404)
  foreign.close()
  expect((await desk.get('/en/desk/datasets/unknown/essentials?catalogue=water')).status).toBe(404)
  const headers = { ...desk.headers, Cookie: '' }
  expect(
    (await desk.app.request(`http://localhost${path('essentials')}`, { headers })).status,
  ).toBe(303)
  const body = new URLSearchParams({ do: 'save', _csrf: 'wrong' })
  const forged = await desk.app.request(`http://localhost${path('essentials')}`, {
    method: 'POST',
    headers: desk.headers,
    body,
  })
  expect(forged.status).toBe(403)
})

test('hostile strings in every field neither end an element nor the page', async () => {
  const own = await deskAlone(lakes)
  for (const text of hostileStrings.filter((_, index) => index % 5 === 0)) {
    const names = [...controlsIn(await own.page(path('essentials'))).keys()].filter(
      (name) => name.includes('.') && !name.endsWith('@'),
    )
    await send(own, 'essentials', 'save', Object.fromEntries(names.map((name) => [name, text])))
    const html = await own.page(path('essentials'))
    expect(harmIn(html)).toEqual([])
    expect(html.trimEnd().endsWith('</html>')).toBe(true)
  }
  own.close()
}, 60_000)

test('the box of a country that was chosen is filled in by a button', async () => {
  desk.close()
  desk = await deskAlone('dct:title "Lakes"@en ; dct:spatial eu:country\\/CHE')
  const html = await desk.page(path('coverage'))
  const [, button = '', words] = /value="(use:spatial[^"]+)"[^>]*>([^<]+)</.exec(html) ?? []
  expect([button, words]).toEqual([
    expect.stringMatching(/=5.9 45.8 10.5 47.8$/),
    'Take the box of Switzerland',
  ])
  expect((await send(desk, 'coverage', button)).location).toMatch(/#f-spatial$/)
  const graph = desk.quads().map(toLine).join('\n')
  expect(graph).toContain('POLYGON((5.9 45.8, 10.5 45.8, 10.5 47.8')
  expect(graph).toContain('country/CHE')
  expect(await desk.page(path('coverage'))).not.toContain('Take the box')
})

test('links to drafts lead to the first section of every form, whatever the profile calls it', async () => {
  desk.close()
  desk = await deskAlone('dct:title "Lakes"@en')
  desk.draft.section = 'about'
  const own = await desk.page(path('about'))
  const withoutToken = (html: string) => html.replaceAll(/essentials|about/g, '')
  expect(own).toContain('aria-current="step"')
  expect(withoutToken(await desk.page(path('essentials')))).toBe(withoutToken(own))
  expect(await send(desk, 'essentials', 'next')).toMatchObject({ status: 303 })
})
