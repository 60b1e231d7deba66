/**
 * What each indicator is called, and the rule behind it in one sentence (https://data.europa.eu/mqa/methodology); numbers, days and
 * names of RDF as people read them: the same everywhere in a report.
 */

import { prefixes } from '../../rdf/namespaces.ts'
import type { Dimension, IndicatorName } from '../indicators.ts'

type Words = { readonly label: string; readonly rule: string }

const words = (label: string, rule: string): Words => ({ label, rule })

export const dimensionWords: Readonly<Record<Dimension, Words>> = {
  findability: words('Findability', 'Can people find the data by subject, place and time?'),
  accessibility: words('Accessibility', 'Do the links to the data lead anywhere?'),
  interoperability: words('Interoperability', 'Can programs read the data and its description?'),
  reusability: words('Reusability', 'Is it clear who may use the data, and whom to ask?'),
  contextuality: words(
    'Contextuality',
    'Does the description say how large and how old the data is?',
  ),
}

export const indicatorWords: Readonly<Record<IndicatorName, Words>> = {
  keywordAvailability: words('Keywords', 'The dataset has at least one keyword (dcat:keyword).'),
  categoryAvailability: words('Categories', 'The dataset has at least one theme (dcat:theme).'),
  spatialAvailability: words('Place', 'The dataset names the area that it is about (dct:spatial).'),
  temporalAvailability: words(
    'Period',
    'The dataset names the time that it is about (dct:temporal).',
  ),
  accessUrlStatusCode: words(
    'Access URL works',
    'The access URL (dcat:accessURL) answers with a status from 200 to 299, redirects followed.',
  ),
  downloadUrlAvailability: words(
    'Download URL',
    'The distribution has a download URL (dcat:downloadURL).',
  ),
  downloadUrlStatusCode: words(
    'Download URL works',
    'The download URL (dcat:downloadURL) answers with a status from 200 to 299, redirects followed.',
  ),
  formatAvailability: words('Format', 'The distribution names its format (dct:format).'),
  mediaTypeAvailability: words(
    'Media type',
    'The distribution names its media type (dcat:mediaType).',
  ),
  formatMediaTypeVocabularyAlignment: words(
    'Format and media type from vocabularies',
    'Both are given, the format from the EU table of file types, the media type from the IANA registry.',
  ),
  formatMediaTypeNonProprietary: words(
    'Non-proprietary format',
    'Format or media type is one that belongs to nobody, such as CSV, JSON or GeoPackage.',
  ),
  formatMediaTypeMachineInterpretable: words(
    'Machine-readable format',
    'Format or media type is one that programs can interpret, such as CSV, JSON or XML.',
  ),
  dcatApCompliance: words(
    'DCAT-AP compliance',
    'Validation against DCAT-AP finds no violation; measured only in catalogues that say they are DCAT-AP.',
  ),
  licenceAvailability: words('Licence', 'The distribution names a licence (dct:license).'),
  knownLicence: words(
    'Known licence',
    'The licence is one of the EU table of licences or of the list of known ones.',
  ),
  accessRightsAvailability: words(
    'Access rights',
    'The dataset says who may have access (dct:accessRights).',
  ),
  accessRightsVocabularyAlignment: words(
    'Access rights from the vocabulary',
    'The access rights are a term of the EU table of access rights.',
  ),
  contactPointAvailability: words(
    'Contact point',
    'The dataset says whom to ask (dcat:contactPoint).',
  ),
  publisherAvailability: words('Publisher', 'The dataset names its publisher (dct:publisher).'),
  rightsAvailability: words(
    'Rights statement',
    'The distribution has a rights statement (dct:rights).',
  ),
  byteSizeAvailability: words('File size', 'The distribution gives its size (dcat:byteSize).'),
  dateIssuedAvailability: words(
    'Date of issue',
    'The dataset or the distribution says when it was issued (dct:issued).',
  ),
  dateModifiedAvailability: words(
    'Date of modification',
    'The dataset or the distribution says when it was last changed (dct:modified).',
  ),
}

/** The rule behind each figure that is not one indicator. */
export const figureRules = {
  score:
    'Mean of the scores of all measured datasets. A dataset has the points of everything that is true of it and of its best distribution.',
  band: 'The band in which the score lies.',
  bands: 'Measured datasets by the band of their own score.',
  history:
    'The score at the last refresh of each month; of each day while there are only a few months.',
  dimensions:
    'Mean of the datasets’ points in each dimension; the share is that mean divided by the most one can have.',
  worstIndicators:
    'Indicators that are missing most: points of the indicator multiplied by the share that does not fulfil it.',
  indicators:
    'Share of the datasets, or of the distributions, that fulfil the indicator, among those for which it was measured. The method is the Metadata Quality Assessment of data.europa.eu.',
  violations: 'Results of the last SHACL validation of each dataset, by property and constraint.',
  hosts: 'URLs whose last answer was not a status from 200 to 299, by host.',
  worst: 'At most ten datasets, the lowest of their own scores first.',
  best: 'At most ten datasets, the highest of their own scores first.',
  catalogues: 'Mean score of the measured datasets of each catalogue.',
} as const

// Numbers, days and names of RDF as people read them: the same everywhere in a report.

const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })
const oneDecimal = new Intl.NumberFormat('en-GB', {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})

/** `1,204` */
export const count = (value: number): string => whole.format(value)

/** `97.5%` */
export const percent = (value: number): string => `${oneDecimal.format(value)}%`

/** `3.4`: points that are no whole number. */
export const decimal = (value: number): string => oneDecimal.format(value)

/** `1 dataset`, `2,000 datasets` */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** To one decimal, as a number. */
export const tenths = (value: number): number => Math.round(value * 10) / 10

/** `+6.0`, `−1.5`: with the sign that is wider than a hyphen. */
export const difference = (value: number): string =>
  `${value > 0 ? '+' : value < 0 ? '−' : '±'}${oneDecimal.format(Math.abs(value))}`

const dayFormat = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options })

const full = dayFormat({ day: 'numeric', month: 'long', year: 'numeric' })
const short = dayFormat({ day: 'numeric', month: 'short' })
const month = dayFormat({ month: 'short', year: 'numeric' })

/** `22 November 2026`, in UTC. */
export const longDay = (day: string | Date): string => full.format(new Date(day))
/** `22 Nov` */
export const shortDay = (day: string): string => short.format(new Date(day))
/** `Nov 2026` */
export const monthOf = (day: string): string => month.format(new Date(day))

// Names of RDF as people write them.

const longestFirst = Object.entries(prefixes).sort(
  ([, one], [, other]) => other.length - one.length,
)

/** `dcat:byteSize`; an IRI of no known namespace stays whole. */
export function compact(iri: string): string {
  const found = longestFirst.find(([, namespace]) => iri.startsWith(namespace))
  if (found === undefined) return iri
  const [prefix, namespace] = found
  const local = iri.slice(namespace.length)
  return /^[\w-]+$/.test(local) ? `${prefix}:${local}` : iri
}

/** `MinCountConstraintComponent` → `min count` (SHACL 4). */
export const constraintName = (component: string): string =>
  component
    .replace(/ConstraintComponent$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
