/** No typed text is lost where several people, or several requests of one, change the same draft. */

import { afterEach, beforeEach, expect, test } from 'vitest'
import { deskAlone } from './desk-alone.ts'
import { controlsIn, type Desk, formsOf, lakes, path, send } from './form-sender.ts'

let desk: Desk
beforeEach(async () => {
  desk = await deskAlone(lakes)
})
afterEach(() => desk.close())

const { typed, nameOf, post, lines } = formsOf(() => desk)

test('a described value that others removed meanwhile is shown again with all of its texts, and becomes a new one', async () => {
  const body = await typed(path('essentials'), {})
  const [name = ''] = [...body].find(([, text]) => text === 'data@lakes.example') ?? []
  const contact = name.split('.').slice(0, 2).join('.')
  await send(desk, 'essentials', `remove:${contact}`)
  expect(lines()).not.toContain('Lake Office')
  const unchanged = await post(path('essentials'), body)
  expect([unchanged.status, lines().includes('Lake Office')]).toEqual([303, false])
  body.set(name, 'new@lakes.example')
  const { status, html } = await post(path('essentials'), body)
  expect(status).toBe(412)
  for (const text of ['Others changed the same field', 'Lake Office', 'new@lakes.example'])
    expect(html).toContain(text)
  expect((await post(path('essentials'), controlsIn(html))).status).toBe(303)
  for (const text of ['"Lake Office"', '<mailto:new@lakes.example>'])
    expect(lines()).toContain(text)
  expect(lines().match(/contactPoint>/g)).toHaveLength(1)
})

test('a file that others removed meanwhile is shown again on its page, and gets a page of its own', async () => {
  const [, own = ''] =
    /href="([^"]+\/files\/distributions\.~[^"]+)"/.exec(await desk.page(path('files'))) ?? []
  const address = own.replaceAll('&amp;', '&')
  const body = await typed(address, {})
  const [name = ''] = [...body].find(([, text]) => text === 'All samples') ?? []
  const file = name.split('.').slice(0, 2).join('.')
  await send(desk, 'files', `remove:${file}`)
  body.set(name, 'Samples of all years')
  const { status, html } = await post(address, body)
  expect([status, html.includes('Samples of all years')]).toEqual([412, true])
  const { location } = await post(address, controlsIn(html))
  expect(location).toMatch(/files\/distributions\.~/)
  expect(location.split('?')[0]).not.toBe(address.split('?')[0])
  expect([...(await typed(location, {})).values()]).toContain('Samples of all years')
  expect(lines()).toContain('<https://lakes.example/all.csv>')
})

test('a described value is no double of one that lacks its typed texts', async () => {
  const body = await typed(path('essentials'), { 'contact_point.+3.email.+0': 'second@' })
  await post(path('essentials'), await typed(path('essentials'), { 'keywords.+0': 'ice' }))
  for (const _ of [1, 2]) expect((await post(path('essentials'), body)).status).toBe(303)
  expect(desk.draft.typed).toMatchObject([{ text: 'second@' }])
  expect(lines().match(/contactPoint>/g)).toHaveLength(2)
})

test('of two choices in one field both are shown to choose, unless they are the same', async () => {
  const licence = 'http://publications.europa.eu/resource/authority/licence/'
  const first = await typed(path('essentials'), { 'license.+0': `${licence}CC0` })
  const second = await typed(path('essentials'), { 'license.+0': `${licence}CC_BY_4_0` })
  for (const _ of [1, 2]) expect((await post(path('essentials'), first)).status).toBe(303)
  const { status, html } = await post(path('essentials'), second)
  expect([status, lines().includes('licence/CC0>')]).toEqual([412, true])
  const again = controlsIn(html)
  expect(again.get('license.+0')).toBe(`${licence}CC_BY_4_0`)
  expect(html).toContain(`name="license.+0" value="${licence}CC0"`)
  expect((await post(path('essentials'), again)).status).toBe(303)
  expect(lines()).toContain('licence/CC_BY_4_0>')
  expect(lines()).not.toContain('licence/CC0>')
})

