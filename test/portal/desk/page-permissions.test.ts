/** Pages of the desk × roles: whoever may not see one gets the page of an address that does not exist, and is shown no link to it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { signedIn } from '../signed-in.ts'

const keys = {
  'reader-of-rivers': ['reader:rivers'],
  'publisher-of-rivers': ['publisher:rivers'],
  'steward-of-rivers': ['steward:rivers'],
  'publisher-of-parks': ['publisher:parks'],
  'steward-of-parks': ['steward:parks'],
  'key-of-everything': ['*'],
}
type KeyName = keyof typeof keys
const all = Object.keys(keys) as KeyName[]

let directory: string
let platform: Gateway
let draft = ''
const people = new Map<KeyName, Awaited<ReturnType<typeof signedIn>>>()
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, { PLATFORM_HUB_API_KEYS: JSON.stringify(keys) })
  const api = client({ url: platform.url, key: 'key-of-everything' })
  for (const id of ['rivers', 'parks'])
    await api.put(`/catalogues/${id}`, `${prefixes}<> a dcat:Catalog ; dct:title "The ${id}"@en .`)
  const levels = `${prefixes}<> a dcat:Dataset ; dct:title "Levels"@en .`
  await api.putDataset('rivers', 'levels', levels)
  await api.put('/datasets/levels', levels.replace('Levels', 'New levels'))
  for (const key of all) people.set(key, await signedIn(platform, key))
  const begun = { title: 'Ice on the rivers', catalogue: 'rivers' }
  const answer = await people.get('publisher-of-rivers')?.post('/en/desk/new', begun)
  draft = new URL(answer?.headers.get('Location') ?? '', platform.url).pathname.split('/')[4] ?? ''
}, 120_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const [writers, stewards] = [
  ['publisher-of-rivers', 'steward-of-rivers', 'key-of-everything'],
  ['steward-of-rivers', 'key-of-everything'],
] as const satisfies readonly KeyName[][]
const everybody: readonly KeyName[] = all

/** Paths below `/en/desk`, `{draft}` for the draft of the publisher, with those who find a page there. */
const pages: readonly (readonly [string, readonly KeyName[]])[] = [
  ['', everybody.filter((key) => key !== 'reader-of-rivers')],
  ['/datasets', everybody.filter((key) => key !== 'reader-of-rivers')],
  ['/datasets?catalogue=rivers', writers],
  ['/new', everybody.filter((key) => key !== 'reader-of-rivers')],
  ['/waiting', everybody.filter((key) => key !== 'reader-of-rivers')],
  ['/me', everybody],
  ['/people', ['key-of-everything']],
  ['/catalogues', [...stewards, 'steward-of-parks']],
  ['/catalogues/rivers/rules', stewards],
  ['/catalogues/nowhere/rules', []],
  ['/datasets/{draft}/essentials', writers],
  ['/datasets/{draft}/files', writers],
  ['/datasets/{draft}/files/distributions.+0', writers],
  ['/datasets/{draft}/pick/categories', writers],
  ['/datasets/{draft}/turtle', writers],
  ['/datasets/{draft}/check', writers],
  ['/datasets/{draft}/preview', ['reader-of-rivers', ...writers]],
  ['/datasets/levels/history', ['reader-of-rivers', ...writers]],
  ['/datasets/levels/essentials', writers],
  ['/datasets/levels/check', ['reader-of-rivers', ...writers]],
  ['/datasets/no-such-record/essentials', []],
  ['/datasets/no-such-record/check', []],
  ['/datasets/no-such-record/history', []],
  ['/no-such-type/{draft}/essentials', []],
]

describe.each(pages)('the page /desk%s', (path, allowed) => {
  it('is there for its roles alone', async () => {
    const statuses = await Promise.all(
      all.map(async (key) => {
        const answer = await people.get(key)?.get(`/en/desk${path.replace('{draft}', draft)}`)
        return [key, answer?.status]
      }),
    )
    expect(statuses).toEqual(all.map((key) => [key, allowed.includes(key) ? 200 : 404]))
  })

  it('leads those who are not signed in to the sign-in', async () => {
    const answer = await fetch(`${platform.url}/en/desk${path.replace('{draft}', draft)}`, {
      headers: { Accept: 'text/html' },
      redirect: 'manual',
    })
    expect([303, 401, 404]).toContain(answer.status)
    expect(await answer.text()).not.toContain('Ice on the rivers')
  })
})

it('no page links to a page of the desk that its reader may not see', async () => {
  const faults: string[] = []
  for (const key of all) {
    const person = people.get(key)
    const starts = ['/en/desk', '/en/desk/me', '/en/harvest', '/en/datasets/levels', '/en']
    for (const start of starts) {
      const text = (await person?.page(start)) ?? ''
      const links = [...text.matchAll(/href="(\/en\/desk[^"#]*)/g)].map(([, href = '']) => href)
      for (const href of new Set(links)) {
        const answer = await person?.get(href.replaceAll('&amp;', '&'))
        if (answer?.status !== 200) faults.push(`${key} on ${start}: ${href} ${answer?.status}`)
      }
    }
  }
  expect(faults).toEqual([])
})
