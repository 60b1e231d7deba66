/** Documents as wholes: identity, context, facets, columns, stability. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { documentBuilder } from '../../src/projector/building/document.ts'
import { ConceptCache } from '../../src/projector/concept-cache.ts'
import { graphOf } from '../../src/rdf/read.ts'
import { blankNode, literal, namedNode, quad } from '../../src/rdf/terms.ts'
import { sortText } from '../../src/text/sort-text.ts'
import { loadVocabularyFiles } from '../../src/vocabularies/authorities.ts'
import { conceptsOf } from '../../src/vocabularies/concept.ts'
import { builder, catalogueOf, concepts, datasetOf, iris, profile, quadsOf } from './built.ts'

const swiss = 'c:cat a dcat:Catalog ; dct:title "Cat"@en ; dct:spatial eu:country\\/CHE .'

const rich = `d:x a dcat:Dataset ; dct:title "b"@de, "a"@en, "c" ; dct:description "x"@de-AT, "y"@de-CH ;
  dcat:keyword "b"@en, "a"@en, "a"@de ; dcat:theme eu:data-theme\\/ENVI, eu:data-theme\\/TRAN ;
  dct:publisher [ a foaf:Agent ; foaf:name "P"@en, "Q"@de ] ;
  dct:temporal "2019/2020", [ dcat:startDate "2001" ] ; dct:relation <urn:x:2>, <urn:x:1> ;
  dct:spatial [ dcat:bbox "POINT(1 2)" ], [ dcat:centroid "POINT(3 4)" ] ;
  dcat:contactPoint [ foaf:name "M" ], [ foaf:name "N" ] ;
  dcat:distribution s:b, s:a , [ dct:title "blank" ] .
s:a dcat:accessURL <urn:a:2>, <urn:a:1> ; dct:format "csv" ; dct:issued "2024", "2023" .
s:b dct:format "json" ; dct:license [ dct:title "L" ] .`

describe('a dataset', () => {
  test('carries identity and context', async () => {
    const { document } = await datasetOf(
      `d:x dct:title "X" . r:x a dcat:CatalogRecord ; dct:issued "2024" ; dct:modified "2025" .`,
      'c:cat dct:type "dcat-ap" ; dct:isPartOf c:super ; dct:title "Cat" .',
    )
    expect(document).toMatchObject({ index: 'dataset', id: 'x', version: 7, hash: 'h' })
    expect(document.record).toMatchObject({
      id: 'x',
      resource: 'http://localhost:8080/set/data/x',
      catalog: {
        id: 'cat',
        is_part_of: 'http://localhost:8080/id/catalogue/super',
        source_type: 'dcat-ap',
      },
      catalog_record: { issued: '2024-01-01T00:00:00Z', modified: '2025-01-01T00:00:00Z' },
      distributions: [],
      is_hvd: false,
      translation_meta: { full_available_languages: ['en'], status: 'unknown' },
    })
    expect(document.facets).toMatchObject({
      catalog: [{ id: 'cat', title: 'Cat' }],
      superCatalog: [{ id: 'super', title: 'super' }],
    })
  })

  test('without anything is a document all the same, and what is mandatory is reported', async () => {
    const { document, reports } = await datasetOf('')
    expect(document.record).toMatchObject({ id: 'x', distributions: [] })
    expect(reports.map(({ field, problem }) => [field, problem])).toEqual([
      ['title', 'missing-mandatory'],
      ['description', 'missing-mandatory'],
    ])
  })

  test('the country is that of the catalogue, else its own when there is one', async () => {
    const own = 'd:x dct:spatial eu:country\\/DEU .'
    const countryOf = async (...texts: Parameters<typeof datasetOf>) =>
      (await datasetOf(...texts)).document.record['country']
    expect(await countryOf(own, swiss)).toMatchObject({ id: 'ch', label: 'Switzerland' })
    expect(await countryOf(own)).toMatchObject({ id: 'de' })
    expect(await countryOf('d:x dct:spatial eu:place\\/DEU_BER .')).toMatchObject({ id: 'de' })
    expect(
      await countryOf('d:x dct:spatial <http://data.europa.eu/nuts/code/EL30> .'),
    ).toMatchObject({ id: 'gr' })
    expect(await countryOf('d:x dct:spatial eu:continent\\/EUROPE .')).toMatchObject({ id: 'eu' })
    expect(await countryOf('d:x dct:spatial eu:country\\/DEU, eu:country\\/CHE .')).toBeUndefined()
  })

  test('the European Union is no country', async () => {
    const { document } = await datasetOf('d:x dct:spatial eu:country\\/EUR .')
    expect(document.flags['countryData']).toBe(false)
    expect(document.facets['dataScope']).toEqual([
      { id: 'nonCountryData', title: 'Non-country data' },
    ])
    expect((await datasetOf('')).document.facets['dataScope']).toBeUndefined()
  })

  test('legislation of the dataset or of a distribution makes it high-value', async () => {
    const law = '<http://data.europa.eu/eli/reg_impl/2023/138/oj>'
    const own = await datasetOf(`d:x dcatap:applicableLegislation ${law} .`)
    const inner = await datasetOf(
      `d:x dcat:distribution s:a . s:a dcatap:applicableLegislation ${law.replace('http:', 'https:')} .`,
    )
    for (const { document } of [own, inner]) {
      expect(document.record['is_hvd']).toBe(true)
      expect(document.facets['is_hvd']).toEqual([{ id: 'true', title: 'true' }])
      expect(document.flags['is_hvd']).toBe(true)
    }
  })

  test('scores come from the metrics graph and fall into bands', async () => {
    const score = (name: string, value: string) =>
      `[ dqv:isMeasurementOf pv:${name} ; dqv:computedOn d:x ; dqv:value ${value} ]`
    const { document, reports } = await datasetOf(
      '',
      undefined,
      `d:x dqv:hasQualityMeasurement ${score('scoring', '221')}, ${score('findabilityScoring', '"high"')}, ${score('other', '1')} .`,
    )
    expect(document.record['quality_meas']).toEqual({ scoring: 221 })
    expect(document.numbers).toEqual({ 'quality_meas.scoring': 221 })
    expect(document.facets['scoring']).toEqual([{ id: 'goodScoring', title: 'Good' }])
    expect(reports).toContainEqual({
      resource: 'http://localhost:8080/set/data/x',
      field: 'quality_meas.findabilityScoring',
      problem: 'bad-number',
      value: 'high',
    })
  })

  test('says which of its languages a machine translated, unless a human wrote in them too', async () => {
    const metaOf = async (texts: string) =>
      (await datasetOf(`d:x ${texts} .`)).document.record['translation_meta']
    expect(await metaOf('dct:title "Wasser"@de-AT, "Agua"@es-t-de-t0-mtec')).toEqual({
      full_available_languages: ['de', 'es'],
      details: {
        de: { machine_translated: false },
        es: { machine_translated: true, original_language: 'de' },
      },
      status: 'unknown',
    })
    expect(
      await metaOf('dct:title "Agua"@es-t-de-t0-mtec ; dct:description "Agua"@es'),
    ).toMatchObject({ details: { es: { machine_translated: false } } })
    expect(await metaOf('dct:title [ ]')).toEqual({
      full_available_languages: [],
      details: {},
      status: 'unknown',
    })
  })

  test('a facet names each value once per record, however many distributions have it', async () => {
    const { document } = await datasetOf(
      'd:x dcat:distribution s:a, s:b, s:c . s:a dct:format "csv" . s:b dct:format ".CSV" . s:c dct:format "json" ; dcat:accessService [ dct:title "S" ] .',
    )
    expect(document.facets['format']?.map(({ id }) => id)).toEqual(['CSV', 'JSON'])
    expect(document.facets['dataServices']).toEqual([{ id: 'true', title: 'true' }])
    expect(document.flags['dataServices']).toBe(true)
  })

  test.each([
    ['"2020"^^xsd:gYear', '"2020"^^xsd:gYear', '2020-01-01', '2021-01-01'],
    ['"2020-02"^^xsd:gYearMonth', '"2020-02"^^xsd:gYearMonth', '2020-02-01', '2020-03-01'],
    ['"2020-02-03"^^xsd:date', '"2020-02-03"^^xsd:date', '2020-02-03', '2020-02-04'],
    ['"02/2020"', '"2020"', '2020-02-01', '2021-01-01'],
  ])('a period from %s to %s covers all of its ends', async (start, end, from, after) => {
    const { document } = await datasetOf(
      `d:x dct:temporal [ dcat:startDate ${start} ; dcat:endDate ${end} ] .`,
    )
    expect(document.dates['temporal']).toEqual([[Date.parse(from), Date.parse(after) - 1]])
  })

  test('columns: texts per language, sort texts with the main language, periods, boxes', async () => {
    const { document } = await datasetOf(rich, `${swiss} c:cat dct:language eu:language\\/DEU .`)
    expect(document.text['title']).toEqual({ de: ['b'], en: ['a'] })
    expect(document.text['description']).toEqual({ de: ['x'], 'de-CH': ['y'] })
    expect(document.text['id']).toEqual({ x: ['x'] })
    expect(document.text['keywords']).toEqual({ de: ['a'], en: ['a', 'b'] })
    expect(document.order).toMatchObject({
      title: sortText('B', 'de'),
      'title.de': sortText('B', 'de'),
      'title.en': sortText('A', 'en'),
      'publisher.name': sortText('Q', 'de'),
    })
    expect(document.dates['temporal']).toEqual([
      [Date.UTC(2001, 0, 1), 8.64e15],
      [Date.UTC(2019, 0, 1), Date.UTC(2021, 0, 1) - 1],
    ])
    expect(document.dates['distributions.issued']).toEqual([
      [Date.UTC(2024, 0, 1), Date.UTC(2024, 0, 1)],
    ])
    expect(document.boxes).toEqual([
      [1, 2, 1, 2],
      [3, 4, 3, 4],
    ])
  })

  test('a period ends with its day when the end is a mere date, and at its minute when it is not', async () => {
    const endOf = async (end: string) =>
      (await datasetOf(`d:x dct:temporal [ dcat:startDate "2024-01-01" ; dcat:endDate ${end} ] .`))
        .document.dates['temporal']?.[0]?.[1]
    const midnight = Date.UTC(2024, 1, 1)
    expect(await endOf('"2024-02-01"^^xsd:date')).toBe(midnight + 86_400_000 - 1)
    expect(await endOf('"2024-02-01T00:00:00Z"^^xsd:dateTime')).toBe(midnight)
    expect(await endOf('"2024-02-01T01:00:00Z"^^xsd:dateTime')).toBe(midnight + 3_600_000)
    const both =
      '"2024-02-01T00:00:00Z" ], [ dcat:startDate "2024-01-01" ; dcat:endDate "2024-02-01"'
    expect(await endOf(both)).toBe(midnight + 86_400_000 - 1)
  })

  test('dates of distributions are a range of the record, at most four', async () => {
    const many = Array.from({ length: 6 }, (_, n) => `[ dct:modified "200${n}" ]`).join(', ')
    const { document } = await datasetOf(`d:x dcat:distribution ${many} .`)
    const spans = document.dates['distributions.modified'] ?? []
    expect(spans).toHaveLength(4)
    expect(Math.max(...spans.map(([, to]) => to))).toBe(Date.UTC(2005, 0, 1))
  })

  test('blank nodes have neither id nor resource, stored or not', async () => {
    const skolem = '<http://localhost:8080/.well-known/genid/0123456789abcdef/1>'
    for (const node of ['_:b', skolem]) {
      const { document, reports } = await datasetOf(
        `d:x dct:publisher ${node} ; dcat:distribution ${node} ; dct:identifier ${node} . ${node} dct:title "T" .`,
      )
      expect(document.record['publisher']).toEqual({ type: 'Agent', name: 'T' })
      expect(document.record['distributions']).toEqual([{ title: { en: 'T' } }])
      expect(reports).toContainEqual(expect.objectContaining({ field: 'identifier', value: '[]' }))
    }
  })

  test('is the same whatever the order of its triples and the labels of its blank nodes', async () => {
    const quads = await quadsOf(rich)
    const catalogue = { id: 'cat', graph: graphOf(await quadsOf(swiss)) }
    const input = { id: 'x', iri: iris.dataset('x'), version: 1, hash: 'h', catalogue }
    const { document } = builder.dataset({ ...input, graph: graphOf(quads) })
    fc.assert(
      fc.property(
        fc.shuffledSubarray(quads, { minLength: quads.length }),
        fc.nat(),
        (some, salt) => {
          const relabelled = some.map(({ subject, predicate, object }) =>
            quad(
              subject.termType === 'BlankNode'
                ? blankNode(`z${(salt * 7919) % 97}${subject.value}`)
                : subject,
              predicate,
              object.termType === 'BlankNode'
                ? blankNode(`z${(salt * 7919) % 97}${object.value}`)
                : object,
            ),
          )
          const other = builder.dataset({ ...input, graph: graphOf(relabelled) }).document
          expect(JSON.stringify(other)).toBe(JSON.stringify(document))
        },
      ),
      { numRuns: 30 },
    )
  })

  test('whatever is said about it, a document is built', () => {
    const predicates = profile.dataset.fields.flatMap(({ paths }) => paths)
    const text = fc.constantFrom(
      'x',
      '',
      '2024',
      'http://[',
      'mailto:',
      '{}',
      '<',
      '\ud800',
      '💧',
      'POINT(',
      '-t-',
    )
    const object = fc.oneof(
      text.map((value) => ['literal', value] as const),
      text.map((value) => ['iri', value] as const),
      fc.constant(['self', ''] as const),
    )
    const triple = fc.tuple(fc.constantFrom(...predicates), object)
    fc.assert(
      fc.property(fc.array(triple), (triples) => {
        const self = namedNode(iris.dataset('x'))
        const objects = { literal: (text: string) => literal(text), iri: namedNode }
        const quads = triples.map(([predicate, [kind, value]]) =>
          quad(self, namedNode(predicate), kind === 'self' ? self : objects[kind](value)),
        )
        const input = { id: 'x', iri: self.value, version: 1, hash: 'h', graph: graphOf(quads) }
        const built = builder.dataset({ ...input, catalogue: { id: 'c', graph: graphOf([]) } })
        expect(built.document.record).toMatchObject({ id: 'x' })
      }),
    )
  })

  test('the names of a publisher are searched in their languages', async () => {
    const textOf = async (names: string, language = 'DEU') => {
      const catalogue = `${swiss} c:cat dct:language eu:language\\/${language} .`
      const { document } = await datasetOf(`d:x dct:publisher [ foaf:name ${names} ] .`, catalogue)
      return document.text['publisher']
    }
    expect(await textOf('"City"@en, "Stadt"@de')).toEqual({ de: ['Stadt'], en: ['City'] })
    expect(await textOf('"City"@en, "Stadt"@de', 'ENG')).toEqual({ de: ['Stadt'], en: ['City'] })
    expect(await textOf('"Stadt"@de', 'ENG')).toEqual({ de: ['Stadt'] })
    expect(await textOf('"Stadt"')).toEqual({ de: ['Stadt'] })
  })

  test('other labels of concepts are searched and not shown, and codes have no language', async () => {
    const own = new ConceptCache(await loadVocabularyFiles('shapes/vocabularies'))
    const voc = 'https://example.org/voc'
    const vocabulary =
      await quadsOf(`<${voc}/a> a skos:Concept ; skos:prefLabel "Waste"@en, "Abfall"@de ;
      skos:altLabel "Refuse"@en, "Müll"@de ; skos:hiddenLabel "Abfal"@de .`)
    own.replace(voc, conceptsOf(graphOf(vocabulary), voc))
    const { document } = documentBuilder({ profile, concepts: own, names: iris }).dataset({
      id: 'x',
      iri: iris.dataset('x'),
      version: 1,
      hash: 'h',
      graph: graphOf(
        await quadsOf(`d:x dct:subject <${voc}/a> ; dct:publisher <${voc}/a> ; dcat:distribution s:a .
          s:a dcatap:availability eu:planned-availability\\/STABLE ; dct:license eu:licence\\/CC0 .`),
      ),
      catalogue: { id: 'c', graph: graphOf([]) },
    })
    const all = { de: ['Müll', 'Abfal', 'Abfall'], en: ['Refuse', 'Waste'] }
    expect(document.text).toMatchObject({ subject: all, publisher: all })
    expect(JSON.stringify(document.record)).not.toContain('Müll')
    expect(document.text['distributions.availability']).toEqual({ x: ['stable'] })
    expect(document.text['distributions.license']?.['en']).toContain('CC0 1.0')
  })

  test('an enrichment changes texts and facets too', async () => {
    const enriched = documentBuilder({
      profile,
      concepts,
      names: iris,
      enrich: (record) => ({ ...record, publisher: { type: 'Agent', name: 'Enriched' } }),
    })
    const { document } = enriched.dataset({
      id: 'x',
      iri: iris.dataset('x'),
      version: 1,
      hash: 'h',
      graph: graphOf(await quadsOf('d:x dct:publisher <urn:x:p> .')),
      catalogue: { id: 'c', graph: graphOf([]) },
    })
    expect(document.facets['publisher']).toEqual([{ id: 'Enriched', title: 'Enriched' }])
    expect(document.text['publisher']).toEqual({ en: ['Enriched'] })
  })
})

describe('a catalogue', () => {
  test('is titled in its own first language in facets, and leaves its links out', async () => {
    const { document } = await catalogueOf(
      'c:cat dct:title "Katalog"@de, "Catalogue"@en ; dct:language eu:language\\/DEU ; dcat:dataset d:x ; dct:spatial eu:country\\/CHE ; dct:isPartOf c:super .',
    )
    expect(document).toMatchObject({
      index: 'catalogue',
      id: 'cat',
      order: { title: sortText('Katalog', 'de') },
    })
    expect(JSON.stringify(document)).not.toContain('set/data')
    expect(document.facets).toEqual({
      country: [{ id: 'ch', title: 'Switzerland' }],
      superCatalog: [{ id: 'super', title: 'super' }],
    })
    const inside = await datasetOf(
      '',
      'c:cat dct:title "Katalog"@de, "Catalogue"@en ; dct:language eu:language\\/DEU .',
    )
    expect(inside.document.facets['catalog']).toEqual([{ id: 'cat', title: 'Katalog' }])
  })

  test('of several languages English is the default, else the first by code; of none English', async () => {
    const keyOf = async (languages: string) =>
      Object.keys(
        (await datasetOf('d:x dct:title "T" .', `c:cat dct:title "C" ${languages} .`)).document
          .text['title'] ?? {},
      )
    expect(await keyOf('')).toEqual(['en'])
    expect(await keyOf('; dct:language eu:language\\/FRA')).toEqual(['fr'])
    expect(await keyOf('; dct:language eu:language\\/FRA, eu:language\\/DEU')).toEqual(['de'])
    expect(await keyOf('; dct:language eu:language\\/FRA, eu:language\\/ENG')).toEqual(['en'])
  })
})
