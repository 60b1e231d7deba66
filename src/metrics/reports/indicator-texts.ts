/**
 * What each indicator is called, and the rule behind it in one sentence (https://data.europa.eu/mqa/methodology), from a file of
 * texts; numbers, days and names of RDF as people read them: the same everywhere in a report.
 */

import { prefixes } from '../../rdf/namespaces.ts'
import type { Dimension, IndicatorName } from '../indicators.ts'
import texts from './report-texts.json' with { type: 'json' }

type Words = { readonly label: string; readonly rule: string }

/** Names of the dimensions, and the question behind each. */
export const dimensionWords: Readonly<Record<Dimension, Words>> = texts.dimensions
/** Names of the indicators, and when each is fulfilled. */
export const indicatorWords: Readonly<Record<IndicatorName, Words>> = texts.indicators
/** The rule behind each figure that is not one indicator. */
export const figureRules = texts.figures

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

const full = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'long' })

/** `22 November 2026`, in UTC. */
export const longDay = (day: string | Date): string => full.format(new Date(day))

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
