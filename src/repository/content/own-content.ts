/**
 * Finds the dataset, catalogue or resource of a declared type that the body of a write describes, and selects the statements that
 * are stored in its graph (its own content), so that no write can describe another resource of the platform.
 */

import type { Quad, Term, NamedNode, Quad_Object } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { canonicalise, type CanonicalBounds } from '../../rdf/canonical.ts'
import type { Names } from '../../rdf/names.ts'
import { dcat, dct, dqv, rdf, adms, foaf, prov } from '../../rdf/namespaces.ts'
import { NodeKinds } from '../../rdf/node-kinds.ts'
import { keyOf } from '../../rdf/read.ts'
import { keptLabels, skolemise, unskolemise } from '../../rdf/skolem.ts'
import { inDefaultGraph, namedNode, quad } from '../../rdf/terms.ts'

const [type, identifier, distribution, metadata] = [
  rdf('type').value,
  dct('identifier').value,
  dcat('distribution').value,
  dqv('QualityMetadata').value,
]

/** Own content of a resource, and its canonical form (RDFC-1.0); independent of the stored state. */
export type OwnContent = {
  /** The resource, as the body names it. */
  readonly node: Term
  readonly statements: readonly Quad[]
  /** SHA-256 of the canonical form, in hex. */
  readonly hash: string
  /** Canonical labels of the blank nodes, by their labels in the body. */
  readonly labels: ReadonlyMap<string, string>
}

/** Limits of a body: number of triples, and the cost of its canonical form. */
type ContentBounds = { readonly triples: number; readonly canonical?: CanonicalBounds }

/** Makes the canonical form; nodes of `known` keep their labels. Fails with `too-large`, `too-complex` and `invalid-content`. */
export async function canonicalContent(
  { triples, canonical }: ContentBounds,
  content: Pick<OwnContent, 'node' | 'statements'>,
  known: ReadonlyMap<string, string> = new Map(),
): Promise<OwnContent> {
  requireStatements(content)
  if (content.statements.length > triples) throw tooManyTriples(content.statements.length, triples)
  const { hash, labels } = await canonicalise(content.statements, canonical)
  return { ...content, hash, labels: keptLabels(labels, { known }) }
}

/** Throws `invalid-content` when a write would store nothing about the node; clients have to delete a resource instead. */
export function requireStatements({
  node,
  statements,
}: Pick<OwnContent, 'node' | 'statements'>): void {
  const key = keyOf(node)
  if (statements.some(({ subject }) => keyOf(subject) === key)) return
  const detail = `none of the statements about ${key.slice(0, 200)} can be stored: check its types and the names of its graphs`
  throw new Failure('invalid-content', detail)
}

/** Makes the failure `too-large`; `times` is the factor of the limit in words, with a blank at its end (`5 times the `). */
export const tooManyTriples = (count: number, max: number, times = '') =>
  new Failure(
    'too-large',
    `${count} triples, at most ${max} are allowed (${times}limit "triples" of PLATFORM_LIMITS)`,
  )

/** Makes the content as it is stored: the node under the platform's IRI, blank nodes as skolem IRIs. */
export const skolemisedContent = (
  names: Names,
  iri: string,
  { node, statements, labels }: OwnContent,
) =>
  skolemise(rename(statements, new Map([[keyOf(node), iri]])), { genid: names.genid(iri), labels })

/** Returns the quads of all graphs but those with quality metadata, which have their own address; names of graphs stay. */
export function mergedGraphs(quads: readonly Quad[]): readonly Quad[] {
  const typed = quads.filter(
    (q) => q.object.value === metadata && q.graph.termType !== 'DefaultGraph',
  )
  if (typed.length === 0) return quads
  // A dataset that has this type as well is still a dataset.
  const datasets = new NodeKinds(quads).typed('dataset')
  const others = typed.filter(({ subject }) => !datasets.has(keyOf(subject)))
  const metrics = new Set(others.map((q) => q.graph.value))
  return metrics.size === 0 ? quads : quads.filter((q) => !metrics.has(q.graph.value))
}

/**
 * Selects the catalogues and records of a body, except those in `resourceKeys`. A catalogue that is also a publisher (an agent)
 * is kept, without its links to datasets and records.
 */
function cataloguesAndRecords(kinds: NodeKinds, resourceKeys: ReadonlySet<string>): ForeignParts {
  const nodes = kinds.of('catalogue', 'record')
  const agents = new Set<string>()
  for (const key of nodes.keys()) {
    if (resourceKeys.has(key)) nodes.delete(key)
    else if (kinds.isAgent(key) && nodes.delete(key)) agents.add(key)
  }
  const isLink = (q: Quad) => memberLinks.has(q.predicate.value) && agents.has(keyOf(q.subject))
  return { isOther: (key) => nodes.has(key), isLink }
}

