/** Opens the triplestore that is configured: the embedded one, or one behind a wire. */

import type { Log } from '../log.ts'
import { embeddedStore, type StoreLimits } from './embedded.ts'
import type { GraphStore } from './graph-store.ts'

/** A triplestore in a process of its own. Endpoints are absolute URLs. */
export type StoreConfig = {
  readonly dialect: 'fuseki' | 'virtuoso' | 'sparql11'
  readonly queryEndpoint: string
  readonly updateEndpoint: string
  readonly graphEndpoint?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
}

export type OpenOptions = {
  /** Of the embedded store. */
  readonly directory: string
  readonly log: Log
  readonly limits?: Partial<StoreLimits>
  /** Whether a graph is a catalogue's: its `dcat:dataset` and `dcat:record` lines are links. */
  readonly isCatalogue: (graph: string) => boolean
  readonly now?: () => number
  readonly random?: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Waits for the store with a line of progress, finishes what a crash left there, then resolves. */
export function openStore(
  config: StoreConfig | undefined,
  { directory, log, limits = {} }: OpenOptions,
  _signal?: AbortSignal,
): Promise<GraphStore> {
  if (!config) return embeddedStore({ directory, log, limits })
  return Promise.reject(new Error(`the dialect ${config.dialect} is being built`))
}
