/**
 * Endpoints of one distribution: read, add, replace, remove. A distribution is stored in the graph of its dataset, whose
 * catalogue decides on permissions.
 */

import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { anyone, mayCallFor } from '../../http/endpoint.ts'
import { sizedAnswer } from '../../http/long-answers.ts'
import { canonicalise, canonicalLabels } from '../../rdf/canonical.ts'
import { readLines, toLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { adms, dcat, dct } from '../../rdf/namespaces.ts'
import { NodeKinds } from '../../rdf/node-kinds.ts'
import { closure, type Graph, graphOf, keyOf } from '../../rdf/read.ts'
import { skolemise, unskolemise } from '../../rdf/skolem.ts'
import { blankNode, namedNode, quad } from '../../rdf/terms.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import {
  distributionKeys,
  type DistributionKeys,
  distributionIdentifier,
  findStoredDistribution,
} from '../content/distribution-iris.ts'
import {
  throwAmbiguous,
  requireStatements,
  mergedGraphs,
  prune,
  restoreBlankNodes,
  rename,
} from '../content/own-content.ts'
import type { Precondition, RepositoryContext, WriteOutcome } from '../repository-context.ts'
import { contract, repositoryEndpoint } from '../endpoints/contract.ts'
import { answerDelete, answerStoredGraph } from '../endpoints/responses.ts'
import {
  expectedState,
  locateDataset,
  mayWriteDataset,
  oncePerRequest,
  pathId,
  respondToWrite,
  suffixedId,
  type WriteRequest,
} from '../endpoints/requests.ts'
import { editDataset, type DatasetPlace } from '../writing/write-datasets.ts'
import { findById } from '../writing/find-datasets.ts'

const { answers, bodies, parameters } = contract

const datasetsQuery = loadQuery('distribution-datasets')

const unknownDistribution = (id: string) =>
  new Failure('unknown-distribution', `there is no distribution "${id}"`)

/** Returns the id of the dataset with the distribution, the smallest of several; fails with `unknown-distribution`. */
async function datasetOf(
  { store, names }: RepositoryContext,
  id: string,
  signal: AbortSignal,
): Promise<string> {
  const distribution = namedNode(names.distribution(id))
  const rows = await store.select(bind(datasetsQuery, { distribution }), signal)
  const ids = rows.flatMap(({ dataset }) => names.idOf('dataset', dataset?.value ?? '') ?? [])
  const [first] = ids.sort()
  if (first === undefined) throw unknownDistribution(id)
  return first
}

/** Tells whether a distribution exists: `dcat:distribution` links it, or it has statements, as one linked by `adms:sample`. */
const hasDistribution = (graph: readonly Quad[], iri: string): boolean =>
  graph.some(
    ({ subject, predicate, object }) =>
      subject.value === iri ||
      (object.value === iri && predicate.value === dcat('distribution').value),
  )

/** Replaces blank nodes by skolem IRIs of the distribution (`names.genid`), so that they differ from those of others. */
async function skolemisedDataset(
  { names, canonical }: RepositoryContext,
  quads: readonly Quad[],
  iri: string,
): Promise<Quad[]> {
  const labels = await canonicalLabels(quads, canonical)
  return skolemise(quads, { genid: names.genid(iri), labels })
}

/** Write of one distribution, and its dataset. */
type DistributionPut = WriteRequest & { readonly dataset: DatasetPlace }

/** Adds a distribution. Fails as `parseDistribution` and `editDataset` do, and with `already-exists`. */
async function addDistribution(
  context: RepositoryContext,
  { body, precondition, dataset }: DistributionPut,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { names } = context
  const iri = names.distribution(context.uuid())
  const iris = { iri, dataset: names.dataset(dataset.id) }
  const { quads, keys } = parseDistribution(await body.parse(iri), iris, names)
  const added = await skolemisedDataset(
    context,
    [...quads, ...distributionIdentifier(keys, iri)],
    iri,
  )
  const edit = async (graph: readonly Quad[]) => {
    const existing = findStoredDistribution(keys, graph, iris.dataset)
    if (existing !== undefined) throw alreadyExists(existing)
    precondition(undefined)
    const link = quad(namedNode(iris.dataset), dcat('distribution'), namedNode(iri))
    const after = [...graph, link, ...added]
    return { graph: after, result: (await describedDistribution(context, after, iri)).hash }
  }
  const { result, ...written } = await editDataset(context, dataset, edit, signal)
  return { kind: 'created', iri, catalogue: dataset.catalogue, hash: result, ...written }
}

/**
 * Replaces a distribution; keeps its IRI, and its identifiers when the body has none. Fails as `addDistribution` does, but with
 * `unknown-distribution` in place of `already-exists`.
 */
