/** Measurements and reports as they were written by us, by older versions and by others. */

import type { Quad, Term } from '@rdfjs/types'
import { computedOn, dqv, prov } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { indicatorOf } from '../indicators.ts'
import { localName } from '../quality-terms.ts'

export { reportOf } from './report-reading.ts'

export type Measured = {
  /** Local name of the metric. */
  readonly metric: string
  /** Key of what was measured: an IRI, or `_:label`. */
  readonly on: string
  readonly value: boolean | number
  /** URL that was asked. */
  readonly from?: string
  /** When, as it was written. */
  readonly at?: string
}

const link = dqv('hasQualityMeasurement').value
const metricOf = dqv('isMeasurementOf').value
const valueOf = dqv('value').value
const source = prov('wasDerivedFrom').value
const time = prov('generatedAtTime').value

type Draft = {
  metric?: string
  on?: string
  linkedBy?: string
  value?: Term
  from?: string
  at?: string
}

/** All that have a metric, a target and a value that can be read, in the order in which they begin. */
export function measurements(quads: Iterable<Quad>): readonly Measured[] {
  const drafts = new Drafts()
  for (const { subject, predicate, object } of quads) {
    const iri = predicate.value
    if (iri === link) drafts.of(object).linkedBy = keyOf(subject)
    else if (iri === metricOf) drafts.of(subject).metric = localName(object.value)
    else if (iri === valueOf) drafts.of(subject).value = object
    else if (iri === time) drafts.of(subject).at = object.value
    else if (iri === source) drafts.of(subject).from = object.value
    else if (computedOn.includes(iri)) drafts.of(subject).on = keyOf(object)
  }
  return drafts.all().flatMap(measured)
}

/** What is said of a measurement mostly stands together, with one term for all of it. */
class Drafts {
  readonly #known = new Map<string, Draft>()
  #latest: { readonly node: Term; readonly draft: Draft } | undefined

  of(node: Term): Draft {
    if (this.#latest?.node === node) return this.#latest.draft
    const key = keyOf(node)
    let draft = this.#known.get(key)
    if (!draft) this.#known.set(key, (draft = {}))
    this.#latest = { node, draft }
    return draft
  }

  all(): readonly Draft[] {
    return [...this.#known.values()]
  }
}

function measured({ metric, on, linkedBy, value: term, from, at }: Draft): readonly Measured[] {
  const target = on ?? linkedBy
  if (metric === undefined || target === undefined || term?.termType !== 'Literal') return []
  const value = valueIn(metric, term.value.trim(), term.datatype.value)
  if (value === undefined) return []
  return [
    {
      metric,
      on: target,
      value,
      ...(from !== undefined && { from }),
      ...(at !== undefined && { at }),
    },
  ]
}

const truth: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** The metric decides what it is that was written, whatever the datatype; of an unknown metric the text does. */
export function valueIn(metric: string, text: string, datatype = ''): boolean | number | undefined {
  const word = text.toLowerCase()
  const indicator = indicatorOf(metric)
  const isBoolean = indicator
    ? indicator.type === 'boolean'
    : datatype.endsWith('#boolean') || word === 'true' || word === 'false'
  if (isBoolean) return truth.get(word) ?? truth.get(String(Number(word || Number.NaN)))
  const number = word === '' ? Number.NaN : Number(word)
  return Number.isFinite(number) ? number : undefined
}

/** The quads without the measurements of these metrics. */
export function replaced(quads: readonly Quad[], metrics: Iterable<string>): readonly Quad[] {
  const wanted = new Set(metrics)
  const old = new Set<string>()
  for (const { subject, predicate, object } of quads) {
    if (predicate.value === metricOf && wanted.has(localName(object.value))) old.add(keyOf(subject))
  }
  if (old.size === 0) return quads
  return quads.filter(({ subject, predicate, object }) => {
    return !old.has(keyOf(subject)) && !(predicate.value === link && old.has(keyOf(object)))
  })
}
