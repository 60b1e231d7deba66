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
export type Problem =
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
  readonly problem: Problem
  /** At most 200 characters. */
  readonly value: string
}

/** A field made ready for many records. */
export type Slot = {
  readonly field: Field
  /** Dotted path of the field. */
  readonly path: string
  /** Slots of the fields inside, for `Nested`. */
  readonly children: readonly Slot[]
  /** Predicates to read; empty = `fill` knows. */
  readonly paths: readonly string[]
  readonly map: Mapping
  /** Platform-filled fields: their JSON without looking at predicates. */
  readonly fill?: Filler
  /** Predicates of the node that `fill` looks at. */
  readonly reads?: readonly string[]
  /** Whether the values of the record count where the node has none. */
  readonly inherits?: boolean
}

/** How documents show dates without a time: as they are, or as the instant that they begin with. */
export type DateForm = 'faithful' | 'utc'

/** The JSON of nodes that were mapped beforehand, by slot and key of the node. */
export type MadeNodes = ReadonlyMap<Slot, ReadonlyMap<string, JsonObject | undefined>>

/** What is around a value: its record and all that may be looked up without waiting. */
export type Scene = {
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
  readonly made?: MadeNodes
  readonly report: (field: string, problem: Problem, value: string | Term) => void
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
  /** What of it stands in its datasets, made once per slot. */
  readonly embedded: Map<Slot, Json>
}

/** All values of a field at once, because some classes choose among them or merge them. */
export type Mapping = (nodes: readonly Term[], slot: Slot, scene: Scene) => Json | undefined
/** Of fields that the platform fills: sees the node instead of values. */
export type Filler = (node: Term, slot: Slot, scene: Scene) => Json | undefined

/** IRIs by their prefixed names; those of schema.org are written with http and https. */
export const predicateIris = (names: string): readonly string[] =>
  names.split(' ').flatMap((name) => {
    const [prefix = '', local = ''] = name.split(':')
    const iri = `${prefixes[prefix]}${local}`
    return prefix === 'schema' ? [iri, iri.replace(/^http:/, 'https:')] : [iri]
  })

// Terms.

/** Whether a node has no name of its own: a blank node or the skolem IRI of one. */
export const isBlank = (node: Term, scene: Scene): boolean =>
  node.termType === 'BlankNode' ||
  (node.termType === 'NamedNode' && node.value.startsWith(scene.genidPrefix))

/** The IRI of a node that has one. */
export const nodeIri = (node: Term, scene: Scene): string | undefined =>
  node.termType === 'NamedNode' && !isBlank(node, scene) ? node.value : undefined

/** An IRI with a scheme, without characters that no IRI has. */
export const absolute = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i

/** The IRI that a node is, or that a literal spells out. */
export function iriLike(node: Term, scene: Scene): string | undefined {
  if (node.termType !== 'Literal') return nodeIri(node, scene)
  const text = node.value.trim()
  return absolute.test(text) ? text : undefined
}

/** The last segment of an IRI, after a slash or a hash. */
export const afterLast = (iri: string): string =>
  iri.slice(Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1)

