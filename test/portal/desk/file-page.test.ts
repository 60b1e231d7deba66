/** The page of a file or link: its address is asked for once, and two that others wrote stay two. */

import { expect, test } from 'vitest'
import { toLine } from '../../../src/rdf/lines.ts'
import { deskAlone } from './desk-alone.ts'
import { controlsIn, type Desk, lakes, path, send } from './form-sender.ts'

const [here, there] = ['https://lakes.example/all.csv', 'https://lakes.example/page']
const withFile = (more = '') => deskAlone(`${lakes} ${more}`)
/** Control of a choice in a page. */
const choiceIn = (html: string) => /name="([^"]+download_url\.=\w+)"/.exec(html)?.[1] ?? 'no choice'

/** Address of the page of the file that the draft has. */
async function fileOf(desk: Desk) {
  const [, address = ''] =
    /href="([^"]+\/files\/distributions\.~[^"]+)"/.exec(await desk.page(path('files'))) ?? []
  return address.replaceAll('&amp;', '&')
}

const addressesOf = (desk: Desk) =>
  desk.quads().flatMap(({ predicate: { value }, object }) => {
    const [, name] = /#(accessURL|downloadURL)$/.exec(value) ?? []
    return name === undefined ? [] : [`${name} ${object.value}`]
  })

test('a new one is asked for its address once, and for whether that is the data itself', async () => {
  for (const [choice, expected] of [
    ['data', [`accessURL ${there}`, `downloadURL ${there}`]],
    ['page', [`accessURL ${there}`]],
  ] as const) {
    const desk = await withFile()
    const before = addressesOf(desk)
    const html = await desk.page(path('files/distributions.%2B0'))
    expect(html).toContain('What is at this address?')
    await send(desk, 'files/distributions.%2B0', 'save', {
      'distributions.+0.access_url.+0': there,
      [choiceIn(html)]: choice,
    })
    expect(addressesOf(desk).filter((one) => !before.includes(one))).toEqual(expected)
    desk.close()
  }
})

test('a form with nothing but the choice makes no file', async () => {
  const desk = await withFile()
  await send(desk, 'files/distributions.%2B0', 'save')
  expect(desk.draft.patches).toBe(0)
  desk.close()
})

test('an address that is both is changed once, and a choice adds or removes the other', async () => {
  const desk = await withFile(`; dcat:downloadURL <${here}>`)
  await send(desk, await fileOf(desk), 'save')
  expect(desk.draft.patches).toBe(0)
  const html = await desk.page(await fileOf(desk))
  const [, name = ''] = /name="([^"]+\.access_url\.[^"]+)"/.exec(html) ?? []
  await send(desk, await fileOf(desk), 'save', { [name]: there })
  expect(addressesOf(desk)).toEqual([`accessURL ${there}`, `downloadURL ${there}`])
  for (const [choice, count] of [
    ['page', 1],
    ['data', 2],
  ] as const) {
    const control = choiceIn(await desk.page(await fileOf(desk)))
    await send(desk, await fileOf(desk), 'save', { [control]: choice })
    expect([choice, addressesOf(desk).length]).toEqual([choice, count])
  }
  desk.close()
})

test('two addresses that differ are two fields, and a change of one leaves the other', async () => {
  const desk = await withFile(`; dcat:downloadURL <${there}>`)
  const address = await fileOf(desk)
  const html = await desk.page(address)
  expect(choiceIn(html)).toBe('no choice')
  expect([html.includes(`value="${here}"`), html.includes(`value="${there}"`)]).toEqual([
    true,
    true,
  ])
  await send(desk, address, 'save')
  expect(desk.draft.patches).toBe(0)
  const [name = ''] = [...controlsIn(html)].find(([, value]) => value === there) ?? []
  await send(desk, address, 'save', { [name]: `${there}/2.csv` })
  expect(addressesOf(desk)).toEqual([`accessURL ${here}`, `downloadURL ${there}/2.csv`])
  desk.close()
})

test('a file may have an address of its own beside that of its page', async () => {
  const desk = await withFile()
  const html = await desk.page(await fileOf(desk))
  const other = choiceIn(html).replace(/=\w+$/, '+0')
  const before = desk.quads().map(toLine)
  await send(desk, await fileOf(desk), 'save', { [other]: there, [choiceIn(html)]: 'data' })
  expect(addressesOf(desk)).toEqual([`accessURL ${here}`, `downloadURL ${there}`])
  expect(before.every((line) => desk.quads().map(toLine).includes(line))).toBe(true)
  desk.close()
})

test('an address that is none is kept, and is not copied', async () => {
  const desk = await withFile()
  const html = await desk.page(path('files/distributions.%2B0'))
  const before = addressesOf(desk)
  await send(desk, 'files/distributions.%2B0', 'save', {
    'distributions.+0.access_url.+0': 'on the shelf',
    [choiceIn(html)]: 'data',
  })
  expect([addressesOf(desk), desk.draft.typed.length]).toEqual([before, 1])
  desk.close()
})
