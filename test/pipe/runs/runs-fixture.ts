/** Runs over a file of their own, with a clock that the test moves. */

import { copyFileSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { logger } from '../../../src/log.ts'
import { openRuns, type Runs, type RunsOptions } from '../../../src/pipe/runs/run-history.ts'
import type { RunStart } from '../../../src/pipe/runs/run.ts'

export const silent = logger('silent')
export const day = 86_400_000

/** Short pauses last 5 ms at most, whatever is asked; longer ones are real. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms < 10_000 ? Math.min(ms, 5) : ms, undefined, { signal })

export type RunsFixture = {
  readonly path: string
  /** Milliseconds; the test moves it. */
  at: number
  open(options?: Partial<RunsOptions>): Runs
  /** A copy of the file as a process leaves it that is killed now. */
  killed(): RunsFixture
}

export function runsFixture(
  path = join(mkdtempSync(join(tmpdir(), 'runs-')), 'runs.sqlite'),
  at = Date.parse('2026-11-21T06:00:00Z'),
): RunsFixture {
  const self: RunsFixture = {
    path,
    at,
    open(options = {}) {
      const runs = openRuns({
        path,
        owner: 'host:1',
        now: () => self.at,
        pause,
        log: silent,
        ...options,
      })
      let closed = false
      const close = runs.close.bind(runs)
      const once = async () => {
        if (closed) return
        closed = true
        await close()
      }
      onTestFinished(once)
      return Object.assign(runs, { close: once })
    },
    killed() {
      const copy = join(mkdtempSync(join(tmpdir(), 'runs-')), 'runs.sqlite')
      for (const end of ['', '-wal']) {
        if (existsSync(path + end)) copyFileSync(path + end, copy + end)
      }
      return runsFixture(copy, self.at)
    },
  }
  return self
}

export const start = (more: Partial<RunStart> = {}): RunStart => ({
  pipe: 'city',
  catalogue: 'city',
  startedBy: 'api',
  dryRun: false,
  configs: {},
  segments: [
    { name: 'importing-rdf', segmentNumber: 1, processed: false },
    { name: 'exporting-hub', segmentNumber: 2, processed: false },
  ],
  ...more,
})

/** A run that is running. */
export function running(runs: Runs, more: Partial<RunStart> = {}): string {
  const { id } = runs.create(start(more))
  runs.change(id, { status: 'running' })
  return id
}

/** A run that has finished with these items. */
export function done(
  runs: Runs,
  items: readonly Parameters<ReturnType<Runs['sink']>['item']>[0][],
) {
  const id = running(runs)
  const sink = runs.sink(id)
  for (const item of items) sink.item(item)
  sink.outcome('complete')
  return runs.change(id, { status: 'finished' })
}
