/** What operators may have done to the catalogues by the console, beside what clients may ask for. */

import type { WriteContext } from '../context.ts'
import { catalogueSize, removeDatasetsOf } from '../deleting/catalogue-deletion.ts'
import { isPresent, listTombstones } from '../deleting/tombstone-upkeep.ts'
import type { Tombstone } from '../deleting/tombstones.ts'
import { unknownCatalogue } from '../writing/find-datasets.ts'
import { repairAddresses } from './repair-addresses.ts'
import { repairCatalogue, type RepairDeps } from './repair-catalogue.ts'

type Clearing = {
  readonly catalogue: string
  /** Searches go on finding what is gone. */
  readonly keepIndex: boolean
  /** Datasets that are gone, and how many there were. */
  readonly progress: (done: number, total?: number) => void
}

export type Maintenance = {
  /**
   * Deletes all datasets of a catalogue and keeps the catalogue; answers how many are gone, each of which can be restored by
   * itself. Throws `unknown-catalogue`, and whatever kept some of them when the others are gone.
   */
  readonly clear: (clearing: Clearing, signal: AbortSignal) => Promise<number>
  /** A sentence for every link without dataset, dataset without link and original id that is used twice. */
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

export type MaintenanceDeps = RepairDeps

/** Tombstones that are read at once. */
const page = 500

export const maintenance = (deps: MaintenanceDeps): Maintenance => ({
  clear: (clearing, signal) => clearCatalogue(deps, clearing, signal),
  repair: (catalogue, signal) => repairCatalogue(deps, catalogue, signal),
  repairAddresses: (options, signal) => repairAddresses(deps, options, signal),
  tombstones: async function* tombstones(catalogue, signal) {
    for (let offset = 0; ; offset += page) {
      signal.throwIfAborted()
      const listed = deps.tombstones.list(catalogue, { offset, limit: page })
      if (listed.length === 0) return
      yield* await listTombstones(deps, { catalogue, offset, limit: page }, signal)
    }
  },
})

async function clearCatalogue(
  deps: WriteContext,
  { catalogue, keepIndex, progress }: Clearing,
  signal: AbortSignal,
): Promise<number> {
  if (!(await isPresent(deps, { kind: 'catalogue', id: catalogue }, signal)))
    throw unknownCatalogue(catalogue)
  const total = await catalogueSize(deps, catalogue, signal)
  let gone = 0
  const done = (datasets: number) => {
    gone += datasets
    progress(gone, total)
  }
  const removal = { at: deps.now(), keepIndex }
  const failure = await removeDatasetsOf(deps, { id: catalogue, removal, done }, signal)
  if (failure !== undefined) throw failure
  return gone
}
