/** Mapping of numbers, booleans, dates and periods, small structures (checksums, identifiers, relations, pages), and scores. */

import type { Term } from '@rdfjs/types'
import { scores } from '../../profile/field-models.ts'
import { quoteIri } from '../../rdf/lines.ts'
import { computedOn, dcat, dct, dqv, prov, skos, spdx, xsd } from '../../rdf/namespaces.ts'
import type { Graph, Node } from '../../rdf/read.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import {
  type TimeRange,
  timeRangeIn,
  timeRangeOf,
  formatInstant,
} from '../../vocabularies/dates.ts'
import { identityIri, labelTerms } from '../../vocabularies/described-values.ts'
import { languageMap } from '../../vocabularies/labels.ts'
import { type PeriodEnds, periodEnds } from '../../vocabularies/periods.ts'
import { bytesOf } from '../../vocabularies/sizes.ts'
import { formatOf } from './concepts.ts'
import {
  lastSegment,
  eachValue,
  type ComputedField,
  iriLike,
  type Mapping,
  nodeIri,
  objectOf,
  predicateIris,
  type ValueProblem,
  type SortableValue,
  type MappingContext,
  sortedJson,
  type CompiledField,
  valueText,
  valueTexts,
} from './mapping.ts'

// Numbers and booleans.

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** Parses a decimal number, with or without an exponent; `undefined` for other texts and beyond ±2^53. */
function decimalNumber(text: string): number | undefined {
  const number = decimal.test(text.trim()) ? Number(text) : Number.NaN
  return Math.abs(number) <= 2 ** 53 ? number + 0 : undefined
}

type Comparable = { readonly rank: number; readonly json: Json }

/**
 * Creates a mapping of literals to sorted values without duplicates. A single field gets the first (`preferred` 0) or the last
 * one (-1); one of the others is reported.
 */
const ascending =
  (
    problem: ValueProblem,
    read: (text: string, context: MappingContext) => Comparable | undefined,
    preferred: 0 | -1,
  ): Mapping =>
  (nodes, { path, profileField }, context) => {
    const byValue = new Map<Json, Comparable>()
    for (const node of nodes) {
      const comparable = node.termType === 'Literal' ? read(node.value, context) : undefined
      if (comparable === undefined) context.report(path, problem, node)
      else byValue.set(comparable.json, comparable)
    }
    const values = [...byValue.values()].sort((a, b) => a.rank - b.rank).map(({ json }) => json)
    if (values.length === 0 || !profileField.single) return values.length > 0 ? values : undefined
    if (values.length > 1)
      context.report(path, 'too-many-values', valueText(values[preferred + 1] ?? ''))
    return values.at(preferred)
  }

/** Wraps a number as a sortable value. */
const asValue = (number: number | undefined) =>
  number === undefined ? undefined : { rank: number, json: number }

const plainNumbers = ascending('bad-number', (text) => asValue(decimalNumber(text)), 0)

/** Matches numbers whose point is a decimal point in some languages and a thousands separator in others. */
const ambiguous = /^\s*\d{1,3}\.\d{3}\s*$/

/** Maps plain numbers of bytes; a size in another form that `bytesOf` reads is mapped and reported (`bad-number`). */
const sizes: Mapping = (nodes, field, context) => {
  const read = (text: string) => {
    const plain = decimalNumber(text)
    if (plain !== undefined && !ambiguous.test(text)) return asValue(plain < 0 ? undefined : plain)
    const bytes = bytesOf(text)
    if (bytes !== undefined) context.report(field.path, 'bad-number', text)
    return asValue(bytes === undefined ? undefined : Number(bytes))
  }
  return ascending('bad-number', read, 0)(nodes, field, context)
}

/** Integer and Numeric: a JSON number; fractions are kept. File sizes are not negative and may have a unit. */
export const numeric: Mapping = (nodes, field, context) =>
  (field.paths.includes(dcat('byteSize').value) ? sizes : plainNumbers)(nodes, field, context)

