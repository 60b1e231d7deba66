/**
 * Body of a bulk write (`PUT /catalogues/{id}/datasets/bulk`): collected while it is parsed, and split into its datasets with the
 * nodes that belong to each.
 */

import type { Quad, Quad_Subject, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { invalidRequest } from '../../http/problem.ts'
import { toLine } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { dcat, dct, dqv, foaf, rdf } from '../../rdf/namespaces.ts'
import { listingPredicates, NodeKinds } from '../../rdf/node-kinds.ts'
import { keyOf } from '../../rdf/read.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import type { YieldWhenDue } from '../../workers/event-loop.ts'
import { repositoryParameters } from '../endpoints/parameters.ts'

/** Triples of one graph of the body (`''` = default graph), and its nodes typed as dataset, in the order of the body. */
type BodyGraph = {
  readonly name: string
  readonly quads: Quad[]
  readonly datasets: Map<string, Quad_Subject>
}

const datasetClasses = new Set([dcat('Dataset').value, dcat('DatasetSeries').value])
const metadataClass = dqv('QualityMetadata').value
const [type, datasetLink, topic, identifier] = [
  rdf('type').value,
  dcat('dataset').value,
  foaf('primaryTopic').value,
  dct('identifier').value,
]

/** Triples of a body by graph, and the facts by which it is split into datasets. */
export class BulkBody {
  readonly #names: Names
  readonly #graphs = new Map<string, BodyGraph>()
  readonly kinds = new NodeKinds()
  #wrappers: ReadonlySet<string> | undefined
  /** Catalogue → dataset (`dcat:dataset`), record → dataset (`foaf:primaryTopic`). */
  readonly #links: (readonly [subject: string, predicate: string, object: Term])[] = []
  /** Graphs that hold quality metadata, by the nodes of that type: metrics are written at their own address. */
  readonly #metrics: (readonly [graph: string, node: string])[] = []
  /** Facts of records of this platform: record → original ids, dataset → records. */
  readonly #originalIds = new Map<string, string[]>()
  readonly #records = new Map<string, string[]>()

  constructor(names: Names) {
    this.#names = names
  }

  add(quads: readonly Quad[]): void {
    for (const quad of quads) {
      const name = quad.graph.value
      const graph: BodyGraph = this.#graphs.get(name) ?? { name, quads: [], datasets: new Map() }
      this.#graphs.set(name, graph)
      graph.quads.push(quad)
      this.#note(quad, graph)
    }
  }

  /** Returns graphs that describe datasets, without those of metrics. */
  datasetGraphs(): BodyGraph[] {
    const typed = this.#metrics.filter(([, node]) => !this.isDataset(node))
    const metrics = new Set(typed.map(([graph]) => graph))
    const hasDatasets = ({ name, datasets }: BodyGraph) => datasets.size > 0 && !metrics.has(name)
    return [...this.#graphs.values()].filter(hasDatasets)
  }

  /** Tells whether a node typed as dataset is one; a node described by a record of this platform always is. */
  isDataset(node: string): boolean {
    return this.kinds.kind(node) === 'dataset' || this.#records.has(node)
  }

  /** Returns catalogues and records, without those that records of this platform describe. Call it when the body is complete. */
  cataloguesAndRecords(): ReadonlySet<string> {
    const keys = this.kinds.of('catalogue', 'record').keys()
    return (this.#wrappers ??= new Set([...keys].filter((key) => !this.#records.has(key))))
  }

  /**
   * Returns the keys of datasets that a catalogue or a record of the body links, or any other node by `dcat:dataset`: they are
   * separate datasets even when others point to them.
   */
  listedDatasets(): ReadonlySet<string> {
    const wrappers = this.cataloguesAndRecords()
    const links = this.#links.filter(
      ([subject, predicate, object]) =>
        wrappers.has(subject) ||
        (predicate === datasetLink && object.termType === 'NamedNode' && subject !== object.value),
    )
    return new Set(links.map(([, , object]) => keyOf(object)))
  }

  /** Returns the original ids that records of this platform give a dataset (by its key). */
  originalIdsInRecords(dataset: string): readonly string[] {
    const records = this.#records.get(dataset) ?? []
    return records.flatMap((record) => this.#originalIds.get(record) ?? [])
  }

  /** Collects the facts of a triple by which the body is split. */
  #note(quad: Quad, { name, datasets }: BodyGraph): void {
    const { subject, predicate, object } = quad
    this.kinds.add(quad)
    const isOurRecord = () =>
      subject.termType === 'NamedNode' && this.#names.idOf('record', subject.value) !== undefined
    if (predicate.value === type) {
      if (datasetClasses.has(object.value)) datasets.set(keyOf(subject), subject)
      else if (object.value === metadataClass && name !== '')
        this.#metrics.push([name, keyOf(subject)])
    } else if (predicate.value === datasetLink || predicate.value === topic) {
      this.#links.push([keyOf(subject), predicate.value, object])
      if (predicate.value === topic && isOurRecord())
        append(this.#records, keyOf(object), subject.value)
    } else if (predicate.value === identifier && object.termType === 'Literal' && isOurRecord())
      append(this.#originalIds, subject.value, object.value)
  }
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

/** Dataset of a body. */
export type BulkItem = {
  readonly node: Quad_Subject
  /** Collects its triples, anew at each call. */
  readonly extract: () => readonly Quad[]
}

/**
 * Returns the separate datasets of a body, in its order. A dataset is separate when no other subject of its graph points to it,
 * when `listedDatasets` has it, when it is the only one of a named graph, or when only a circle of datasets points to it. Any
 * other belongs to the node that points to it, as in the PUT of a single dataset, so that nothing that was sent gets lost. Of a
 * dataset that several graphs describe, the graph named by its IRI is used, else the first.
 */
export async function bulkItems(body: BulkBody, pause: YieldWhenDue): Promise<readonly BulkItem[]> {
  const items: { readonly item: BulkItem; readonly graph: BodyGraph }[] = []
  const graphOf = new Map<string, BodyGraph>()
  for (const graph of body.datasetGraphs()) {
    for (const item of await itemsOf(graph, body, pause)) {
      const key = keyOf(item.node)
      if (!graphOf.has(key) || graph.name === key) graphOf.set(key, graph)
      items.push({ item, graph })
    }
    await pause()
  }
  return items
    .filter(({ item, graph }) => graphOf.get(keyOf(item.node)) === graph)
    .map(({ item }) => item)
}

/** Splits one graph. A named graph with one dataset is that dataset. */
async function itemsOf(
  { name, quads, datasets: typed }: BodyGraph,
  body: BulkBody,
  pause: YieldWhenDue,
): Promise<BulkItem[]> {
  const datasets = new Map([...typed].filter(([key]) => body.isDataset(key)))
  const [onlyDataset] = datasets.values()
  if (onlyDataset && datasets.size === 1 && name !== '')
    return [{ node: onlyDataset, extract: () => quads }]
  const [listed, wrappers] = [body.listedDatasets(), body.cataloguesAndRecords()]
  const about = new Map<string, Quad[]>()
  const pointedTo = new Set<string>()
  for (const [at, quad] of quads.entries()) {
    const [subject, object] = [keyOf(quad.subject), keyOf(quad.object)]
    const isWrapper = wrappers.has(subject)
    // A catalogue that is also a publisher is copied into each dataset, without the links to its resources.
    if (!isWrapper || !listingPredicates.has(quad.predicate.value)) append(about, subject, quad)
    const isLink = object !== subject && quad.object.termType !== 'Literal'
    if (isLink && datasets.has(object) && !isWrapper) pointedTo.add(object)
    if (at % 1000 === 999) await pause()
  }
  for (const [key, list] of about) if (list.length >= manyTriples) about.set(key, distinct(list))
  const keys = [...about.keys()].filter((key) => datasets.has(key))
  const roots = new Set(keys.filter((key) => listed.has(key) || !pointedTo.has(key)))
  const boundaries = new Set([...wrappers].filter((key) => !body.kinds.isAgent(key))).union(roots)
  const visited = new Set<string>()
  for (const root of roots) {
    visitReachable(about, root, boundaries, visited)
    await pause()
  }
  // Datasets that only point to each other are all separate.
  for (const key of keys.filter((dataset) => !visited.has(dataset))) {
    roots.add(key)
    boundaries.add(key)
  }
  return keys.flatMap((key) => {
    const node = datasets.get(key)
    return node && roots.has(key)
      ? [{ node, extract: () => visitReachable(about, key, boundaries) }]
      : []
  })
}

/** Number of triples of a node from which on duplicates are removed; concatenated bodies repeat shared nodes. */
const manyTriples = 64
const distinct = (quads: readonly Quad[]): Quad[] => [
  ...new Map(quads.map((quad) => [toLine(quad), quad])).values(),
]

/** Returns the triples that can be reached from a node without passing a node of `boundaries`; adds the nodes to `visited`. */
function visitReachable(
  about: ReadonlyMap<string, readonly Quad[]>,
  start: string,
  boundaries: ReadonlySet<string>,
  visited = new Set<string>(),
): Quad[] {
  const queue = [start]
  const reached: Quad[] = []
  visited.add(start)
  // The list grows while it is iterated.
  for (const key of queue) {
    for (const quad of about.get(key) ?? []) {
      reached.push(quad)
      const next = keyOf(quad.object)
      if (quad.object.termType === 'Literal' || visited.has(next) || boundaries.has(next)) continue
      visited.add(next)
      queue.push(next)
    }
  }
  return reached
}

/** First choice for the id of a dataset at its origin: `dct:identifier` or the IRI of the dataset. */
export type Precedence = 'identifier' | 'uri'

/** Parts of a dataset of a body on which its original id depends. */
type DatasetOfBody = {
  readonly node: Term
  readonly quads: readonly Quad[]
  /** Ids in records of this platform; they take precedence, so that data read from this platform is written back under its id. */
  readonly recordedIds: readonly string[]
  readonly precedence: Precedence
}

/**
 * Returns the record's id, else the smallest `dct:identifier` (literals before IRIs), else the IRI; with `uri` the IRI before
 * identifiers. Throws `invalid-content` when there is none, `invalid-parameter` when it is not an original id.
 */
export function originalIdIn({ node, quads, recordedIds, precedence }: DatasetOfBody): string {
  const key = keyOf(node)
  const identifierOf = (termType: Term['termType']) =>
    smallest(
      quads
        .filter(
          ({ predicate, subject }) => predicate.value === identifier && keyOf(subject) === key,
        )
        .flatMap(({ object }) => (object.termType === termType ? object.value : [])),
    )
  const iri = node.termType === 'NamedNode' ? node.value : undefined
  const sentIdentifier = () => identifierOf('Literal') ?? identifierOf('NamedNode')
  const id =
    smallest(recordedIds) ??
    (precedence === 'uri' ? (iri ?? sentIdentifier()) : (sentIdentifier() ?? iri))
  if (id === undefined) {
    const detail = 'the dataset has no original id: give it a dct:identifier or an IRI'
    throw new Failure('invalid-content', detail)
  }
  return checkedOriginalId(id)
}

/** Throws `invalid-parameter` unless the text is an original id. */
function checkedOriginalId(id: string): string {
  const parsed = repositoryParameters.origin.safeParse({ originalId: id })
  if (!parsed.success) throw invalidRequest(parsed.error.issues, 'query', { originalId: id })
  return id
}

const smallest = (values: readonly string[]): string | undefined =>
  values.filter((value) => value.trim() !== '').sort(compareCodePoints)[0]
