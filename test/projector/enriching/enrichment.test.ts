/** Enrichment of records: hit and miss, arrays and depth, whole maps, languages, and what can have no effect. */

import { sortText } from '../../../src/text/sort-text.ts'
import { describe, expect, it } from 'vitest'
import type { Field, Profile } from '../../../src/profile/profile.ts'
import { documentBuilder } from '../../../src/projector/building/document.ts'
import {
  enrichment,
  type EnrichmentRule,
  enrichmentWarnings,
} from '../../../src/projector/building/enrichment.ts'
import { ConceptCache } from '../../../src/projector/concept-cache.ts'
import { loadVocabularyFiles } from '../../../src/vocabularies/authorities.ts'
import { conceptsOf } from '../../../src/vocabularies/concept.ts'
import { concepts, graph, iris, profile } from '../built.ts'

const voc = 'https://example.org/voc/publisher'
const publishers = await graph(`
<${voc}> a skos:ConceptScheme ; skos:prefLabel "Publishers"@en .
<${voc}/acme> a skos:Concept ; dc11:identifier "ACME" ; skos:inScheme <${voc}> ;
  foaf:homepage <https://acme.example/> ; skos:prefLabel "Acme"@en, "Acme AG"@de ; skos:altLabel "ACM"@en .
<${voc}/berg> a skos:Concept ; dc11:identifier "BERG" ; skos:inScheme <${voc}> ; skos:prefLabel "Berg"@de, "Mont"@fr .
<${voc}/mute> a skos:Concept ; dc11:identifier "MUTE" ; skos:inScheme <${voc}> .`)
const cache = new ConceptCache(await loadVocabularyFiles('shapes/vocabularies'))
cache.replace(voc, conceptsOf(publishers, voc))
const stored: Readonly<Record<string, string>> = { publishers: voc, others: voc }
const lookup = (vocabulary: string, iri: string) => {
  const concept = cache.findInScheme(stored[vocabulary] ?? 'urn:x:none', iri)
  return concept && Object.keys(concept.prefLabel).length > 0 ? concept : undefined
}

const replaced = (...texts: string[]) =>
  texts.map((text) => ({ target: text.split(':')[0] ?? '', source: text.split(':')[1] ?? '' }))
const rule = (given: Partial<EnrichmentRule>): EnrichmentRule => ({
  vocabulary: 'publishers',
  fields: ['publisher'],
  replacements: replaced(
    'name:pref_label.en',
    'homepage:extensions.foaf_homepage',
    'resource:resource',
  ),
  documents: ['dataset', 'catalogue'],
  ...given,
})

async function recordOf(rules: readonly EnrichmentRule[], dataset: string, own: Profile = profile) {
  const builder = documentBuilder({
    profile: own,
    concepts,
    names: iris,
    enrich: enrichment(rules, lookup, own),
  })
  return builder.dataset({
    id: 'x',
    iri: iris.dataset('x'),
    version: 1,
    hash: 'h',
    graph: await graph(dataset),
    catalogue: {
      id: 'cat',
      graph: await graph('c:cat a dcat:Catalog ; dct:title "Cat"@en .'),
    },
  }).document
}
const dataset = (body: string) => `d:x a dcat:Dataset ; ${body} .`

