/** A body that describes many datasets, taken in as it is parsed, with what tells them apart. */

import type { Quad, Quad_Subject, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { invalid } from '../../http/shell/complaints.ts'
import { toLine } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { dcat, dct, dqv, foaf, rdf } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { repositoryParameters } from '../routes/parameters.ts'
import type { YieldWhenDue } from '../../workers/event-loop.ts'

/** The triples of one graph of the body, and the datasets that it describes, in the order of the body. */
type BodyGraph = {
  /** `''` = default graph. */
  readonly name: string
  readonly quads: Quad[]
  readonly datasets: Map<string, Quad_Subject>
}

const datasetClasses = new Set([dcat('Dataset').value, dcat('DatasetSeries').value])
const frameClasses = new Set([dcat('Catalog').value, dcat('CatalogRecord').value])
const metadata = dqv('QualityMetadata').value

type Note = (quad: Quad, graph: BodyGraph) => void

export class BulkBody {
  readonly #names: Names
  readonly #graphs = new Map<string, BodyGraph>()
  /** Catalogues and records: they are about datasets and belong to none. */
  readonly frames = new Set<string>()
  /** Catalogue → dataset (`dcat:dataset`), record → dataset (`foaf:primaryTopic`). */
  readonly #links: (readonly [frame: string, dataset: string])[] = []
  /** Graphs that hold quality metadata: metrics are written at their own address. */
  readonly #metrics = new Set<string>()
  /** What our own records say: record → original ids, dataset → records. */
  readonly #originalIds = new Map<string, string[]>()
  readonly #records = new Map<string, string[]>()
  readonly #notes: ReadonlyMap<string, Note>

  constructor(names: Names) {
    this.#names = names
    this.#notes = new Map<string, Note>([
      [rdf('type').value, (quad, graph) => this.#noteType(quad, graph)],
      [dcat('dataset').value, (quad) => this.#noteLink(quad)],
      [foaf('primaryTopic').value, (quad) => this.#noteTopic(quad)],
      [dct('identifier').value, (quad) => this.#noteIdentifier(quad)],
    ])
  }

  add(quads: readonly Quad[]): void {
    for (const quad of quads) {
      const graph = this.#graphOf(quad)
      graph.quads.push(quad)
      this.#notes.get(quad.predicate.value)?.(quad, graph)
    }
  }

  /** Graphs that describe datasets, without those of metrics. */
  graphs(): BodyGraph[] {
    return [...this.#graphs.values()].filter(
      ({ name, datasets }) => datasets.size > 0 && !this.#metrics.has(name),
    )
  }

  /** Datasets that a catalogue or a record of the body names: they are on their own whoever else points to them. */
  framed(): ReadonlySet<string> {
    const named = this.#links.filter(([frame]) => this.frames.has(frame))
    return new Set(named.map(([, dataset]) => dataset))
  }

  /** The original ids that records of this platform give a dataset (by its key). */
  recordedIds(dataset: string): readonly string[] {
    const records = this.#records.get(dataset) ?? []
    return records.flatMap((record) => this.#originalIds.get(record) ?? [])
  }

  #graphOf({ graph: { value } }: Quad): BodyGraph {
    let graph = this.#graphs.get(value)
    if (!graph) {
      graph = { name: value, quads: [], datasets: new Map() }
      this.#graphs.set(value, graph)
    }
    return graph
  }

  #noteType({ subject, object }: Quad, graph: BodyGraph): void {
    if (datasetClasses.has(object.value)) graph.datasets.set(keyOf(subject), subject)
    else if (frameClasses.has(object.value)) this.frames.add(keyOf(subject))
    else if (object.value === metadata && graph.name !== '') this.#metrics.add(graph.name)
  }

  #noteLink({ subject, object }: Quad): void {
    this.#links.push([keyOf(subject), keyOf(object)])
  }

  #noteTopic(quad: Quad): void {
    this.#noteLink(quad)
    if (this.#isOurRecord(quad)) append(this.#records, keyOf(quad.object), quad.subject.value)
  }

  #noteIdentifier(quad: Quad): void {
    if (quad.object.termType !== 'Literal' || !this.#isOurRecord(quad)) return
    append(this.#originalIds, quad.subject.value, quad.object.value)
  }

  #isOurRecord({ subject }: Quad): boolean {
    return (
      subject.termType === 'NamedNode' && this.#names.idOf('record', subject.value) !== undefined
    )
  }
}

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

// Cuts a body into its datasets: which nodes stand for themselves, and what belongs to each.

/** One dataset of a body. */
export type BodyPiece = {
  readonly node: Quad_Subject
  /** Its triples, cut out anew at each call. */
  readonly cut: () => readonly Quad[]
}

/**
 * The datasets of a body in its order. A dataset stands for itself when no other subject of its graph points to it, or when
 * a catalogue or record of the body names it; those that only point to each other in circles all do. Every other one belongs
 * to what points to it, as in the PUT of a single dataset, so that nothing that was sent gets lost. One that several
 * graphs describe is the one in the graph of its own name, else in the first.
 */
export async function datasetPieces(
  body: BulkBody,
  pause: YieldWhenDue,
): Promise<readonly BodyPiece[]> {
  const framed = body.framed()
  const found: { readonly piece: BodyPiece; readonly graph: BodyGraph }[] = []
  const homes = new Map<string, BodyGraph>()
  for (const graph of body.graphs()) {
    for (const piece of await piecesOf(graph, { body, framed, pause })) {
      const key = keyOf(piece.node)
      if (!homes.has(key) || graph.name === key) homes.set(key, graph)
      found.push({ piece, graph })
    }
    await pause()
  }
  return found
    .filter(({ piece, graph }) => homes.get(keyOf(piece.node)) === graph)
    .map(({ piece }) => piece)
}

type Cutting = {
  readonly body: BulkBody
  readonly framed: ReadonlySet<string>
  readonly pause: YieldWhenDue
}

async function piecesOf(graph: BodyGraph, { body, framed, pause }: Cutting): Promise<BodyPiece[]> {
  const { quads, datasets, name } = graph
  const [only] = datasets.values()
  if (only && datasets.size === 1 && name !== '') return [{ node: only, cut: () => quads }]
  const web = new Web(body.frames)
  await web.add(quads, pause)
  const pointedTo = await web.pointedTo(datasets, pause)
  const roots = new Set(
    [...datasets.keys()].filter((key) => framed.has(key) || !pointedTo.has(key)),
  )
  const seen = new Set<string>()
  for (const root of roots) {
    web.walk(root, roots, seen)
    await pause()
  }
  const circling = [...datasets.keys()].filter((key) => !seen.has(key))
  for (const key of circling) roots.add(key)
  return [...web.inOrder(datasets)]
    .filter(([key]) => roots.has(key))
    .map(([key, node]) => ({ node, cut: () => web.closure(key, roots) }))
}

const firstPatience = 64

/** The triples of a graph by subject. */
class Web {
  readonly #frames: ReadonlySet<string>
  readonly #about = new Map<string, Quad[]>()
  /** Length from which on the triples of a subject are looked through for doubles. */
  readonly #patience = new Map<string, number>()

  constructor(frames: ReadonlySet<string>) {
    this.#frames = frames
  }

  async add(quads: readonly Quad[], pause: YieldWhenDue): Promise<void> {
    let count = 0
    for (const quad of quads) {
      this.#put(keyOf(quad.subject), quad)
      if (++count % 1000 === 0) await pause()
    }
  }

  /** Bodies that are strung together say of a shared node the same again and again: said once is enough. */
  #put(key: string, quad: Quad): void {
    const about = this.#about.get(key)
    if (!about) {
      this.#about.set(key, [quad])
      return
    }
    about.push(quad)
    if (about.length < (this.#patience.get(key) ?? firstPatience)) return
    const distinct = [...new Map(about.map((one) => [toLine(one), one])).values()]
    this.#about.set(key, distinct)
    this.#patience.set(key, Math.max(firstPatience, 2 * distinct.length))
  }

  /** The datasets that another subject points to; links from catalogues and records do not count. */
  async pointedTo(
    datasets: ReadonlyMap<string, unknown>,
    pause: YieldWhenDue,
  ): Promise<Set<string>> {
    const found = new Set<string>()
    for (const [subject, about] of this.#about) {
      await pause()
      if (this.#frames.has(subject)) continue
      for (const { object } of about) {
        if (object.termType === 'Literal') continue
        const key = keyOf(object)
        if (key !== subject && datasets.has(key)) found.add(key)
      }
    }
    return found
  }

  /** The nodes in the order in which the graph first speaks of them. */
  *inOrder<T>(nodes: ReadonlyMap<string, T>): Generator<readonly [string, T]> {
    for (const key of this.#about.keys()) {
      const node = nodes.get(key)
      if (node !== undefined) yield [key, node]
    }
  }

  /** Everything that can be reached from a node, up to catalogues, records and the nodes of `ends`. */
  closure(start: string, ends: ReadonlySet<string>): Quad[] {
    const found: Quad[] = []
    this.walk(start, ends, new Set(), found)
    return found
  }

  /** Walks from a node to what is not `seen` yet, and gathers the triples on the way. */
  walk(start: string, ends: ReadonlySet<string>, seen: Set<string>, found?: Quad[]): void {
    const queue = [start]
    seen.add(start)
    for (const key of queue) {
      for (const quad of this.#about.get(key) ?? []) {
        found?.push(quad)
        if (quad.object.termType === 'Literal') continue
        const next = keyOf(quad.object)
        if (seen.has(next) || ends.has(next) || this.#frames.has(next)) continue
        seen.add(next)
        queue.push(next)
      }
    }
  }
}

// The id that a dataset of a body has at its origin.

/** What is asked first for the id: `dct:identifier` or the IRI of the dataset. */
export type Precedence = 'identifier' | 'uri'

type Told = {
  readonly node: Term
  readonly quads: readonly Quad[]
  /** What records of this platform say; they beat everything else, so that what was read here comes back under its id. */
  readonly recorded: readonly string[]
  readonly precedence: Precedence
}

const identifier = dct('identifier').value

/**
 * The record's id, else the smallest `dct:identifier` (literals before IRIs), else the IRI. Throws `invalid-content` when
 * there is none, `invalid-parameter` when it is no original id.
 */
export function originalIdIn({ node, quads, recorded, precedence }: Told): string {
  const iri = node.termType === 'NamedNode' ? node.value : undefined
  const id =
    smallest(recorded) ??
    (precedence === 'uri' ? (iri ?? identifierOf(node, quads)) : (identifierOf(node, quads) ?? iri))
  if (id === undefined) {
    const detail = 'a dataset without record, dct:identifier and IRI has no original id'
    throw new Failure('invalid-content', detail)
  }
  return checkedOriginalId(id)
}

/** Throws `invalid-parameter` for what is no original id. */
export function checkedOriginalId(id: string): string {
  const parsed = repositoryParameters.origin.safeParse({ originalId: id })
  if (!parsed.success) throw invalid(parsed.error.issues, 'query', { originalId: id })
  return id
}

function identifierOf(node: Term, quads: readonly Quad[]): string | undefined {
  const key = keyOf(node)
  const objects = quads
    .filter((q) => q.predicate.value === identifier && keyOf(q.subject) === key)
    .map((q) => q.object)
  const values = (type: Term['termType']) =>
    objects.filter((term) => term.termType === type).map((term) => term.value)
  return smallest(values('Literal')) ?? smallest(values('NamedNode'))
}

const smallest = (values: readonly string[]): string | undefined =>
  values.filter((value) => value.trim() !== '').sort(compareCodePoints)[0]
