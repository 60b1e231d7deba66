/** Distributions as resources of their own inside the graph of their dataset: read, add, replace, remove. */

import { hash } from 'node:crypto'
import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import { canonicalise } from '../rdf/canonical.ts'
import { fromLines, toLines } from '../rdf/lines.ts'
import type { Names } from '../rdf/names.ts'
import { dcat, dct } from '../rdf/namespaces.ts'
import { closure, type Graph, graphOf, keyOf } from '../rdf/read.ts'
import { skolemise, unskolemise } from '../rdf/skolem.ts'
import { blankNode, namedNode, quad } from '../rdf/terms.ts'
import type { Mark } from '../store/marks.ts'
import { bind, loadQuery } from '../store/queries.ts'
import {
  distributionKeys,
  type DistributionKeys,
  distributionIdentifier,
  storedTwin,
} from './content/distribution-iris.ts'
import { classes, mergedGraphs, prune } from './content/own-content.ts'
import { blankAgain, rename } from './content/rename.ts'
import type { Precondition, ResourceBody, WriteContext, WriteOutcome } from './context.ts'
import { type DatasetPlace, editDataset } from './writing/dataset-edit.ts'

const graphsOf = loadQuery('distribution-datasets')

type DistributionPut = {
  readonly body: ResourceBody
  readonly precondition: Precondition
  readonly dataset: DatasetPlace
  /** Id of the distribution. */
  readonly id: string
}

export type Distributions = {
  /** Ids of the datasets whose graph holds the distribution; more than one only when direct writers made it so. */
  datasetsOf(id: string, signal: AbortSignal): Promise<readonly string[]>
  /** What describes it, skolemised, and the hash of that; `undefined` when the dataset has no such distribution. */
  read(
    dataset: string,
    id: string,
    signal: AbortSignal,
  ): Promise<{ readonly lines: string; readonly hash: string } | undefined>
  /** Fails with `already-exists`, `missing-class`, `ambiguous-subject`, `invalid-content` and as an edit does. */
  create(request: Omit<DistributionPut, 'id'>, signal: AbortSignal): Promise<WriteOutcome>
  /** Keeps the IRI, and the identifiers when the body has none; fails like `create` and with `unknown-distribution`. */
  replace(request: DistributionPut, signal: AbortSignal): Promise<WriteOutcome>
  remove(request: Omit<DistributionPut, 'body'>, signal: AbortSignal): Promise<Mark>
}

export const unknownDistribution = (id: string) =>
  new Failure('unknown-distribution', `there is no distribution "${id}"`)

export function distributions(deps: WriteContext): Distributions {
  const { store, names } = deps

  const datasetsOf: Distributions['datasetsOf'] = async (id, signal) => {
    const distribution = namedNode(names.distribution(id))
    const rows = await store.select(bind(graphsOf, { distribution }), signal)
    return rows.flatMap((row) => names.idOf('dataset', row['dataset']?.value ?? '') ?? []).sort()
  }

  const read: Distributions['read'] = async (dataset, id, signal) => {
    const text = await store.read(names.dataset(dataset), {}, signal)
    const iri = names.distribution(id)
    const quads = fromLines(text ?? '')
    if (!isThere(quads, iri)) return undefined
    const description = describeDistribution(graphOf(quads), iri, names)
    return { lines: toLines(description), hash: await descriptionHash(description, names) }
  }

  return {
    datasetsOf,
    read,
    create: (request, signal) => create(deps, request, signal),
    replace: (request, signal) => replace(deps, request, signal),
    remove: (request, signal) => remove(deps, request, signal),
  }
}

const isThere = (graph: readonly Quad[], iri: string): boolean =>
  graph.some(
    ({ subject, predicate, object }) =>
      subject.value === iri ||
      (object.value === iri && predicate.value === dcat('distribution').value),
  )

const linkOf = (dataset: string, distribution: string): Quad =>
  quad(namedNode(dataset), dcat('distribution'), namedNode(distribution))

/** Blank nodes get names under the distribution, so that they never meet those of another one. */
async function ground(
  { names, canonical }: WriteContext,
  quads: readonly Quad[],
  iri: string,
): Promise<Quad[]> {
  const { labels } = await canonicalise(quads, canonical)
  return skolemise(quads, { genid: names.genid(iri), labels })
}

