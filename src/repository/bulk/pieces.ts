/** Cuts a body into its datasets: which nodes stand for themselves, and what belongs to each. */

import type { Quad, Quad_Subject } from '@rdfjs/types'
import { toLine } from '../../rdf/lines.ts'
import { keyOf } from '../../rdf/read.ts'
import type { BodyGraph, ManyDatasets } from './many-datasets.ts'
import type { Pause } from './pauses.ts'

/** One dataset of a body. */
export type Piece = {
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
export async function pieces(body: ManyDatasets, pause: Pause): Promise<readonly Piece[]> {
  const framed = body.framed()
  const found: { readonly piece: Piece; readonly graph: BodyGraph }[] = []
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
  readonly body: ManyDatasets
  readonly framed: ReadonlySet<string>
  readonly pause: Pause
}

async function piecesOf(graph: BodyGraph, { body, framed, pause }: Cutting): Promise<Piece[]> {
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

  async add(quads: readonly Quad[], pause: Pause): Promise<void> {
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
  async pointedTo(datasets: ReadonlyMap<string, unknown>, pause: Pause): Promise<Set<string>> {
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
