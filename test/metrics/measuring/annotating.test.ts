/** What counts as a value, and where it is looked for. */

import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import {
  annotatorSegment,
  measureIndicators,
} from '../../../src/metrics/measure/annotator-segment.ts'
import { payloadOf } from '../../../src/metrics/pipe/payload.ts'
import { keyOf } from '../../../src/rdf/read.ts'
import { defaultValues, never, now, opened, record, runThrough } from '../pipe/segment-fixture.ts'

const loaded = await defaultValues()
const values = loaded(never)

/** Key of the node → names of what is true. */
async function trueOf(text: string): Promise<Record<string, string[]>> {
  const found = measureIndicators(await payloadOf(record(text)), await values)
  return Object.fromEntries(
    found.map(({ target, results: truth }) => [
      keyOf(target).replace('https://example.org/', ':'),
      Object.entries(truth).flatMap(([name, isTrue]) => (isTrue ? [name] : [])),
    ]),
  )
}

it('reads the tables again after a read that failed', async () => {
  const reads: string[] = []
  const readOnce = (signal: AbortSignal) => {
    reads.push('read')
    const away = new Failure('store-unavailable', 'the store is away')
    return reads.length === 1 ? Promise.reject(away) : loaded(signal)
  }
  const annotator = opened(annotatorSegment({ values: readOnce, now }))
  const records = [1, 2, 3].map(() => record(':ds a dcat:Dataset .'))
  const kinds = (await runThrough([annotator], records)).map(({ kind }) => kind)
  expect([kinds, reads.length]).toEqual([['refused', 'record', 'record'], 2])
})

describe('a dataset', () => {
  it('without anything has ten indicators, all false', async () => {
    const [only, ...more] = measureIndicators(
      await payloadOf(record(':ds a dcat:Dataset .')),
      await values,
    )
    expect(more).toEqual([])
    expect(Object.values(only?.results ?? {})).toEqual(Array.from({ length: 10 }, () => false))
  })

  it('has what is given at all: malformed dates, unknown themes, blank nodes', async () => {
    const truth = await trueOf(`:ds a dcat:Dataset ; dcat:keyword "a", "b" ; dcat:theme :unknown ;
      dct:spatial "somewhere" ; dct:temporal [] ; dct:modified "2023-02-30"^^xsd:date ;
      dcat:contactPoint [] ; dct:publisher "us" ; dct:accessRights "public" .`)
    expect(truth[':ds']).toEqual([
      'keywordAvailability',
      'categoryAvailability',
      'spatialAvailability',
      'temporalAvailability',
      'accessRightsAvailability',
      'contactPointAvailability',
      'publisherAvailability',
      'dateModifiedAvailability',
    ])
  })

  it.each(['"31.02.2025"', '"yesterday"', '"2025"@en, "soon"', '"2024-05-01T10:00:00Z"', ':day'])(
    'has a date only where something is written as one: %s',
    async (modified) => {
      const truth = await trueOf(`:ds a dcat:Dataset ; dct:modified ${modified} ;
        dcat:distribution :one . :one dct:issued ${modified} .`)
      const isDate = modified.includes('20') && !modified.includes('31.')
      expect(truth[':ds']).toEqual(isDate ? ['dateModifiedAvailability'] : [])
      expect(truth[':one']).toEqual(isDate ? ['dateIssuedAvailability'] : [])
    },
  )

  it('has not what is empty text', async () => {
    const truth = await trueOf(`:ds a dcat:Dataset ; dct:issued "" ; dct:modified " \\t\\n" ;
      dcat:keyword ""@en, " "@de ; dct:accessRights "" .`)
    expect(truth[':ds']).toEqual([])
  })

  it('has an access right of the table by one of several', async () => {
    const truth = await trueOf(`:ds a dcat:Dataset ;
      dct:accessRights "public", <https://publications.europa.eu/resource/authority/access-right/PUBLIC> .`)
    expect(truth[':ds']).toEqual(['accessRightsAvailability', 'accessRightsVocabularyAlignment'])
  })

  it.each([
    '[ a dct:RightsStatement ; dct:type eu:access-right\\/PUBLIC ]',
    '[ rdfs:seeAlso <https://publications.europa.eu/resource/authority/access-right/public/> ]',
    ':open . :open skos:exactMatch eu:access-right\\/PUBLIC',
  ])('has an access right of the table by a node that stands for one: %s', async (right) => {
    const truth = await trueOf(`@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
      @prefix eu: <http://publications.europa.eu/resource/authority/> .
      :ds a dcat:Dataset ; dct:accessRights ${right} .`)
    expect(truth[':ds']).toEqual(['accessRightsAvailability', 'accessRightsVocabularyAlignment'])
  })

  it('does not get what stands on another one', async () => {
    const truth = await trueOf(`:ds a dcat:Dataset . :other a dcat:Dataset ; dcat:keyword "a" ;
      dcat:distribution :file .`)
    expect(truth).toEqual({ ':ds': [] })
  })
})

