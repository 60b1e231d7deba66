/** The 23 indicators of the Metadata Quality Assessment: property, most points, an example of what to write. */

import { isJsonObject } from '../../text/json.ts'
import { memberFields, listed } from '../record.ts'
import { qualityDimensions } from './quality.ts'

type IndicatorDimension = (typeof qualityDimensions)[number]['key']

export type PageIndicator = {
  readonly key: string
  readonly dimension: IndicatorDimension
  readonly most: number
  readonly property?: string
  /** Turtle. */
  readonly example?: string
}

const licence = 'http://publications.europa.eu/resource/authority/licence/CC_BY_4_0'
const table = 'http://publications.europa.eu/resource/authority'

const row = (
  dimension: IndicatorDimension,
  key: string,
  most: number,
  more: Pick<PageIndicator, 'property' | 'example'> = {},
): PageIndicator => ({ dimension, key, most, ...more })

/** In the order of pages. */
export const pageIndicators: readonly PageIndicator[] = [
  row('findability', 'keywordAvailability', 30, {
    property: 'dcat:keyword',
    example: 'dcat:keyword "bathing water"@en, "Badegewässer"@de',
  }),
  row('findability', 'categoryAvailability', 30, {
    property: 'dcat:theme',
    example: `dcat:theme <${table}/data-theme/ENVI>`,
  }),
  row('findability', 'spatialAvailability', 20, {
    property: 'dct:spatial',
    example: `dct:spatial <${table}/country/DEU>`,
  }),
  row('findability', 'temporalAvailability', 20, {
    property: 'dct:temporal',
    example: 'dct:temporal [ a dct:PeriodOfTime ; dcat:startDate "2020-01-01"^^xsd:date ]',
  }),
  row('accessibility', 'accessUrlStatusCode', 50, {
    property: 'dcat:accessURL',
    example: 'dcat:accessURL <https://data.example/files/1.csv>',
  }),
  row('accessibility', 'downloadUrlAvailability', 20, {
    property: 'dcat:downloadURL',
    example: 'dcat:downloadURL <https://data.example/files/1.csv>',
  }),
  row('accessibility', 'downloadUrlStatusCode', 30, { property: 'dcat:downloadURL' }),
  row('interoperability', 'formatAvailability', 20, {
    property: 'dct:format',
    example: `dct:format <${table}/file-type/CSV>`,
  }),
  row('interoperability', 'mediaTypeAvailability', 10, {
    property: 'dcat:mediaType',
    example: 'dcat:mediaType <http://www.iana.org/assignments/media-types/text/csv>',
  }),
  row('interoperability', 'formatMediaTypeVocabularyAlignment', 10),
  row('interoperability', 'formatMediaTypeNonProprietary', 20),
  row('interoperability', 'formatMediaTypeMachineInterpretable', 20),
  row('interoperability', 'dcatApCompliance', 30),
  row('reusability', 'licenceAvailability', 20, {
    property: 'dct:license',
    example: `dct:license <${licence}>`,
  }),
  row('reusability', 'knownLicence', 10, {
    property: 'dct:license',
    example: `dct:license <${licence}>`,
  }),
  row('reusability', 'accessRightsAvailability', 10, {
    property: 'dct:accessRights',
    example: `dct:accessRights <${table}/access-right/PUBLIC>`,
  }),
  row('reusability', 'accessRightsVocabularyAlignment', 5),
  row('reusability', 'contactPointAvailability', 20, {
    property: 'dcat:contactPoint',
    example:
      'dcat:contactPoint [ a vcard:Organization ; vcard:fn "Lake Office" ; vcard:hasEmail <mailto:data@lakes.example> ]',
  }),
  row('reusability', 'publisherAvailability', 10, {
    property: 'dct:publisher',
    example: 'dct:publisher <https://lakes.example/office>',
  }),
  row('contextuality', 'rightsAvailability', 5, { property: 'dct:rights' }),
  row('contextuality', 'byteSizeAvailability', 5, {
    property: 'dcat:byteSize',
    example: 'dcat:byteSize "4096"^^xsd:nonNegativeInteger',
  }),
  row('contextuality', 'dateIssuedAvailability', 5, {
    property: 'dct:issued',
    example: 'dct:issued "2026-05-30"^^xsd:date',
  }),
  row('contextuality', 'dateModifiedAvailability', 5, {
    property: 'dct:modified',
    example: 'dct:modified "2026-05-30"^^xsd:date',
  }),
]

/** How far an indicator is fulfilled: a share of 0 to 1; `undefined` where it was not measured. */
export function shareOf(value: unknown): number | undefined {
  if (typeof value === 'boolean') return Number(value)
  const entries = listed(value).filter(isJsonObject)
  if (entries.length === 0) return undefined
  const good = entries.filter(
    ({ name }) => name === 'yes' || /^[23]\d\d$/.test(typeof name === 'string' ? name : ''),
  )
  return good.reduce((sum, { percentage }) => sum + Number(percentage) / 100, 0)
}

/** Indicator → value, of the answer of the metrics about one dataset. */
export function measuredValues(result: unknown): ReadonlyMap<string, unknown> {
  const groups = qualityDimensions.flatMap(({ key }) =>
    listed(memberFields(result)[key]).map(memberFields),
  )
  // Dates are told apart for the dataset and its distributions.
  const entries = groups.flatMap((one) => {
    const inner = listed(one['dataset']).map(memberFields)
    return [one, ...inner].flatMap((part) => Object.entries(part))
  })
  return new Map(entries)
}
