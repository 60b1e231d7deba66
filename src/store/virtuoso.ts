/** OpenLink Virtuoso 7: only a single operation is atomic there, and every write of ours is one (decision 0015). */

import type { Dialect, Door, Edit } from './remote/dialect.ts'
import { isIncomplete, isPassing, meaningOf } from './virtuoso/answers.ts'
import { hasCollisions } from './virtuoso/collisions.ts'
import { probeVirtuoso, touch } from './virtuoso/probing.ts'
import { isReservedName } from './virtuoso/reserved.ts'
import { ownSpelling } from './virtuoso/spelling.ts'
import { landStaged, recoverStaged } from './virtuoso/staging.ts'
import { singleText } from './virtuoso/update-text.ts'
import { checkName, virtuosoFidelity } from './virtuoso/values.ts'

async function land(edits: readonly Edit[], door: Door): Promise<void> {
  for (const { graph } of edits) checkName(graph)
  const text = edits.some(hasCollisions) ? undefined : singleText(edits)
  await (text === undefined ? landStaged(edits, door) : door.update(text))
}

/**
 * Lines of writes that share a template: a few small changes. What only comes is an `INSERT DATA` by itself, which takes half
 * the time, and must not become a template because something else goes.
 */
const mixed = 60

/** How long a write of which nothing was heard is given to end. */
const settleMs = 1500

export const virtuoso: Dialect = {
  name: 'virtuoso',
  fidelity: virtuosoFidelity,
  // Debian's server has ten threads; more writers deadlock more often and are not faster.
  sockets: 8,
  writers: 1,
  idleMs: 30,
  destroyAfterError: true,
  retryable: isPassing,
  refused: meaningOf,
  fits: ({ graphs, cleared, removed, added, length }) =>
    graphs <= 320 &&
    cleared <= 100 &&
    removed + added <= (removed > 0 && added > 0 ? mixed : 16_000) &&
    length <= 2 * 2 ** 20,
  land,
  // Clearing by pattern also takes what cannot be named.
  namesCleared: false,
  stages: true,
  torn: true,
  recover: recoverStaged,
  probe: probeVirtuoso,
  settle: async (door) => {
    await door.pause(settleMs)
    await touch(door)
  },
  respelt: ownSpelling,
  quads: false,
  union: 'always',
  deadline: (ms) => ({ timeout: String(ms) }),
  incomplete: isIncomplete,
  reserved: isReservedName,
}
