/** Runs of pipes as the list of jobs shows them. */

import { expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { runJobs } from '../../../src/pipe/runs/run-jobs.ts'
import { storedProblem } from '../../../src/pipe/runs/run.ts'
import { runsFixture } from './runs-fixture.ts'

const start = { pipe: 'lakes', startedBy: 'api', segments: [], dryRun: false, configs: {} } as const

function shown() {
  const place = runsFixture()
  const runs = place.open()
  const active: string[] = []
  const cancelled: string[] = []
  const launcher = {
    active: () => active.flatMap((id) => runs.get(id) ?? []),
    cancel: async (id: string) => {
      cancelled.push(id)
      return runs.change(id, { status: 'cancelled' })
    },
  }
  const failures: unknown[] = []
  return {
    place,
    runs,
    active,
    cancelled,
    source: runJobs(runs, launcher, (err) => failures.push(err)),
  }
}

it('have the state, the times, the problem and the progress of the run', () => {
  const { place, runs, source } = shown()
  const { id } = runs.create(start)
  const at = place.at
  const job = { id, kind: 'run-pipe', key: 'pipe lakes', createdBy: 'api', createdAt: at }
  expect(source.get(id)).toMatchObject({ ...job, state: 'waiting', attempts: 0 })
  place.at += 1000
  runs.change(id, { status: 'running' })
  runs.sink(id).total(3)
  runs.sink(id).item({ stage: 'export', state: 'created', originalId: 'a' })
  expect(source.get(id)).toMatchObject({
    state: 'running',
    startedAt: at + 1000,
    progress: { done: 1, of: 3 },
  })
  place.at += 1000
  const problem = storedProblem(new Failure('run-stalled', 'no page came'))
  runs.change(id, { status: 'timed-out', problem })
  expect(source.get(id)).toMatchObject({
    state: 'failed',
    endedAt: at + 2000,
    problem: { detail: 'no page came' },
  })
  expect(source.get('unknown')).toBeUndefined()
})

it('are listed by state, newest first', () => {
  const { place, runs, source } = shown()
  const ids = (['failed', 'interrupted', 'finished', 'cancelled'] as const).map((status) => {
    place.at += 1000
    const { id } = runs.create(start)
    runs.change(id, { status: 'running' })
    runs.change(id, { status })
    return id
  })
  const [failed, interrupted, finished, cancelled] = ids
  const listed = (...given: Parameters<typeof source.list>) =>
    source.list(...given).map(({ id }) => id)
  expect(listed(undefined, 9)).toEqual(ids.toReversed())
  expect(listed('failed', 9)).toEqual([interrupted, failed])
  expect(listed('failed', 1)).toEqual([interrupted])
  expect(listed('done', 9)).toEqual([finished])
  expect(listed('cancelled', 9)).toEqual([cancelled])
})

it('are cancelled by the launcher that runs them', async () => {
  const { runs, active, cancelled, source } = shown()
  const { id } = runs.create(start)
  expect(() => source.cancel(id)).toThrow('belongs to another process')
  active.push(id)
  source.cancel(id)
  expect(cancelled).toEqual([id])
  expect(() => source.cancel(id)).toThrow('the run is cancelled')
})