test('two rows of one form that say different things of one value are both shown', async () => {
  const title = await nameOf('Lakes')
  const body = await typed(path('essentials'), { [title]: 'Ponds' })
  body.set('title.+en', 'Lagoons')
  const { status, html } = await post(path('essentials'), body)
  expect([status, lines().includes('"Lakes"')]).toEqual([412, true])
  for (const text of ['Ponds', 'Lagoons']) expect(html).toContain(text)
})

test('a typed text that others corrected meanwhile is not typed again', async () => {
  await send(desk, 'essentials', 'save', { 'contact_point.+3.email.+0': 'second@' })
  const body = await typed(path('essentials'), { 'keywords.+0': 'ice' })
  const [name = ''] = [...body].find(([, text]) => text === 'second@') ?? []
  expect(name).toMatch(/\.![\w-]{8}$/)
  await send(desk, 'essentials', 'save', { [name]: 'second@lakes.example' })
  expect((await post(path('essentials'), body)).location).toContain('saved=merged')
  expect(desk.draft.typed).toEqual([])
})

test('a shape that is no box stays beside its empty sides, and of two texts none is lost', async () => {
  desk.close()
  const point = '[ a dct:Location ; dcat:bbox "POINT(8 47)"^^gsp:wktLiteral ]'
  desk = await deskAlone(`dct:title "Lakes"@en ; dct:spatial ${point}`)
  await send(desk, 'coverage', 'save')
  expect(desk.draft.patches).toBe(0)
  const body = await typed(path('coverage'), {})
  const [name = ''] = [...body].find(([, text]) => text === 'POINT(8 47)') ?? []
  body.set(name, 'POINT(9 48)')
  body.set(`${name}.west`, '7')
  await post(path('coverage'), body)
  expect(desk.draft.typed).toMatchObject([{ text: '7 POINT(9 48)' }])
})

test('*Add* in a described value that is not saved yet leads to its field under the new name', async () => {
  const address = '/en/desk/datasets/lakes/files/distributions.%2B0?catalogue=water'
  const file = 'distributions.+0'
  const body = await typed(address, {
    [`${file}.access_url.+0`]: 'https://lakes.example/n',
    do: `add:${file}.download_url`,
  })
  const { location } = await post(address, body)
  const [, name] = /files\/(distributions\.~[\w-]{16})\?/.exec(location) ?? []
  expect(location).toContain(`add=${name?.replace('~', '%7E')}.download_url&`)
  expect(location).toMatch(new RegExp(`#f-${name}\\.download_url$`))
})

test('a new file whose answer was lost is one file when it is sent again with more text', async () => {
  const address = '/en/desk/datasets/lakes/files/distributions.%2B0?catalogue=water'
  const field = 'distributions.+0.access_url.+0'
  const body = await typed(address, { [field]: 'https://lakes.example/n', attempt: '0.5' })
  await post(address, body)
  body.set(field, 'https://lakes.example/new.csv')
  const { location } = await post(address, body)
  expect([...(await typed(location, {})).values()]).toContain('https://lakes.example/new.csv')
  expect(lines().match(/dcat#distribution>/g)).toHaveLength(2)
  body.set('attempt', '0.6')
  await post(address, body)
  expect(lines()).not.toContain('lakes.example/n>')
})

test('a concept of a list is not taken in place of what others chose meanwhile: both are shown', async () => {
  const base = 'http://publications.europa.eu/resource/authority/frequency/'
  const field = 'accrual_periodicity.+0'
  const pick = await typed(path('pick/accrual_periodicity'), { [field]: `${base}DAILY` })
  await send(desk, 'rest', 'save', { [field]: `${base}WEEKLY` })
  const { status, html } = await post(path('pick/accrual_periodicity'), pick)
  expect([status, lines().includes('frequency/WEEKLY>')]).toEqual([412, true])
  for (const text of [`value="${base}DAILY"`, 'weekly']) expect(html).toContain(text)
  expect((await post(path('rest'), controlsIn(html))).status).toBe(303)
  expect(lines()).toContain('frequency/DAILY>')
  expect(lines()).not.toContain('frequency/WEEKLY>')
})
