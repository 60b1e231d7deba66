/** Assembles the harvest service: all segments that this process can run, and their shared dependencies. */

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
import { withDefaults } from '../text/defaults.ts'

/** Dependencies of the harvest service. */
export type HarvestOptions = Omit<ExportContext, 'ledger' | 'countChange' | 'active' | 'kinds'> & {
  /** Directory of `harvest.sqlite`. */
  readonly directory: string
  /** Directory for temporary files. */
  readonly scratch: string
  /**
   * Number of changes of the ledger, stored outside of it to detect an older copy of the file. `storedCount` is the last stored
   * number, or a larger one to treat the file as an older copy. If absent, older copies are not detected.
   */
  readonly changes?: {
    readonly storedCount: number
    readonly store: (count: number) => Promise<void>
  }
  /** Limits of transformers that differ from the defaults. */
  readonly transforms?: Partial<TransformLimits>
  /** Environment variables, limits and transports of git when it fetches scripts. */
  readonly git?: NonNullable<TransformDeps['git']>
  /** Host of this portal, so that the udata importer does not harvest it in a circle. */
  readonly ownHost?: string
}

/** Segments for harvesting, and actions of operators on runs. */
export type Harvest = {
  readonly kinds: readonly SegmentKind[]
  /** Step after every importer: gives records their original ids, and replaces those that need no write by `unchanged`. */
  readonly afterImport: SegmentFunction
  /** Carries out the held removals of a run. Throws what `confirmRemovals` throws. */
  confirm(runId: string, signal: AbortSignal): Promise<void>
  /** Restores what a run removed, or one dataset by its platform id. Throws what `restoreRemoved` throws. */
  restore(id: string, signal: AbortSignal): Promise<RestoreResult>
  /**
   * Transfers the records of the pipe `from` to `pipe`; returns their number. Throws `conflict` if one is running or both are
   * equal.
   */
  adopt(pipe: string, from: string): Promise<number>
  /** Groups of records in several catalogues with an equal key; only groups with a record of `catalogue` if given. */
  duplicates(
    catalogue: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<readonly DuplicateRecord[]>
  /** Closes the ledger; to be called after all runs have ended. */
  stop(): Promise<void>
}

/** Age in ms after which the progress of an interrupted run is deleted. */
const forgottenAfterMs = 30 * dayMs

/** Opens the ledger and creates the segments. */
export async function openHarvest(options: HarvestOptions): Promise<Harvest> {
  const { directory, now } = options
  const ledger = new Ledger(join(directory, 'harvest.sqlite'))
  ledger.forgetProgressBefore(now() - forgottenAfterMs)
  const countChange = await changeCounter(options, ledger)
  const active = new Map<string, ExportRun>()
  const context: ExportContext = { ...options, ledger, countChange, active, kinds: () => kinds }
  const kinds = harvestKinds(options, context)
  return {
    kinds,
    afterImport: identifyRecords(active),
    confirm: (runId, signal) => confirmRemovals(context, runId, signal),
    restore: (id, signal) => restoreRemoved(context, id, signal),
    adopt: (pipe, from) => adoptRecords(context, pipe, from),
    duplicates: (catalogue, signal) => duplicateGroups(ledger, catalogue, signal),
    stop: async () => ledger.close(),
  }
}

/** Makes the kinds of segments for harvesting. Checks of configurations need nothing but limits, secrets and hosts. */
export function harvestKinds(
  options: HarvestOptions,
  context: ExportContext,
): readonly SegmentKind[] {
  const { config, transforms, ownHost } = options
  const { active } = context
  const deps: ImporterDeps = {
    ...options,
    allow: config.allow,
    limits: config,
    missing: (runId) => active.get(runId)?.missingSourceIds() ?? [],
    ownsRecords: (runId) => active.get(runId)?.ownsRecords ?? true,
    validators: (run, shape, forceDays) => validatorsOf(context, run, shape, forceDays),
  }
  const limits = withDefaults(usualTransformLimits, transforms)
  const transformDeps: TransformDeps = { ...options, allow: config.allow, limits }
  return [
    importerSegment(rdfImporter, deps),
    importerSegment(sparqlImporter, deps),
    importerSegment(ckanImporter, deps),
    importerSegment(dkanImporter, deps),
    importerSegment(dataJsonImporter, deps),
    importerSegment(udataImporter(ownHost), deps),
    importerSegment(opendatasoftImporter, deps),
    importerSegment(socrataImporter, deps),
    importerSegment(arcgisImporter, deps),
    scriptTransformer(transformDeps),
    constructTransformer(transformDeps),
    exporterSegment(context),
  ]
}

/** Compares the number of changes with the one stored elsewhere; returns the function that counts a change in both places. */
async function changeCounter(
  { changes, directory, log }: HarvestOptions,
  ledger: Ledger,
): Promise<() => Promise<void>> {
  if (changes && ledger.markIfOlder(changes.storedCount))
    log.warn({ file: join(directory, 'harvest.sqlite') }, 'harvest.ledger-older')
  const countChange = async () => changes?.store(ledger.countChange())
  await countChange()
  return countChange
}

async function* duplicateGroups(
  { duplicateKeys }: Ledger,
  catalogue: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly DuplicateRecord[]> {
  for await (const group of inTurns(duplicateKeys.groups())) {
    signal.throwIfAborted()
    if (catalogue === undefined || group.some((record) => record.catalogue === catalogue))
      yield group
  }
}
