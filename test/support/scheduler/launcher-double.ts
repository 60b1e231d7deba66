/** A launcher that starts nothing: it makes run records and lets tests say how they go on. */

import { Failure } from '../../../src/errors.ts'
import type { Launcher } from '../../../src/pipe/running/launcher.ts'
import type { Launch } from '../../../src/pipe/running/execution.ts'
import { hasEnded, type Run } from '../../../src/pipe/runs/run.ts'
import type { Runs } from '../../../src/pipe/runs/run-history.ts'

export type LauncherDouble = Launcher & { readonly launches: Launch[] }

export function launcherDouble(runs: Runs, catalogue = 'city'): LauncherDouble {
  const launches: Launch[] = []
  const active = (pipe?: string) =>
    runs
      .list({ ...(pipe !== undefined && { pipe }), offset: 0, limit: 1000 })
      .filter((run) => !hasEnded(run))
  const demand = (id: string, ...statuses: Run['status'][]) => {
    const run = runs.get(id)
    if (!run) throw new Failure('unknown-run', 'there is no such run')
    if (!statuses.includes(run.status)) throw new Failure('conflict', `the run is ${run.status}`)
    return run
  }
  const start = (launch: Launch) => {
    const { pipe, startedBy, trigger, dryRun = false, configs = {} } = launch
    const run = runs.create({
      pipe,
      catalogue,
      startedBy,
      dryRun,
      configs,
      segments: [{ name: 'importing-rdf', segmentNumber: 1, processed: false }],
      ...(trigger !== undefined && { trigger }),
    })
    return runs.change(run.id, { status: 'running' })
  }
  return {
    launches,
    launch: (launch) => {
      launches.push(launch)
      const [busy] = active(launch.pipe)
      const drops = (launch.startMode ?? 'drop') === 'drop'
      return busy && drops ? { dropped: busy } : { run: start(launch) }
    },
    cancel: async (id) => {
      demand(id, 'running', 'waiting')
      return runs.change(id, { status: 'cancelled' })
    },
    resume: (id) => {
      demand(id, 'interrupted')
      return runs.change(id, { status: 'waiting' })
    },
    retry: (id) => {
      const { pipe } = demand(id, 'finished', 'failed', 'cancelled')
      return start({ pipe, startedBy: 'api' })
    },
    active: () => active(),
    load: () => ({ runs: active().length, waiting: 0 }),
    waitForEnd: async (id) => demand(id, 'finished', 'failed'),
    stop: async () => undefined,
  }
}
