/**
 * What a mapping is: a pure function from the values of a field to its JSON, with complaints on the side; and how the fields of a
 * node become an object.
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

/** Why a value is left out; `profile.md` says for each class which of them it has. */
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

/** A value that is left out of a document, and why. */
export type LeftOutValue = {
  /** IRI of the record. */
  readonly resource: string
  /** Dotted path of the field. */
  readonly field: string
  readonly problem: ValueProblem
  /** At most 200 characters. */
  readonly value: string
}

/** A field made ready for many records. */
export type CompiledField = {
  readonly profileField: Field
  /** Dotted path of the field. */
  readonly path: string
  /** Slots of the fields inside, for `Nested`. */
  readonly children: readonly CompiledField[]
  /** Predicates to read; empty = `fill` knows. */
  readonly paths: readonly string[]
  readonly map: Mapping
  /** Platform-filled fields: their JSON without looking at predicates. */
  readonly compute?: ComputedField
  /** Predicates of the node that `fill` looks at. */
  readonly reads?: readonly string[]
  /** Whether the values of the record count where the node has none. */
  readonly inherits?: boolean
}

/** How documents show dates without a time: as they are, or as the instant that they begin with. */
export type DateForm = 'faithful' | 'utc'

/** The JSON of nodes that were mapped beforehand, by field and key of the node. */
export type PremappedNodes = ReadonlyMap<CompiledField, ReadonlyMap<string, JsonObject | undefined>>

/** What is around a value: its record and all that may be looked up without waiting. */
export type MappingContext = {
  /** IRI of the record. */
  readonly resource: string
  /** Platform id of the record. */
  readonly id: string
  readonly graph: Graph
  readonly concepts: ConceptCache
  /** Language of texts without a tag. */
  readonly language: string
  /** `faithful` keeps the precision of dates; with `utc`, the default, every date is an instant. */
  readonly dates?: DateForm
  /** IRIs with this prefix stand for blank nodes. */
  readonly genidPrefix: string
  readonly metrics?: Graph
  /** The catalogue of a dataset; a catalogue has none. */
  readonly catalogue?: CatalogueFacts
  /** IRI of the dataset's catalogue record. */
  readonly recordIri?: string
  readonly made?: PremappedNodes
  readonly report: (field: string, problem: ValueProblem, value: string | Term) => void
}

/** What the records of a catalogue need to know about it. */
export type CatalogueFacts = {
  readonly id: string
  readonly iri: string
  readonly graph: Graph
  /** The JSON of the catalogue's own document. */
  readonly record: JsonObject
  readonly country: JsonObject | undefined
  /** In the catalogue's own first language. */
  readonly title: string
  /** Language codes of the catalogue, the default language first. */
  readonly languages: readonly string[]
  /** What of it stands in its datasets, made once per field. */
  readonly embedded: Map<CompiledField, Json>
}

/** All values of a field at once, because some classes choose among them or merge them. */
export type Mapping = (
  nodes: readonly Term[],
  field: CompiledField,
  context: MappingContext,
) => Json | undefined
/** Of fields that the platform fills: sees the node instead of values. */
export type ComputedField = (
  node: Term,
  field: CompiledField,
  context: MappingContext,
) => Json | undefined

/** IRIs by their prefixed names; those of schema.org are written with http and https. */
export const predicateIris = (names: string): readonly string[] =>
  names.split(' ').flatMap((name) => {
    const [prefix = '', local = ''] = name.split(':')
    const iri = `${prefixes[prefix]}${local}`
    return prefix === 'schema' ? [iri, iri.replace(/^http:/, 'https:')] : [iri]
  })

// Terms.

/** Whether a node has no name of its own: a blank node or the skolem IRI of one. */
export const isBlank = (node: Term, context: MappingContext): boolean =>
  node.termType === 'BlankNode' ||
  (node.termType === 'NamedNode' && node.value.startsWith(context.genidPrefix))

/** The IRI of a node that has one. */
export const nodeIri = (node: Term, context: MappingContext): string | undefined =>
  node.termType === 'NamedNode' && !isBlank(node, context) ? node.value : undefined

/** An IRI with a scheme, without characters that no IRI has. */
export const absoluteIri = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i

/** The IRI that a node is, or that a literal spells out. */
export function iriLike(node: Term, context: MappingContext): string | undefined {
  if (node.termType !== 'Literal') return nodeIri(node, context)
  const text = node.value.trim()
  return absoluteIri.test(text) ? text : undefined
}

/** The last segment of an IRI, after a slash or a hash. */
export const lastSegment = (iri: string): string =>
  iri.slice(Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1)

/** The texts of all values of some predicates of a node, trimmed and in order of code points, without empty ones. */
export const valueTexts = (
  { graph }: Pick<MappingContext, 'graph'>,
  node: Term,
  ...predicates: readonly string[]
): readonly string[] =>
  predicates
    .flatMap((predicate) => graph.objects(node, predicate).map(({ value }) => value.trim()))
    .filter((text) => text !== '')
    .sort(compareCodePoints)

/** Characters of a value in a report. */
const longestShown = 200

/** A value as a report shows it. Blank nodes have no name that would mean anything to a reader. */
export function reportValue(value: string | Term, genidPrefix: string): string {
  const isTerm = typeof value !== 'string'
  const text = isTerm ? value.value.trim() : value
  if (isTerm && (value.termType === 'BlankNode' || text.startsWith(genidPrefix))) return '[]'
  return text.length > longestShown
    ? text.slice(0, longestShown).replace(/[\ud800-\udbff]$/, '')
    : text
}

// JSON values of documents, and the order that keeps documents stable.