async function create(
  deps: WriteContext,
  request: Omit<DistributionPut, 'id'>,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { names } = deps
  const iri = names.distribution(deps.uuid())
  const place = { iri, dataset: names.dataset(request.dataset.id) }
  const { quads, keys } = received(await request.body.parse(iri), place, names)
  const added = await ground(deps, [...quads, ...distributionIdentifier(keys, iri)], iri)
  const edit = async (graph: readonly Quad[]) => {
    const twin = storedTwin(keys, graph)
    if (twin !== undefined) throw alreadyExists(twin)
    request.precondition(undefined)
    const after = [...graph, linkOf(names.dataset(request.dataset.id), iri), ...added]
    return { graph: after, result: await hashIn(deps, after, iri) }
  }
  const { result: hash, ...written } = await editDataset(deps, request.dataset, edit, signal)
  const { catalogue } = request.dataset
  return { kind: 'created', iri, catalogue, hash, modified: undefined, ...written }
}

async function replace(
  deps: WriteContext,
  request: DistributionPut,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { names } = deps
  const iri = names.distribution(request.id)
  const place = { iri, dataset: names.dataset(request.dataset.id) }
  const { quads, keys } = received(await request.body.parse(iri), place, names)
  const edit = async (graph: readonly Quad[]) => {
    const { description, hash } = await stored(deps, graph, request)
    request.precondition(hash)
    const known = description.filter(
      (q) => q.subject.value === iri && q.predicate.value === dct('identifier').value,
    )
    const identifiers = known.length > 0 ? known : distributionIdentifier(keys, iri)
    const sent = keys.identifiers.length > 0 ? quads : [...quads, ...identifiers]
    const after = [...withoutOwn(graph, iri, description), ...(await ground(deps, sent, iri))]
    const next = await hashIn(deps, after, iri)
    return next === hash ? { result: hash } : { graph: after, result: next }
  }
  const { result: hash, ...written } = await editDataset(deps, request.dataset, edit, signal)
  const kind = written.mark ? 'updated' : 'unchanged'
  const { catalogue } = request.dataset
  return { kind, iri, catalogue, hash, modified: undefined, ...written }
}

async function remove(
  deps: WriteContext,
  request: Omit<DistributionPut, 'body'>,
  signal: AbortSignal,
): Promise<Mark> {
  const iri = deps.names.distribution(request.id)
  const edit = async (graph: readonly Quad[]) => {
    const { description, hash } = await stored(deps, graph, request)
    request.precondition(hash)
    const isLink = ({ predicate, object }: Quad) =>
      object.value === iri && predicate.value === dcat('distribution').value
    const rest = withoutOwn(graph, iri, description).filter((q) => !isLink(q))
    return { graph: rest, result: undefined }
  }
  const { mark } = await editDataset(deps, request.dataset, edit, signal)
  if (!mark) throw new Error('a removal is a change')
  return mark
}

/** What the graph says of the distribution under the lock; fails when it has gone meanwhile. */
async function stored(
  { names }: WriteContext,
  graph: readonly Quad[],
  { id }: Pick<DistributionPut, 'id'>,
) {
  const iri = names.distribution(id)
  if (!isThere(graph, iri)) throw unknownDistribution(id)
  const description = describeDistribution(graphOf(graph), iri, names)
  return { description, hash: await descriptionHash(description, names) }
}

const hashIn = ({ names }: WriteContext, graph: readonly Quad[], iri: string): Promise<string> =>
  descriptionHash(describeDistribution(graphOf(graph), iri, names), names)

const alreadyExists = (iri: string) =>
  new Failure('already-exists', `the dataset has this distribution already: ${iri}`)

// What describes a distribution inside its dataset's graph, and what of that goes when the distribution goes.

/** The IRIs of the distributions that a dataset links, ordered by code point. */
export function linkedDistributions(graph: Graph, dataset: string): string[] {
  const linked = graph.objects(dataset, dcat('distribution'))
  return [...new Set(linked.map((term) => term.value))].sort()
}

/**
 * The triples of the distribution and of every described node that it leads to: blank nodes, licences, formats. The walk ends
 * at other resources of the platform, so neither the dataset nor its other distributions come along.
 */
