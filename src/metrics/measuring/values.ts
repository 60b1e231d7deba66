/** What values mean to the assessment: which of them count, and which are in the vocabularies. */

import type { Term } from '@rdfjs/types'
import type { Graph } from '../../rdf/read.ts'
import type { Concept } from './concepts.ts'
import { knownLicence } from './licences.ts'
import { machineReadable, mediaTypeName, nonProprietary, registryName } from './media-types.ts'

/** Any object is a value but text that is empty after trimming: availability is not validity. */
export const isValue = (term: Term): boolean =>
  term.termType !== 'Literal' || term.value.trim() !== ''

/** Dates as XML Schema writes them, the calendar aside; a slash or a blank where many sources have one. */
const date =
  /^-?\d{4,}(?:[-/]\d{2}(?:[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?)?)?\s?(?:Z|[+-]\d{2}:?\d{2})?$/

/** A value that is written as a date: `31.02.2025` or `yesterday` say nothing to anybody who looks for dates. */
export const isDate = (term: Term): boolean =>
  term.termType === 'Literal' && date.test(term.value.trim())

/** Format and media type of one distribution, values only. */
type Formats = { readonly formats: readonly Term[]; readonly mediaTypes: readonly Term[] }

export type Values = {
  readonly isAccessRight: (value: Term) => boolean
  readonly isKnownLicence: (value: Term, graph: Graph) => boolean
  /** Both are given, and all are in the table of file types or in the IANA registry, as IRIs. */
  readonly isAligned: (given: Formats) => boolean
  /** A format or a media type is on the list. */
  readonly isMachineReadable: (given: Formats) => boolean
  readonly isNonProprietary: (given: Formats) => boolean
}

export type ValueTables = {
  readonly accessRights: readonly Concept[]
  readonly fileTypes: readonly Concept[]
  /** Those that we ship; what they closely match is the same licence. */
  readonly licences: readonly Concept[]
  readonly furtherLicences: readonly Concept[]
  /** Registered names in lower case. */
  readonly mediaTypes: ReadonlySet<string>
  /** Whether formats and media types that are given as text count for the lists as their IRIs do. */
  readonly literalFormats: boolean
}

const plainHttp = (iri: string) => iri.replace(/^https:/, 'http:')

const irisOf = (concepts: readonly Concept[]): ReadonlySet<string> =>
  new Set(concepts.map(({ iri }) => plainHttp(iri)))

const isIn = (iris: ReadonlySet<string>, value: Term) =>
  value.termType === 'NamedNode' && iris.has(plainHttp(value.value))

export function valuesOf(tables: ValueTables): Values {
  const accessRights = irisOf(tables.accessRights)
  const fileTypes = irisOf(tables.fileTypes)
  const listed = (some: readonly Concept[], mediaTypes: ReadonlySet<string>) => {
    const iris = irisOf(some)
    const codes = new Set(some.flatMap((one) => one.codes.map((code) => code.toLowerCase())))
    const isFormat = (value: Term) =>
      value.termType === 'Literal' ? codes.has(value.value.trim().toLowerCase()) : isIn(iris, value)
    const counts = (value: Term) => tables.literalFormats || value.termType !== 'Literal'
    return ({ formats, mediaTypes: types }: Formats) =>
      formats.filter(counts).some(isFormat) ||
      types.filter(counts).some((value) => mediaTypes.has(mediaTypeName(value) ?? ''))
  }
  const { fileTypes: all } = tables
  return {
    isAccessRight: (value) => isIn(accessRights, value),
    isKnownLicence: knownLicence(tables.furtherLicences, tables.licences),
    isAligned: ({ formats, mediaTypes }) =>
      formats.length > 0 &&
      mediaTypes.length > 0 &&
      formats.every((value) => isIn(fileTypes, value)) &&
      mediaTypes.every((value) => tables.mediaTypes.has(registryName(value) ?? '')),
    isMachineReadable: listed(
      all.filter((one) => one.isMachineReadable),
      machineReadable,
    ),
    isNonProprietary: listed(
      all.filter((one) => one.isNonProprietary),
      nonProprietary,
    ),
  }
}
