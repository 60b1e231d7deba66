/** Pages that list: vocabularies and their concepts, publishers, answers to SPARQL. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

let directory: string
let platform: Gateway

const page = async (path: string) => {
  const answer = await fetch(`${platform.url}/en/${path}`, { headers: { Accept: 'text/html' } })
  return `${answer.status} ${await answer.text()}`
}

async function put(path: string, body: string): Promise<void> {
  const answer = await client(platform).put(path, prefixes + body)
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

const prefixes = `@prefix : <https://topics.example/> . @prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
`
const concept = (at: number) =>
  `:c${at} a skos:Concept ; skos:inScheme :s ; skos:prefLabel "Topic ${String(at).padStart(3, '0')}"@en .\n`

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  const concepts = Array.from({ length: 60 }, (_, at) => concept(at)).join('')
  await put(
    '/vocabularies/subject',
    `:s a skos:ConceptScheme ; skos:prefLabel "Topics"@en . ${concepts}
    :c1 skos:prefLabel "Thema 001"@de ; skos:broader :c2 ; skos:narrower :c3 ; skos:exactMatch <https://else.example/x> .`,
  )
  await put('/catalogues/city', '<> a dcat:Catalog ; dct:title "City"@en .')
  await put(
    '/catalogues/city/datasets/origin?originalId=parks',
    `<urn:x:parks> a dcat:Dataset ; dct:title "Parks"@en ; dct:subject :c1 ; dct:publisher [ a foaf:Organization ; foaf:name "Gardens" ] .`,
  )
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

it('concepts are fifty a page in the order of their labels, and are searched by word', async () => {
  await expect.poll(() => page('vocabularies/subject')).toContain('60 concepts')
  const first = await page('vocabularies/subject')
  expect(first).toContain('Topic 049')
  expect(first).not.toContain('Topic 050')
  expect(first).toContain('<a href="?page=2" rel="next">')
  const second = await page('vocabularies/subject?page=2')
  expect(second).toContain('Topic 050')
  expect(second).toContain('<a href="?page=1" rel="prev">')
  expect(second).not.toContain('rel="next"')
  expect(await page('vocabularies/subject?q=thema')).toContain('One concept')
  expect(await page('vocabularies')).toMatch(/href="\/en\/vocabularies\/subject".*Topics.*60/s)
  expect(await page('vocabularies/none')).toMatch(/^404/)
})

it('a concept has its labels, its relations and the datasets that use it', async () => {
  const read = () => page('vocabularies/subject/c1')
  await expect.poll(read).toContain('Used by one dataset')
  const text = await read()
  expect(text).toMatch(/Broader<\/dt><dd><a href="\/en\/vocabularies\/subject\/c2">/)
  expect(text).toMatch(/Narrower<\/dt><dd><a href="\/en\/vocabularies\/subject\/c3">/)
  expect(text).toMatch(/The same elsewhere<\/dt><dd><a href="https:\/\/else.example\/x"/)
  expect(text).toContain('<span lang="de" dir="ltr">Thema 001</span>')
  expect(text).toContain('<a href="/en/datasets?subject=c1">All 1</a>')
  expect(text).toContain('<a href="/en/datasets/parks">')
  const [, whole = ''] = /This vocabulary as<\/span><a href="([^"]*)">Turtle/.exec(text) ?? []
  expect(await (await fetch(whole)).text()).toContain('Topic 001')
})

it('a publisher is in the list, and leads to all of its datasets', async () => {
  expect(await page('publishers')).toMatch(/href="\/en\/publishers\/Gardens".*Gardens.*1/s)
  const text = await page('publishers/Gardens')
  expect(text).toContain('<a href="/en/datasets?publisher=Gardens">All 1</a>')
  expect(await page('publishers/Nobody')).toMatch(/^404/)
})

it('an answer to SPARQL is a table with links, languages and numbers, a word, RDF, or says what is wrong', async () => {
  const ask = (query: string) => page(`sparql?query=${encodeURIComponent(query)}`)
  const wrong = await ask('SELECT ?s\nWHERE { ?s ?p }')
  expect(wrong).toContain('<span id="l2" class="hit">WHERE { ?s ?p }</span>')
  const rows = await ask(
    'SELECT ?iri ?text ?number { VALUES (?iri ?text ?number) { (<https://a.example/> "<b>"@en 7) (<urn:x:y> "z" UNDEF) } }',
  )
  expect(rows).toContain('2 rows')
  expect(rows).toContain('<a href="https://a.example/"')
  expect(rows).toContain('<bdi>urn:x:y</bdi>')
  expect(rows).toContain('<bdi>&lt;b&gt;</bdi> <span class="lang">en</span>')
  expect(rows).toContain('<td class="num"><bdi>7</bdi></td>')
  expect(await ask('ASK {}')).toMatch(/id="res".*<p>Yes/s)
  expect(await ask('CONSTRUCT { <urn:x:a> <urn:x:b> 1 } {}')).toMatch(/<code>[^<]*urn:x:a/)
  expect(await ask('SELEC')).toMatch(/^200 .*class="notice bad"/s)
})