async function replaceDistribution(
  context: RepositoryContext,
  { id, body, precondition, dataset }: DistributionPut & { readonly id: string },
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { names } = context
  const iri = names.distribution(id)
  const iris = { iri, dataset: names.dataset(dataset.id) }
  const { quads, keys } = parseDistribution(await body.parse(iri), iris, names)
  const edit = async (graph: readonly Quad[]) => {
    const { description, hash: stored } = await requireDistribution(context, graph, id)
    precondition(stored)
    const storedIdentifiers = description.filter(
      (q) => q.subject.value === iri && q.predicate.value === dct('identifier').value,
    )
    const identifiers =
      storedIdentifiers.length > 0 ? storedIdentifiers : distributionIdentifier(keys, iri)
    const sent = keys.identifiers.length > 0 ? quads : [...quads, ...identifiers]
    const after = [
      ...withoutDistribution(graph, iri, description),
      ...(await skolemisedDataset(context, sent, iri)),
    ]
    const { hash } = await describedDistribution(context, after, iri)
    return hash === stored ? { result: hash } : { graph: after, result: hash }
  }
  const { result, ...written } = await editDataset(context, dataset, edit, signal)
  const kind = written.mark ? 'updated' : 'unchanged'
  return { kind, iri, catalogue: dataset.catalogue, hash: result, ...written }
}

/** Removes the statements that only this distribution leads to (decision 0016), and the links to it as a distribution or a sample. */
async function removeDistribution(
  context: RepositoryContext,
  { id, dataset }: { readonly id: string; readonly dataset: DatasetPlace },
  precondition: Precondition,
  signal: AbortSignal,
) {
  const iri = context.names.distribution(id)
  const edit = async (graph: readonly Quad[]) => {
    const { description, hash: stored } = await requireDistribution(context, graph, id)
    precondition(stored)
    const isLink = ({ predicate, object }: Quad) =>
      object.value === iri &&
      [dcat('distribution'), adms('sample')].some(({ value }) => predicate.value === value)
    const after = withoutDistribution(graph, iri, description).filter((q) => !isLink(q))
    return { graph: after, result: undefined }
  }
  const { mark } = await editDataset(context, dataset, edit, signal)
  if (!mark) throw new Error('a removal is a change')
  return { mark, catalogue: dataset.catalogue }
}

/** Returns the description of the distribution in the dataset's graph; fails with `unknown-distribution`. */
async function requireDistribution(context: RepositoryContext, graph: readonly Quad[], id: string) {
  const iri = context.names.distribution(id)
  if (!hasDistribution(graph, iri)) throw unknownDistribution(id)
  return describedDistribution(context, graph, iri)
}

/** Returns the description and its hash, the entity tag, which does not depend on the names of blank nodes in the store. */
async function describedDistribution(
  { names, canonical }: RepositoryContext,
  graph: readonly Quad[],
  iri: string,
) {
  const description = describeDistribution(graphOf(graph), iri, names)
  const withBlankNodes = unskolemise(description, { prefix: names.genidPrefix })
  return { description, hash: (await canonicalise(withBlankNodes, canonical)).hash }
}

const alreadyExists = (iri: string) =>
  new Failure('already-exists', `the dataset has this distribution already: ${iri}`)

// Description of a distribution in its dataset's graph, and the part that is removed with it.

/** Returns the IRIs of the distributions that a dataset links, ordered by UTF-16 code unit. */
export function linkedDistributions(graph: Graph, dataset: string): string[] {
  const linked = graph.objects(dataset, dcat('distribution'))
  return [...new Set(linked.map((term) => term.value))].sort()
}

/**
 * Returns the triples of the distribution and of every described node that it leads to: blank nodes, licences, formats. The walk
 * ends at other resources of the platform, which excludes the dataset and its other distributions.
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
 * Returns the graph of a dataset without the description of a distribution. Nodes that other statements refer to, such as a
 * shared licence, are kept with what they lead to.
 */
function withoutDistribution(
  quads: readonly Quad[],
  distribution: string,
  description: readonly Quad[],
): Quad[] {
  const described = new Set(description.map((q) => keyOf(q.subject)))
  const shared = new Set<string>()
  for (const q of quads) {
    const object = keyOf(q.object)
    if (!described.has(keyOf(q.subject)) && described.has(object)) shared.add(object)
  }
  shared.delete(distribution)
  const about = Map.groupBy(description, (q) => keyOf(q.subject))
  // The set grows while it is iterated.
  for (const node of shared) {
    for (const q of about.get(node) ?? []) {
      const object = keyOf(q.object)
      if (described.has(object) && object !== distribution) shared.add(object)
    }
  }
  return quads.filter(({ subject }) => {
    const node = keyOf(subject)
    return !described.has(node) || shared.has(node)
  })
}

// Selection of one distribution from a body: one node under the platform's IRI, with everything that it leads to.

type ReceivedDistribution = {
  /** Description under the platform's IRI; blank nodes are kept. */
  readonly quads: readonly Quad[]
  /** Keys under which it was sent. */
  readonly keys: DistributionKeys
}

/** Platform IRIs of a distribution and of its dataset. */
type DistributionIris = { readonly iri: string; readonly dataset: string }

/**
 * Selects the only `dcat:Distribution` of a body that was parsed with the platform's `iri` as base; of several the one with that
 * IRI. Fails with `missing-class`, `ambiguous-subject` and `invalid-content`.
 */
