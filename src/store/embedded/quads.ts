/** Index of quads in memory, on Oxigraph. Only this file uses its options, because Oxigraph ignores unknown ones. */

import { defaultGraph, namedNode, Store } from 'oxigraph/web.js'
import { inUtf8 } from '../../text/utf8.ts'
import { chunksOf, linesIn } from '../graph-lines.ts'
import { growInSteps } from './engine.ts'

const [triples, nQuads] = ['application/n-triples', 'application/n-quads'] as const

/** UTF-16 units that are passed to the engine at once. */
const partSize = 2 ** 21

/** Whether an error is a trap (memory, stack) and not an error in the text: the engine must not be used again. */
export const isBroken = (error: unknown): boolean =>
  !(error instanceof Error && error.name === 'Error')

/** `''` is the default graph. */
const graphTerm = (graph: string) => (graph === '' ? defaultGraph() : namedNode(graph))

/** Number of deleted statements below which compaction is not worth it, about 30 MB. */
const minDeleted = 20_000
/** Number of deleted statements that always needs compaction, about 1 GB of the engine's 4. */
const maxDeleted = 700_000

/**
 * Whether a new index of the same data would be much smaller. Building one takes 3 s for a million statements in another thread; with
 * deleted statements of at most a quarter of the live ones, memory stays within a third above the minimum.
 */
export const needsCompaction = ({ live, dead }: Readonly<StatementCounts>): boolean =>
  dead > Math.min(Math.max(live / 4, minDeleted), maxDeleted)

const inGraph = (graph: string, lines: string) =>
  graph === '' ? lines : `GRAPH <${graph}> {\n${lines}}`

/** Format, dataset and base IRI of a query. */
export type QueryShape = {
  /** Media type of SPARQL results or of RDF, by the form of the query. */
  readonly mediaType: string
  /** Whether the default graph is the union of all graphs, unless the query or the lists below choose graphs. */
  readonly union?: boolean
  readonly defaultGraphs?: readonly string[]
  readonly namedGraphs?: readonly string[]
  readonly base?: string
}

/** Numbers of statements; the engine keeps deleted ones in memory until it ends. */
type StatementCounts = { live: number; dead: number }

/** Lines of a graph. */
type NamedText = { readonly graph: string; readonly text: string }

/** Index of quads in memory. Texts are N-Triples; throws errors of Oxigraph. `''` is the default graph. */
export type Quads = {
  size(): number
  /** Numbers of statements, estimated from the lines of loads and changes. */
  statements(): Readonly<StatementCounts>
  load(graph: string, text: string): void
  /** Loads several graphs at once; some of them may be loaded when one cannot be. */
  loadAll(graphs: readonly NamedText[]): void
  /** Loads N-Quads in UTF-8, `lines` whole lines; some of them may be loaded when one cannot be. */
  loadQuads(nQuads: Uint8Array, lines: number): void
  /** Deletes the lines of a text of whole lines. */
  remove(graph: string, lines: string): void
  drop(graph: string): void
  dump(graph: string): string
  query(text: string, shape: QueryShape): string
  update(text: string): void
}

// Loads in transactions become twenty times slower after some thousands; texts are checked before.
function load(store: Store, graph: string, text: string): void {
  const to_graph_name = graphTerm(graph)
  const options = { format: triples, to_graph_name, lenient: true, no_transaction: true }
  growInSteps()
  // In parts, so that the engine's memory needs no copy of the whole text; as bytes, because texts are read by character.
  for (const part of chunksOf(text, partSize)) inUtf8(part, (bytes) => store.load(bytes, options))
}

/**
 * Loads graphs in transactions of `partSize`, which leaves half the memory of loads without a transaction for each graph. Each line
 * ends in ` .`, and no literal contains a line end.
 */
function loadAll(store: Store, graphs: readonly NamedText[]): void {
  let part = ''
  const loadPart = () => {
    growInSteps()
    inUtf8(part, (bytes) => store.load(bytes, { format: nQuads, lenient: true }))
    part = ''
  }
  for (const { graph, text } of graphs) {
    const end = graph === '' ? ' .\n' : ` <${graph}> .\n`
    for (const lines of chunksOf(text, partSize)) {
      part += lines.replaceAll(' .\n', end)
      if (part.length >= partSize) loadPart()
    }
  }
  if (part !== '') loadPart()
}

