/** The triplestore as every room sees it: one type for all dialects, spoken to in N-Triples and SPARQL. */

import type { Term } from '@rdfjs/types'
import type { Change, Written } from './change.ts'

/** One solution. A variable that is not bound is an absent key, so a solution may be empty. */
export type Row = Readonly<Record<string, Term>>

type ReadOptions = {
  /** `false` leaves out the links of the graph (see `Change`); default `true`. */
  readonly links?: boolean
}

/** A query of somebody outside, as the public endpoint received it. */
export type PublicQuery = {
  readonly query: string
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
export type Landing = { readonly written: readonly Written[] } | { readonly failure: unknown }

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
  ): Promise<readonly Landing[]>
  /**
   * The whole graph as chunks of whole lines, content and links together, sorted over all chunks (by UTF-16 code unit) and
   * without doubles; nothing for an absent graph. One state of the graph, whatever is written meanwhile. Nothing is read
   * ahead of the consumer, and memory does not grow with the graph.
   */
  readLines(graph: string, signal?: AbortSignal): AsyncIterable<string>
  /**
   * Replaces the content of a graph that is no catalogue's by `lines` (as `readLines` gives them; none = the graph goes), and
   * lands `others` in the same atomic step. All or nothing for whoever reads through this store; whatever fails or ends before
   * that step leaves the old state, also when `lines` itself fails. Memory does not grow with the graph. The signal counts
   * until that step is asked for.
   */
  replaceStreamed(
    graph: string,
    lines: AsyncIterable<string>,
    others: readonly Change[],
    signal?: AbortSignal,
  ): Promise<void>
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

/** The embedded store is also a server of both protocols, in process. */
export type EmbeddedStore = GraphStore & {
  /** SPARQL 1.1 Protocol at `…/query` and `…/update`, Graph Store Protocol at `…/data`; no socket. */
  readonly protocol: (request: Request) => Promise<Response>
}
