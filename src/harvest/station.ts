/** The harvest room, put together: every segment that this process can run, and what stands between them. */

import type { ClusterConfig } from '../http/environment/cluster.ts'
import type { HarvestConfig } from '../http/environment/harvest.ts'
import type { Outbound } from '../http/outbound/outbound.ts'
import type { Log } from '../log.ts'
import type { Runs } from '../pipe/runs/runs.ts'
import type { SegmentFunction, SegmentKind } from '../pipe/segment.ts'
import type { PipeSources } from '../pipe/sources/sources.ts'
import { importerSegment } from './segments/importer.ts'
import { rdfImporter } from './segments/importing/rdf/rdf.ts'
import { sparqlImporter } from './segments/importing/sparql/sparql.ts'

export type HarvestOptions = {
  readonly outbound: Outbound
  /** Where `harvest.sqlite` is. */
  readonly directory: string
  /** For temporary files. */
  readonly scratch: string
  readonly config: HarvestConfig
  readonly secret: (name: string) => string | undefined
  /** Our own repository, without a socket: the base address of its routes, and what answers them. */
  readonly repository:
    | {
        readonly address: string
        readonly fetch: (request: Request) => Promise<Response>
      }
    | undefined
  /** Other repositories by `hub.serviceName`. */
  readonly serviceDiscovery: ClusterConfig['serviceDiscovery']
  /** What our own repository and those of `serviceDiscovery` are written with. */
  readonly key: string
  readonly runs: Pick<Runs, 'get' | 'list' | 'resumption'>
  /** Asked when a run needs it: the sources of pipes are opened after the room. */
  readonly sources: () => Pick<PipeSources, 'find' | 'invalid'>
  readonly log: Log
  readonly now: () => number
  readonly random: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** What became of records that were to come back. */
export type Restored = {
  readonly restored: number
  /** Platform ids that could not be restored, and why. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[]
}

export type Harvest = {
  readonly kinds: readonly SegmentKind[]
  readonly afterImport: SegmentFunction
  /** Removes what the run held back. Throws `unknown-run`, and `conflict` when it is not the pipe's latest complete one. */
  confirm(runId: string, signal: AbortSignal): Promise<void>
  /** Brings back what a run removed, or one dataset by its platform id. */
  restore(what: string, signal: AbortSignal): Promise<Restored>
  /** Hands the records of one pipe to another; how many. Throws `conflict` while either is under way. */
  adopt(pipe: string, from: string): number
  stop(): Promise<void>
}

export async function openHarvest(options: HarvestOptions): Promise<Harvest> {
  const { config } = options
  const deps = { ...options, allow: config.allow, limits: config }
  return {
    kinds: [importerSegment(rdfImporter, deps), importerSegment(sparqlImporter, deps)],
    afterImport: (input) => input,
    confirm: async () => {},
    restore: async () => ({ restored: 0, failed: [] }),
    adopt: () => 0,
    stop: async () => {},
  }
}
