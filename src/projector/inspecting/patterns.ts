/** The triples that the fields of a shape read, as alternatives of a graph pattern (SPARQL 1.1, 7). */

import { dcat, dcatap, foaf, rdf } from '../../rdf/namespaces.ts'
import type { Slot } from '../mappings/mapping.ts'
import { reach } from './reach.ts'

/** One alternative: the way from the root to a node, and the triples of that node that are taken. */
export type Alternative = {
  readonly steps: readonly Step[]
  /** Variables of the triple that goes into the result. */
  readonly triple: readonly [subject: string, predicate: string, object: string]
  /** Predicates that count; absent = all. */
  readonly predicates?: readonly string[]
}

/** From a node to others, by any of the predicates. */
export type Step = {
  readonly from: string
  readonly by: readonly string[]
  readonly to: string
  /** The link goes the other way. */
  readonly inverse?: true
}

/** A node that is read: its variable and how to get there. */
type Place = { readonly node: string; readonly steps: readonly Step[] }

const legislation = dcatap('applicableLegislation').value
const distribution = dcat('distribution').value

const unique = (names: readonly string[]) => [...new Set(names)].sort()

const ownPredicates = (slots: readonly Slot[]): readonly string[] =>
  slots.flatMap(({ paths, reads = [] }) => [...paths, ...reads])

const linksOf = (slots: readonly Slot[], depth: number) =>
  unique(slots.filter(({ field }) => reach[field.mapping] >= depth).flatMap(({ paths }) => paths))

/** The nodes that fields read whole, and the nodes in them. */
function described(slots: readonly Slot[], { node, steps }: Place): readonly Alternative[] {
  const [part, inner] = [`${node}_part`, `${node}_inner`]
  const [near, far] = [linksOf(slots, 1), linksOf(slots, 2)]
  const triple = (subject: string) => [subject, `${subject}_p`, `${subject}_o`] as const
  const first = { from: node, by: near, to: part }
  const second = { from: node, by: far, to: part }
  const further = { from: part, by: [], to: inner }
  return [
    ...(near.length > 0 ? [{ steps: [...steps, first], triple: triple(part) }] : []),
    ...(far.length > 0 ? [{ steps: [...steps, second, further], triple: triple(inner) }] : []),
  ]
}

function taken({ node, steps }: Place, predicates: readonly string[]): readonly Alternative[] {
  if (predicates.length === 0) return []
  const triple = [node, `${node}_p`, `${node}_o`] as const
  return [{ steps, triple, predicates: unique(predicates) }]
}

/** The alternatives of the fields of one node; `more` are predicates that something else needs of it. */
function alternatives(
  slots: readonly Slot[],
  place: Place,
  more: readonly string[] = [],
): readonly Alternative[] {
  const nested = slots.flatMap(({ field, site, paths }) => {
    if (field.mapping !== 'Nested' || paths.length === 0) return []
    const node = site.path.replaceAll(/[^A-Za-z0-9]/g, '_')
    const inside = { node, steps: [...place.steps, { from: place.node, by: paths, to: node }] }
    return alternatives(site.children, inside)
  })
  const own = taken(place, [...ownPredicates(slots), ...more])
  return [...own, ...described(slots, place), ...nested]
}

const recordFrame = [rdf('type').value, foaf('primaryTopic').value]

/** The catalogue record, which points to its dataset. */
function recordOf(slots: readonly Slot[], root: string): readonly Alternative[] {
  const record = slots.find(({ field, fill }) => fill && field.name === 'catalog_record')
  if (!record) return []
  const by = [foaf('primaryTopic').value]
  const steps = [{ from: root, by, to: 'record', inverse: true as const }]
  return alternatives(record.site.children, { node: 'record', steps }, recordFrame)
}

/** The legislation of distributions makes a dataset a high-value one. */
function lawOf(slots: readonly Slot[], root: string): readonly Alternative[] {
  if (!slots.some(({ field, fill }) => fill && field.name === 'is_hvd')) return []
  const steps = [{ from: root, by: [distribution], to: 'covered' }]
  return taken({ node: 'covered', steps }, [legislation])
}

/** Everything that documents of a shape are made of, from its root; `more` = predicates that the builder itself reads. */
export const rootAlternatives = (
  slots: readonly Slot[],
  root: string,
  more: readonly string[] = [],
): readonly Alternative[] => [
  ...alternatives(slots, { node: root, steps: [] }, more),
  ...recordOf(slots, root),
  ...lawOf(slots, root),
]
