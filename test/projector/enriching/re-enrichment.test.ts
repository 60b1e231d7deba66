/** A vocabulary that changes: exactly the records that use what changed are made again, without a PUT of theirs. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { projectorFixture } from './projector-fixture.ts'

const voc = 'https://example.org/voc/publisher'
const rule = {
  vocabulary: 'publishers',
  fields: ['publisher'],
  replacements: [
    { target: 'name', source: 'pref_label.en' },
    { target: 'homepage', source: 'extensions.foaf_homepage' },
    { target: 'resource', source: 'resource' },
  ],
  documents: ['dataset', 'catalogue'],
}
const concept = (id: string, label: string) =>
  `v:${id} a skos:Concept ; dc11:identifier "${id.toUpperCase()}" ; skos:inScheme <${voc}> ; skos:prefLabel "${label}"@en .\n`
const vocabulary = (...concepts: string[]) =>
  `<${voc}> a skos:ConceptScheme ; skos:prefLabel "Publishers"@en .\n${concepts.join('')}`

let at: Awaited<ReturnType<typeof projectorFixture>>
beforeEach(async () => {
  at = await projectorFixture({ enrichment: [rule] })
})
afterEach(() => at.close())

const putVocabulary = (...concepts: string[]) =>
  at.ask('PUT', '/vocabularies/publishers', vocabulary(...concepts))
const publisherOf = async (id: string) => (await at.get('dataset', id))?.['publisher']
const system = async () =>
  (await at.store.read('urn:cartulary:system'))?.match(/control#(changed|retired|cascade)/g) ?? []
const titles = async () => {
  const { facets } = await at.index.search({
    indices: ['dataset'],
    tree: { kind: 'all' },
    filter: {},
    order: [],
    boosts: {},
    offset: 0,
    limit: 0,
    score: false,
    facets: {
      ids: ['publisher'],
      size: 10,
      global: false,
    },
  })
  return facets?.[0]?.items.map(({ title }) => title)
}

describe('a vocabulary', () => {
  beforeEach(async () => {
    await at.putCatalogue('one')
    for (const [id, publisher] of [
      ['a', 'v:acme'],
      ['b', '<http://example.org/voc/publisher/acme/>'],
      ['c', 'v:other'],
      ['d', 'v:nobody'],
    ] as const)
      await at.putDataset('one', id, `<> dct:publisher ${publisher} .`)
  })

  it('that is PUT enriches the records that were there before', async () => {
    expect(await publisherOf('a')).toEqual({ type: 'Agent', resource: `${voc}/acme` })
    expect((await putVocabulary(concept('acme', 'Acme'), concept('other', 'Other'))).status).toBe(
      201,
    )
    await at.quiet()
    expect(await publisherOf('a')).toMatchObject({ type: 'Agent', name: 'Acme' })
    expect(await publisherOf('b')).toMatchObject({ type: 'Agent', name: 'Acme' })
    expect(await publisherOf('c')).toMatchObject({ type: 'Agent', name: 'Other' })
    expect(await publisherOf('d')).toEqual({ type: 'Agent', resource: `${voc}/nobody` })
    expect(await system()).toEqual([])
  })

  it('with one other label makes exactly the users of that concept again, and their facet has the new title', async () => {
    await putVocabulary(concept('acme', 'Acme'), concept('other', 'Other'))
    await at.quiet()
    expect(await titles()).toEqual(expect.arrayContaining(['Acme', 'Other']))
    at.put.length = 0
    await putVocabulary(concept('acme', 'Acme & Sons'), concept('other', 'Other'))
    await at.quiet()
    expect(at.put.filter((name) => name.startsWith('dataset/')).toSorted()).toEqual([
      'dataset/a',
      'dataset/b',
    ])
    expect(await titles()).toEqual(expect.arrayContaining(['Acme & Sons', 'Other']))
    expect(await titles()).not.toContain('Acme')
  })

  it('without a concept, and without any, leaves values as the RDF has them', async () => {
    await putVocabulary(concept('acme', 'Acme'), concept('other', 'Other'))
    await at.quiet()
    at.put.length = 0
    await putVocabulary(concept('other', 'Other'))
    await at.quiet()
    expect(await publisherOf('a')).toEqual({ type: 'Agent', resource: `${voc}/acme` })
    expect(at.put.filter((name) => name.startsWith('dataset/')).toSorted()).toEqual([
      'dataset/a',
      'dataset/b',
    ])
    await at.ask('DELETE', '/vocabularies/publishers')
    await at.quiet()
    expect(await publisherOf('c')).toEqual({ type: 'Agent', resource: `${voc}/other` })
    expect(await at.get('vocabulary', 'publishers/OTHER')).toBeUndefined()
    expect(await system()).toEqual([])
  })
})

describe('a cascade that a crash interrupts', () => {
  it('is finished by the next process', async () => {
    await at.putCatalogue('one')
    for (let n = 0; n < 20; n += 1) await at.putDataset('one', `d${n}`, '<> dct:publisher v:acme .')
    await putVocabulary(concept('acme', 'Acme'))
    await at.end()
    at = await projectorFixture({ enrichment: [rule], directory: at.directory })
    await at.quiet()
    for (let n = 0; n < 20; n += 1)
      expect(await publisherOf(`d${n}`)).toMatchObject({ name: 'Acme' })
    expect(await system()).toEqual([])
  })
})

describe('a catalogue that uses a concept', () => {
  beforeEach(async () => {
    await putVocabulary(concept('acme', 'Acme'))
    await at.putCatalogue('one', '<> dct:publisher v:acme ; dct:spatial eu:country\\/CHE .')
    await at.putDataset('one', 'a')
    await at.quiet()
    at.put.length = 0
  })

  it('is made again with its datasets', async () => {
    await putVocabulary(concept('acme', 'Acme & Sons'))
    await at.quiet()
    expect(new Set(at.put.filter((name) => !name.startsWith('vocabulary/')))).toEqual(
      new Set(['catalogue/one', 'dataset/a']),
    )
    expect((await at.get('catalogue', 'one'))?.['publisher']).toMatchObject({ name: 'Acme & Sons' })
  })

  it('takes its datasets along when the country that they carry has another name', async () => {
    const scheme = 'http://publications.europa.eu/resource/authority/country'
    const body = `<${scheme}> a skos:ConceptScheme . <${scheme}/CHE> a skos:Concept ; skos:inScheme <${scheme}> ;
      dc11:identifier "CHE" ; skos:prefLabel "Helvetia"@en .`
    await at.ask('PUT', '/vocabularies/country', body)
    await at.quiet()
    expect((await at.get('dataset', 'a'))?.['country']).toMatchObject({
      id: 'ch',
      label: 'Helvetia',
    })
    await at.ask('DELETE', '/vocabularies/country')
    await at.quiet()
    expect((await at.get('dataset', 'a'))?.['country']).toMatchObject({ label: 'Switzerland' })
  })
})

describe('a mapping class that looks concepts up', () => {
  it('has the label of a stored licence and the bundled theme beside it', async () => {
    await at.putCatalogue('one')
    await at.putDataset(
      'one',
      'a',
      `<> dcat:theme eu:data-theme\\/ENVI ; dcat:distribution <#d> . <#d> a dcat:Distribution ; dct:license v:free .`,
    )
    await at.quiet()
    const licence = async () => (await at.get('dataset', 'a'))?.['distributions']
    const before = await licence()
    await putVocabulary(concept('free', 'Free to use'))
    await at.quiet()
    const record = await at.get('dataset', 'a')
    expect(record?.['distributions']).toMatchObject([{ license: { label: 'Free to use' } }])
    // Its id and address are what they were before the vocabulary was there.
    const iri = `${voc}/free`
    expect(before).toMatchObject([{ license: { id: iri, label: iri, resource: iri } }])
    expect(await licence()).toMatchObject([{ license: { id: iri, resource: iri } }])
    expect(record?.['categories']).toMatchObject([{ id: 'ENVI', label: { en: 'Environment' } }])
  })
})