/**
 * Returns the body without catalogues, records and statements about other resources of the platform. Distributions may keep
 * platform IRIs, also typed ones that only a sample link leads to: each gets an IRI of this dataset afterwards.
 */
export function ownContent(body: readonly Quad[], dataset: Term, names: Names): Quad[] {
  const datasetKey = keyOf(dataset)
  const resourceKeys = new Set([datasetKey, ...new NodeKinds(body).typed('distribution').keys()])
  for (const q of body)
    if (keyOf(q.subject) === datasetKey && q.predicate.value === distribution)
      resourceKeys.add(keyOf(q.object))
  return ownQuads(body, names, { resourceKeys, foreignParts: cataloguesAndRecords })
}

const memberLinks = new Set([dcat('dataset').value, dcat('record').value])

/** Returns the body without datasets, distributions, records (agents stay), links to members, and other platform resources. */
export function catalogueContent(body: readonly Quad[], catalogue: Term, names: Names): Quad[] {
  const resourceKeys = new Set([keyOf(catalogue)])
  const foreignParts = (kinds: NodeKinds): ForeignParts => {
    const others = kinds.of('dataset', 'distribution', 'record')
    return {
      isOther: (key) => others.has(key) && !resourceKeys.has(key) && !kinds.isAgent(key),
      // For sub-catalogues too: their members are stated by their own writes.
      isLink: ({ predicate }) => memberLinks.has(predicate.value),
    }
  }
  return ownQuads(body, names, { resourceKeys, foreignParts })
}

/** Returns the body without catalogues, records and statements about other platform resources, except those below `{iri}#`. */
export const resourceContent = (
  body: readonly Quad[],
  node: Term,
  { names, iri }: { readonly names: Names; readonly iri: string },
): Quad[] =>
  ownQuads(body, names, {
    resourceKeys: new Set([keyOf(node)]),
    foreignParts: cataloguesAndRecords,
    within: `${iri}#`,
  })

/** Parts of a body that are not stored with its resource: descriptions of other nodes, by key, and single statements (links). */
type ForeignParts = {
  readonly isOther: (key: string) => boolean
  readonly isLink: (quad: Quad) => boolean
}

/** Rules that separate the own content of a kind of resource from the rest of a body. */
type ContentRules = {
  /** Keys of the nodes that are the resource's own, whatever their IRI. */
  readonly resourceKeys: ReadonlySet<string>
  readonly foreignParts: (kinds: NodeKinds, resourceKeys: ReadonlySet<string>) => ForeignParts
  /** Platform IRIs that begin with this are the resource's own too. */
  readonly within?: string
}

/** Filters the own content for all kinds; blank nodes that only dropped statements referred to are dropped, too. */
function ownQuads(
  body: readonly Quad[],
  names: Names,
  { resourceKeys, foreignParts, within }: ContentRules,
): Quad[] {
  const quads = restoreBlankNodes(body, names, resourceKeys)
  const { isOther, isLink } = foreignParts(new NodeKinds(quads), resourceKeys)
  const isForeign = ({ termType, value }: Term) =>
    termType === 'NamedNode' &&
    names.owns(value) &&
    !resourceKeys.has(value) &&
    !(within !== undefined && value.startsWith(within))
  return prune(quads, (q) => isLink(q) || isOther(keyOf(q.subject)) || isForeign(q.subject))
}

// Search for the resource that a body describes.

/** Platform IRI and original id of the wanted resource, and the names of its class in messages. */
type RootCriteria = {
  readonly iri: string
  readonly originalId: string
  readonly class: string
  readonly plural: string
  /** Alternative to sending several resources one by one, if there is one. */
  readonly alternative?: string
}

/** Nodes of a body among which the root is searched. */
type CandidateNodes = {
  /** Nodes of the class by their keys. */
  readonly nodes: ReadonlyMap<string, Term>
  readonly kinds: NodeKinds
}

/**
 * Finds the root dataset: typed `dcat:Dataset` or `dcat:DatasetSeries`, with no other subject pointing to it (links from
 * catalogues and records do not count). Of several roots, and of datasets that `dcat:dataset` names, the platform IRI decides,
 * else the original id as `dct:identifier`, else as IRI. Fails with `missing-class` or `ambiguous-subject`.
 */
export function datasetNode(
  quads: readonly Quad[],
  { iri, originalId }: Pick<RootCriteria, 'iri' | 'originalId'>,
): Term {
  const kinds = new NodeKinds(quads)
  const nodes = kinds.datasets()
  const alternative = ', or all together by a PUT to /catalogues/{catalogueId}/datasets/bulk'
  const criteria = { iri, originalId, class: 'dcat:Dataset', plural: 'datasets', alternative }
  return rootNode(quads, { nodes, kinds }, criteria)
}

