/** A runner over a table in a temporary directory, with a clock that the test turns. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Job, JobKind, JobRun } from '../../src/jobs/job.ts'
import { type JobRequest, JobRunner } from '../../src/jobs/job-runner.ts'
import { logger } from '../../src/log.ts'
import { handClock } from '../metrics/figures/hand-clock.ts'

export const never = new AbortController().signal

export function newFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cartulary-jobs-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'jobs.sqlite')
}

/** `lines` are the events of the log and `waits` their `retryInMs`; `stop` may be called by the test. */
export function openJobs({ path = newFile(), at = '2026-11-28T10:00:00Z' } = {}) {
  const clock = handClock(at)
  const lines: string[] = []
  const waits: unknown[] = []
  const write = (line: string) => {
    const { event, retryInMs } = JSON.parse(line)
    lines.push(event)
    waits.push(retryInMs)
  }
  const log = logger('warn', { write })
  const jobs = new JobRunner({ path, log, now: clock.now, pause: clock.pause })
  let isStopped = false
  const stop = async () => {
    if (!isStopped) {
      isStopped = true
      await jobs.stop()
    }
  }
  onTestFinished(stop)
  return { jobs, clock, lines, waits, path, stop }
}

/** A job that works on a key. */
export const work = (key: string, more: Partial<JobRequest> = {}): JobRequest => ({
  kind: 'work',
  key,
  payload: null,
  createdBy: 'test',
  ...more,
})

/** The code of a kind whose runs are ended by the test, in the order in which they began. */
export function heldKind(more: Partial<JobKind> = {}) {
  const runs: { job: Job; run: JobRun; end: () => void; fail: (error: Error) => void }[] = []
  const kind: JobKind = {
    kind: 'work',
    atOnce: 10,
    run: (job, run) =>
      new Promise((resolve, reject) => {
        runs.push({ job, run, end: resolve, fail: reject })
        run.signal.addEventListener('abort', () => reject(run.signal.reason))
      }),
    ...more,
  }
  return { kind, runs, keys: () => runs.map(({ job }) => job.key) }
}
