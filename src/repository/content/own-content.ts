/**
 * What of a body is the own content of a dataset, a catalogue or a resource of a declared type, and which node is its subject, so
 * that no body can describe another resource of the platform.
 */

import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { Names } from '../../rdf/names.ts'
import { dcat, dct, dqv, rdf } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { blankAgain } from './rename.ts'

const distribution = dcat('distribution').value
const metadata = dqv('QualityMetadata').value

/** All graphs of a body as one, but for graphs that hold quality metadata: metrics are written at their own address. */
export function mergedGraphs(quads: readonly Quad[]): readonly Quad[] {
  const metrics = new Set(
    quads
      .filter((q) => q.object.value === metadata && q.graph.termType !== 'DefaultGraph')
      .map((q) => q.graph.value),
  )
  return metrics.size === 0 ? quads : quads.filter((q) => !metrics.has(q.graph.value))
}

/**
 * The body without catalogues, records and statements about other resources of the platform. Distributions may keep platform
 * IRIs, also when only a sample link leads to them: each gets an IRI of this dataset afterwards, whatever it came with.
 */
export function ownContent(body: readonly Quad[], dataset: Term, names: Names): Quad[] {
  const own = ownNodes(body, keyOf(dataset))
  const quads = blankAgain(body, names, own)
  const frames = classes(quads).of('Catalog', 'CatalogRecord')
  const foreign = (node: Term) =>
    node.termType === 'NamedNode' && names.owns(node.value) && !own.has(node.value)
  return prune(quads, (q) => frames.has(keyOf(q.subject)) || foreign(q.subject))
}

/** Keys of the dataset and its distributions. */
function ownNodes(quads: readonly Quad[], self: string): ReadonlySet<string> {
  const own = new Set([self, ...classes(quads).of('Distribution').keys()])
  for (const q of quads) {
    if (keyOf(q.subject) === self && q.predicate.value === distribution) own.add(keyOf(q.object))
  }
  return own
}

// Finds the one dataset that a body is about.

type Wanted = { readonly iri: string; readonly originalId: string }

/**
 * The root dataset: typed `dcat:Dataset` or `dcat:DatasetSeries`, with no other subject pointing to it (links from catalogues
 * and records do not count). Several roots: the platform IRI, then the original id as `dct:identifier`, then as IRI decides.
 * Fails with `missing-class` or `ambiguous-subject`.
 */
export function datasetNode(quads: readonly Quad[], wanted: Wanted): Term {
  const kinds = classes(quads)
  const nodes = kinds.of('Dataset', 'DatasetSeries')
  const frames = kinds.of('Catalog', 'CatalogRecord')
  const words = { class: 'dcat:Dataset', many: 'datasets', instead }
  return rootNode(quads, { nodes, frames }, { ...wanted, ...words })
}

/** How many datasets of one body are written. */
const instead = 'or all together by a PUT to /catalogues/{catalogueId}/datasets/bulk'

/** What a body shall describe, and the words for it. */
type WantedClass = Wanted & {
  readonly class: string
  readonly many: string
  /** Another way than to send several one by one, if there is one. */
  readonly instead?: string
}

type Nodes = {
  /** Those of the class, by their keys. */
  readonly nodes: ReadonlyMap<string, Term>
  /** Those whose links do not count. */
  readonly frames: ReadonlyMap<string, Term>
}

/** The same choice among the nodes of any class. */
function rootNode(quads: readonly Quad[], { nodes, frames }: Nodes, wanted: WantedClass): Term {
  if (nodes.size === 0) {
    throw new Failure('missing-class', `the body describes no ${wanted.class}`)
  }
  const pointedTo = new Set(
    quads
      .filter((q) => !frames.has(keyOf(q.subject)) && keyOf(q.subject) !== keyOf(q.object))
      .map((q) => keyOf(q.object)),
  )
  const roots = [...nodes].filter(([key]) => !pointedTo.has(key)).map(([, node]) => node)
  const candidates = roots.length > 0 ? roots : [...nodes.values()]
  const only = candidates.length === 1 ? candidates[0] : undefined
  return only ?? chosen(quads, candidates, wanted)
}

function chosen(quads: readonly Quad[], candidates: readonly Term[], wanted: WantedClass): Term {
  const identifier = dct('identifier').value
  const identified = new Set(
    quads
      .filter((q) => q.predicate.value === identifier && q.object.value === wanted.originalId)
      .map((q) => keyOf(q.subject)),
  )
  const found =
    candidates.find((node) => keyOf(node) === wanted.iri) ??
    candidates.find((node) => identified.has(keyOf(node))) ??
    candidates.find((node) => keyOf(node) === wanted.originalId)
  if (found) return found
  const names = candidates.map(keyOf).sort()
  const hint = wanted.instead === undefined ? '' : `, ${wanted.instead}`
  throw new Failure(
    'ambiguous-subject',
    `the body describes ${candidates.length} ${wanted.many} and none of them is named by the original id; send them one by one${hint}`,
    { errors: names.slice(0, 20).map((name) => ({ detail: name.slice(0, 200) })) },
  )
}

// What of a catalogue body is the catalogue's own: its metadata, without links to datasets and their descriptions.

const links = new Set([dcat('dataset').value, dcat('record').value])
const parts = new Set([dct('hasPart').value, dcat('catalog').value])

/**
 * The one root catalogue of a body; a sub catalogue that another one names by `dct:hasPart` or `dcat:catalog` does not count.
 * Fails with `missing-class` or `ambiguous-subject`.
 */