/**
 * Formats a date: in the form `faithful` as `2024`, `2024-11`, `2024-11-05`, an instant, or a time without `Z` where it has no
 * offset; otherwise as the instant at which it begins.
 */
const dateJson = ({ from, text }: TimeRange, { dates }: MappingContext): string =>
  dates === 'faithful' ? text : formatInstant(from)

/** DateTime: a date as `dateJson` formats it; on a single field, of several the one that ends last. */
export const dateTime = ascending(
  'bad-date',
  (text, context) => {
    const range = timeRangeIn(text)
    return range && { rank: range.to, json: dateJson(range, context) }
  },
  -1,
)

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** Boolean: `true`, `false`, `1`, `0` (XSD 1.1 part 2, 3.3.2). */
export const truth = eachValue((node) => {
  const json = node.termType === 'Literal' ? booleans.get(node.value.trim()) : undefined
  return json === undefined ? 'bad-boolean' : { key: String(json), json }
})

// Periods.

const sides = {
  start: {
    direct: predicateIris('dcat:startDate schema:startDate'),
    through: predicateIris('time:hasBeginning'),
  },
  end: {
    direct: predicateIris('dcat:endDate schema:endDate'),
    through: predicateIris('time:hasEnd'),
  },
}

const stamps = predicateIris(
  'time:inXSDDate time:inXSDDateTimeStamp time:inXSDDateTime time:inXSDgYearMonth time:inXSDgYear',
)

/** Returns the first value by predicate, then by code point; the order of triples has no influence. */
const firstValue = (node: Term, predicates: readonly string[], context: MappingContext) =>
  predicates
    .map((predicate) => valueTexts(context, node, predicate)[0])
    .find((text) => text !== undefined)

/** Returns the start or end of a period, given directly or by an instant (OWL-Time), which may be a literal. */
function sideOf(node: Term, { direct, through }: (typeof sides)['start'], context: MappingContext) {
  const text = firstValue(node, direct, context)
  if (text !== undefined) return text
  return through
    .flatMap((predicate) => context.graph.objects(node, predicate))
    .map((instant) =>
      instant.termType === 'Literal' ? instant.value.trim() : firstValue(instant, stamps, context),
    )
    .find((stamp) => stamp !== undefined)
}

/** JSON of periods, by identity → the same period in its original precision. */
const precisePeriods = new WeakMap<JsonObject, JsonObject>()

/**
 * Returns a period with its ends in their original precision, even where its JSON shows instants. `period` is the object that
 * `dateRange` made; a copy of it is returned unchanged.
 */
export const precisePeriod = (period: JsonObject): JsonObject =>
  precisePeriods.get(period) ?? period

function periodOf(
  node: Term,
  { path }: CompiledField,
  context: MappingContext,
): SortableValue | undefined {
  const ends = objectOf({
    start: sideOf(node, sides.start, context),
    end: sideOf(node, sides.end, context),
  })
  const texts = node.termType === 'Literal' ? [node] : labelTerms(node, context.graph)
  const { start, end }: PeriodEnds =
    ends ?? texts.map(({ value }) => periodEnds(value)).find(Boolean) ?? {}
  if (start === undefined && end === undefined) context.report(path, 'bad-date', node)
  const read = (text: string | undefined) => {
    const range = text === undefined ? undefined : timeRangeIn(text)
    if (text !== undefined && range === undefined) context.report(path, 'bad-date', text)
    return range
  }
  const [from, to] = [read(start), read(end)]
  if (from !== undefined && to !== undefined && from.from > to.to) {
    context.report(path, 'bad-range', `${start}/${end}`)
    return undefined
  }
  const [gte, lte] = [from, to].map((range) => range && dateJson(range, context))
  const json = objectOf({ gte, lte })
  const exact = objectOf({ gte: from?.text, lte: to?.text })
  if (json && exact) precisePeriods.set(json, exact)
  return json && { key: `${gte ?? ''}/${lte ?? ''}`, json }
}