function parseDistribution(
  body: readonly Quad[],
  { iri, dataset }: DistributionIris,
  names: Names,
): ReceivedDistribution {
  const merged = mergedGraphs(body)
  const node = distributionNode(new NodeKinds(merged).typed('distribution'), iri)
  // Blank nodes that were sent with the dataset have names below it.
  const quads = restoreBlankNodes(merged, names, [iri, keyOf(node), dataset])
  const others = new NodeKinds(quads).of('dataset', 'catalogue', 'record', 'distribution')
  const nodeKey = keyOf(node)
  const isOther = (key: string) => key !== nodeKey && (others.has(key) || names.owns(key))
  const pruned = prune(quads, (q) => isOther(keyOf(q.subject)))
  const description = closure(
    graphOf(pruned),
    node,
    ({ object }) => object.termType === 'NamedNode',
  )
  requireStatements({ node, statements: description })
  const [keys] = distributionKeys(description, new Map([[nodeKey, node]]))
  if (!keys) throw new Error('a node has keys')
  return {
    quads: rename(description, new Map([[nodeKey, iri]])),
    // A node named <> in the body has no IRI of its own.
    keys: nodeKey === iri ? { ...keys, node: blankNode() } : keys,
  }
}

/** Returns the distribution that a body describes; fails with `missing-class` or `ambiguous-subject`. */
function distributionNode(distributions: ReadonlyMap<string, Term>, iri: string): Term {
  const nodes = [...distributions.values()]
  const node = distributions.get(iri) ?? (nodes.length === 1 ? nodes[0] : undefined)
  if (node) return node
  if (nodes.length === 0)
    throw new Failure('missing-class', 'the body describes no dcat:Distribution')
  return throwAmbiguous(nodes.map(keyOf), 'distributions; send them one by one')
}

const path = '/distributions/{distributionId}'
const params = parameters.distribution
const body = bodies.distribution

/** Finds the distribution of the path and its dataset. */
const locateDistribution = oncePerRequest(async (c, context) => {
  const id = pathId(c, 'distributionId')
  const dataset = await datasetOf(context, id, c.get('signal'))
  return { id, dataset: await findById(context, dataset, c.get('signal')) }
})

const mayWriteDistribution = mayCallFor(
  async (c, context: RepositoryContext) => (await locateDistribution(c, context)).dataset.catalogue,
)

const readDistribution = repositoryEndpoint({
  method: 'get',
  path,
  operation: 'getDistributionsByDistributionId',
  summary: 'Read a distribution with what it leads to inside its dataset',
  auth: anyone,
  params,
  answers: answers.graph,
  handle: async ({ c, signal }, context) => {
    const { names, store } = context
    const { genidPrefix } = names
    const { id, suffix } = suffixedId(c, 'distributionId')
    const graph = names.dataset(await datasetOf(context, id, signal))
    return sizedAnswer(c, graph, async (read) => {
      const text = (await store.read(graph, {}, signal)) ?? ''
      read(text.length)
      const { description, hash: state } = await requireDistribution(
        context,
        await readLines(text),
        id,
      )
      const Link = `<${names.distribution(id)}>; rel="canonical", <${graph}>; rel="up"`
      const options = { suffix, graph, genidPrefix, name: id, hash: state, headers: { Link } }
      return answerStoredGraph(c, toLines(description), options)
    })
  },
})

/** POST of a distribution; it waits, as other writes do, until the document of the dataset has it. */
const createDistribution = repositoryEndpoint({
  method: 'post',
  path: '/datasets/{datasetId}/distributions',
  operation: 'postDatasetsByDatasetIdDistributions',
  summary: 'Add a distribution to a dataset',
  auth: mayWriteDataset,
  params: parameters.dataset,
  body,
  answers: answers.creation,
  handle: async ({ c }, context) => {
    const dataset = await locateDataset(c, context)
    const write = (request: WriteRequest, signal: AbortSignal) =>
      addDistribution(context, { dataset, ...request }, signal)
    return respondToWrite(c, context, write, context.names.dataset(dataset.id))
  },
})

const putDistribution = repositoryEndpoint({
  method: 'put',
  path,
  operation: 'putDistributionsByDistributionId',
  summary: 'Replace a distribution that exists; it keeps its IRI',
  auth: mayWriteDistribution,
  params,
  body,
  answers: answers.update,
  handle: async ({ c }, context) => {
    const located = await locateDistribution(c, context)
    const write = (request: WriteRequest, signal: AbortSignal) =>
      replaceDistribution(context, { ...located, ...request }, signal)
    return respondToWrite(c, context, write, context.names.dataset(located.dataset.id))
  },
})

const deleteDistribution = repositoryEndpoint({
  method: 'delete',
  path,
  operation: 'deleteDistributionsByDistributionId',
  summary: 'Delete a distribution and the link to it',
  auth: mayWriteDistribution,
  params,
  answers: answers.removal,
  handle: async ({ c, signal }, context) => {
    const located = await locateDistribution(c, context)
    const removal = await removeDistribution(context, located, expectedState(c), signal)
    return answerDelete(c, context, removal)
  },
})

/** Endpoints of distributions. */
export const distributionEndpoints = [
  readDistribution,
  createDistribution,
  putDistribution,
  deleteDistribution,
]
