/** Results of jobs, and work with tables of its own among them. */

import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import type { Job } from '../../src/jobs/job.ts'
import { never, openJobs, work } from './open.ts'

it('a job keeps what its work answered, and gives it, its progress and its failure to those who wait', async () => {
  const { jobs, path } = openJobs()
  const told: unknown[] = []
  const gate = Promise.withResolvers<void>()
  jobs.register({
    kind: 'work',
    atOnce: 1,
    run: async ({ key }, { progress }) => {
      if (key === 'b') throw new Failure('store-unavailable', 'the store is away')
      progress({ done: 1, of: 2 })
      await gate.promise
      return { found: 7 }
    },
  })
  const { id } = jobs.submit(work('a'))
  const result = jobs.resultOf(id, never, (progress) => told.push(progress))
  await expect.poll(() => told.length).toBe(1)
  gate.resolve()
  expect(await result).toEqual({ found: 7 })
  expect(told).toContainEqual({ done: 1, of: 2 })
  // What is done is done to the end, whatever it reported last.
  expect([told.at(-1), jobs.get(id)?.progress]).toEqual([
    { done: 2, of: 2 },
    { done: 2, of: 2 },
  ])
  const file = new DatabaseSync(path, { readOnly: true })
  expect(file.prepare('SELECT result FROM job').get()?.['result']).toBe('{"found":7}')
  file.close()
  const failed = jobs.resultOf(jobs.submit(work('b')).id, never)
  await expect(failed).rejects.toMatchObject({ kind: 'store-unavailable' })
  const later = jobs.submit(work('c', { runAt: Date.parse('2030-01-01') }))
  const cancelled = jobs.resultOf(later.id, never)
  jobs.cancel(later.id)
  await expect(cancelled).rejects.toThrow('was cancelled')
  await expect(jobs.resultOf('none', never)).rejects.toMatchObject({ kind: 'unknown-job' })
})

describe('work with tables of its own', () => {
  it('is listed among the jobs by its time, found by its id and cancelled by its owner', async () => {
    const { jobs, clock } = openJobs()
    const first = jobs.submit(work('a'))
    clock.forward(10)
    const foreign: Job = { ...first, id: 'run', kind: 'run-pipe', createdAt: clock.now() }
    const cancelled: string[] = []
    jobs.addSource({
      kind: 'run-pipe',
      get: (id) => (id === 'run' ? foreign : undefined),
      list: (state) => (state === undefined || state === foreign.state ? [foreign] : []),
      cancel: (id) => void cancelled.push(id),
    })
    clock.forward(10)
    const last = jobs.submit(work('b'))
    const ids = (filter: Partial<Parameters<typeof jobs.list>[0]> = {}) =>
      jobs.list({ limit: 10, offset: 0, ...filter }).map(({ id }) => id)
    expect(ids()).toEqual([last.id, 'run', first.id])
    expect(ids({ limit: 1, offset: 1 })).toEqual(['run'])
    expect(ids({ kind: 'run-pipe' })).toEqual(['run'])
    expect(ids({ kind: 'work', limit: 1 })).toEqual([last.id])
    expect(ids({ state: 'running' })).toEqual([])
    expect(jobs.get('run')).toBe(foreign)
    expect([jobs.cancel('run'), cancelled]).toEqual([foreign, ['run']])
    expect(jobs.counts().waiting).toBe(2)
  })
})

it('opens a table of a version that kept no results', async () => {
  const first = openJobs()
  const { id } = first.jobs.submit(work('a'))
  await first.stop()
  const file = new DatabaseSync(first.path)
  file.exec('ALTER TABLE job DROP COLUMN result')
  file.close()
  const { jobs } = openJobs({ path: first.path })
  jobs.register({ kind: 'work', atOnce: 1, run: async () => 'here' })
  expect(await jobs.resultOf(id, never)).toBe('here')
})
