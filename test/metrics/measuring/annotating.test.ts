/** What counts as a value, and where it is looked for. */

import { describe, expect, it } from 'vitest'
import { annotate } from '../../../src/metrics/measure/annotator-segment.ts'
import { payloadOf } from '../../../src/metrics/pipe/payload.ts'
import { keyOf } from '../../../src/rdf/read.ts'
import { never, record, shippedValues } from '../pipe/ground.ts'

const values = (await shippedValues())(never)

/** Key of the node → names of what is true. */
async function trueOf(text: string): Promise<Record<string, string[]>> {
  const found = annotate(await payloadOf(record(text)), await values)
  return Object.fromEntries(
    found.map(({ on, found: truth }) => [
      keyOf(on).replace('https://example.org/', ':'),
      Object.entries(truth).flatMap(([name, isTrue]) => (isTrue ? [name] : [])),
    ]),
  )
}

describe('a dataset', () => {
  it('without anything has ten indicators, all false', async () => {
    const [only, ...more] = annotate(await payloadOf(record(':ds a dcat:Dataset .')), await values)
    expect(more).toEqual([])
    expect(Object.values(only?.found ?? {})).toEqual(Array.from({ length: 10 }, () => false))
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

  it('does not get what stands on another one', async () => {
    const truth = await trueOf(`:ds a dcat:Dataset . :other a dcat:Dataset ; dcat:keyword "a" ;
      dcat:distribution :file .`)
    expect(truth).toEqual({ ':ds': [] })
  })
})

describe('distributions', () => {
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
