/** Interface of the triplestore for all other folders, the same for the embedded and remote stores: N-Triples and SPARQL. */

import type { Term } from '@rdfjs/types'

/** Solution of a SELECT query by variable. Unbound variables have no key, so a solution may be empty. */
export type Row = Readonly<Record<string, Term>>

type ReadOptions = {
  /** `false` leaves out the links of the graph (see `GraphChange`); default `true`. */
  readonly links?: boolean
}

/** Query of a client as the public endpoint received it. */
export type PublicQuery = {
  readonly query: string
  /** Most bytes of the query, 16 KB by default. */
  readonly maxBytes?: number
  /** Base IRI of relative IRIs, unless the query has another. */
  readonly base?: string
  /** `Accept` header; `undefined` = SPARQL JSON results, or Turtle for graphs. */
  readonly accept: string | undefined
  /** Client for the limits per client: id of an API key, or an IP address. */
  readonly client: string
  /** `default-graph-uri` and `named-graph-uri` of the SPARQL Protocol. */
  readonly defaultGraphs?: readonly string[]
  readonly namedGraphs?: readonly string[]
}

/** Answer to a public query. */
export type PublicAnswer = {
  readonly mediaType: string
  readonly body: string
  /** Whether rows or triples are missing because of a limit. */
  readonly cut: boolean
}

/** Numbers of graphs of the embedded store: loaded into its index, and in all. */
export type Loading = { readonly done: number; readonly of: number }

/** State of the store for `/health`. */
export type StoreHealth = {
  readonly ready: boolean
  /** Product, with its version if the server reports one: `embedded`, `Apache Jena Fuseki 5.6.0`. */
  readonly product: string
  /** Numbers of triples and graphs; absent where counting would read the whole store. */
  readonly quads?: number
  readonly graphs?: number
  /** Deleted statements that still use memory of the embedded engine, until its index is replaced. */
  readonly dead?: number
  /** Whether this process may write; absent where no other process can reach the store. */
  readonly lease?: { readonly held: boolean }
  /** State of the replicas that answer `publicQuery`. */
  readonly replica?: 'absent' | 'building' | 'ready'
}

/** Outcome of one group of `writeEach`. */
export type CommitResult = { readonly written: readonly Written[] } | { readonly failure: unknown }

/**
 * Store of named graphs without blank nodes. Every call has a time limit and a byte limit of the store, and rejects with a
 * `Failure`: `store-unavailable`, `time-limit`, `too-large`, `malformed-query`, `malformed-rdf`, `invalid-content`, `store-full`;
 * when its signal is aborted, with the signal's reason.
 */
export type GraphStore = {
  /** Reads a graph as N-Triples as they were written, content before links; `undefined` when it has no such triple. */
  read(graph: string, options?: ReadOptions, signal?: AbortSignal): Promise<string | undefined>
  /** Reads many graphs at once, the fastest way for a batch; absent graphs have no key. */
  readAll(
    graphs: readonly string[],
    options?: ReadOptions,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, string>>
  /** Writes all changes or none; resolves when they are durable and visible, with a result for each, in their order. */
  write(changes: readonly GraphChange[], signal?: AbortSignal): Promise<readonly Written[]>
  /**
   * Writes independent groups, each atomic, in as few requests as possible; returns the outcome of each, in their order. No two
   * groups may change the content of the same graph.
   */
  writeEach(
    groups: readonly (readonly GraphChange[])[],
    signal?: AbortSignal,
  ): Promise<readonly CommitResult[]>
  /**
   * Reads a graph as chunks of whole lines, content and links together, sorted over all chunks (by UTF-16 code unit), without
   * duplicates; no chunk for an absent graph. The chunks are of one state of the graph.
   */
  readLines(graph: string, signal?: AbortSignal): AsyncIterable<string>
  ask(query: string, signal?: AbortSignal): Promise<boolean>
  select(query: string, signal?: AbortSignal): Promise<readonly Row[]>
  /** Result as N-Triples, possibly with repeated lines; `''` when nothing matches. */
  construct(query: string, signal?: AbortSignal): Promise<string>
  /** Answers a read-only query within the limits of the public endpoint; also rejects with `too-many-requests` and `not-acceptable`. */
  publicQuery(request: PublicQuery, signal?: AbortSignal): Promise<PublicAnswer>
  health(): Promise<StoreHealth>
  /** Finishes accepted writes, then ends workers and connections. */
  close(): Promise<void>
}

/** Store of a process that only reads. */
export type ReadingStore = Omit<GraphStore, 'write' | 'writeEach'>

/** Store for code that only runs SELECT queries. */
export type SelectStore = Pick<GraphStore, 'select'>

// Parts of a write.

/**
 * Change of one named graph. A graph has two parts: its *content*, which a PUT replaces as a whole, and *links*, single lines that
 * writes of other resources add and remove (`dcat:dataset` of a catalogue, pending marks in the system graph). Replacing the content
 * keeps the links, so that the cost of a PUT does not grow with their number.
 *
 * All texts are N-Triples without blank nodes as `toLine` writes them: one triple per line, `\n` after each.
 */
export type GraphChange = {
  readonly graph: string
  /** New content, sorted and without duplicates; `''` removes the content; absent = the content stays. */
  readonly content?: string
  /**
   * Content as `read` returned it under the lock of this write; `''` = there was none. It spares a store that computes differences
   * from reading it again.
   */
  readonly before?: string
  /** Links to be removed, without line ends; missing ones are ignored. */
  readonly remove?: readonly string[]
  /** Links to be added, without line ends; existing ones are ignored. */
  readonly add?: readonly string[]
  /** Removes the graph with its links; excludes the other members. */
  readonly drop?: true
}

/**
 * Outcome of one change; `existed` = the graph had triples before. Remote stores do not check this where only links change, and report
 * `true`.
 */
export type Written = { readonly graph: string; readonly existed: boolean }
