/** The harvest room, put together: every segment that this process can run, and what stands between them. */

import { join } from 'node:path'
import { inTurns } from '../workers/event-loop.ts'
import type { SegmentFunction, SegmentKind } from '../pipe/segment.ts'
import type { ExportContext, ExportRun } from './export/export-run.ts'
import { exporterSegment } from './export/exporter.ts'
import { identifyRecords, validatorsOf } from './export/record-identity.ts'
import {
  adoptRecords,
  confirmRemovals,
  restoreRemoved,
  type RestoreResult,
} from './export/removals.ts'
import { Ledger } from './ledger/ledger.ts'
import type { DuplicateRecord } from './ledger/duplicate-keys.ts'
import { importerSegment, type ImporterDeps } from './importers/importer.ts'
import { arcgisImporter } from './importers/arcgis.ts'
import { ckanImporter } from './importers/ckan.ts'
import { dataJsonImporter } from './importers/datajson.ts'
import { dkanImporter } from './importers/dkan.ts'
import { opendatasoftImporter } from './importers/opendatasoft.ts'
import { socrataImporter } from './importers/socrata.ts'
import { udataImporter } from './importers/udata.ts'
import { constructTransformer } from './transform/construct.ts'
import {
  type TransformDeps,
  type TransformLimits,
  usualTransformLimits,
} from './transform/transformer.ts'
import { scriptTransformer } from './transform/script.ts'
import { rdfImporter } from './importers/rdf.ts'
import { sparqlImporter } from './importers/sparql.ts'
import { dayMs } from '../text/duration.ts'

/** Dependencies that a process gives to its harvests. */
export type HarvestOptions = Omit<ExportContext, 'ledger' | 'changed' | 'active' | 'kinds'> & {
  /** Where `harvest.sqlite` is. */
  readonly directory: string
  /** For temporary files. */
  readonly scratch: string
  /** Where the count of the ledger's changes is kept beside it; what it was at the last one. Absent: nobody would know an older copy. */
  readonly changes?: { readonly known: number; readonly note: (count: number) => Promise<void> }
  /** Bounds of transformers, where they are not the usual ones. */
  readonly transforms?: Partial<TransformLimits>
  /** Environment variables that git may see when it fetches scripts. */
  readonly git?: NonNullable<TransformDeps['git']>
  /** The host under which this portal is known, so that nothing is harvested in a circle. */
  readonly ownHost?: string
}

/** The segments of harvesting, and what operators can do about what runs did. */
export type Harvest = {
  readonly kinds: readonly SegmentKind[]
  readonly afterImport: SegmentFunction
  /** Removes what the run held back. Throws `unknown-run`, and `conflict` when it is not the pipe's latest complete one. */
  confirm(runId: string, signal: AbortSignal): Promise<void>
  /** Brings back what a run removed, or one dataset by its platform id. */
  restore(what: string, signal: AbortSignal): Promise<RestoreResult>
  /** Hands the records of one pipe to another; how many. Throws `conflict` while either is under way. */
  adopt(pipe: string, from: string): Promise<number>
  /** Records of several catalogues that look like the same one, in groups; of one catalogue where it is named. */
  duplicates(
    catalogue: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<readonly DuplicateRecord[]>
  stop(): Promise<void>
}

/** Runs that were interrupted longer ago than this do not go on by themselves. */
const forgottenAfterMs = 30 * dayMs

/** Opens the ledger and makes the segments; `stop` when no run is under way any more. */
export async function openHarvest(options: HarvestOptions): Promise<Harvest> {
  const { config, directory, now } = options
  const ledger = new Ledger(join(directory, 'harvest.sqlite'))
  ledger.forgetProgressBefore(now() - forgottenAfterMs)
  const changed = await countChanges(options, ledger)
  const active = new Map<string, ExportRun>()
  const context: ExportContext = {
    ...options,
    ledger,
    changed,
    active,
    kinds: () => kinds,
  }
  const deps: ImporterDeps = {
    ...options,
    allow: config.allow,
    limits: config,
    missing: (runId) => active.get(runId)?.missing() ?? [],
    owns: (runId) => active.get(runId)?.ownsSome ?? true,
    validators: (run, shape, forceDays) => validatorsOf(context, run, shape, forceDays),
  }
  const limits = { ...usualTransformLimits, ...options.transforms }
  const transforming: TransformDeps = { ...options, allow: config.allow, limits }
  const kinds = [
    importerSegment(rdfImporter, deps),
    importerSegment(sparqlImporter, deps),
    importerSegment(ckanImporter, deps),
    importerSegment(dkanImporter, deps),
    importerSegment(dataJsonImporter, deps),
    importerSegment(udataImporter(options.ownHost), deps),
    importerSegment(opendatasoftImporter, deps),
    importerSegment(socrataImporter, deps),
    importerSegment(arcgisImporter, deps),
    scriptTransformer(transforming),
    constructTransformer(transforming),
    exporterSegment(context),
  ]
  return {
    kinds,
    afterImport: identifyRecords(active),
    confirm: (runId, signal) => confirmRemovals(context, runId, signal),
    restore: (what, signal) => restoreRemoved(context, what, signal),
    adopt: (pipe, from) => adoptRecords(context, pipe, from),
    duplicates: (catalogue, signal) => duplicates(ledger, catalogue, signal),
    stop: async () => ledger.close(),
  }
}

/** Compares the count of changes with the one kept elsewhere; returns the function that counts a change in both places. */
async function countChanges(
  { changes, directory, log }: HarvestOptions,
  ledger: Ledger,
): Promise<() => Promise<void>> {
  if (changes && ledger.isOlderThan(changes.known))
    log.warn({ file: join(directory, 'harvest.sqlite') }, 'harvest.ledger-older')
  const changed = async () => changes?.note(ledger.countChange())
  await changed()
  return changed
}

async function* duplicates(
  { likenesses }: Ledger,
  catalogue: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly DuplicateRecord[]> {
  for await (const group of inTurns(likenesses.groups())) {
    signal.throwIfAborted()
    if (catalogue === undefined || group.some((one) => one.catalogue === catalogue)) yield group
  }
}