describe('enrichment', () => {
  it('fills an undescribed publisher from its concept, and so facet and text', async () => {
    const document = await recordOf([rule({})], dataset(`dct:publisher <${voc}/acme>`))
    expect(document.record['publisher']).toEqual({
      type: 'Agent',
      name: 'Acme',
      homepage: 'https://acme.example/',
      resource: `${voc}/acme`,
    })
    expect(document.facets['publisher']).toEqual([{ id: 'Acme', title: 'Acme' }])
    expect(JSON.stringify(document.text)).toContain('Acme')
    expect(document.order).toMatchObject({ 'publisher.name': sortText('Acme', 'en') })
  })

  it.each([
    ['with https for http and a slash', `<http://example.org/voc/publisher/acme/>`, 'Acme'],
    ['without the wanted language', `<${voc}/berg>`, 'Berg'],
  ])('knows a concept %s', async (_, publisher, name) => {
    const { record } = await recordOf([rule({})], dataset(`dct:publisher ${publisher}`))
    expect(record['publisher']).toMatchObject({ type: 'Agent', name })
  })

  it('makes an agent out of whatever described the concept, and keeps what the concept does not say', async () => {
    const body = dataset(`dct:publisher <${voc}/berg>`)
    const described = `${body} <${voc}/berg> a foaf:Organization ; foaf:name "Own"@en ; foaf:homepage <https://own.example/> .`
    const { record } = await recordOf([rule({})], described)
    expect(record['publisher']).toEqual({
      type: 'Agent',
      name: 'Berg',
      homepage: 'https://own.example/',
      resource: `${voc}/berg`,
    })
  })

  it.each([
    [
      'an IRI of nobody',
      '<https://example.org/nobody>',
      { resource: 'https://example.org/nobody' },
    ],
    ['a concept without a label', `<${voc}/mute>`, { resource: `${voc}/mute` }],
    ['a name that is an id', '"ACME"', { name: 'ACME' }],
  ])('leaves %s alone', async (_, publisher, rest) => {
    const { record } = await recordOf([rule({})], dataset(`dct:publisher ${publisher}`))
    expect(record['publisher']).toEqual({ type: 'Agent', ...rest })
  })

  it('reaches fields at any depth, element by element; a dotted name is exact', async () => {
    const body =
      dataset('dcat:distribution s:1, s:2') +
      `s:1 a dcat:Distribution ; dct:license <${voc}/acme> . s:2 a dcat:Distribution ; dct:license <https://l.example/> .`
    const replacements = replaced('label:pref_label.de', 'id:id')
    const deep = await recordOf([rule({ fields: ['license'], replacements })], body)
    expect(deep.record['distributions']).toMatchObject([
      { license: { id: 'ACME', label: 'Acme AG', resource: `${voc}/acme` } },
      { license: { id: 'https://l.example/', label: 'https://l.example/' } },
    ])
    expect(deep.facets['license']).toContainEqual({ id: 'ACME', title: 'Acme AG' })
    const exact = rule({
      fields: ['license.distributions', 'distributions.licenses'],
      replacements,
    })
    expect((await recordOf([exact], body)).record).toEqual((await recordOf([], body)).record)
    const dotted = rule({ fields: ['distributions.license'], replacements })
    expect((await recordOf([dotted], body)).record).toEqual(deep.record)
  })

  it('changes nothing of a licence but what the replacements name', async () => {
    const body = `${dataset('dcat:distribution s:1')} s:1 a dcat:Distribution ; dct:license <${voc}/acme> .`
    const replacements = replaced('label:pref_label.en', 'resource:resource')
    const { record } = await recordOf([rule({ fields: ['license'], replacements })], body)
    expect(record['distributions']).toMatchObject([
      { license: { id: `${voc}/acme`, label: 'Acme', resource: `${voc}/acme` } },
    ])
  })

  it('puts a whole map where the class has one, and one text of it where it has a text', async () => {
    const fields = ['hvd_category', 'access_right']
    const body = dataset(`dcatap:hvdCategory <${voc}/acme> ; dct:accessRights <${voc}/acme>`)
    const replacements = replaced('label:pref_label', 'id:id')
    const { record } = await recordOf([rule({ fields, replacements })], body)
    expect(record['hvd_category']).toEqual([
      { id: 'ACME', label: { de: 'Acme AG', en: 'Acme' }, resource: `${voc}/acme` },
    ])
    expect(record['access_right']).toMatchObject({ id: 'ACME', label: 'Acme' })
  })

  it('fills an embedded concept shape that has no paths of its own', async () => {
    const field = (name: string, mapping: Field['mapping']): Field => ({
      name,
      mapping,
      paths: [],
      required: false,
      single: true,
      children: [],
    })
    const children = [
      field('id', 'StandardText'),
      field('label', 'SimpleMultiLang'),
      field('resource', 'StandardKeyword'),
    ]
    const theme: Field = {
      ...field('topic', 'Nested'),
      single: false,
      children,
      paths: ['http://purl.org/dc/terms/subject'],
    }
    const own = {
      ...profile,
      dataset: { ...profile.dataset, fields: [...profile.dataset.fields, theme] },
    }
    const rules = [rule({ fields: ['topic'], replacements: replaced('label:pref_label', 'id:id') })]
    const { record } = await recordOf(
      rules,
      dataset(`dct:subject <${voc}/acme>, <https://n.example/n>`),
      own,
    )
    expect(record['topic']).toEqual([
      { id: 'ACME', label: { de: 'Acme AG', en: 'Acme' }, resource: `${voc}/acme` },
      { id: 'n', resource: 'https://n.example/n' },
    ])
  })

  it('takes the first vocabulary of the configuration that has the concept', async () => {
    const first = rule({ vocabulary: 'absent', replacements: replaced('name:id') })
    const second = rule({ vocabulary: 'others', replacements: replaced('name:alt_label.en') })
    const { record } = await recordOf(
      [first, second, rule({})],
      dataset(`dct:publisher <${voc}/acme>`),
    )
    expect(record['publisher']).toMatchObject({ name: 'ACM' })
  })

  it('touches only the types of documents that are named', async () => {
    const only = rule({ documents: ['catalogue'] })
    const { record } = await recordOf([only], dataset(`dct:publisher <${voc}/acme>`))
    expect(record['publisher']).toEqual({ type: 'Agent', resource: `${voc}/acme` })
  })

  it('warns of what can have no effect, and has none', async () => {
    const odd = rule({
      fields: ['publisher', 'keyword', 'version_info'],
      replacements: replaced('colour:pref_label.en', 'name:foaf_name'),
      documents: ['dataset', 'resource_app'],
    })
    expect(enrichmentWarnings([odd], profile)).toEqual([
      'vocabulary publishers: there are no documents of type "resource_app"',
      'vocabulary publishers: there is no field "keyword"',
      'vocabulary publishers: a concept has no "foaf_name"',
      'vocabulary publishers: dataset field publisher (Agent) cannot hold "colour"',
      'vocabulary publishers: dataset field version_info (LabeledText) cannot hold "colour"',
      'vocabulary publishers: dataset field version_info (LabeledText) cannot hold "name"',
    ])
    const { record } = await recordOf([odd], dataset(`dct:publisher <${voc}/acme>`))
    expect(record['publisher']).toEqual({ type: 'Agent', resource: `${voc}/acme` })
    expect(enrichmentWarnings([rule({})], profile)).toEqual([])
  })
})
