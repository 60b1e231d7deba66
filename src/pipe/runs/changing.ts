/** What can be done to the history of runs. */

import { Failure } from '../../errors.ts'
import type { KeptRun } from './keeping/run-rows.ts'
import { rewound } from './keeping/rewinding.ts'
import { leaseMs, liveRun, type LiveRun } from './living/live-run.ts'
import { noCounts, noProgress, timeOf } from './living/meter.ts'
import { checkStep } from './living/steps.ts'
import { noTally } from './living/tally.ts'
import { storedProblem } from './problem.ts'
import { known, type RunRoom } from './reading.ts'
import { ended, type Run, type RunNote, type RunStart } from './run.ts'
import type { Runs } from './runs.ts'
import { comparedWith } from './telling/comparison.ts'

type Changing = Pick<
  Runs,
  'create' | 'together' | 'sink' | 'change' | 'note' | 'checkpoint' | 'renew' | 'interruptOrphans'
>

export function changing(room: RunRoom): Changing {
  const { deps, lives } = room
  return {
    create: (start) => enliven(room, inserted(room, start)).now(),
    together: (work) => deps.file.transaction(work),
    sink: (id) => live(room, id).sink,
    change(id, change) {
      if (change.status === 'waiting') return again(room, id)
      const run = live(room, id).step(change)
      if (ended(run)) lives.delete(id)
      return run
    },
    note: (id, note) => noted(room, id, note),
    checkpoint: (id, cursor) => live(room, id).checkpoint(cursor),
    renew() {
      const ours = new Set(deps.rows.renew(room.owner, deps.now() + leaseMs))
      const isLost = (id: string): boolean => {
        const kept = deps.rows.byId(id)
        return kept === undefined || !ours.has(kept.serial)
      }
      const lost = [...lives.keys()].filter(isLost)
      for (const id of lost) lives.delete(id)
      return lost
    },
    interruptOrphans: () =>
      deps.rows
        .open()
        .filter((kept) => isOrphan(room, kept))
        .map((orphan) => interrupted(room, orphan)),
  }
}

const mostNotes = 20

function noted({ deps }: RunRoom, id: string, note: Omit<RunNote, 'time'>): void {
  deps.file.transaction(() => {
    const kept = deps.rows.byId(id)
    if (!kept || !ended(kept.run)) return
    const notes = [...(kept.run.notes ?? []), { ...note, time: timeOf(deps.now()) }]
    deps.rows.take({ ...kept, run: { ...kept.run, notes: notes.slice(-mostNotes) } })
  })
  deps.tell(id)
}

/** A run of this process; `unknown-run`, or `conflict` when it has ended or another process has it. */
function live(room: RunRoom, id: string): LiveRun {
  const found = room.lives.get(id)
  if (found) return found
  const { run } = known(room, id)
  const why = ended(run) ? `it is ${run.status}` : 'it belongs to another process'
  throw new Failure('conflict', `the run cannot change: ${why}`)
}

function inserted({ deps, owner, makeId }: RunRoom, start: RunStart): KeptRun {
  const at = deps.now()
  const run: Run = {
    id: makeId(),
    pipe: start.pipe,
    ...(start.trigger !== undefined && { trigger: start.trigger }),
    startedBy: start.startedBy,
    ...(start.catalogue !== undefined && { catalogue: start.catalogue }),
    status: 'waiting',
    created: timeOf(at),
    counts: noCounts(),
    progress: noProgress,
    segments: start.segments,
    problem: null,
  }
  const fresh = { run, start, tally: noTally, owner, lease: at + leaseMs }
  return { ...fresh, serial: deps.rows.insert(fresh), resumed: 0 }
}

function enliven(room: RunRoom, kept: KeptRun): LiveRun {
  const before = comparedWith(room.deps, kept)
  const failedIn = before && before.run.counts.failed > 0 ? before.serial : undefined
  const made = liveRun(room.deps, kept, failedIn)
  room.lives.set(kept.run.id, made)
  room.deps.tell(kept.run.id)
  return made
}

/** The run waits again: whatever it had written stays counted, the rest is forgotten. */
function again(room: RunRoom, id: string): Run {
  const { deps, owner } = room
  const kept = known(room, id)
  checkStep(kept.run, 'waiting')
  const lease = deps.now() + leaseMs
  const next = deps.file.transaction(() => {
    const waiting = { ...rewound(deps.items, kept), owner, lease, resumed: kept.resumed + 1 }
    deps.rows.take(waiting)
    return waiting
  })
  return enliven(room, next).now()
}

const isOrphan = ({ lives, deps, owner, isGone }: RunRoom, kept: KeptRun): boolean =>
  !lives.has(kept.run.id) && (kept.owner === owner || kept.lease < deps.now() || isGone(kept.owner))

function interrupted({ deps }: RunRoom, orphan: KeptRun): Run {
  const run: Run = {
    ...orphan.run,
    status: 'interrupted',
    // Not when that is noticed: in an older copy of the file it may have been long ago.
    endTime: timeOf(Math.min(deps.now(), orphan.lease)),
    problem: storedProblem(
      new Failure('run-interrupted', 'the process that worked on the run has ended'),
    ),
  }
  deps.rows.take({ ...orphan, run })
  deps.tell(run.id)
  return run
}