/**
 * DateRange: `{gte, lte}`; an open side is absent. Of periods with the same JSON, the one that ends later in its original
 * precision is used: `2024` and `2024-01-01` begin at the same instant.
 */
export const dateRange: Mapping = (nodes, field, context) => {
  const periods = new Map<string, SortableValue>()
  const endOf = ({ json }: SortableValue) =>
    timeRangeOf(isJsonObject(json) ? valueText(precisePeriod(json)['lte'] ?? '') : '')?.to ?? 0
  for (const node of nodes) {
    const period = periodOf(node, field, context)
    const existing = period && periods.get(period.key)
    if (period && (!existing || endOf(period) > endOf(existing))) periods.set(period.key, period)
  }
  return sortedJson([...periods.values()], field, context)
}

// Structures.

type Reading = (node: Term, context: MappingContext) => JsonObject | undefined

/**
 * Creates the mapping of a structure: a node from which `read` makes nothing is left out with `problem`, a literal with
 * `not-an-iri` unless `literals` reads it.
 */
const structure = (problem: ValueProblem, read: Reading, literals?: Reading): Mapping =>
  eachValue((node, context) => {
    const isLiteral = node.termType === 'Literal'
    const json = isLiteral ? literals?.(node, context) : read(node, context)
    if (json) return { key: JSON.stringify(json), json }
    return isLiteral ? 'not-an-iri' : problem
  })

/** Checksum: `{algorithm, checksum_value}` with the algorithm as `sha256`; left out without a value. */
export const checksum = structure('not-a-literal', (node, context) => {
  const [value] = valueTexts(context, node, spdx('checksumValue').value)
  const [algorithm] = valueTexts(context, node, spdx('algorithm').value).map((name) =>
    lastSegment(name).replace(/^checksumAlgorithm_/, ''),
  )
  return value === undefined ? undefined : objectOf({ algorithm, checksum_value: value })
})

/** Returns the scheme of a notation, which is its datatype; `undefined` for plain text and text in a language. */
const schemeOf = (notation: Term | undefined) =>
  notation?.termType === 'Literal' &&
  notation.language === '' &&
  notation.datatype.value !== xsd('string').value
    ? notation.datatype.value
    : undefined

/** AdmsIdentifier: `{resource, identifier, scheme}`. */
export const admsIdentifier = structure(
  'not-a-literal',
  (node, context) => {
    const [notation] = context.graph
      .objects(node, skos('notation'))
      .filter(({ termType, value }) => termType === 'Literal' && value.trim() !== '')
      .sort((a, b) => compareCodePoints(`${a.value} ${schemeOf(a)}`, `${b.value} ${schemeOf(b)}`))
    return objectOf({
      resource: nodeIri(node, context),
      identifier: notation?.value.trim(),
      scheme: schemeOf(notation),
    })
  },
  (node) => objectOf({ identifier: node.value.trim(), scheme: schemeOf(node) }),
)

function irisAt(
  node: Term,
  predicate: string,
  context: MappingContext,
): readonly string[] | undefined {
  const iris = context.graph
    .objects(node, predicate)
    .flatMap((term) => iriLike(term, context) ?? [])
  return iris.length > 0 ? [...new Set(iris)].sort(compareCodePoints) : undefined
}

/** QualifiedRelation: `{relation[], had_role[]}`. */
export const qualifiedRelation = structure('not-an-iri', (node, context) =>
  objectOf({
    relation: irisAt(node, dct('relation').value, context),
    had_role: irisAt(node, dcat('hadRole').value, context),
  }),
)

/** MetadataExtension: `{is_used_by[]}`. */
export const metadataExtension = structure('not-an-iri', (node, context) =>
  objectOf({ is_used_by: irisAt(node, 'https://data.europa.eu/ns/ext#isUsedBy', context) }),
)