describe('distributions', () => {
  it.each([
    '[ rdfs:label "GeoJSON" ]',
    '[ a dct:IMT ; rdf:value "text/csv" ]',
    '[ skos:exactMatch <http://publications.europa.eu/resource/authority/file-type/CSV> ]',
  ])('have the format of a node that names one: %s', async (format) => {
    const truth = await trueOf(`@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
      @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
      :ds a dcat:Dataset ; dcat:distribution :one . :one dct:format ${format} .`)
    expect(truth[':one']).toEqual([
      'formatAvailability',
      'formatMediaTypeNonProprietary',
      'formatMediaTypeMachineInterpretable',
    ])
  })

  const measured = async (dataset: string, file: string) =>
    (
      await trueOf(
        `@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :ds a dcat:Dataset ; ${dataset} dcat:distribution :one . ${file}`,
      )
    )[':one']
  const ccBy = '<https://creativecommons.org/licenses/by/4.0/>'

  it('without licence and rights have those of their dataset', async () => {
    const licence = ['licenceAvailability', 'knownLicence']
    const dataset = `dct:license ${ccBy} ; dct:rights "Free to use" ;`
    expect(await measured(dataset, '')).toEqual([...licence, 'rightsAvailability'])
    expect(await measured(dataset, ':one dct:license :own ; dct:rights :mine .')).toEqual([
      'licenceAvailability',
      'rightsAvailability',
    ])
    expect(await measured(`dct:license ${ccBy} ;`, ':one dct:license "notspecified" .')).toEqual(
      licence,
    )
  })

  it('do not have the licence of their catalogue', async () => {
    expect(
      await measured('', `:cat a dcat:Catalog ; dcat:dataset :ds ; dct:license ${ccBy} .`),
    ).toEqual([])
  })

  it.each([
    '"CC BY 4.0"',
    '[ dct:type <https://creativecommons.org/licenses/by/4.0/deed.de> ]',
    '[ rdfs:label "cc-by-4.0" ]',
    '<http://dcat-ap.de/def/licenses/dl-by-de/2.0>',
    '<https://spdx.org/licenses/CC-BY-4.0.html>',
  ])('have a known licence by %s', async (value) => {
    const names = await measured('', `:one dct:license ${value} .`)
    expect(names).toEqual(['licenceAvailability', 'knownLicence'])
  })

  it.each([
    '"notspecified"',
    '"k.A."',
    '"N/A"',
    '"other"',
    '[ rdfs:label "Unknown" ]',
    '<http://www.opendefinition.org/licenses/notspecified>',
  ])('have no licence by %s', async (value) => {
    expect(await measured('', `:one dct:license ${value} .`)).toEqual([])
  })

  it('are measured each once, samples and text are not', async () => {
    const truth = await trueOf(`:ds a dcat:Dataset ; dcat:distribution :one, :one, "two", [] ;
      adms:sample :sample . :sample dct:format "csv" .`)
    expect(Object.keys(truth)).toHaveLength(3)
    expect(truth[':one']).toEqual([])
    expect(Object.keys(truth).filter((key) => key.startsWith('_:'))).toHaveLength(1)
  })

  it('have what is given at all', async () => {
    const truth =
      await trueOf(`:ds a dcat:Dataset ; dcat:distribution :one . :one dct:format "weird" ;
      dcat:downloadURL "not a url" ; dcat:mediaType [] ; dct:license "ours" ; dct:rights "all" ;
      dcat:byteSize "many" ; dct:issued "2023" ; dct:modified "2023-02-30" .`)
    expect(truth[':one']).toEqual([
      'downloadUrlAvailability',
      'formatAvailability',
      'mediaTypeAvailability',
      'licenceAvailability',
      'rightsAvailability',
      'byteSizeAvailability',
      'dateIssuedAvailability',
      'dateModifiedAvailability',
    ])
  })

  it('ignore empty formats beside good ones', async () => {
    const truth = await trueOf(`:ds a dcat:Dataset ; dcat:distribution :one .
      :one dct:format "", <http://publications.europa.eu/resource/authority/file-type/PDF> ;
        dcat:mediaType <https://www.iana.org/assignments/media-types/application/pdf>, "" .`)
    expect(truth[':one']).toContain('formatMediaTypeVocabularyAlignment')
  })

  it('know their licence by a node of the dataset too', async () => {
    const truth = await trueOf(`:ds a dcat:Dataset ; dcat:distribution :one, :two .
      :one dct:license [ a dct:LicenseDocument ; dct:identifier "CC_BY_4_0" ] .
      :two dct:license :terms . :terms skos:exactMatch <https://creativecommons.org/licenses/by/4.0/deed.de> .`)
    expect(truth[':one']).toContain('knownLicence')
    expect(truth[':two']).toContain('knownLicence')
  })
})