/** An object of the keys that have a value; `undefined` when none has. */
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

/** A value as the elements it has: an array as it is, anything else alone. */
export const elementsOf = (json: Json): readonly Json[] => (Array.isArray(json) ? json : [json])

/** A value as text: a string as it is. */
export const valueText = (json: Json): string =>
  typeof json === 'string' ? json : JSON.stringify(json)

/** A value and the text that decides its place among others. */
export type SortableValue = {
  readonly key: string
  readonly json: Json
  /** What a report calls it where that is not the key. */
  readonly name?: string
}

const inOrder = (a: SortableValue, b: SortableValue) =>
  compareCodePoints(a.key, b.key) || compareCodePoints(valueText(a.json), valueText(b.json))

/**
 * One value or an array, as the profile asks: ordered by key, doubles removed, nothing when there is none. Several
 * values where there may be one: the first, and a report.
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
    const before = sorted[at - 1]
    return before === undefined || inOrder(before, value) !== 0
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

/** The mapping that reads each value for itself. A problem drops the value with a report, `undefined` drops it without one. */
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

/** An object that is ordered by the first of these keys that it has, where that is a text. */
export function keyedBy(
  json: JsonObject | undefined,
  ...keys: readonly string[]
): SortableValue | undefined {
  const key = keys.map((name) => json?.[name]).find((value) => value !== undefined)
  return json && { key: typeof key === 'string' ? key : '', json }
}

// Objects of fields: a record, and the nodes embedded in it.

const none: readonly Term[] = []

/** The values of all predicates of a field; each term once. */
function valuesOf(about: ReturnType<Graph['about']>, paths: readonly string[]): readonly Term[] {
  const [path, ...more] = paths
  const values = (path === undefined ? undefined : about.get(path)) ?? none
  if (more.length === 0) return values
  const others = more.flatMap((other) => about.get(other) ?? [])
  const fresh = others.filter((term) => !values.some((value) => value.equals(term)))
  return fresh.length === 0 ? values : [...values, ...fresh]
}

const isEmpty = (node: Term) => node.termType === 'Literal' && node.value.trim() === ''

/** What a mapping makes of values. Literals without a text say nothing, whatever their datatype: no class sees them. */
export function mapField(
  values: readonly Term[],
  field: CompiledField,
  context: MappingContext,
): Json | undefined {
  const nodes = values.some(isEmpty) ? values.filter((node) => !isEmpty(node)) : values
  return nodes.length === 0 ? undefined : field.map(nodes, field, context)
}

/** What the record itself says of a property that an embedded node lacks, marked as inherited; reports are left to the record's own field. */
function inheritedBy(field: CompiledField, context: MappingContext): Json | undefined {
  const values = valuesOf(context.graph.about(context.resource), field.paths)
  const json = mapField(values, field, { ...context, report: () => undefined })
  const marked = (one: Json): Json => (isJsonObject(one) ? { ...one, inherited: true } : one)
  return Array.isArray(json) ? json.map(marked) : json && marked(json)
}

/** The fields of a node that have a value, in profile order. */
export function mapFields(
  node: Term,
  fields: readonly CompiledField[],
  context: MappingContext,
): JsonObject | undefined {
  const object: Record<string, Json> = {}
  let isBare = true
  // Looked up once: a shape has some forty fields, and most nodes have values for a few of them.
  const about = context.graph.about(node)
  for (const field of fields) {
    const own = field.compute
      ? field.compute(node, field, context)
      : mapField(valuesOf(about, field.paths), field, context)
    const json = own === undefined && field.inherits ? inheritedBy(field, context) : own
    if (json !== undefined) {
      object[field.profileField.name] = json
      isBare = false
    } else if (field.profileField.required) context.report(field.path, 'missing-mandatory', '')
  }
  return isBare ? undefined : object
}

/**
 * Nested: `distributions: [{id, title, …}]`; a node without any field is left out. In the order of what they say, because IRIs that
 * were made up change when a source is harvested anew.
 */
export const nested = eachValue((node, context, field) => {
  if (node.termType === 'Literal') return 'not-an-iri'
  if (field.profileField.tooDeep) context.report(field.path, 'too-deep', node)
  const made = context.made?.get(field)
  const json = made ? made.get(keyOf(node)) : mapFields(node, field.children, context)
  return json && { key: nestedKey(json), json, name: nodeIri(node, context) ?? '' }
})

/** Lists of so many nodes are mapped beforehand. */
const longList = 100

/** Maps the nodes of the long lists of a record, with turns for others in between. */
export async function premapNodes(
  fields: readonly CompiledField[],
  context: MappingContext,
  turn: YieldWhenDue,
): Promise<PremappedNodes> {
  const made = new Map<CompiledField, Map<string, JsonObject | undefined>>()
  const about = context.graph.about(namedNode(context.resource))
  for (const field of fields) {
    const nodes = field.map === nested && !field.compute ? valuesOf(about, field.paths) : none
    if (nodes.length < longList) continue
    const own = new Map<string, JsonObject | undefined>()
    for (const node of nodes) {
      if (node.termType !== 'Literal')
        own.set(keyOf(node), mapFields(node, field.children, context))
      await turn()
    }
    made.set(field, own)
  }
  return made
}

/** Format, title and identifier, each last where it is missing; then everything else. */
function nestedKey(json: JsonObject): string {
  const { format, title, identifier } = json
  const formatId = isJsonObject(format) ? format['id'] : format
  const parts = [formatId, title, identifier].map((part) =>
    part === undefined ? '\u{10ffff}' : valueText(part),
  )
  return [...parts, JSON.stringify({ ...json, id: undefined })].join('\0')
}
