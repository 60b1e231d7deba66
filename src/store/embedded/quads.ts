/** Oxigraph behind five calls of ours: the only place that knows its option names, because it ignores unknown ones. */

import { defaultGraph, namedNode, Store } from 'oxigraph/web.js'
import { inUtf8 } from '../../text/utf8.ts'
import { chunksOf } from '../graph-lines.ts'

const triples = 'application/n-triples'

/** UTF-16 units that are given to the engine at once. */
const partSize = 2 ** 21

/** A trap (memory, stack) and not a complaint about the text: the engine must not be used again. */
export const isBroken = (error: unknown): boolean =>
  !(error instanceof Error && error.name === 'Error')

/** `''` is the default graph. */
const graphTerm = (graph: string) => (graph === '' ? defaultGraph() : namedNode(graph))

/** Dead statements that are too few to matter: some 30 MB. */
const fewestDead = 20_000
/** Dead statements that are too many whatever lives: about 1 GB of the engine's 4. */
const mostDead = 700_000

/**
 * A new index of the same would be much smaller. A copy costs 3 s of another thread for a million statements, and a dead
 * statement more memory than a living one: with a quarter as many of them, memory stays within a third of its least.
 */
export const isCrowded = ({ living, dead }: Readonly<StatementCounts>): boolean =>
  dead > Math.min(Math.max(living / 4, fewestDead), mostDead)

const linesIn = (text: string) => {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

const inGraph = (graph: string, lines: string) =>
  graph === '' ? lines : `GRAPH <${graph}> {\n${lines}}`

export type QueryShape = {
  /** A media type of SPARQL results or of RDF that fits the query's form. */
  readonly mediaType: string
  /** The default graph is the union of all graphs, where the query and the lists below do not say otherwise. */
  readonly union?: boolean
  readonly defaultGraphs?: readonly string[]
  readonly namedGraphs?: readonly string[]
  readonly base?: string
}

/** Statements by count: the engine keeps those that were deleted in memory until it ends. */
type StatementCounts = { living: number; dead: number }

/** An index of quads in memory. Texts are N-Triples; throws Oxigraph's own errors. */
export type Quads = {
  size(): number
  /** Counted by lines, so that duplicates and protocol updates make it an estimate. */
  statements(): Readonly<StatementCounts>
  load(graph: string, text: string): void
  /** Deletes come first. Both are texts of whole lines. */
  change(graph: string, removed: string, added: string): void
  drop(graph: string): void
  dump(graph: string): string
  query(text: string, shape: QueryShape): string
  update(text: string): void
}

// Loads in transactions become twenty times slower after some thousand of them; texts are checked before they come here.
function load(store: Store, graph: string, text: string): void {
  const to_graph_name = graphTerm(graph)
  const options = { format: triples, to_graph_name, lenient: true, no_transaction: true }
  // Of a text Oxigraph takes the characters one by one; one in parts needs no copy of all of it in the engine's memory.
  for (const part of chunksOf(text, partSize)) inUtf8(part, (bytes) => store.load(bytes, options))
}

// Updates are parsed strictly, loads are not: with an IRI that only the lenient parser takes, the graph is made anew.
// That leaves dead quads behind, which is why it is not the usual way.
/** Answers how many statements died of it. */
function rebuild(store: Store, graph: string, removed: string, added: string): number {
  const gone = new Set((removed.match(/[^\n]*\n/g) ?? []).map(normalForm))
  const old = store.dump({ format: triples, from_graph_name: graphTerm(graph) })
  const kept = (old.match(/[^\n]*\n/g) ?? []).filter((line) => !gone.has(line))
  drop(store, graph)
  load(store, graph, kept.join('') + added)
  return kept.length + gone.size
}

function drop(store: Store, graph: string): void {
  store.update(graph === '' ? 'DROP DEFAULT' : `DROP SILENT GRAPH <${graph}>`)
}

/** Answers how many statements died of it. */
function change(store: Store, graph: string, removed: string, added: string): number {
  if (removed !== '') {
    try {
      for (const part of chunksOf(removed, partSize)) {
        store.update(`DELETE DATA { ${inGraph(graph, part)} }`)
      }
    } catch (error) {
      if (isBroken(error)) throw error
      return rebuild(store, graph, removed, added)
    }
  }
  if (added !== '') load(store, graph, added)
  return linesIn(removed)
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

/** In a thread that has started the engine (`engine.ts`). */
export function openQuads(): Quads {
  const store = new Store()
  const statements: StatementCounts = { living: 0, dead: 0 }
  const count = (added: number, died: number) => {
    statements.living += added - died
    statements.dead += died
  }
  return {
    size: () => store.size,
    statements: () => statements,
    load: (graph, text) => {
      load(store, graph, text)
      count(linesIn(text), 0)
    },
    change: (graph, removed, added) => {
      const died = change(store, graph, removed, added)
      count(linesIn(added) + died - linesIn(removed), died)
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

/** The line that Oxigraph gives back for a line: values in its own spelling. */
function normalForm(line: string): string {
  const scratch = new Store()
  load(scratch, '', line)
  return scratch.dump({ format: triples, from_graph_name: defaultGraph() })
}
