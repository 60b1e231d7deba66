/** Body with many datasets: collected while it is parsed, and split into datasets with the nodes that belong to each. */

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

/** The triples of one graph of the body (`''` = default graph), and the datasets that it describes, in the order of the body. */
type BodyGraph = {
  readonly name: string
  readonly quads: Quad[]
  readonly datasets: Map<string, Quad_Subject>
}

const datasetClasses = new Set([dcat('Dataset').value, dcat('DatasetSeries').value])
const metadata = dqv('QualityMetadata').value
const [type, link, topic, identifier] = [
  rdf('type').value,
  dcat('dataset').value,
  foaf('primaryTopic').value,
  dct('identifier').value,
]

export class BulkBody {
  readonly #names: Names
  readonly #graphs = new Map<string, BodyGraph>()
  readonly kinds = new NodeKinds()
  #frames: ReadonlySet<string> | undefined
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

  /** Graphs that describe datasets, without those of metrics. */
  graphs(): BodyGraph[] {
    const typed = this.#metrics.filter(([, node]) => !this.isDataset(node))
    const metrics = new Set(typed.map(([graph]) => graph))
    const isWanted = ({ name, datasets }: BodyGraph) => datasets.size > 0 && !metrics.has(name)
    return [...this.#graphs.values()].filter(isWanted)
  }

  /** Tells whether a node typed as dataset is one; a node described by a record of this platform always is. */
  isDataset(node: string): boolean {
    return this.kinds.kind(node) === 'dataset' || this.#records.has(node)
  }

  /** Returns catalogues and records, which belong to no dataset. Call it when the body is complete. */
  frames(): ReadonlySet<string> {
    const all = this.kinds.of('catalogue', 'record').keys()
    return (this.#frames ??= new Set([...all].filter((key) => !this.#records.has(key))))
  }

  /**
   * Returns datasets that a catalogue or a record of the body names: they are separate even when others point to them. Named parts
   * of a dataset (`dcat:dataset`) are, too.
   */
  framed(): ReadonlySet<string> {
    const frames = this.frames()
    const named = this.#links.filter(
      ([subject, predicate, object]) =>
        frames.has(subject) ||
        (predicate === link && object.termType === 'NamedNode' && subject !== object.value),
    )
    return new Set(named.map(([, , object]) => keyOf(object)))
  }

  /** Returns the original ids that records of this platform give a dataset (by its key). */
  recordedIds(dataset: string): readonly string[] {
    const records = this.#records.get(dataset) ?? []
    return records.flatMap((record) => this.#originalIds.get(record) ?? [])
  }

  /** Collects the facts that splitting needs, in the one pass in which the body arrives. */
  #note(quad: Quad, { name, datasets }: BodyGraph): void {
    const { subject, predicate, object } = quad
    this.kinds.add(quad)
    const isOurRecord = () =>
      subject.termType === 'NamedNode' && this.#names.idOf('record', subject.value) !== undefined
    if (predicate.value === type) {
      if (datasetClasses.has(object.value)) datasets.set(keyOf(subject), subject)
      else if (object.value === metadata && name !== '') this.#metrics.push([name, keyOf(subject)])
    } else if (predicate.value === link || predicate.value === topic) {
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

/** One dataset of a body. */
export type BulkItem = {
  readonly node: Quad_Subject
  /** Its triples, collected again at each call. */
  readonly extract: () => readonly Quad[]
}

/**
 * The datasets of a body in its order. A dataset is an item when no other subject of its graph points to it, or when
 * a catalogue or record of the body names it; those that only point to each other in circles all do. Every other one belongs
 * to what points to it, as in the PUT of a single dataset, so that nothing that was sent gets lost. One that several
 * graphs describe is the one in the graph of its own name, else in the first.
 */
export async function bulkItems(body: BulkBody, pause: YieldWhenDue): Promise<readonly BulkItem[]> {
  const found: { readonly piece: BulkItem; readonly graph: BodyGraph }[] = []
  const graphOf = new Map<string, BodyGraph>()
  for (const graph of body.graphs()) {
    for (const piece of await itemsOf(graph, body, pause)) {
      const key = keyOf(piece.node)
      if (!graphOf.has(key) || graph.name === key) graphOf.set(key, graph)
      found.push({ piece, graph })
    }
    await pause()
  }
  return found
    .filter(({ piece, graph }) => graphOf.get(keyOf(piece.node)) === graph)
    .map(({ piece }) => piece)
}

/** Splits one graph. A named graph with one dataset is that dataset. */
async function itemsOf(
  { name, quads, datasets: typed }: BodyGraph,
  body: BulkBody,
  pause: YieldWhenDue,
): Promise<BulkItem[]> {
  const datasets = new Map([...typed].filter(([key]) => body.isDataset(key)))
  const [only] = datasets.values()
  if (only && datasets.size === 1 && name !== '') return [{ node: only, extract: () => quads }]
  const [framed, frames] = [body.framed(), body.frames()]
  const about = new Map<string, Quad[]>()
  const pointedTo = new Set<string>()
  for (const [at, quad] of quads.entries()) {
    const [subject, object] = [keyOf(quad.subject), keyOf(quad.object)]
    const isFrame = frames.has(subject)
    // A catalogue that is also a publisher is copied into each dataset, its list is not.
    if (!isFrame || !listingPredicates.has(quad.predicate.value)) append(about, subject, quad)
    const isLink = object !== subject && quad.object.termType !== 'Literal'
    if (isLink && datasets.has(object) && !isFrame) pointedTo.add(object)
    if (at % 1000 === 999) await pause()
  }
  for (const [key, list] of about) if (list.length >= manyTriples) about.set(key, distinct(list))
  const keys = [...about.keys()].filter((key) => datasets.has(key))
  const roots = new Set(keys.filter((key) => framed.has(key) || !pointedTo.has(key)))
  const ends = new Set([...frames].filter((key) => !body.kinds.isAgent(key))).union(roots)
  const seen = new Set<string>()
  for (const root of roots) {
    visitReachable(about, root, ends, seen)
    await pause()
  }
  // Datasets that only point to each other are all separate.
  for (const key of keys.filter((one) => !seen.has(one))) {
    roots.add(key)
    ends.add(key)
  }
  return keys.flatMap((key) => {
    const node = datasets.get(key)
    return node && roots.has(key) ? [{ node, extract: () => visitReachable(about, key, ends) }] : []
  })
}

/** Number of triples of a shared node from which duplicates are removed; concatenated bodies repeat them. */
const manyTriples = 64
const distinct = (quads: readonly Quad[]): Quad[] => [
  ...new Map(quads.map((quad) => [toLine(quad), quad])).values(),
]

/** Returns the triples that can be reached from a node, up to the nodes of `ends` and to those already `seen`. */
function visitReachable(
  about: ReadonlyMap<string, readonly Quad[]>,
  start: string,
  ends: ReadonlySet<string>,
  seen = new Set<string>(),
): Quad[] {
  const queue = [start]
  const found: Quad[] = []
  seen.add(start)
  // The list grows while it is iterated.
  for (const key of queue) {
    for (const quad of about.get(key) ?? []) {
      found.push(quad)
      const next = keyOf(quad.object)
      if (quad.object.termType === 'Literal' || seen.has(next) || ends.has(next)) continue
      seen.add(next)
      queue.push(next)
    }
  }
  return found
}

/** First choice for the id of a dataset at its origin: `dct:identifier` or the IRI of the dataset. */
export type Precedence = 'identifier' | 'uri'

/** A dataset of a body, as far as its original id depends on it. */
type Described = {
  readonly node: Term
  readonly quads: readonly Quad[]
  /** Ids in records of this platform; they take precedence, so that data read from this platform is written back under its id. */
  readonly recorded: readonly string[]
  readonly precedence: Precedence
}

/**
 * Returns the record's id, else the smallest `dct:identifier` (literals before IRIs), else the IRI. Throws `invalid-content` when
 * there is none, `invalid-parameter` when it is not an original id.
 */
export function originalIdIn({ node, quads, recorded, precedence }: Described): string {
  const key = keyOf(node)
  const given = (termType: Term['termType']) =>
    smallest(
      quads
        .filter(
          ({ predicate, subject }) => predicate.value === identifier && keyOf(subject) === key,
        )
        .flatMap(({ object }) => (object.termType === termType ? object.value : [])),
    )
  const iri = node.termType === 'NamedNode' ? node.value : undefined
  const named = () => given('Literal') ?? given('NamedNode')
  const id = smallest(recorded) ?? (precedence === 'uri' ? (iri ?? named()) : (named() ?? iri))
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