export function catalogueNode(quads: readonly Quad[], iri: string): Term {
  const all = classes(quads).of('Catalog')
  const sub = new Set(quads.filter((q) => parts.has(q.predicate.value)).map((q) => keyOf(q.object)))
  const roots = [...all].filter(([key]) => !sub.has(key)).map(([, node]) => node)
  const candidates = roots.length > 0 ? roots : [...all.values()]
  const found =
    candidates.length === 1 ? candidates[0] : candidates.find((node) => keyOf(node) === iri)
  if (found) return found
  if (candidates.length === 0)
    throw new Failure('missing-class', 'the body describes no dcat:Catalog')
  throw new Failure(
    'ambiguous-subject',
    `the body describes ${candidates.length} catalogues that are not part of each other`,
    {
      errors: candidates.slice(0, 20).map((node) => ({ detail: keyOf(node).slice(0, 200) })),
    },
  )
}

/** The body without links to datasets and records, their descriptions, and statements about the platform's other resources. */
export function catalogueContent(body: readonly Quad[], catalogue: Term, names: Names): Quad[] {
  const self = keyOf(catalogue)
  const quads = blankAgain(body, names, [self])
  const others = classes(quads).of('Dataset', 'DatasetSeries', 'Distribution', 'CatalogRecord')
  const foreign = (node: Term) =>
    node.termType === 'NamedNode' && names.owns(node.value) && node.value !== self
  return prune(
    quads,
    (q) =>
      // Of sub catalogues too: what they hold is told where they are put.
      links.has(q.predicate.value) || others.has(keyOf(q.subject)) || foreign(q.subject),
  )
}

// What of a body is a resource of a declared type, so that no body can describe another resource of the platform.

type WantedResource = {
  readonly typeUri: string
  readonly id: string
  readonly iri: string
}

/**
 * The one node of the type's class that nothing else points to; several: the platform IRI, then the id as `dct:identifier`,
 * then as IRI decides. Fails with `missing-class` or `ambiguous-subject`.
 */
export function resourceNode(quads: readonly Quad[], { typeUri, id, iri }: WantedResource): Term {
  const kinds = classes(quads)
  const nodes = kinds.ofClass(typeUri)
  const frames = new Map(kinds.of('Catalog', 'CatalogRecord'))
  // A declared class may be one of these, and then they are no frames.
  for (const key of nodes.keys()) frames.delete(key)
  const wanted = { iri, originalId: id, class: `<${typeUri}>`, many: `<${typeUri}>` }
  return rootNode(quads, { nodes, frames }, wanted)
}

/** The body without catalogues, records and statements about other resources of the platform. */
export function resourceContent(
  body: readonly Quad[],
  node: Term,
  { names, iri }: { readonly names: Names; readonly iri: string },
): Quad[] {
  const self = keyOf(node)
  const quads = blankAgain(body, names, [self])
  const frames = classes(quads).of('Catalog', 'CatalogRecord')
  const isOther = ({ subject }: Quad) =>
    keyOf(subject) !== self && (frames.has(keyOf(subject)) || isForeign(names, subject, iri))
  return prune(quads, isOther)
}

/** Whether a node is the platform's and not below this resource, against which a body is resolved. */
const isForeign = (names: Names, node: Term, iri: string): boolean =>
  node.termType === 'NamedNode' && names.owns(node.value) && !node.value.startsWith(`${iri}#`)

// Which nodes of a body are what: a few questions about `rdf:type`, asked once per body.

const type = rdf('type').value

type Classes = {
  /** Keys of the subjects that have one of the classes. */
  of(...names: string[]): ReadonlyMap<string, Term>
  /** The same for one class by its IRI. */
  ofClass(iri: string): ReadonlyMap<string, Term>
}

/** Reads the types of all subjects; `of('Dataset')` takes local names of the DCAT namespace. */
export function classes(quads: readonly Quad[]): Classes {
  const members = new Map<string, Map<string, Term>>()
  for (const quad of quads) {
    if (quad.predicate.value !== type) continue
    const known = members.get(quad.object.value) ?? new Map<string, Term>()
    known.set(keyOf(quad.subject), quad.subject)
    members.set(quad.object.value, known)
  }
  return {
    ofClass: (iri) => members.get(iri) ?? new Map(),
    of: (...names) => new Map(names.flatMap((name) => [...(members.get(dcat(name).value) ?? [])])),
  }
}

// Removes what a write must not carry: named subjects, and the blank nodes that hung on them alone.

const blankObject = (quad: Quad): string | undefined =>
  quad.object.termType === 'BlankNode' ? keyOf(quad.object) : undefined

/**
 * The quads without those that `drop` names, and without blank nodes that only dropped quads pointed to. Blank nodes that
 * nothing pointed to in the first place stay: they are the sender's. Linear in the number of quads.
 */
export function prune(quads: readonly Quad[], drop: (quad: Quad) => boolean): Quad[] {
  const gone = quads.filter(drop)
  if (gone.length === 0) return [...quads]
  const dropped = new Set(gone)
  const about = new Map<string, Quad[]>()
  const references = new Map<string, number>()
  for (const quad of quads) {
    if (dropped.has(quad)) continue
    const object = blankObject(quad)
    if (object !== undefined) references.set(object, (references.get(object) ?? 0) + 1)
    if (quad.subject.termType !== 'BlankNode') continue
    const key = keyOf(quad.subject)
    const known = about.get(key)
    if (known) known.push(quad)
    else about.set(key, [quad])
  }
  // The list grows while it is walked: what a dropped node pointed to may have lost its last reference.
  for (const quad of gone) {
    const object = blankObject(quad)
    if (object === undefined || (references.get(object) ?? 0) > 0) continue
    for (const below of about.get(object) ?? []) {
      if (dropped.has(below)) continue
      dropped.add(below)
      gone.push(below)
      const next = blankObject(below)
      if (next !== undefined) references.set(next, (references.get(next) ?? 1) - 1)
    }
  }
  return quads.filter((quad) => !dropped.has(quad))
}
