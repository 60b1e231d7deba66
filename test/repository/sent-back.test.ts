/** Descriptions that come back as they are stored, with IRIs in the place of their blank nodes: nothing of them gets lost. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { base, prefixes } from '../support/repository.ts'
import { withTypes } from './declared.ts'
import { distributionsFixture } from './distributions-fixture.ts'

let repo: Awaited<ReturnType<typeof distributionsFixture>>
beforeAll(async () => {
  repo = await distributionsFixture()
  await repo.putDataset('alpine-water', 'own', own)
  await repo.putDataset('alpine-water', 'other', other)
})
afterAll(() => repo.close())

const person = (name: string) =>
  `dcat:contactPoint [ a foaf:Agent ; foaf:name "${name}" ; foaf:account [ foaf:name "Inner" ] ]`
const own = `${prefixes}<> a dcat:Dataset ; dct:title "Own" ; ${person('Jane')} .`
const other = `${prefixes}<> a dcat:Dataset ; dct:title "Other" ; ${person('John')} .`
const genid = `${base}.well-known/genid/`

/** What a CONSTRUCT at the SPARQL endpoint gives. */
const stored = async (iri: string) => (await repo.store.read(iri, {})) ?? ''
const sent = (path: string, body: string) =>
  repo.ask(path, { method: 'PUT', type: 'application/n-triples', body })
const origin = '/catalogues/alpine-water/datasets/origin?originalId=own'

describe('a dataset with its skolem IRIs', () => {
  it('is unchanged when nothing else is', async () => {
    const lines = await stored(`${base}set/data/own`)
    expect(lines).toContain(`<${genid}`)
    expect((await sent('/datasets/own', lines)).status).toBe(304)
    expect((await sent(origin, lines)).status).toBe(304)
    const bulk = await sent('/catalogues/alpine-water/datasets/bulk', lines)
    expect(await bulk.json()).toMatchObject([{ status: 304 }])
  })

  it('keeps what its nodes say, under the same IRIs, when something is changed', async () => {
    const lines = await stored(`${base}set/data/own`)
    expect((await sent('/datasets/own', lines.replace('"Own"', '"New"'))).status).toBe(204)
    const nodes = (text: string) =>
      text.split('\n').filter((line) => line.includes(genid) && !line.includes('hecksum'))
    expect(nodes(await stored(`${base}set/data/own`))).toEqual(nodes(lines))
    const read = await (await repo.ask('/datasets/own.ttl')).text()
    for (const said of ['"Jane"', '"Inner"']) expect(read).toContain(said)
    expect(read).not.toContain('genid')
  })

  it('still says nothing about the nodes of another one', async () => {
    const before = await stored(`${base}set/data/other`)
    const nodes = before.split('\n').filter((line) => line.startsWith(`<${genid}`))
    const thief = `${await stored(`${base}set/data/own`)}${nodes.join('\n')}\n`
    expect((await sent('/datasets/own', thief)).status).toBe(304)
    expect(await stored(`${base}set/data/other`)).toBe(before)
    expect(await (await repo.ask('/datasets/own.nt')).text()).not.toContain('"John"')
  })
})

describe('a distribution with its skolem IRIs', () => {
  /** The answer to the distribution sent back as the graph of its dataset has it. */
  const again = async (dataset: string, id: string | undefined) => {
    const lines = await stored(`${base}set/data/${dataset}`)
    expect(lines.split('\n').some((line) => line.includes(`${id}>`) && line.includes(genid))).toBe(
      true,
    )
    return (await sent(`/distributions/${id}`, lines)).status
  }

  it('is unchanged when its nodes came with the dataset', async () => {
    const dataset = await repo.fresh()
    expect(await again(dataset, (await repo.ids(dataset)).first)).toBe(304)
  })

  it('is unchanged when they came with it alone', async () => {
    const dataset = await repo.fresh()
    const body = `${prefixes}<> a dcat:Distribution ; dct:title "New" ; dct:license [ dct:title "Ours" ] .`
    const iri = (await repo.post(dataset, body)).headers.get('Location')
    expect(await again(dataset, iri?.split('/').at(-1))).toBe(304)
  })
})

describe('other resources with their skolem IRIs', () => {
  it('a catalogue is unchanged', async () => {
    const body = `${prefixes}<> a dcat:Catalog ; dct:issued "2026-01-01" ; dct:modified "2026-01-02" ;
      dct:publisher [ a foaf:Agent ; foaf:name "Board" ] .`
    expect((await repo.putCatalogue('agents', body)).status).toBe(201)
    const lines = await stored(`${base}id/catalogue/agents`)
    expect(lines).toContain(genid)
    expect((await sent('/catalogues/agents', lines)).status).toBe(304)
  })

  it('a vocabulary is unchanged, and holds no nodes of others', async () => {
    const body = `${prefixes}<urn:scheme> a skos:ConceptScheme ; skos:note [ skos:example "One" ] .`
    const asked = { method: 'PUT', type: 'text/turtle', body }
    expect((await repo.ask('/vocabularies/v', asked)).status).toBe(201)
    const lines = await stored('urn:scheme')
    expect(lines).toContain(genid)
    expect((await sent('/vocabularies/v', lines)).status).toBe(304)
    const others = (await stored(`${base}set/data/other`)).split('\n')
    const node = others.filter((line) => line.startsWith(`<${genid}`)).join('\n')
    expect((await sent('/vocabularies/v', `${lines}${node}\n`)).status).toBe(422)
    expect(await stored('urn:scheme')).toBe(lines)
  })

  it('metrics stay as they are', async () => {
    const measured = `${base}set/data/own`
    const body = `@prefix dqv: <http://www.w3.org/ns/dqv#> . <urn:m> a dqv:QualityMetadata .
      <${measured}> dqv:hasQualityMeasurement [ a dqv:QualityMeasurement ; dqv:isMeasurementOf <urn:s> ;
        dqv:computedOn <${measured}> ; dqv:value 1 ] .`
    const asked = { method: 'PUT', type: 'text/turtle', body }
    expect((await repo.ask('/datasets/own/metrics', asked)).status).toBe(201)
    const lines = await stored(`${base}id/metrics/own`)
    expect(lines).toContain(genid)
    expect((await sent('/datasets/own/metrics', lines)).status).toBe(204)
    expect(await stored(`${base}id/metrics/own`)).toBe(lines)
  })

  it('a resource of a declared type is unchanged', async () => {
    const typed = await withTypes()
    expect((await typed.putService('levels', 'alpine-water')).status).toBe(201)
    const body = await typed.lines('data-service', 'levels')
    expect(body).toContain(genid)
    const asked = { type: 'application/n-triples' }
    expect((await typed.putService('levels', 'alpine-water', body, asked)).status).toBe(304)
    await typed.close()
  })
})
