/** The triplestore as every room sees it: one type for all dialects, spoken to in N-Triples and SPARQL. */

import type { Term } from '@rdfjs/types'

/** One solution. A variable that is not bound is an absent key, so a solution may be empty. */
export type Row = Readonly<Record<string, Term>>

type ReadOptions = {
  /** `false` leaves out the links of the graph (see `Change`); default `true`. */
  readonly links?: boolean
}

/** A query of somebody outside, as the public endpoint received it. */
export type PublicQuery = {
  readonly query: string
  /** Base of relative IRIs where the query names no other. */
  readonly base?: string
  /** The `Accept` header; absent = SPARQL JSON results, or Turtle for graphs. */
  readonly accept: string | undefined
  /** Whom to count: an API key's id or an address. */
  readonly client: string
  /** `default-graph-uri` and `named-graph-uri` of the SPARQL Protocol. */
  readonly defaultGraphs?: readonly string[]
  readonly namedGraphs?: readonly string[]
}

export type PublicAnswer = {
  readonly mediaType: string
  readonly body: string
  /** True when rows or triples are missing because the answer met a limit. */
  readonly cut: boolean
}

/** How many graphs of the embedded store are in its index, of how many. */
export type Loading = { readonly done: number; readonly of: number }

export type StoreHealth = {
  readonly ready: boolean
  /** What runs there, in its own words where it says so: `embedded`, `Apache Jena Fuseki 5.6.0`. */
  readonly product: string
  /** Absent where counting would cost a walk over the whole store. */
  readonly quads?: number
  readonly graphs?: number
  /** Deleted statements that still take the embedded engine's memory, until a copy without them takes over. */
  readonly dead?: number
  /** Whether this process may write, where others can reach the store too. */
  readonly lease?: { readonly held: boolean }
  /** State of the embedded replica behind `publicQuery`. */
  readonly replica?: 'absent' | 'building' | 'ready'
}

/** What became of one group of `writeEach`. */
export type CommitResult = { readonly written: readonly Written[] } | { readonly failure: unknown }

/**
 * Named graphs of ground triples. Every call has a time limit and a byte limit of the store's own, and rejects with a
 * `Failure`: `store-unavailable`, `time-limit`, `too-large`, `malformed-query`, `malformed-rdf`, `store-full`; when its
 * signal is aborted, with the signal's reason.
 */
export type GraphStore = {
  /** N-Triples as written, content before links; `undefined` when the graph has no triple. */
  read(graph: string, options?: ReadOptions, signal?: AbortSignal): Promise<string | undefined>
  /** Many graphs in one message, the cheapest way to get a batch out; absent graphs are absent keys. */
  readAll(
    graphs: readonly string[],
    options?: ReadOptions,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, string>>
  /** All changes or none; resolves when they are durable and visible, in the order of `changes`. */
  write(changes: readonly Change[], signal?: AbortSignal): Promise<readonly Written[]>
  /**
   * Independent groups, each atomic like a `write` of its own and packed into as few requests as the store takes; what
   * became of each, in their order. No two groups may name the same graph, the system graph and links apart.
   */
  writeEach(
    groups: readonly (readonly Change[])[],
    signal?: AbortSignal,
  ): Promise<readonly CommitResult[]>
  /**
   * The whole graph as chunks of whole lines, content and links together, sorted over all chunks (by UTF-16 code unit) and
   * without doubles; nothing for an absent graph. One state of the graph, whatever is written meanwhile.
   */
  readLines(graph: string, signal?: AbortSignal): AsyncIterable<string>
  ask(query: string, signal?: AbortSignal): Promise<boolean>
  select(query: string, signal?: AbortSignal): Promise<readonly Row[]>
  /** N-Triples, possibly with repeated lines; `''` when nothing matches. */
  construct(query: string, signal?: AbortSignal): Promise<string>
  /** Bounded and read-only; also rejects with `too-many-requests` and `not-acceptable`. */
  publicQuery(request: PublicQuery, signal?: AbortSignal): Promise<PublicAnswer>
  health(): Promise<StoreHealth>
  /** Finishes what was accepted, then ends the workers. */
  close(): Promise<void>
}

/** A store as code uses it that runs SELECT queries only. */
export type SelectStore = Pick<GraphStore, 'select'>

// What one atomic write to the triplestore consists of.

/**
 * A change of one named graph. A graph has two parts: its *content*, which a PUT replaces as a whole, and *links*, single
 * lines that other resources' writes add and remove (`dcat:dataset` on a catalogue, pending marks in the system graph).
 * Replacing the content leaves the links alone, so that the cost of a PUT does not grow with their number.
 *
 * All texts are ground N-Triples in our own spelling: one triple per line, `\n` after each, no blank nodes.
 */
export type Change = {
  readonly graph: string
  /** The new content, sorted and without doubles; `''` removes the content; absent = content stays. */
  readonly content?: string
  /**
   * The content as `read` gave it to this writer under the lock that covers this write, `''` = there was none. A store that
   * works by differences need not read it again.
   */
  readonly before?: string
  /** Links that go. One that is not there is no error. */
  readonly remove?: readonly string[]
  /** Links that come, each a line without its line end. One that is there already is no error. */
  readonly add?: readonly string[]
  /** Removes the graph with its links; nothing else may stand beside it. */
  readonly drop?: true
}

/**
 * The outcome per change, in the order of the changes. Remote stores do not look whether a graph existed of which
 * only links change, and say that it did.
 */
export type Written = { readonly graph: string; readonly existed: boolean }
