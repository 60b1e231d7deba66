/** Differences between the products that can be remote stores. Dialects are in `fuseki.ts`, `sparql11.ts` and `../virtuoso/`. */

import type { GraphStore } from '../graph-store.ts'
import type { ServiceAnswer, ServiceRequest } from '../../client/service-request.ts'

/**
 * Encoding of values for a store. Lines are triples of N-Triples without line ends. Lines of the platform are as `toLine` writes them,
 * with language tags and lexical forms as clients sent them.
 */
export type Fidelity = {
  /**
   * Line to be sent for a line of the platform. `exact` = `decode` restores it from the answer of the store; otherwise a spelling note
   * is stored beside it. Encoding a line of an answer must give the triple that it came from. Throws `invalid-content` for a value
   * that the store cannot keep at all.
   */
  readonly encode: (line: string) => { readonly line: string; readonly exact: boolean }
  /** Line of the platform for a line of an answer: undoes what `encode` did to its datatype. */
  readonly decode: (line: string) => string
  /** Key that is equal for lines, decoded ones included, that the store may treat as one triple. */
  readonly key: (line: string) => string
}

/** Edit of one graph. Lines are encoded; deletes come before inserts; the two sets share no line, unless the graph is cleared. */
export type Edit = {
  readonly graph: string
  /**
   * Whether the graph is cleared before `add`: it was dropped, or a foreign writer had left blank nodes in it and it is written
   * again.
   */
  readonly clear: boolean
  readonly remove: ReadonlySet<string>
  readonly add: ReadonlySet<string>
}

/** Size of a set of edits. */
export type Size = {
  /** Number of edits. A request may have the edits of several writes (groups); a graph then counts once for each write. */
  readonly graphs: number
  readonly cleared: number
  /** Lines of all graphs. */
  readonly removed: number
  readonly added: number
  /** Most lines that are added to one graph. */
  readonly largest: number
  /** UTF-16 units of all lines. */
  readonly length: number
}

/** Store as dialects call it: complete answers or a `Failure`. */
export type StoreEndpoint = Pick<GraphStore, 'ask' | 'select' | 'construct'> & {
  /** Sends an update request as `application/sparql-update`. It cannot be aborted. */
  readonly update: (text: string) => Promise<void>
  /** Sends any request, for probes; the answer may have any status. */
  readonly send: (request: ServiceRequest) => Promise<ServiceAnswer>
  readonly queryEndpoint: string
  readonly updateEndpoint: string
  /** Returns a unique name of characters that IRIs allow. */
  readonly name: () => string
  /** Waits for some milliseconds. */
  readonly pause: (ms: number) => Promise<void>
}

/** Properties that a store reports at the start. */
export type StoreProperties = {
  readonly product: string
  /** Lines from which the store may truncate answers silently; longer graphs are read in pages and counted. */
  readonly rows?: number
}

/** Protocol and limits of one product. */
export type Dialect = {
  readonly name: 'fuseki' | 'virtuoso' | 'sparql11'
  readonly fidelity: Fidelity
  /** Most connections, and most write requests at the same time. */
  readonly sockets: number
  readonly writers: number
  /**
   * Wait of writes that only remove finished marks from the system graph: until no other write has come for `idleMs`, at most
   * `mostMs`, or until another write takes them along. Without this wait a PUT would cost two requests, each synced to disk.
   */
  readonly defer?: { readonly idleMs: number; readonly mostMs: number }
  /** Whether the connection is closed after an answer of 400 or more. */
  readonly closesAfterError: boolean
  /** Whether a request is sent again after this answer. */
  readonly isRetryable: (answer: ServiceAnswer) => boolean
  /** Failure kind of an update that was answered with an error, where the status does not tell it. */
  readonly failureKind?: (
    answer: ServiceAnswer,
  ) => 'invalid-content' | 'store-full' | 'store-unavailable'
  /** Whether edits of this size may share one request, for packing groups. */
  readonly fitsOneRequest: (size: Size) => boolean
  /**
   * Commits all edits or none, if the store can; they are visible and durable when it resolves. The edits of one write are never
   * split, so that they may exceed what `fitsOneRequest` allows.
   */
  readonly commit: (edits: readonly Edit[], endpoint: StoreEndpoint) => Promise<void>
  /**
   * Whether large writes use a staging graph: while the system graph has `<graph> ctl:writing <staging>`, readers of the graph wait.
   * `recover` finishes interrupted writes and returns their number: of all graphs before the first write, or of one graph.
   */
  readonly usesStaging: boolean
  readonly recover?: (endpoint: StoreEndpoint, graph?: string) => Promise<number>
  /**
   * Whether a commit becomes visible triple by triple, and queries lock what they read: reads and writes of a graph wait for each
   * other, and look-ups and updates alternate.
   */
  readonly showsPartialCommits?: boolean
  /** Reads product and limits. Rejects with `store-unavailable` while the store is not ready. */
  readonly probe: (endpoint: StoreEndpoint) => Promise<StoreProperties>
  /** Rejects with `store-unavailable` where the user may not write; absent where only a write shows it. */
  readonly checkRights?: (endpoint: StoreEndpoint) => Promise<void>
  /**
   * Resolves when no earlier update can still be running; called after a write without an answer, before its graph is read again,
   * and when the lease is acquired from a holder that did not release it.
   */
  readonly waitForUpdates?: (endpoint: StoreEndpoint) => Promise<void>
  /** Converts an answer to CONSTRUCT to N-Triples as `toLine` writes them, where the store differs. */
  readonly normalise?: (text: string) => string
  /** Whether the text of an answer has a notice that the store stopped at its time limit. */
  readonly isTimeoutNotice?: (text: string) => boolean
  /** Whether an answer is incomplete by its status, headers or error text. */
  readonly isIncomplete?: (answer: ServiceAnswer) => boolean
  /** Whether public queries must not use an IRI, as a function or otherwise, because it gives access to the server behind SPARQL. */
  readonly isReserved?: (iri: string, isFunction: boolean) => boolean
  /** Whether the store answers `CONSTRUCT { GRAPH ?g { … } }` with N-Quads, so that one query reads many graphs. */
  readonly constructsQuads: boolean
  /** Union of all graphs: always the default graph, never available, or available in `GRAPH` by this name. */
  readonly union: 'always' | 'never' | { readonly graph: string }
  /** Parameters that make the store end a query after some milliseconds. */
  readonly deadline?: (ms: number) => Readonly<Record<string, string>>
}