/** The texts of all values of some predicates of a node, trimmed and in order of code points, without empty ones. */
export const valueTexts = (
  { graph }: Pick<Scene, 'graph'>,
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
export function shownValue(value: string | Term, genidPrefix: string): string {
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
export type Ranked = {
  readonly key: string
  readonly json: Json
  /** What a report calls it where that is not the key. */
  readonly name?: string
}

const inOrder = (a: Ranked, b: Ranked) =>
  compareCodePoints(a.key, b.key) || compareCodePoints(valueText(a.json), valueText(b.json))

/**
 * One value or an array, as the profile asks: ordered by key, doubles removed, nothing when there is none. Several
 * values where there may be one: the first, and a report.
 */
export function settle(values: readonly Ranked[], slot: Slot, scene: Scene): Json | undefined {
  const [only] = values
  const { single } = slot.field
  if (only === undefined) return undefined
  if (values.length === 1) return single ? only.json : [only.json]
  const sorted = [...values].sort(inOrder)
  const distinct = sorted.filter((value, at) => {
    const before = sorted[at - 1]
    return before === undefined || inOrder(before, value) !== 0
  })
  if (!single) return distinct.map(({ json }) => json)
  const [first, second] = distinct
  if (second) scene.report(slot.path, 'too-many-values', second.name ?? second.key)
  return first?.json
}

type Read = (
  node: Term,
  scene: Scene,
  slot: Slot,
) => Ranked | readonly Ranked[] | Problem | undefined

/** The mapping that reads each value for itself. A problem drops the value with a report, `undefined` drops it without one. */
export const eachValue =
  (read: Read): Mapping =>
  (nodes, slot, scene) => {
    const values: Ranked[] = []
    for (const node of nodes) {
      const value = read(node, scene, slot)
      if (typeof value === 'string') scene.report(slot.path, value, node)
      else if (value) values.push(...[value].flat())
    }
    return settle(values, slot, scene)
  }

/** An object that is ordered by the first of these keys that it has, where that is a text. */
export function keyedBy(
  json: JsonObject | undefined,
  ...keys: readonly string[]
): Ranked | undefined {
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
export function mapped(values: readonly Term[], slot: Slot, scene: Scene): Json | undefined {
  const nodes = values.some(isEmpty) ? values.filter((node) => !isEmpty(node)) : values
  return nodes.length === 0 ? undefined : slot.map(nodes, slot, scene)
}

/** What the record itself says of a property that an embedded node lacks, marked as inherited; reports are left to the record's own field. */
function inheritedBy(slot: Slot, scene: Scene): Json | undefined {
  const values = valuesOf(scene.graph.about(scene.resource), slot.paths)
  const json = mapped(values, slot, { ...scene, report: () => undefined })
  const marked = (one: Json): Json => (isJsonObject(one) ? { ...one, inherited: true } : one)
  return Array.isArray(json) ? json.map(marked) : json && marked(json)
}

/** The fields of a node that have a value, in profile order. */
export function mappedFields(
  node: Term,
  slots: readonly Slot[],
  scene: Scene,
): JsonObject | undefined {
  const object: Record<string, Json> = {}
  let isBare = true
  // Looked up once: a shape has some forty fields, and most nodes have values for a few of them.
  const about = scene.graph.about(node)
  for (const slot of slots) {
    const own = slot.fill
      ? slot.fill(node, slot, scene)
      : mapped(valuesOf(about, slot.paths), slot, scene)
    const json = own === undefined && slot.inherits ? inheritedBy(slot, scene) : own
    if (json !== undefined) {
      object[slot.field.name] = json
      isBare = false
    } else if (slot.field.required) scene.report(slot.path, 'missing-mandatory', '')
  }
  return isBare ? undefined : object
}

/**
 * Nested: `distributions: [{id, title, …}]`; a node without any field is left out. In the order of what they say, because IRIs that
 * were made up change when a source is harvested anew.
 */
export const nested = eachValue((node, scene, slot) => {
  if (node.termType === 'Literal') return 'not-an-iri'
  if (slot.field.tooDeep) scene.report(slot.path, 'too-deep', node)
  const made = scene.made?.get(slot)
  const json = made ? made.get(keyOf(node)) : mappedFields(node, slot.children, scene)
  return json && { key: nestedKey(json), json, name: nodeIri(node, scene) ?? '' }
})

/** Lists of so many nodes are mapped beforehand. */
const longList = 100

/** Maps the nodes of the long lists of a record, with turns for others in between. */
export async function madeNodes(
  slots: readonly Slot[],
  scene: Scene,
  turn: YieldWhenDue,
): Promise<MadeNodes> {
  const made = new Map<Slot, Map<string, JsonObject | undefined>>()
  const about = scene.graph.about(namedNode(scene.resource))
  for (const slot of slots) {
    const nodes = slot.map === nested && !slot.fill ? valuesOf(about, slot.paths) : none
    if (nodes.length < longList) continue
    const own = new Map<string, JsonObject | undefined>()
    for (const node of nodes) {
      if (node.termType !== 'Literal')
        own.set(keyOf(node), mappedFields(node, slot.children, scene))
      await turn()
    }
    made.set(slot, own)
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
