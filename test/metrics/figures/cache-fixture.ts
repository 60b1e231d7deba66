/** A cache over a real store with datasets that were measured as the test says, and a clock that the test turns. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { JobRunner } from '../../../src/jobs/job-runner.ts'
import { logger } from '../../../src/log.ts'
import { cacheSchedules } from '../../../src/main/metrics.ts'
import { openCache } from '../../../src/metrics/figures/metrics-cache.ts'
import type { RefreshScope } from '../../../src/metrics/figures/refresh-figures.ts'
import type { Weights } from '../../../src/metrics/measure/weights.ts'
import { indicators } from '../../../src/metrics/indicators.ts'
import { names as namesOf } from '../../../src/rdf/names.ts'
import { embeddedStore } from '../../../src/store/embedded/embedded-store.ts'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import { handClock } from './hand-clock.ts'

export const names = namesOf('http://localhost:8080/')

const weights = Object.fromEntries(
  indicators.map(({ name, dimension, points }) => [name, { dimension, yes: points, no: 0 }]),
) as Weights

const bands = [
  { id: 'excellentScoring', from: 351, to: 405 },
  { id: 'goodScoring', from: 221, to: 350 },
  { id: 'sufficientScoring', from: 121, to: 220 },
  { id: 'badScoring', from: 0, to: 120 },
]

export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cartulary-cache-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export async function openStore(): Promise<GraphStore> {
  const store = await embeddedStore({ directory: newDirectory(), log: logger('silent') })
  onTestFinished(() => store.close())
  return store
}

type Options = {
  readonly store: Pick<GraphStore, 'select' | 'readAll'>
  readonly directory?: string
  /** What the clock shows at first. */
  readonly at?: string
}

/** The time of the first refresh is far away, so that a test says when there is one. */
export function cacheFixture({
  store,
  directory = newDirectory(),
  at = '2026-11-22T10:00:00Z',
}: Options) {
  const clock = handClock(at)
  const logged: string[] = []
  const log = logger('warn', { write: (line) => void logged.push(line) })
  const { now, pause } = clock
  const jobs = new JobRunner({ path: join(directory, 'jobs.sqlite'), log, now, pause })
  const opened = openCache({
    path: join(directory, 'figures.sqlite'),
    store,
    names,
    bands,
    weights,
    schedules: cacheSchedules,
    jobs,
    now,
    elapsed: () => performance.now(),
    pause,
    log,
  })
  const refresh = (scope: RefreshScope, signal = new AbortController().signal) =>
    opened.refreshes.refresh(scope, 'test', signal)
  const cache = { ...opened, refresh }
  const state = { stopped: false }
  const stop = async () => {
    if (state.stopped) return
    state.stopped = true
    await cache.stop()
    await jobs.stop()
  }
  onTestFinished(stop)
  return { cache, jobs, figures: cache.figures, clock, directory, logged, stop }
}
