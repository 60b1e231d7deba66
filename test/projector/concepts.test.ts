/** The concept cache, the bundled tables, and the documents of stored concepts. */

import { fingerprint } from '../../src/text/fingerprint.ts'
import { describe, expect, test } from 'vitest'
import { ConceptCache } from '../../src/projector/concept-cache.ts'
import { loadVocabularyFiles } from '../../src/vocabularies/authorities.ts'
import { conceptsOf, schemeIn, schemes } from '../../src/vocabularies/concept.ts'
import { builder, concepts, graph } from './built.ts'

const voc = 'https://example.org/voc'
const publishers = `
<${voc}> a skos:ConceptScheme ; skos:prefLabel "Publishers"@en .
<${voc}/acme> a skos:Concept ; dc11:identifier "ACME" ; skos:inScheme <urn:x:other>, <${voc}> ;
  foaf:homepage <https://acme.example/> ; skos:prefLabel "Acme"@en, "Acme AG"@de ; skos:altLabel "ACM"@en, "A.C.M."@en ;
  skos:hiddenLabel "Akme"@de .
<${voc}/old> skos:topConceptOf <${voc}> ; dc11:identifier "ACME" ; skos:prefLabel "Old"@en ;
  <http://www.w3.org/2002/07/owl#deprecated> true .
<${voc}/wide> a skos:Concept ; skos:inScheme <${voc}> ; skos:prefLabel "Wide"@en ;
  skos:narrower <${voc}/old>, <${voc}/acme> ; skos:broader <${voc}/mute> ; skos:exactMatch <urn:x:wide> .
<${voc}/mute> a skos:Concept ; skos:inScheme <${voc}> .`

describe('the concept cache', () => {
  test('finds an IRI exactly, with the other scheme, and without a slash at its end', () => {
    const csv = `${schemes.fileType}/CSV`
    for (const iri of [
      csv,
      csv.replace('http:', 'https:'),
      `${csv}/`,
      `${csv.replace('http:', 'https:')}/`,
    ])
      expect(concepts.find(iri)?.id).toBe('CSV')
    expect(concepts.find('https://example.org/none')).toBeUndefined()
  })

  test('finds codes in any case and countries by two letters', () => {
    expect(concepts.byCode(schemes.dataTheme, 'envi')?.label).toBe('Environment')
    expect(concepts.byAlpha2(schemes.country, 'gb')?.label).toBe('United Kingdom')
    expect(concepts.byCode('https://example.org/none', 'x')).toBeUndefined()
  })

  test('knows what the assessment of quality asks of file types', () => {
    const csv = concepts.byCode(schemes.fileType, 'CSV')
    expect([csv?.machineReadable, csv?.nonProprietary]).toEqual([true, true])
    const pdf = concepts.byCode(schemes.fileType, 'PDF')
    expect([pdf?.machineReadable, pdf?.nonProprietary]).toEqual([false, false])
  })

  test('finds a concept within one vocabulary only', () => {
    const csv = `${schemes.fileType}/CSV`
    expect(concepts.findInScheme(schemes.fileType, csv.replace('http:', 'https:'))?.id).toBe('CSV')
    expect(concepts.findInScheme(schemes.language, csv)).toBeUndefined()
  })

  test('prefers current concepts over deprecated ones', () => {
    expect(concepts.licences.byText('CC BY 4.0')?.id).toBe('CC_BY_4_0')
    expect(concepts.licences.byIri('http://creativecommons.org/licenses/by/4.0')?.deprecated).toBe(
      false,
    )
  })

  test('a stored vocabulary takes the place of the bundled one until it goes', async () => {
    const cache = new ConceptCache(await loadVocabularyFiles('shapes/vocabularies'))
    const before = cache.revision
    const stored = await graph(
      `<${schemes.country}> a skos:ConceptScheme . <${schemes.country}/CHE> a skos:Concept ; skos:inScheme <${schemes.country}> ;
       dc11:identifier "CHE" ; skos:prefLabel "Helvetia"@en .`,
    )
    cache.replace(schemes.country, conceptsOf(stored, schemes.country))
    expect(cache.find(`${schemes.country}/CHE`)?.label).toBe('Helvetia')
    expect(cache.byAlpha2(schemes.country, 'ch')?.label).toBe('Helvetia')
    expect(cache.find(`${schemes.country}/DEU`)).toBeUndefined()
    cache.replace(schemes.country, undefined)
    expect(cache.find(`${schemes.country}/CHE`)?.label).toBe('Switzerland')
    expect(cache.revision).toBe(before + 2)
  })

  test('a licence of a custom vocabulary is found by what it exactly matches', async () => {
    const cache = new ConceptCache(await loadVocabularyFiles('shapes/vocabularies'))
    const own = await graph(
      `<urn:x:l> a skos:ConceptScheme . <urn:x:l/1> a skos:Concept ; skos:inScheme <urn:x:l> ; dc11:identifier "L1" ;
       skos:prefLabel "Ours"@en ; skos:exactMatch <https://terms.example/1/> .`,
    )
    cache.replace('urn:x:l', conceptsOf(own, 'urn:x:l'))
    expect(cache.licences.byIri('http://www.terms.example/1')?.id).toBe('L1')
  })
})

describe('the concepts of a stored vocabulary', () => {
  test('are found however they say that they belong, and become documents', async () => {
    const vocabulary = await graph(publishers)
    expect(schemeIn(vocabulary)).toBe(voc)
    const input = {
      vocabulary: 'publishers',
      scheme: voc,
      graph: vocabulary,
      version: 3,
      hash: 'h',
    }
    const [acme, wide, old, ...none] = builder.concepts(input)
    expect(none).toEqual([])
    expect(wide?.document.record).toMatchObject({
      broader: [`${voc}/mute`],
      narrower: [`${voc}/acme`, `${voc}/old`],
      exact_match: ['urn:x:wide'],
    })
    expect(acme?.document).toMatchObject({
      index: 'vocabulary',
      id: 'publishers/ACME',
      version: 3,
      hash: 'h',
      facets: { vocabulary: [{ id: 'publishers', title: 'Publishers' }] },
      text: {
        id: { x: ['ACME'] },
        pref_label: { de: ['Acme AG'], en: ['Acme'] },
        alt_label: { de: ['Akme'], en: ['A.C.M.', 'ACM'] },
      },
      numbers: { resource: fingerprint(`${voc}/acme`) },
    })
    expect(acme?.document.record).toEqual({
      id: 'ACME',
      resource: `${voc}/acme`,
      in_scheme: voc,
      pref_label: { en: 'Acme', de: 'Acme AG' },
      alt_label: { en: 'A.C.M.' },
      extensions: { foaf_homepage: 'https://acme.example/' },
    })
    expect(old?.document.id).toBe(`publishers/${encodeURIComponent(`${voc}/old`)}`)
  })
})
