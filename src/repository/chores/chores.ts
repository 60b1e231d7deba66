/** What an operator may have done to the catalogues, beside what clients may ask for. */

import type { WritingDeps } from '../deps.ts'
import { truthfulPage } from '../deleting/keeping/doubts.ts'
import type { Tombstone } from '../deleting/tombstones.ts'
import { repairAddresses } from './addresses.ts'
import { clearCatalogue, type Clearing } from './clearing.ts'
import { repairCatalogue, type RepairDeps } from './repairing.ts'

export type Chores = {
  readonly clear: (clearing: Clearing, signal: AbortSignal) => Promise<number>
  readonly repair: (catalogue: string, signal: AbortSignal) => AsyncIterable<string>
  /** A sentence for every address that earlier versions renamed. */
  readonly repairAddresses: (
    options: { readonly dryRun: boolean },
    signal: AbortSignal,
  ) => AsyncIterable<string>
  /** Newest first; of one catalogue or of all. */
  readonly tombstones: (
    catalogue: string | undefined,
    signal: AbortSignal,
  ) => AsyncIterable<Tombstone>
}

/** Tombstones that are read at once. */
const page = 500

export const chores = (deps: WritingDeps & Pick<RepairDeps, 'lastHome'>): Chores => ({
  clear: (clearing, signal) => clearCatalogue(deps, clearing, signal),
  repair: (catalogue, signal) => repairCatalogue(deps, catalogue, signal),
  repairAddresses: (options, signal) => repairAddresses(deps, options, signal),
  tombstones: async function* tombstones(catalogue, signal) {
    for (let offset = 0; ; offset += page) {
      signal.throwIfAborted()
      const listed = deps.tombstones.list(catalogue, { offset, limit: page })
      if (listed.length === 0) return
      yield* await truthfulPage(deps, { catalogue, offset, limit: page }, signal)
    }
  },
})
