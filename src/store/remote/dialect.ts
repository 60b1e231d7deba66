/** What one product does its own way. Everything that remote stores have in common stands beside this file. */

import type { GraphStore } from '../graph-store.ts'
import type { ServiceAnswer, ServiceRequest } from '../../client/service-request.ts'

/**
 * How a store keeps values. Lines are single triples of N-Triples without their line end; ours are in our own spelling,
 * with language tags and lexical forms as somebody sent them.
 */
export type Fidelity = {
  /**
   * What is sent for a line of ours. `exact` = `decode` makes the same line of what comes back; otherwise a spelling note
   * is kept beside it. Encoding what has come back from the store must name the triple that it came from. A `Failure`
   * invalid-content for a value that the store cannot keep in any way.
   */
  readonly encode: (line: string) => { readonly line: string; readonly exact: boolean }
  /** A line that came back, in our spelling of N-Triples: undoes what `encode` did to its datatype. */
  readonly decode: (line: string) => string
  /** Lines that the store may take for one triple have the same key: one that came back, decoded, and ours. */
  readonly key: (line: string) => string
}

/** What has to happen to one graph. Lines are encoded; deletes come before inserts; the two sets share no line. */
export type Edit = {
  readonly graph: string
  /**
   * Everything in the graph goes before `add` comes, which is empty unless a foreign writer had left blank nodes there.
   * `remove` holds what was in it (ground lines only) where the dialect wants to know.
   */
  readonly clear: boolean
  readonly remove: ReadonlySet<string>
  readonly add: ReadonlySet<string>
}

/** How much a set of edits is. */
export type Size = {
  readonly graphs: number
  readonly cleared: number
  /** Lines in all. */
  readonly removed: number
  readonly added: number
  /** Lines added to the one graph that gets most. */
  readonly largest: number
  /** UTF-16 units of all lines. */
  readonly length: number
}

/** The store as a dialect speaks to it: whole answers or a `Failure`. */
export type StoreEndpoint = Pick<GraphStore, 'ask' | 'select' | 'construct'> & {
  /** One update request, sent as `application/sparql-update`. It runs to its end: there is no signal. */
  readonly update: (text: string) => Promise<void>
  /** Any request, for probes; the answer may have any status. */
  readonly send: (request: ServiceRequest) => Promise<ServiceAnswer>
  readonly queryEndpoint: string
  readonly updateEndpoint: string
  /** A name that no other write of any process uses, of characters that may stand in an IRI. */
  readonly name: () => string
  /** Waits; used by recovery and by retries. */
  readonly pause: (ms: number) => Promise<void>
}

/** What a store says of itself at the start. */
export type Probed = {
  readonly product: string
  /** Lines from which an answer may have been cut without a word: such graphs are read in pages and counted. */
  readonly rows?: number
}

export type Dialect = {
  readonly name: 'fuseki' | 'virtuoso' | 'sparql11'
  readonly fidelity: Fidelity
  /** Connections, and write requests among them at the same time. */
  readonly sockets: number
  readonly writers: number
  /**
   * For so many ms bookkeeping that only goes (marks that are done) waits for a write that it can share a request with: where
   * a request costs a disk's turn, a PUT then costs one and not two.
   */
  readonly idleMs?: number
  /** Whether a connection is given up after an error, and after which answers a request is sent again. */
  readonly destroyAfterError: boolean
  readonly retryable: (answer: ServiceAnswer) => boolean
  /** What an update that was answered with an error means, where the status does not say it (see `refusal.ts`). */
  readonly refused?: (
    answer: ServiceAnswer,
  ) => 'invalid-content' | 'store-full' | 'store-unavailable'
  /** Whether edits of this size may share one request: several groups are packed only as long as they do. */
  readonly fits: (size: Size) => boolean
  /** Lands all edits or none, visible and durable when it resolves; a single group may be of any size. */
  readonly land: (edits: readonly Edit[], endpoint: StoreEndpoint) => Promise<void>
  /** `remove` of a cleared graph must hold all its lines, because `land` deletes only what it can name. */
  readonly namesCleared: boolean
  /**
   * Large writes go through a staging graph: while `<graph> ctl:writing <staging>` stands in the system graph, readers of
   * the graph wait. `recover` finishes what a crash left and answers how many: of all graphs before anything else is
   * written, and of one when its next writer finds it unfinished.
   */
  readonly stages: boolean
  readonly recover?: (endpoint: StoreEndpoint, graph?: string) => Promise<number>
  /** A commit becomes visible triple by triple: reads of a graph and writes of it wait for each other. */
  readonly torn?: boolean
  /** Product and limits. Rejects with store-unavailable as long as the store is not ready. */
  readonly probe: (endpoint: StoreEndpoint) => Promise<Probed>
  /**
   * Returns when no update that was sent before can still be running; asked after a write of which nothing was heard, before
   * its graph is read again.
   */
  readonly settle?: (endpoint: StoreEndpoint) => Promise<void>
  /** An answer to CONSTRUCT in our spelling of N-Triples, where the store writes in another. */
  readonly respelt?: (text: string) => string
  /** Whether an answer of text ends in a notice that the store gave up in the middle of it. */
  readonly gaveUp?: (text: string) => boolean
  /** Whether an answer says outside its text that the store gave up in the middle of it. */
  readonly incomplete?: (answer: ServiceAnswer) => boolean
  /** IRIs that reach behind the store when they stand in a query: strangers may not name them, as a function or otherwise. */
  readonly reserved?: (iri: string, isFunction: boolean) => boolean
  /** Whether `CONSTRUCT { GRAPH ?g { … } }` is answered with N-Quads, so that many graphs are read by one query. */
  readonly quads: boolean
  /** The default graph of a query that names no graph: all graphs by itself, by this name in `GRAPH`, or none. */
  readonly union: 'always' | 'never' | { readonly graph: string }
  /** Parameters that tell the store to end a public query after so many ms. */
  readonly deadline?: (ms: number) => Readonly<Record<string, string>>
}
