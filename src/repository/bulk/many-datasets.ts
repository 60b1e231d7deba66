/** A body that describes many datasets, taken in as it is parsed, with what tells them apart. */

import type { Quad, Quad_Subject } from '@rdfjs/types'
import type { Names } from '../../rdf/names.ts'
import { dcat, dct, dqv, foaf, rdf } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'

/** The triples of one graph of the body, and the datasets that it describes, in the order of the body. */
export type BodyGraph = {
  /** `''` = default graph. */
  readonly name: string
  readonly quads: Quad[]
  readonly datasets: Map<string, Quad_Subject>
}

const datasetClasses = new Set([dcat('Dataset').value, dcat('DatasetSeries').value])
const frameClasses = new Set([dcat('Catalog').value, dcat('CatalogRecord').value])
const metadata = dqv('QualityMetadata').value

type Note = (quad: Quad, graph: BodyGraph) => void

export class ManyDatasets {
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