/** Page: `{resource, title{}, description{}, format{id,label,resource}}`. */
export const webPage = eachValue((node, context) => {
  const { graph, language } = context
  const resource = iriLike(node, context) ?? identityIri(node, graph)
  const valuesOf = (name: string) =>
    node.termType === 'Literal' ? [] : graph.objects(node, dct(name).value)
  const [format] = valuesOf('format')
    .flatMap((term) => formatOf(term, context) ?? [])
    .sort((a, b) => compareCodePoints(JSON.stringify(a), JSON.stringify(b)))
  const json = objectOf({
    resource,
    title: languageMap(labelTerms(node, graph), language),
    description: languageMap(valuesOf('description'), language),
    format,
  })
  return json ? { key: resource ?? JSON.stringify(json), json } : 'not-an-iri'
})

// Scores from the metrics graph of a record (W3C Data Quality Vocabulary).

/** Property from a resource to its measurements. */
const measurement = dqv('hasQualityMeasurement').value
/** Property from a measurement to its metric. */
const metric = dqv('isMeasurementOf').value

/** Returns the measurements that the resource links to, except those that name only others; without links those that name it. */
function measurementsOf(graph: Graph, resource: string): readonly Node[] {
  const aboutOf = (node: Node) =>
    computedOn.flatMap((predicate) => graph.objects(node, predicate).map(({ value }) => value))
  const linked = graph.objects(resource, measurement)
  if (linked.length === 0)
    return [...graph.subjects()].filter((subject) => aboutOf(subject).includes(resource))
  return linked.filter((node) => {
    const about = aboutOf(node)
    return about.length === 0 || about.includes(resource)
  })
}

/** Metrics: `{scoring, …}`; of several measurements of one score the latest, of equally late ones the largest. */
export const computedScores: ComputedField = (node, { path }, { metrics: graph, report }) => {
  if (!graph) return undefined
  const latest = new Map<string, { readonly at: string; readonly number: number }>()
  for (const each of measurementsOf(graph, node.value)) {
    const name = lastSegment(graph.objects(each, metric)[0]?.value ?? '')
    if (!scores.some((score) => score === name)) continue
    const [text] = graph.objects(each, dqv('value'))
    const number = text && decimalNumber(text.value)
    if (number === undefined) {
      report(`${path}.${name}`, 'bad-number', text ?? '')
      continue
    }
    const generatedAt = graph.objects(each, prov('generatedAtTime'))[0]?.value ?? ''
    const previous = latest.get(name)
    if (
      !previous ||
      generatedAt > previous.at ||
      (generatedAt === previous.at && number > previous.number)
    )
      latest.set(name, { at: generatedAt, number })
  }
  const json: Record<string, Json> = {}
  for (const name of scores) {
    const score = latest.get(name)
    if (score) json[name] = score.number
  }
  return latest.size === 0 ? undefined : json
}

const measures = ` ${quoteIri(metric)} `

/**
 * Selects the lines that `computedScores` reads for a resource: all lines of each measurement of a score, and the links of the
 * resource to them; '' without such measurements. Documents need a few dozen of hundreds of triples; the others are not parsed.
 * `lines` is stored content.
 */
export function scoreLines(lines: string, resource: string): string {
  const link = `${quoteIri(resource)} ${quoteIri(measurement)} `
  const subjectOf = (line: string) => line.slice(0, line.indexOf(' '))
  const allLines = lines.split('\n')
  const metricLines = allLines.filter((line) => line.startsWith(measures, line.indexOf(' ')))
  // The metrics of scores are named `scoring` or `…Scoring`.
  const scoreNodes = new Set(metricLines.filter((line) => line.includes('coring')).map(subjectOf))
  if (scoreNodes.size === 0) return ''
  const links = allLines.filter((line) => line.startsWith(link))
  const matchingLinks = links.filter((line) =>
    scoreNodes.has(line.slice(link.length, -' .'.length)),
  )
  // Without a match the first link is kept: it shows that there are links, although to other measurements.
  const chosen = new Set(matchingLinks.length > 0 ? matchingLinks : links.slice(0, 1))
  const about = allLines.filter((line) => scoreNodes.has(subjectOf(line)) || chosen.has(line))
  return about.map((line) => `${line}\n`).join('')
}
