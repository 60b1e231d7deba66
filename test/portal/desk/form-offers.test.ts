/** Values of other datasets of a catalogue in the form of a new one: publishers with their numbers, contacts, and licences as cards. */

import { afterAll, beforeAll, expect, test } from 'vitest'
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
import { controlsIn } from './form-sender.ts'

const keys = { 'key-of-everything': ['*'], 'publisher-of-rivers': ['publisher:rivers'] }

let directory: string
let platform: Gateway
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, { PLATFORM_HUB_API_KEYS: JSON.stringify(keys) })
  const api = client({ url: platform.url, key: 'key-of-everything' })
  for (const id of ['rivers', 'parks'])
    await api.put(`/catalogues/${id}`, `${prefixes}<> a dcat:Catalog ; dct:title "The ${id}"@en .`)
  const dataset = (catalogue: string, id: string, more: string) =>
    api.putDataset(
      catalogue,
      id,
      `${prefixes}@prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
      <> a dcat:Dataset ; dct:title "${id}"@en ; ${more} .`,
    )
  const office = `dct:publisher [ a foaf:Organization ; foaf:name "Office of <Rivers>"@en ; foaf:homepage <https://rivers.example/> ]`
  const contact = `dcat:contactPoint [ a vcard:Organization ; vcard:fn "Water desk" ; vcard:hasEmail <mailto:water@rivers.example> ]`
  const licence = `dcat:distribution [ a dcat:Distribution ; dcat:accessURL <https://rivers.example/1> ; dct:license
    <http://publications.europa.eu/resource/authority/licence/DLDE_BY_2_0> ]`
  await dataset('rivers', 'levels', `${office} ; ${contact} ; ${licence}`)
  await dataset('rivers', 'floods', `${office} ; ${licence}`)
  const city = `<https://city.example/us> a foaf:Organization ; foaf:name "City"@en . <> a dcat:Dataset`
  await dataset('rivers', 'wells', `dct:publisher <https://city.example/us> . ${city}`)
  await dataset('parks', 'trees', 'dct:publisher [ a foaf:Organization ; foaf:name "Parks" ]')
  const page = await signedIn(platform, 'publisher-of-rivers')
  await eventually(async () => (await page.page('/en/datasets')).includes('wells'))
}, 120_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

/** Begins a draft; returns the path of its form and its statements. */
async function begun(title: string) {
  const desk = await signedIn(platform, 'publisher-of-rivers')
  const answer = await desk.post('/en/desk/new', { title, catalogue: 'rivers' })
  const path = answer.headers.get('Location') ?? ''
  const id = path.split('/')[4] ?? ''
  const lines = async () => {
    const headers = { 'X-API-Key': 'publisher-of-rivers', Accept: 'application/n-triples' }
    const address = `${platform.url}/api/hub/repo/drafts/datasets/${id}`
    return (await fetch(address, { headers })).text()
  }
  const press = (value: string) => desk.post(path, { revision: '1', do: value })
  return { desk, path, lines, press, form: () => desk.page(path) }
}

const offersIn = (form: string) =>
  [...form.matchAll(/value="(copy:[^"]+)"[^>]*><bdi>([^<]+)<\/bdi>(?: <span[^>]*>(\d+))?/g)].map(
    ([, value, label, count]) => [value, label, count],
  )

test('the publishers of the catalogue are offered with their numbers, contacts by their names, and no others', async () => {
  const { form } = await begun('Ice')
  expect(offersIn(await form())).toEqual([
    ['copy:publisher=Office of &lt;Rivers&gt;', 'Office of &lt;Rivers&gt;', '2'],
    ['copy:publisher=City', 'City', '1'],
    ['copy:contact_point=levels', 'As in other datasets: Water desk', undefined],
  ])
})

test('a publisher without an address is copied as it is, and one with an address keeps it', async () => {
  const first = await begun('Fish')
  expect((await first.press('copy:publisher=Office of <Rivers>')).status).toBe(303)
  expect(await first.lines()).toMatch(
    /publisher> (_:\w+) \.[^]*\1 <[^>]+name> "Office of <Rivers>"@en/,
  )
  expect(await first.lines()).toContain('<https://rivers.example/>')
  expect(offersIn(await first.form()).map(([value]) => value)).toEqual([
    'copy:contact_point=levels',
  ])
  const second = await begun('Frogs')
  await second.press('copy:publisher=City')
  const lines = await second.lines()
  expect(lines).toContain('publisher> <https://city.example/us> .')
  expect(lines).toContain('<https://city.example/us> <http://xmlns.com/foaf/0.1/name> "City"@en .')
})

test('a contact is taken with all that is said about it; a value that is there, and an offer that is none, change nothing', async () => {
  const { lines, press } = await begun('Mud')
  await press('copy:contact_point=levels')
  const taken = await lines()
  expect(taken).toContain('<mailto:water@rivers.example>')
  await press('copy:contact_point=levels')
  await press('copy:publisher=Nobody')
  await press('copy:license=levels')
  await press('copy:unknown=levels')
  expect(await lines()).toBe(taken)
})

test('the licences of the catalogue are the first cards', async () => {
  const { form } = await begun('Sand')
  const [, first] = /name="license\.[^"]+" value="([^"]+)"/.exec(await form()) ?? []
  expect(first).toMatch(/DLDE_BY_2_0$/)
})

test('the first change of a published dataset may be one of its contact', async () => {
  const desk = await signedIn(platform, 'publisher-of-rivers')
  const path = '/en/desk/datasets/levels/essentials?catalogue=rivers'
  const sent = controlsIn(await desk.page(path))
  const [email = ''] = [...sent].find(([, text]) => text === 'water@rivers.example') ?? []
  sent.set(email, 'new@rivers.example')
  expect((await desk.post(path, Object.fromEntries(sent))).status).toBe(303)
  const form = await desk.page(path)
  for (const text of ['value="new@rivers.example"', 'value="Water desk"'])
    expect(form).toContain(text)
})
