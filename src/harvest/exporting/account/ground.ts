/** What the parts of the exporter stand on. */

import type { HarvestConfig } from '../../../config/harvest.ts'
import type { Log } from '../../../log.ts'
import type { Runs } from '../../../pipe/runs/run-history.ts'
import type { SegmentKind } from '../../../pipe/segment.ts'
import type { PipeSources } from '../../../pipe/sources/pipe-sources.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { MetricsExport } from '../../../pipe/message.ts'
import type { Doors } from '../door/choice.ts'
import type { Patience } from '../door/patience.ts'
import type { UnfitValues } from '../left-out.ts'
import type { Owner } from '../../ledger/record-rows.ts'

export type Ground = Doors &
  Patience & {
    readonly ledger: Ledger
    /** To be called when the ledger has changed: an older copy of it is found out by the count that is kept elsewhere. */
    readonly changed: () => Promise<void>
    readonly config: Pick<
      HarvestConfig,
      'guardPercent' | 'guardMinimum' | 'missingRuns' | 'forceDays' | 'restoreDays'
    >
    readonly runs: Pick<Runs, 'get' | 'list' | 'resumption' | 'note'>
    readonly sources: () => Pick<PipeSources, 'find' | 'invalid'>
    /** Every segment of this process. */
    readonly kinds: () => readonly SegmentKind[]
    readonly log: Log
    /** How what of a message measures its dataset is written; the whole text is sent when absent. */
    readonly metricsExport?: MetricsExport
    /** What of a record a document of our own search cannot show; absent where there is none. */
    readonly unfitValues?: UnfitValues
    /** Runs that are being exported, by their ids. */
    readonly accounts: Map<string, OpenAccount>
    /** Original ids on their way to a repository, with who sends them. */
    readonly claims: Map<string, { readonly pipe: string }>
  }

/** What others ask of a run that is being exported. */
type OpenAccount = {
  readonly owner: Owner
  readonly transformation: string
  /** Whether the catalogue held everything that the pipe owns in it when the run began. */
  readonly hasAll: boolean
}

export const dayMs = 86_400_000
