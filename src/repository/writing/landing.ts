/** The one way in which a write reaches the store and those who follow it. */

import type { Change } from '../../store/change.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import type { Landed } from '../../store/marks.ts'

type Landing = {
  readonly store: Pick<GraphStore, 'write'>
  readonly changed: (marks: readonly Landed[]) => void
  /** Told when a write failed and may have landed all the same: its marks are in the store if it did. */
  readonly unsure: () => void
}

/**
 * Lands changes and tells of their marks. It takes no signal: what the store has got it will land, also when the client has
 * left, and a mark that nobody hears of would wait for the next start.
 */
export async function landChanges(
  { store, changed, unsure }: Landing,
  changes: readonly Change[],
  marks: readonly Landed[],
): Promise<void> {
  try {
    await store.write(changes)
  } catch (error) {
    unsure()
    throw error
  }
  changed(marks)
}