const lineEnd = 0x0a

/** Loads N-Quads in transactions of about `partSize`. */
function loadQuads(store: Store, bytes: Uint8Array): void {
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    end = bytes.indexOf(lineEnd, at + partSize) + 1 || bytes.length
    growInSteps()
    store.load(bytes.subarray(at, end), { format: nQuads, lenient: true })
  }
}

/**
 * Removes lines by writing the graph again, and returns the number of deleted statements. Only for graphs with IRIs that the strict
 * parser of updates refuses, because it leaves many deleted statements.
 */
function rebuild(store: Store, graph: string, lines: string): number {
  const removedLines = new Set((lines.match(/[^\n]*\n/g) ?? []).map(oxigraphSpelling))
  const text = store.dump({ format: triples, from_graph_name: graphTerm(graph) })
  const remaining = (text.match(/[^\n]*\n/g) ?? []).filter((line) => !removedLines.has(line))
  drop(store, graph)
  load(store, graph, remaining.join(''))
  return remaining.length + removedLines.size
}

function drop(store: Store, graph: string): void {
  store.update(graph === '' ? 'DROP DEFAULT' : `DROP SILENT GRAPH <${graph}>`)
}

/** Removes lines and returns the number of deleted statements. */
function remove(store: Store, graph: string, lines: string): number {
  try {
    for (const part of chunksOf(lines, partSize)) {
      store.update(`DELETE DATA { ${inGraph(graph, part)} }`)
    }
  } catch (error) {
    if (isBroken(error)) throw error
    return rebuild(store, graph, lines)
  }
  return linesIn(lines)
}

function sizeOf(store: Store, graph: string): number {
  const pattern = graph === '' ? '?s ?p ?o' : `GRAPH <${graph}> { ?s ?p ?o }`
  const text = `SELECT (COUNT(*) AS ?n) { ${pattern} }`
  return Number(/\d+/.exec(query(store, text, { mediaType: 'text/tab-separated-values' }))?.[0])
}

function query(store: Store, text: string, shape: QueryShape): string {
  const { defaultGraphs = [], namedGraphs = [] } = shape
  const chosen = defaultGraphs.length + namedGraphs.length > 0
  const answer = store.query(text, {
    results_format: shape.mediaType,
    base_iri: shape.base,
    ...(shape.union === true && !chosen ? { use_default_graph_as_union: true } : {}),
    ...(chosen
      ? {
          default_graph: defaultGraphs.map((iri) => namedNode(iri)),
          named_graphs: namedGraphs.map((iri) => namedNode(iri)),
        }
      : {}),
  })
  if (typeof answer !== 'string') throw new Error('the query engine gave no text')
  return answer
}

/** Opens an empty index in a thread that has started the engine (`startEngine`). */
export function openQuads(): Quads {
  const store = new Store()
  const statements: StatementCounts = { live: 0, dead: 0 }
  const count = (added: number, deletedCount: number) => {
    statements.live += added - deletedCount
    statements.dead += deletedCount
  }
  return {
    size: () => store.size,
    statements: () => statements,
    load: (graph, text) => {
      load(store, graph, text)
      count(linesIn(text), 0)
    },
    loadAll: (graphs) => {
      loadAll(store, graphs)
      count(
        graphs.reduce((sum, { text }) => sum + linesIn(text), 0),
        0,
      )
    },
    loadQuads: (bytes, lines) => {
      loadQuads(store, bytes)
      count(lines, 0)
    },
    remove: (graph, lines) => {
      const deletedCount = remove(store, graph, lines)
      count(deletedCount - linesIn(lines), deletedCount)
    },
    drop: (graph) => {
      count(0, sizeOf(store, graph))
      drop(store, graph)
    },
    dump: (graph) => store.dump({ format: triples, from_graph_name: graphTerm(graph) }),
    query: (text, shape) => query(store, text, shape),
    update: (text) => store.update(text, {}),
  }
}

/** Line as Oxigraph writes it, with its spelling of values. */
function oxigraphSpelling(line: string): string {
  const scratch = new Store()
  load(scratch, '', line)
  return scratch.dump({ format: triples, from_graph_name: defaultGraph() })
}
