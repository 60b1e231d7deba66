/** Concepts of a vocabulary that an operator installed, in a form whose profile names its scheme. */

import { appendFile, cp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { signedIn } from '../signed-in.ts'

const key = 'key-of-everything-01'
const scheme = 'https://rivers.example/scheme'
const river = `
<http://data.europa.eu/r5r/Dataset_Shape> <http://www.w3.org/ns/shacl#property> [ <http://www.w3.org/ns/shacl#path> <https://water.example/def#river> ;
  <http://www.w3.org/ns/shacl#minCount> 1 ; <urn:cartulary:profile#mappingName> "river" ;
  <urn:cartulary:profile#mappingClass> "GenericSkosMultiLang" ; <urn:cartulary:profile#vocabulary> <${scheme}> ] .`
const rivers = Array.from({ length: 20 }, (_, n) => `River ${n}`)
const path = '/en/desk/datasets/s1/rest?catalogue=water'

let directory: string
let platform: Gateway
let person: Awaited<ReturnType<typeof signedIn>>
beforeAll(async () => {
  directory = await temporaryDirectory()
  const profile = join(directory, 'profile')
  await cp(new URL('../../../shapes/default', import.meta.url), profile, { recursive: true })
  await appendFile(join(profile, 'dataset.ttl'), river)
  platform = await gateway(directory, {
    PLATFORM_FEATURE_FLAGS: '{"platform_profile":true}',
    PLATFORM_PROFILE: JSON.stringify({ type: 'directory', path: profile }),
    PLATFORM_HUB_API_KEYS: JSON.stringify({ [key]: ['*'] }),
  })
  const api = client({ url: platform.url, key })
  await api.put('/catalogues/water', `${prefixes}<> a dcat:Catalog ; dct:title "Water"@en .`)
  const concepts = rivers.map(
    (name, n) =>
      `<${scheme}/r${n}> a skos:Concept ; skos:inScheme <${scheme}> ; skos:prefLabel "${name}"@en , "Fluss ${n}"@de .`,
  )
  const skos = '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .'
  await api.put(
    '/vocabularies/rivers',
    `${skos} <${scheme}> a skos:ConceptScheme . ${concepts.join('\n')}`,
  )
  const own = `${prefixes}<> a dcat:Dataset ; dct:title "Gauge"@en .`
  await api.put('/drafts/datasets/s1?catalogue=water', own)
  person = await signedIn(platform, key)
}, 90_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const graph = async () => {
  const headers = { 'X-API-Key': key, Accept: 'application/n-triples' }
  return (await fetch(`${platform.url}/api/hub/repo/drafts/datasets/s1`, { headers })).text()
}

test('they are found, chosen and understood like those that come with the platform', async () => {
  const form = await person.page(path)
  expect(form).toContain('<option value="River 7">')
  const pick = path.replace('rest', 'pick/river')
  const found = await person.page(`${pick}&q=fluss+12`)
  expect(found).toMatch(/value="https:\/\/rivers\.example\/scheme\/r12"[^]*River 12/)
  await person.post(path, { do: 'save', 'river.+0': 'fluss 3' })
  expect(await graph()).toContain(`<https://water.example/def#river> <${scheme}/r3> .`)
  expect(await person.page(path)).toMatch(/class="value"[^]*River 3</)
  await person.post(path, { do: 'save', 'river.+0': 'Rivr 5' })
  expect(await person.page(path)).toContain('Did you mean River')
})
