/**
 * Mappings: functions from the values of a field to its JSON, with reports about values that do not fit; and the mapping of the
 * fields of a node to an object.
 */

import type { Term } from '@rdfjs/types'
import type { Field } from '../../profile/profile.ts'
import { prefixes } from '../../rdf/namespaces.ts'
import { keyOf, type Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import type { YieldWhenDue } from '../../workers/event-loop.ts'
import type { ConceptCache } from '../concept-cache.ts'

/**
 * Reason for a report. Most values are left out. Shown nevertheless are unknown concepts and media types, as their text or IRI;
 * sizes with a unit (`bad-number`), in bytes; and nodes below the greatest depth (`too-deep`), as `{id, resource}`.
 * `missing-mandatory` concerns a field without a value.
 */
export type ValueProblem =
  | 'not-an-iri'
  | 'not-a-literal'
  | 'bad-date'
  | 'bad-range'
  | 'bad-number'
  | 'bad-boolean'
  | 'bad-geometry'
  | 'unknown-crs'
  | 'bad-media-type'
  | 'unknown-concept'
  | 'same-language-twice'
  | 'too-many-values'
  | 'too-deep'
  | 'missing-mandatory'

/** Report about a value that does not fit its field; most of these are left out of the document (`ValueProblem`). */
export type LeftOutValue = {
  /** IRI of the record. */
  readonly resource: string
  /** Dotted path of the field. */
  readonly field: string
  readonly problem: ValueProblem
  /** Text of the value, cut to 200 UTF-16 units; `[]` for a blank node, '' for a missing value. */
  readonly value: string
}

/** Field compiled for mapping many records. */
export type CompiledField = {
  readonly profileField: Field
  /** Dotted path of the field. */
  readonly path: string
  /** Compiled fields inside, for `Nested`. */
  readonly children: readonly CompiledField[]
  /** Predicates to read; empty for fields that are computed or that only an enrichment fills. */
  readonly paths: readonly string[]
  readonly map: Mapping
  /** Computes the JSON of a field that the platform fills, in place of `map`. */
  readonly compute?: ComputedField
  /** Predicates of the node that `compute` reads. */
  readonly reads?: readonly string[]
  /** True when the values of the record apply where an embedded node has none. */
  readonly inherits?: boolean
}

/** Form of dates: `faithful` in the precision in which they are written, `utc` as the instant at which they begin. */
export type DateForm = 'faithful' | 'utc'

/** JSON of nodes that were mapped beforehand, by field and key of the node; `undefined` for a node without values. */
export type PremappedNodes = ReadonlyMap<CompiledField, ReadonlyMap<string, JsonObject | undefined>>

/** Record of a value, and everything that mappings may look up synchronously. */
export type MappingContext = {
  /** IRI of the record. */
  readonly resource: string
  /** Platform id of the record. */
  readonly id: string
  readonly graph: Graph
  readonly concepts: ConceptCache
  /** Language of texts without a language tag. */
  readonly language: string
  /** `faithful` keeps the precision of dates; with `utc`, the default, every date is an instant. */
  readonly dates?: DateForm
  /** Prefix of IRIs that replace blank nodes (skolem IRIs). */
  readonly genidPrefix: string
  /** Statements of the metrics graph about scores; datasets only. */
  readonly metrics?: Graph
  /** Catalogue of the record; absent for a catalogue and for a record in none. */
  readonly catalogue?: CatalogueFacts
  /** IRI of the catalogue record that describes the record. */
  readonly recordIri?: string
  readonly premapped?: PremappedNodes
  /** Reports a value; `field` is the dotted path of its field. */
  readonly report: (field: string, problem: ValueProblem, value: string | Term) => void
}

/** Facts about a catalogue that its records need. */
export type CatalogueFacts = {
  readonly id: string
  readonly iri: string
  readonly graph: Graph
  /** JSON of the catalogue's own document. */
  readonly record: JsonObject
  /** First country, by id, of the places of the catalogue. */
  readonly country: JsonObject | undefined
  /** Title in the default language of the catalogue, else in English, else any, else its id. */
  readonly title: string
  /** Language codes of the catalogue, the default language first; `en` where it has none. */
  readonly languages: readonly string[]
  /** JSON of the catalogue that its records embed, cached by field. */
  readonly embedded: Map<CompiledField, Json>
}

/** Maps all values of a field at once, because some classes choose among them or merge them. */
export type Mapping = (
  nodes: readonly Term[],
  field: CompiledField,
  context: MappingContext,
) => Json | undefined
/** Computes a field that the platform fills, from the node that has the field. */
export type ComputedField = (
  node: Term,
  field: CompiledField,
  context: MappingContext,
) => Json | undefined

/** Expands prefixed names, separated by spaces, to IRIs; names of schema.org are expanded with http and https. */
export const predicateIris = (names: string): readonly string[] =>
  names.split(' ').flatMap((name) => {
    const [prefix = '', local = ''] = name.split(':')
    const iri = `${prefixes[prefix]}${local}`
    return prefix === 'schema' ? [iri, iri.replace(/^http:/, 'https:')] : [iri]
  })

// Terms.

/** Tells whether a node has no name of its own: a blank node or its skolem IRI. */
export const isBlank = (node: Term, context: MappingContext): boolean =>
  node.termType === 'BlankNode' ||
  (node.termType === 'NamedNode' && node.value.startsWith(context.genidPrefix))

/** Returns the IRI of a named node; `undefined` for a blank node and a literal. */
export const nodeIri = (node: Term, context: MappingContext): string | undefined =>
  node.termType === 'NamedNode' && !isBlank(node, context) ? node.value : undefined

/** Matches an IRI with a scheme and without characters that are invalid in IRIs. */
export const absoluteIri = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i

/** Returns the IRI that a node is, or that a literal contains. */
export function iriLike(node: Term, context: MappingContext): string | undefined {
  if (node.termType !== 'Literal') return nodeIri(node, context)
  const text = node.value.trim()
  return absoluteIri.test(text) ? text : undefined
}

/** Returns the last segment of an IRI, after a slash or a hash. */
export const lastSegment = (iri: string): string =>
  iri.slice(Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1)

/** Returns the texts of all values of some predicates of a node, trimmed, in order of code points, without empty ones. */
export const valueTexts = (
  { graph }: Pick<MappingContext, 'graph'>,
  node: Term,
  ...predicates: readonly string[]
): readonly string[] =>
  predicates
    .flatMap((predicate) => graph.objects(node, predicate).map(({ value }) => value.trim()))
    .filter((text) => text !== '')
    .sort(compareCodePoints)

/** Maximum length of a value in a report, in UTF-16 units. */
const maxReportedLength = 200

/** Formats a value for a report. Blank nodes are shown without a name. */
export function reportValue(value: string | Term, genidPrefix: string): string {
  const isTerm = typeof value !== 'string'
  const text = isTerm ? value.value.trim() : value
  if (isTerm && (value.termType === 'BlankNode' || text.startsWith(genidPrefix))) return '[]'
  return text.length > maxReportedLength
    ? text.slice(0, maxReportedLength).replace(/[\ud800-\udbff]$/, '')
    : text
}

// JSON values of documents, and their stable order.

/** Returns an object of the keys that have a value; `undefined` when none has. */
export function objectOf(
  parts: Readonly<Record<string, Json | undefined>>,
): JsonObject | undefined {
  const object: Record<string, Json> = {}
  let isEmpty = true
  for (const key in parts) {
    const value = parts[key]
    if (value === undefined) continue
    object[key] = value
    isEmpty = false
  }
  return isEmpty ? undefined : object
}

/** Returns the elements of an array, or the value alone. */
export const elementsOf = (json: Json): readonly Json[] => (Array.isArray(json) ? json : [json])

/** Returns a value as text; a string unchanged. */
export const valueText = (json: Json): string =>
  typeof json === 'string' ? json : JSON.stringify(json)

/** JSON value with the text that it is sorted by. */
export type SortableValue = {
  readonly key: string
  readonly json: Json
  /** Name of the value in a report, where it differs from the key. */
  readonly name?: string
}

const inOrder = (a: SortableValue, b: SortableValue) =>
  compareCodePoints(a.key, b.key) || compareCodePoints(valueText(a.json), valueText(b.json))

/**
 * Returns one value or an array, as the profile requires: sorted by key, without duplicates, `undefined` when empty. Of several
 * values for a single field the first is used, and the second is reported.
 */
export function sortedJson(
  values: readonly SortableValue[],
  field: CompiledField,
  context: MappingContext,
): Json | undefined {
  const [only] = values
  const { single } = field.profileField
  if (only === undefined) return undefined
  if (values.length === 1) return single ? only.json : [only.json]
  const sorted = [...values].sort(inOrder)
  const distinct = sorted.filter((value, at) => {
    const previous = sorted[at - 1]
    return previous === undefined || inOrder(previous, value) !== 0
  })
  if (!single) return distinct.map(({ json }) => json)
  const [first, second] = distinct
  if (second) context.report(field.path, 'too-many-values', second.name ?? second.key)
  return first?.json
}

type Read = (
  node: Term,
  context: MappingContext,
  field: CompiledField,
) => SortableValue | readonly SortableValue[] | ValueProblem | undefined

/** Creates a mapping that reads each value separately. A problem drops the value with a report, `undefined` without one. */
export const eachValue =
  (read: Read): Mapping =>
  (nodes, field, context) => {
    const values: SortableValue[] = []
    for (const node of nodes) {
      const value = read(node, context, field)
      if (typeof value === 'string') context.report(field.path, value, node)
      else if (value) values.push(...[value].flat())
    }
    return sortedJson(values, field, context)
  }

/** Returns an object with its sort key: the value of the first of these keys that it has; '' where this is no text. */
export function keyedBy(
  json: JsonObject | undefined,
  ...keys: readonly string[]
): SortableValue | undefined {
  const key = keys.map((name) => json?.[name]).find((value) => value !== undefined)
  return json && { key: typeof key === 'string' ? key : '', json }
}

// Objects of fields: a record, and the nodes embedded in it.

const noTerms: readonly Term[] = []

/** Returns the values of all predicates of a field; those of further predicates only where the first lacks the term. */
function valuesOf(about: ReturnType<Graph['about']>, paths: readonly string[]): readonly Term[] {
  const [path, ...otherPaths] = paths
  const values = (path === undefined ? undefined : about.get(path)) ?? noTerms
  if (otherPaths.length === 0) return values
  const others = otherPaths.flatMap((other) => about.get(other) ?? [])
  const additional = others.filter((term) => !values.some((value) => value.equals(term)))
  return additional.length === 0 ? values : [...values, ...additional]
}

const isEmpty = (node: Term) => node.termType === 'Literal' && node.value.trim() === ''

/** Maps values with the mapping of a field. Literals without text are dropped first, whatever their datatype. */
export function mapField(
  values: readonly Term[],
  field: CompiledField,
  context: MappingContext,
): Json | undefined {
  const nodes = values.some(isEmpty) ? values.filter((node) => !isEmpty(node)) : values
  return nodes.length === 0 ? undefined : field.map(nodes, field, context)
}

/**
 * Returns the value of the record for a property that an embedded node lacks; objects are marked as inherited. Reports are left
 * to the record's own field.
 */
function inheritedBy(field: CompiledField, context: MappingContext): Json | undefined {
  const values = valuesOf(context.graph.about(context.resource), field.paths)
  const json = mapField(values, field, { ...context, report: () => undefined })
  const markInherited = (value: Json): Json =>
    isJsonObject(value) ? { ...value, inherited: true } : value
  return Array.isArray(json) ? json.map(markInherited) : json && markInherited(json)
}

/** Maps the fields of a node that have a value, in profile order; `undefined` without any. Reports missing mandatory ones. */
export function mapFields(
  node: Term,
  fields: readonly CompiledField[],
  context: MappingContext,
): JsonObject | undefined {
  const object: Record<string, Json> = {}
  let isBare = true
  // The node is looked up once: a shape has about forty fields, and most nodes have values for a few.
  const about = context.graph.about(node)
  for (const field of fields) {
    const direct = field.compute
      ? field.compute(node, field, context)
      : mapField(valuesOf(about, field.paths), field, context)
    const json = direct === undefined && field.inherits ? inheritedBy(field, context) : direct
    if (json !== undefined) {
      object[field.profileField.name] = json
      isBare = false
    } else if (field.profileField.required) context.report(field.path, 'missing-mandatory', '')
  }
  return isBare ? undefined : object
}

/**
 * Nested: `distributions: [{id, title, …}]`; a node without any field is left out. Sorted by content, because generated IRIs
 * change when a source is harvested again.
 */
export const nested = eachValue((node, context, field) => {
  if (node.termType === 'Literal') return 'not-an-iri'
  if (field.profileField.tooDeep) context.report(field.path, 'too-deep', node)
  const premapped = context.premapped?.get(field)
  const json = premapped ? premapped.get(keyOf(node)) : mapFields(node, field.children, context)
  return json && { key: nestedKey(json), json, name: nodeIri(node, context) ?? '' }
})

/** Number of nodes from which the list of a `Nested` field is mapped beforehand. */
const longListLength = 100

/** Maps the nodes of the long lists of a record beforehand and yields to other work in between. */
export async function premapNodes(
  fields: readonly CompiledField[],
  context: MappingContext,
  yieldWhenDue: YieldWhenDue,
): Promise<PremappedNodes> {
  const premapped = new Map<CompiledField, Map<string, JsonObject | undefined>>()
  const about = context.graph.about(namedNode(context.resource))
  for (const field of fields) {
    const nodes = field.map === nested && !field.compute ? valuesOf(about, field.paths) : noTerms
    if (nodes.length < longListLength) continue
    const jsonByNode = new Map<string, JsonObject | undefined>()
    for (const node of nodes) {
      if (node.termType !== 'Literal')
        jsonByNode.set(keyOf(node), mapFields(node, field.children, context))
      await yieldWhenDue()
    }
    premapped.set(field, jsonByNode)
  }
  return premapped
}

/** Returns the sort key: format, title and identifier, each last where it is missing; then everything except the id. */
function nestedKey(json: JsonObject): string {
  const { format, title, identifier } = json
  const formatId = isJsonObject(format) ? format['id'] : format
  const parts = [formatId, title, identifier].map((part) =>
    part === undefined ? '\u{10ffff}' : valueText(part),
  )
  return [...parts, JSON.stringify({ ...json, id: undefined })].join('\0')
}