export function describeDistribution(graph: Graph, distribution: string, names: Names): Quad[] {
  const isOther = (iri: string) => names.owns(iri) && !iri.startsWith(names.genidPrefix)
  return closure(
    graph,
    distribution,
    ({ object }) => object.termType === 'NamedNode' && !isOther(object.value),
  )
}

/**
 * The hash of a description: the distribution's entity tag. It does not depend on the names that blank nodes have in the store,
 * except where a write was allowed more work than a read shall cost.
 */
async function descriptionHash(
  description: readonly Quad[],
  { genidPrefix }: Names,
): Promise<string> {
  try {
    return (await canonicalise(unskolemise(description, { prefix: genidPrefix }))).hash
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'too-complex') throw error
    return hash('sha256', toLines(description), 'hex')
  }
}

/**
 * The graph without the distribution's own triples: of its description, all but the nodes that something outside refers to,
 * such as a licence that two distributions have, and what these lead to.
 */
function withoutOwn(
  quads: readonly Quad[],
  distribution: string,
  description: readonly Quad[],
): Quad[] {
  const described = new Set(description.map((q) => keyOf(q.subject)))
  const kept = new Set<string>()
  for (const q of quads) {
    const object = keyOf(q.object)
    if (!described.has(keyOf(q.subject)) && described.has(object)) kept.add(object)
  }
  kept.delete(distribution)
  const about = Map.groupBy(description, (q) => keyOf(q.subject))
  // The set grows while it is walked.
  for (const node of kept) {
    for (const q of about.get(node) ?? []) {
      const object = keyOf(q.object)
      if (described.has(object) && object !== distribution) kept.add(object)
    }
  }
  return quads.filter(({ subject }) => {
    const node = keyOf(subject)
    return !described.has(node) || kept.has(node)
  })
}

// A distribution out of a body: one node under the platform's IRI, with what it leads to and nothing else.

type Received = {
  /** The description with the distribution under its platform IRI; blank nodes are still blank. */
  readonly quads: readonly Quad[]
  /** The keys under which it came. */
  readonly keys: DistributionKeys
}

/** The platform's IRIs of a distribution and of the dataset that it is in. */
type Place = { readonly iri: string; readonly dataset: string }

/**
 * Takes the one `dcat:Distribution` out of a body that was parsed with the platform's `iri` as base. Of several the one with
 * that IRI counts. Fails with `missing-class` or `ambiguous-subject`.
 */
function received(body: readonly Quad[], { iri, dataset }: Place, names: Names): Received {
  const merged = mergedGraphs(body)
  const node = distributionNode(classes(merged).of('Distribution'), iri)
  // Blank nodes that came with the dataset have names below it.
  const quads = blankAgain(merged, names, [iri, keyOf(node), dataset])
  const kinds = classes(quads)
  const others = kinds.of('Dataset', 'DatasetSeries', 'Catalog', 'CatalogRecord', 'Distribution')
  const self = keyOf(node)
  const isOther = (key: string) => key !== self && (others.has(key) || names.owns(key))
  const own = prune(quads, (q) => isOther(keyOf(q.subject)))
  const description = closure(graphOf(own), node, ({ object }) => object.termType === 'NamedNode')
  const [keys] = distributionKeys(description, new Map([[self, node]]))
  if (!keys) throw new Error('a node has keys')
  return {
    quads: rename(description, new Map([[self, iri]])),
    // What the body calls <> has no name of its own to be known by.
    keys: self === iri ? { ...keys, node: blankNode() } : keys,
  }
}

function distributionNode(found: ReadonlyMap<string, Term>, iri: string): Term {
  const nodes = [...found.values()]
  const node = found.get(iri) ?? (nodes.length === 1 ? nodes[0] : undefined)
  if (node) return node
  if (nodes.length === 0) {
    throw new Failure('missing-class', 'the body describes no dcat:Distribution')
  }
  const detail = `the body describes ${nodes.length} distributions; send them one by one`
  throw new Failure('ambiguous-subject', detail, {
    errors: nodes.slice(0, 20).map((one) => ({ detail: keyOf(one).slice(0, 200) })),
  })
}
