/** What a mapping is: a pure function from the values of a field to its JSON, with complaints on the side. */

import { type Json, type JsonObject } from '../../text/json.ts'
import type { Term } from '@rdfjs/types'
import type { Field } from '../../profile/profile.ts'
import type { Graph } from '../../rdf/read.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import type { ConceptCache } from '../concept-cache.ts'

export type Problem =
  | 'not-an-iri'
  | 'not-a-literal'
  | 'bad-date'
  | 'bad-range'
  | 'bad-number'
  | 'bad-boolean'
  | 'bad-geometry'
  | 'bad-media-type'
  | 'unknown-concept'
  | 'same-language-twice'
  | 'too-many-values'
  | 'too-deep'
  | 'missing-mandatory'

/** A value that is left out of a document, and why. */
export type Report = {
  /** IRI of the record. */
  readonly resource: string
  /** Dotted path of the field. */
  readonly field: string
  readonly problem: Problem
  /** At most 200 characters. */
  readonly value: string
}

/** Where a value will stand. */
export type Site = {
  /** Dotted path of the field. */
  readonly path: string
  /** One value instead of an array. */
  readonly single: boolean
  /** Sites of the fields inside, for `Nested`. */
  readonly children: readonly Slot[]
  readonly tooDeep: boolean
}

/** A field made ready for many records. */
export type Slot = {
  readonly field: Field
  readonly site: Site
  /** Predicates to read; empty = `fill` knows. */
  readonly paths: readonly string[]
  readonly map: Mapping
  /** Platform-filled fields: their JSON without looking at predicates. */
  readonly fill?: Filler
  /** Predicates of the node that `fill` looks at. */
  readonly reads?: readonly string[]
}

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
  /** IRIs with this prefix stand for blank nodes. */
  readonly genidPrefix: string
  readonly metrics?: Graph
  /** The catalogue of a dataset; a catalogue has none. */
  readonly catalogue?: CatalogueFacts
  /** IRI of the dataset's catalogue record. */
  readonly recordIri?: string
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
  /** What of it stands in its datasets, made once per place. */
  readonly embedded: Map<Site, Json>
}

export type Mapping = (nodes: readonly Term[], site: Site, scene: Scene) => Json | undefined
export type Filler = (node: Term, site: Site, scene: Scene) => Json | undefined

/** Whether a node has no name of its own: a blank node or the skolem IRI of one. */
export const isBlank = (node: Term, scene: Scene): boolean =>
  node.termType === 'BlankNode' ||
  (node.termType === 'NamedNode' && node.value.startsWith(scene.genidPrefix))

/** The IRI of a node that has one. */
export const nodeIri = (node: Term, scene: Scene): string | undefined =>
  node.termType === 'NamedNode' && !isBlank(node, scene) ? node.value : undefined

/** A value and the text that decides its place among others. */
export type Ranked = { readonly key: string; readonly json: Json }

const textOf = (json: Json) => (typeof json === 'string' ? json : JSON.stringify(json))

const inOrder = (a: Ranked, b: Ranked) =>
  compareCodePoints(a.key, b.key) || compareCodePoints(textOf(a.json), textOf(b.json))

/**
 * One value or an array, as the profile asks: ordered by key, doubles removed, nothing when there is none. Several
 * values where one is wanted: the first, and a report.
 */
export function settle(values: readonly Ranked[], site: Site, scene: Scene): Json | undefined {
  const [only] = values
  if (only === undefined) return undefined
  if (values.length === 1) return site.single ? only.json : [only.json]
  const sorted = [...values].sort(inOrder)
  const distinct = sorted.filter((value, at) => {
    const before = sorted[at - 1]
    return before === undefined || inOrder(before, value) !== 0
  })
  if (!site.single) return distinct.map(({ json }) => json)
  const [first, second] = distinct
  if (second) scene.report(site.path, 'too-many-values', second.key)
  return first?.json
}

/**
 * The mapping that reads each value for itself. A problem drops the value with a report, `undefined` drops it without one.
 */
export const eachValue =
  (read: (node: Term, scene: Scene, site: Site) => Ranked | Problem | undefined): Mapping =>
  (nodes, site, scene) => {
    const values: Ranked[] = []
    for (const node of nodes) {
      const found = read(node, scene, site)
      if (typeof found === 'string') scene.report(site.path, found, node)
      else if (found) values.push(found)
    }
    return settle(values, site, scene)
  }

/** An object that is ordered by the first of these keys that it has, where that is a text. */
export function keyedBy(
  json: JsonObject | undefined,
  ...keys: readonly string[]
): Ranked | undefined {
  const key = keys.map((name) => json?.[name]).find((value) => value !== undefined)
  return json && { key: typeof key === 'string' ? key : '', json }
}

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

/** The last segment of an IRI, after a slash or a hash. */
export const afterLast = (iri: string): string =>
  iri.slice(Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1)

const absolute = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i

/** The IRI that a node is, or that a literal spells out. */
export function iriLike(node: Term, scene: Scene): string | undefined {
  if (node.termType === 'NamedNode') return isBlank(node, scene) ? undefined : node.value
  if (node.termType !== 'Literal') return undefined
  const text = node.value.trim()
  return absolute.test(text) ? text : undefined
}

// JSON values of documents, and the order that keeps documents stable.

/** An object of the keys that have a value; `undefined` when none has. */
export function objectOf(
  parts: Readonly<Record<string, Json | undefined>>,
): JsonObject | undefined {
  const object: Record<string, Json> = {}
  let some = false
  for (const key in parts) {
    const value = parts[key]
    if (value === undefined) continue
    object[key] = value
    some = true
  }
  return some ? object : undefined
}

/** A value as the elements it has: an array as it is, anything else alone. */
export const elementsOf = (json: Json): readonly Json[] => (Array.isArray(json) ? json : [json])

/** A value as text: a string as it is. */
export const plainText = (json: Json): string =>
  typeof json === 'string' ? json : JSON.stringify(json)