/** Finds the node of a declared type's class that no other subject points to; of several, the rules of `datasetNode` decide. */
export function resourceNode(
  quads: readonly Quad[],
  { typeUri, id, iri }: { readonly typeUri: string; readonly id: string; readonly iri: string },
): Term {
  const typed = quads.filter((q) => q.predicate.value === type && q.object.value === typeUri)
  const nodes = new Map(typed.map(({ subject }) => [keyOf(subject), subject]))
  const criteria = { iri, originalId: id, class: `<${typeUri}>`, plural: `<${typeUri}>` }
  return rootNode(quads, { nodes, kinds: new NodeKinds(quads) }, criteria)
}

/**
 * Finds the node that the request names, among those that no other points to and those that `dcat:dataset` names; else the only
 * one that no other points to. Links from catalogues and records do not count.
 */
function rootNode(
  quads: readonly Quad[],
  { nodes, kinds }: CandidateNodes,
  criteria: RootCriteria,
): Term {
  // Catalogues and records link the resource that a body describes without being described by it.
  const wrappers = kinds.of('catalogue', 'record')
  const pointing = quads.filter(({ subject, object }) => {
    const key = keyOf(subject)
    // The class that is searched for may be one of catalogues or records; their links count then.
    return (nodes.has(key) || !wrappers.has(key)) && key !== keyOf(object)
  })
  const candidates = roots(nodes, new Set(pointing.map((q) => keyOf(q.object))), criteria.class)
  const identified = new Set(
    quads
      .filter((q) => q.predicate.value === identifier && q.object.value === criteria.originalId)
      .map((q) => keyOf(q.subject)),
  )
  const listed = [...nodes].flatMap(([key, node]) => (kinds.isListed(key) ? node : []))
  const named = [...candidates, ...listed]
  const root =
    named.find((node) => keyOf(node) === criteria.iri) ??
    named.find((node) => identified.has(keyOf(node))) ??
    named.find((node) => keyOf(node) === criteria.originalId) ??
    (candidates.length === 1 ? candidates[0] : undefined)
  const { plural, alternative = '' } = criteria
  const why = `${plural} and none of them is named by the original id; send them one by one${alternative}`
  return root ?? throwAmbiguous(candidates.map(keyOf).sort(), why)
}

const partPredicates = new Set([dct('hasPart').value, dcat('catalog').value])

/**
 * Finds the root catalogue of a body, of several the one with `iri`; a sub-catalogue that `dct:hasPart` or `dcat:catalog` names
 * does not count. Fails with `missing-class` or `ambiguous-subject`.
 */
export function catalogueNode(quads: readonly Quad[], iri: string): Term {
  const subCatalogues = new Set(
    quads.filter((q) => partPredicates.has(q.predicate.value)).map((q) => keyOf(q.object)),
  )
  const kinds = new NodeKinds(quads)
  const typed = kinds.typed('catalogue')
  // A dataset that another catalogue lists is a dataset there, also when it has both types.
  const isDataset = (key: string) => kinds.kind(key) === 'dataset' && kinds.isListed(key)
  const nodes = new Map([...typed].filter(([key]) => !isDataset(key)))
  const candidates = roots(nodes.size > 0 ? nodes : typed, subCatalogues, 'dcat:Catalog')
  const root =
    candidates.length === 1 ? candidates[0] : candidates.find((node) => keyOf(node) === iri)
  return root ?? throwAmbiguous(candidates.map(keyOf), 'catalogues that are not part of each other')
}

/** Returns the nodes whose keys are not in `below`, or all when each is (a circle); fails with `missing-class` without nodes. */
function roots(
  nodes: ReadonlyMap<string, Term>,
  below: ReadonlySet<string>,
  className: string,
): Term[] {
  if (nodes.size === 0) throw new Failure('missing-class', `the body describes no ${className}`)
  const topNodes = [...nodes].filter(([key]) => !below.has(key)).map(([, node]) => node)
  return topNodes.length > 0 ? topNodes : [...nodes.values()]
}

/** Throws `ambiguous-subject`; `keys` are those of the candidates, `why` ends the message. */
export function throwAmbiguous(keys: readonly string[], why: string): never {
  throw new Failure('ambiguous-subject', `the body describes ${keys.length} ${why}`, {
    errors: keys.slice(0, 20).map((key) => ({ detail: key.slice(0, 200) })),
  })
}

// Removal of statements that a write must not contain: named subjects, and blank nodes that only they referred to.

/** Returns the key of the blank node that a triple points to; only such a node can lose its last reference. */
const blankObject = (quad: Quad): string | undefined =>
  quad.object.termType === 'BlankNode' ? keyOf(quad.object) : undefined

/**
 * Returns the quads without those that `drop` selects, and without blank nodes that only dropped quads pointed to. Blank nodes
 * without any reference are kept. Linear in the number of quads.
 */
