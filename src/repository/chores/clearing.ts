/** Deletes all datasets of a catalogue and keeps the catalogue. */

import type { WritingDeps } from '../deps.ts'
import { removeLinked, sizeOf } from '../deleting/catalogues/cascade.ts'
import { present } from '../deleting/keeping/doubts.ts'
import { unknownCatalogue } from '../writing/find-dataset.ts'

export type Clearing = {
  readonly catalogue: string
  /** Searches go on finding what is gone. */
  readonly keepIndex: boolean
  /** Datasets that are gone, and how many there were. */
  readonly progress: (done: number, total?: number) => void
}

/**
 * How many are gone; each can be restored by itself. Throws `unknown-catalogue`, and whatever kept some of them when the others
 * are gone.
 */
export async function clearCatalogue(
  deps: WritingDeps,
  { catalogue, keepIndex, progress }: Clearing,
  signal: AbortSignal,
): Promise<number> {
  const isThere = await present(deps, [{ kind: 'catalogue', id: catalogue }], signal)
  if (isThere.size === 0) throw unknownCatalogue(catalogue)
  const total = await sizeOf(deps, catalogue, signal)
  let done = 0
  const gone = (datasets: number) => {
    done += datasets
    progress(done, total)
  }
  const emptying = { id: catalogue, at: deps.now(), keepIndex }
  const failure = await removeLinked(deps, emptying, gone, signal)
  if (failure !== undefined) throw failure
  return done
}