export function prune(quads: readonly Quad[], drop: (quad: Quad) => boolean): Quad[] {
  const queue = quads.filter(drop)
  if (queue.length === 0) return [...quads]
  const dropped = new Set(queue)
  const about = new Map<string, Quad[]>()
  const references = new Map<string, number>()
  for (const quad of quads) {
    if (dropped.has(quad)) continue
    const object = blankObject(quad)
    if (object !== undefined) references.set(object, (references.get(object) ?? 0) + 1)
    if (quad.subject.termType !== 'BlankNode') continue
    const key = keyOf(quad.subject)
    const list = about.get(key)
    if (list) list.push(quad)
    else about.set(key, [quad])
  }
  // The list grows while it is iterated: the objects of a dropped node may have lost their last reference.
  for (const quad of queue) {
    const object = blankObject(quad)
    if (object === undefined || (references.get(object) ?? 0) > 0) continue
    for (const statement of about.get(object) ?? []) {
      if (dropped.has(statement)) continue
      dropped.add(statement)
      queue.push(statement)
      const next = blankObject(statement)
      if (next !== undefined) references.set(next, (references.get(next) ?? 1) - 1)
    }
  }
  return quads.filter((quad) => !dropped.has(quad))
}

// Renames nodes of a body: as subjects, and as objects where a predicate points to a node and not to an address.

/**
 * Predicates whose objects are renamed together with the node that they name, each with its reason. Sources often name a
 * distribution by the URL that it gives and a dataset by its landing page: the object of any other predicate may be that
 * address, and stays as sent.
 */
const structure: readonly (readonly [predicate: NamedNode, reason: string])[] = [
  [dcat('distribution'), 'a dataset holds its distributions'],
  [adms('sample'), 'a sample is a distribution of its dataset'],
  [dcat('dataset'), 'a catalogue lists its datasets'],
  [dcat('catalog'), 'a catalogue lists its sub-catalogues'],
  [foaf('primaryTopic'), 'a catalogue record describes one resource'],
  [dcat('servesDataset'), 'a data service serves datasets'],
  [dcat('inSeries'), 'a dataset is in a series'],
  [dct('hasPart'), 'resources consist of resources'],
  [dct('isPartOf'), 'resources are parts of resources'],
  [dct('hasVersion'), 'a resource has versions'],
  [dct('isVersionOf'), 'a resource is a version of another'],
  [dcat('hasVersion'), 'the same in DCAT 3'],
  [dct('relation'), 'resources are related to resources'],
  [dct('source'), 'a resource is derived from another'],
  [dct('replaces'), 'a resource replaces another'],
  [prov('entity'), 'a qualified derivation or attribution refers to a resource'],
  [dqv('hasQualityMetadata'), 'a resource has a graph of quality metadata'],
]

const structural: ReadonlySet<string> = new Set(structure.map(([{ value }]) => value))

/** Tells whether the objects of a predicate are nodes that may be renamed, and never addresses. */
export const isStructural = (predicate: string): boolean => structural.has(predicate)

/**
 * Renames nodes (`iris`: key → IRI): subjects, blank nodes, and objects of structural predicates. The result has no graph names.
 */
export function rename(quads: readonly Quad[], iris: ReadonlyMap<string, string>): Quad[] {
  const nodes = new Map([...iris].map(([key, iri]) => [key, namedNode(iri)]))
  const renamed = <T extends Term>(term: T): T | NamedNode => nodes.get(keyOf(term)) ?? term
  const isRenamed = ({ predicate, object: { termType } }: Quad) =>
    termType === 'BlankNode' || (termType === 'NamedNode' && isStructural(predicate.value))
  return quads.map((q) => {
    const subject = renamed(q.subject)
    const object = isRenamed(q) ? renamed<Quad_Object>(q.object) : q.object
    const isSame = subject === q.subject && object === q.object
    return isSame ? inDefaultGraph(q) : quad(subject, q.predicate, object)
  })
}

/**
 * Replaces the skolem IRIs of `owners` by blank nodes (RDF 1.1 Concepts, 3.5), so that a stored graph that is read and sent back
 * equals the original body. Those of other resources are kept and dropped by later filters.
 */
export function restoreBlankNodes(
  quads: readonly Quad[],
  names: Names,
  owners: Iterable<string>,
): readonly Quad[] {
  const { genidPrefix: prefix } = names
  const isNode = ({ termType, value }: Term) => termType === 'NamedNode' && value.startsWith(prefix)
  if (!quads.some(({ subject, object }) => isNode(subject) || isNode(object))) return quads
  const resources = new Set(owners)
  const genids = new Set([...resources].map((iri) => names.genid(iri)))
  const isReplaced = (iri: string) =>
    genids.has(iri.slice(0, iri.indexOf('/', prefix.length) + 1)) && !resources.has(iri)
  return unskolemise(quads, { prefix, isReplaced })
}
