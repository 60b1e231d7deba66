/** Jobs: of a key one at a time, of a kind so many at once, in order, ended, cancelled, and found again after a stop or a crash. */

import { cpSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Failure } from '../../src/errors.ts'
import type { Job } from '../../src/jobs/job.ts'
import { heldKind, never, newFile, openJobs, work } from './open.ts'

const turns = async (count = 10) => {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('a job', () => {
  it('waits, runs with its payload and ends as done', async () => {
    const { jobs, clock } = openJobs()
    const { kind, runs } = heldKind()
    const { id } = jobs.submit(work('a', { payload: { catalogue: 'c' }, progress: { done: 0 } }))
    expect(jobs.get(id)).toMatchObject({ state: 'waiting', attempts: 0, lease: 0 })
    jobs.register(kind)
    await expect.poll(() => runs.length).toBe(1)
    const started = clock.now()
    expect(runs[0]?.job).toMatchObject({
      id,
      payload: { catalogue: 'c' },
      state: 'running',
      lease: 1,
    })
    clock.forward(10)
    runs[0]?.end()
    const done = await jobs.waitFor(id, never)
    expect(done).toEqual({
      id,
      kind: 'work',
      key: 'a',
      payload: { catalogue: 'c' },
      state: 'done',
      progress: { done: 0 },
      runAt: started,
      lease: 1,
      attempts: 1,
      createdBy: 'test',
      createdAt: started,
      startedAt: started,
      endedAt: started + 10,
    })
  })

  it('shows its progress at once, and keeps it in the table', async () => {
    const { jobs, clock, path } = openJobs()
    const { kind, runs } = heldKind()
    jobs.register(kind)
    const { id } = jobs.submit(work('a'))
    await expect.poll(() => runs.length).toBe(1)
    const kept = () => {
      const file = new DatabaseSync(path, { readOnly: true })
      const row = file.prepare('SELECT progress FROM job').get()
      file.close()
      return row?.['progress']
    }
    runs[0]?.run.progress({ done: 1, of: 3 })
    expect([jobs.get(id)?.progress, kept()]).toEqual([{ done: 1, of: 3 }, null])
    clock.forward(1000)
    runs[0]?.run.progress({ done: 2, of: 3, note: 'soon' })
    expect(JSON.parse(String(kept()))).toEqual({ done: 2, of: 3, note: 'soon' })
    runs[0]?.run.progress({ done: 3, of: 3 })
    runs[0]?.end()
    await jobs.waitFor(id, never)
    expect(JSON.parse(String(kept()))).toEqual({ done: 3, of: 3 })
  })

  it('that fails says why in words that may be shown', async () => {
    const { jobs, lines } = openJobs()
    const { kind, runs } = heldKind()
    jobs.register(kind)
    const [own, foreign] = [jobs.submit(work('a')), jobs.submit(work('b'))]
    await expect.poll(() => runs.length).toBe(2)
    runs[0]?.fail(new Failure('store-unavailable', 'the store is away'))
    runs[1]?.fail(new Error('password=secret'))
    const [first, second] = [
      await jobs.waitFor(own.id, never),
      await jobs.waitFor(foreign.id, never),
    ]
    expect(first).toMatchObject({ state: 'failed', problem: { detail: 'the store is away' } })
    expect(second).toMatchObject({ state: 'failed', problem: { status: 500 } })
    expect(JSON.stringify(second)).not.toContain('secret')
    expect(lines).toEqual(['job.failed', 'job.failed'])
    expect(jobs.counts()).toEqual({ running: 0, waiting: 0, failed: 2 })
  })

  it('is not started before its time', async () => {
    const { jobs, clock } = openJobs()
    const { kind, keys } = heldKind()
    jobs.register(kind)
    jobs.submit(work('later', { runAt: clock.now() + 5000 }))
    jobs.submit(work('now'))
    await expect.poll(keys).toEqual(['now'])
    clock.forward(4999)
    await turns()
    expect(keys()).toEqual(['now'])
    clock.forward(1000)
    await expect.poll(keys).toEqual(['now', 'later'])
  })

  it('of a kind without code waits', async () => {
    const { jobs } = openJobs()
    const { kind, runs } = heldKind()
    jobs.register(kind)
    const other = jobs.submit(work('a', { kind: 'other' }))
    jobs.submit(work('b'))
    await expect.poll(() => runs.length).toBe(1)
    expect(jobs.get(other.id)?.state).toBe('waiting')
  })
})

describe('jobs', () => {
  it('of a key run one after the other, whatever their kinds', async () => {
    const { jobs } = openJobs()
    const one = heldKind()
    const two = heldKind({ kind: 'other' })
    jobs.register(one.kind)
    jobs.register(two.kind)
    jobs.submit(work('a'))
    await expect.poll(() => one.runs.length).toBe(1)
    jobs.submit(work('a', { kind: 'other' }))
    jobs.submit(work('b', { kind: 'other' }))
    await expect.poll(two.keys).toEqual(['b'])
    await turns()
    expect(two.keys()).toEqual(['b'])
    one.runs[0]?.end()
    await expect.poll(two.keys).toEqual(['b', 'a'])
  })

  it('of a kind run as many at once as it says, in the order in which they were submitted', async () => {
    const { jobs } = openJobs()
    const { kind, runs, keys } = heldKind({ atOnce: 2 })
    jobs.register(kind)
    for (const key of ['a', 'b', 'c', 'd']) jobs.submit(work(key))
    await expect.poll(keys).toEqual(['a', 'b'])
    await turns()
    expect(keys()).toEqual(['a', 'b'])
    runs[1]?.end()
    await expect.poll(keys).toEqual(['a', 'b', 'c'])
    runs[0]?.fail(new Error('no'))
    await expect.poll(keys).toEqual(['a', 'b', 'c', 'd'])
  })

  it('of a kind and key are joined while one waits, at the earlier time', async () => {
    const { jobs, clock } = openJobs()
    const { kind, runs } = heldKind()
    const ids = (payload: unknown) => payload as string[]
    const grow = (id: string, ms: number) =>
      jobs.submit(
        work('a', {
          payload: [id],
          runAt: clock.now() + ms,
          merge: (waiting) => [...ids(waiting), id],
        }),
      )
    const first = grow('x', 5000)
    const second = grow('y', 9000)
    const third = grow('z', 2000)
    expect([second.id, third.id]).toEqual([first.id, first.id])
    expect(third).toMatchObject({ payload: ['x', 'y', 'z'], runAt: clock.now() + 2000 })
    expect(jobs.submit(work('a', { payload: 'left out' })).payload).toEqual(['x', 'y', 'z'])
    jobs.register(kind)
    await expect.poll(() => runs.length).toBe(1)
    expect(jobs.submit(work('a', { payload: ['new'] })).id).not.toBe(first.id)
  })

  it('are found by kind and key while they run or wait', async () => {
    const { jobs } = openJobs()
    const { kind, runs } = heldKind()
    expect(jobs.active('work', 'a')).toBeUndefined()
    const first = jobs.submit(work('a'))
    expect(jobs.active('work', 'a')?.id).toBe(first.id)
    expect(jobs.running('work', 'a')).toBeUndefined()
    jobs.register(kind)
    await expect.poll(() => jobs.running('work', 'a')?.id).toBe(first.id)
    jobs.submit(work('a'))
    expect(jobs.active('work', 'a')?.id).toBe(first.id)
    expect(jobs.active('other', 'a')).toBeUndefined()
    runs[0]?.end()
    await jobs.waitFor(first.id, never)
    expect(jobs.active('work', 'a')?.id).not.toBe(first.id)
  })

  it('are listed newest first, by kind and state, page by page', async () => {
    const { jobs } = openJobs()
    const { kind, runs } = heldKind({ atOnce: 1 })
    const ids = ['a', 'b', 'c'].map((key) => jobs.submit(work(key)).id)
    const other = jobs.submit(work('d', { kind: 'other' })).id
    jobs.register(kind)
    await expect.poll(() => runs.length).toBe(1)
    runs[0]?.run.progress({ done: 7 })
    const list = (filter: Partial<Parameters<typeof jobs.list>[0]> = {}) =>
      jobs.list({ limit: 10, offset: 0, ...filter }).map(({ id }) => id)
    expect(list()).toEqual([other, ...ids.toReversed()])
    expect(list({ kind: 'other' })).toEqual([other])
    expect(list({ state: 'running' })).toEqual([ids[0]])
    expect(list({ limit: 2, offset: 1 })).toEqual([ids[2], ids[1]])
    expect(jobs.list({ state: 'running', limit: 1, offset: 0 })[0]?.progress).toEqual({ done: 7 })
    expect(jobs.counts()).toEqual({ running: 1, waiting: 3, failed: 0 })
  })

  it('that have ended are kept for 30 days, the newest 1,000 of them', async () => {
    const { jobs, clock, path } = openJobs()
    jobs.register({ kind: 'work', atOnce: 5, run: () => Promise.resolve() })
    const first = jobs.submit(work('a'))
    await jobs.waitFor(first.id, never)
    clock.forward(29 * 86_400_000)
    await jobs.waitFor(jobs.submit(work('b')).id, never)
    expect(jobs.get(first.id)?.state).toBe('done')
    clock.forward(2 * 86_400_000)
    await jobs.waitFor(jobs.submit(work('c')).id, never)
    expect(jobs.get(first.id)).toBeUndefined()
    const file = new DatabaseSync(path)
    onTestFinished(() => file.close())
    file
      .prepare(
        `INSERT INTO job (id, kind, key, payload, state, run_at, created_by, created, ended)
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
          SELECT 'old ' || i, 'work', 'k', 'null', 'done', 0, 'test', 0, ? FROM n`,
      )
      .run(clock.now() - 1)
    const waiting = jobs.submit(work('w', { runAt: clock.now() + 1e9 }))
    const last = jobs.submit(work('d'))
    await jobs.waitFor(last.id, never)
    const count = file.prepare('SELECT count(*) AS n FROM job WHERE ended IS NOT NULL').get()
    expect(count?.['n']).toBe(1000)
    expect([jobs.get(last.id)?.state, jobs.get(waiting.id)?.state]).toEqual(['done', 'waiting'])
  })
})

describe('a kind with retries', () => {
  it('waits longer after each failure, and begins anew after progress', async () => {
    const { jobs, clock, lines, waits } = openJobs()
    const { id } = jobs.submit(work('a'))
    jobs.register({
      kind: 'work',
      atOnce: 1,
      retry: { firstMs: 200, longestMs: 1000 },
      run: ({ attempts, progress }, run) => {
        if (attempts === 5) run.progress({ done: (progress?.done ?? 0) + 1 })
        return attempts < 7 ? Promise.reject(new Error('away')) : Promise.resolve()
      },
    })
    await expect
      .poll(
        () => {
          clock.forward(100)
          return jobs.get(id)?.state
        },
        { interval: 1 },
      )
      .toBe('done')
    expect(waits).toEqual([200, 400, 800, 1000, 200, 400])
    expect(jobs.get(id)?.attempts).toBe(7)
    expect(lines).toEqual(Array.from({ length: 6 }, () => 'job.attempt-failed'))
  })

  it('keeps its key and its place while it waits', async () => {
    const { jobs } = openJobs()
    const { kind, runs, keys } = heldKind({ atOnce: 1, retry: { firstMs: 9e9, longestMs: 9e9 } })
    jobs.register(kind)
    jobs.submit(work('a'))
    await expect.poll(keys).toEqual(['a'])
    jobs.submit(work('b'))
    runs[0]?.fail(new Error('away'))
    await turns()
    expect(keys()).toEqual(['a'])
  })
})

describe('a job that is cancelled', () => {
  it('ends at once where it waits', async () => {
    const { jobs } = openJobs()
    const { kind, runs } = heldKind()
    const { id } = jobs.submit(work('a', { createdBy: 'x' }))
    const waited = jobs.waitFor(id, never)
    expect(jobs.cancel(id)).toMatchObject({ state: 'cancelled', endedAt: expect.any(Number) })
    expect((await waited)?.state).toBe('cancelled')
    jobs.register(kind)
    await turns()
    expect(runs).toEqual([])
  })

  it('ends when its work has, and its key is free then', async () => {
    const { jobs } = openJobs()
    const gate = Promise.withResolvers<void>()
    const began: string[] = []
    jobs.register({
      kind: 'work',
      atOnce: 5,
      retry: { firstMs: 1, longestMs: 1 },
      run: async ({ id }, { signal }) => {
        began.push(id)
        await gate.promise
        signal.throwIfAborted()
      },
    })
    const first = jobs.submit(work('a'))
    await expect.poll(() => began.length).toBe(1)
    const second = jobs.submit(work('a'))
    expect(jobs.cancel(first.id).state).toBe('running')
    await turns()
    expect(began).toEqual([first.id])
    gate.resolve()
    expect(await jobs.waitFor(first.id, never)).toMatchObject({ state: 'cancelled', attempts: 1 })
    expect((await jobs.waitFor(second.id, never))?.state).toBe('done')
  })

  it('is done where its work had come to its end', async () => {
    const { jobs } = openJobs()
    const gate = Promise.withResolvers<void>()
    jobs.register({ kind: 'work', atOnce: 1, run: () => gate.promise })
    const { id } = jobs.submit(work('a'))
    await expect.poll(() => jobs.get(id)?.state).toBe('running')
    jobs.cancel(id)
    gate.resolve()
    expect((await jobs.waitFor(id, never))?.state).toBe('done')
  })

  it('is refused when it has ended, is unknown, or is of a kind that goes to its end', async () => {
    const { jobs } = openJobs()
    const { kind, runs } = heldKind({ isCancellable: false })
    jobs.register(kind)
    const { id } = jobs.submit(work('a'))
    expect(() => jobs.cancel(id)).toThrow('a job of the kind work cannot be cancelled')
    await expect.poll(() => runs.length).toBe(1)
    runs[0]?.end()
    await jobs.waitFor(id, never)
    expect(() => jobs.cancel(id)).toThrow('the job has ended: it is done')
    expect(() => jobs.cancel('x')).toThrow('there is no job x')
  })
})

describe('a wait', () => {
  it('ends with its signal, for a job that is unknown, and when the jobs stop', async () => {
    const { jobs, stop } = openJobs()
    const { id } = jobs.submit(work('a'))
    const end = new AbortController()
    const given = jobs.waitFor(id, end.signal)
    end.abort(new Error('no patience'))
    await expect(given).rejects.toThrow('no patience')
    expect(await jobs.waitFor('unknown', never)).toBeUndefined()
    const waiting = jobs.waitFor(id, never)
    await Promise.all([expect(waiting).rejects.toThrow('the platform stops'), stop()])
  })
})

describe('a stop', () => {
  it('of a kind awaits its jobs, which wait for the next start', async () => {
    const { jobs } = openJobs()
    const gate = Promise.withResolvers<void>()
    const seen: string[] = []
    const registration = jobs.register({
      kind: 'work',
      atOnce: 1,
      run: async ({ key }, { signal }) => {
        seen.push(`${key} begins`)
        if (seen.length > 1) return
        await gate.promise
        seen.push(`${key} ends`)
        signal.throwIfAborted()
      },
    })
    const { id } = jobs.submit(work('a'))
    await expect.poll(() => seen).toEqual(['a begins'])
    const other = jobs.submit(work('b'))
    const stopping = registration.stop().then(() => seen.push('stopped'))
    await turns()
    expect(seen).toEqual(['a begins'])
    gate.resolve()
    await stopping
    expect(seen).toEqual(['a begins', 'a ends', 'stopped'])
    expect([jobs.get(id)?.state, jobs.get(other.id)?.state]).toEqual(['waiting', 'waiting'])
  })

  it('of all leaves the jobs to the next opening, oldest first', async () => {
    const { jobs, path, stop } = openJobs()
    const first = heldKind({ atOnce: 1 })
    jobs.register(first.kind)
    const ids = ['a', 'b'].map((key) => jobs.submit(work(key)).id)
    await expect.poll(first.keys).toEqual(['a'])
    first.runs[0]?.run.progress({ done: 3 })
    await stop()
    const again = openJobs({ path })
    expect(again.jobs.get(ids[0] ?? '')).toMatchObject({ state: 'waiting', progress: { done: 3 } })
    const second = heldKind({ atOnce: 1 })
    again.jobs.register(second.kind)
    await expect.poll(second.keys).toEqual(['a'])
    expect(second.runs[0]?.job).toMatchObject({ attempts: 2, lease: 2 })
    second.runs[0]?.end()
    await expect.poll(second.keys).toEqual(['a', 'b'])
  })
})

describe('after a crash', () => {
  /** The files of a table as they are at this moment, in another place. */
  const crashed = (path: string) => {
    const copy = newFile()
    cpSync(path, copy)
    cpSync(`${path}-wal`, `${copy}-wal`)
    return copy
  }

  it('jobs that ran are taken up again, and jobs that had ended are not', async () => {
    const { jobs, path } = openJobs()
    const { kind, runs, keys } = heldKind()
    jobs.register(kind)
    const ids = ['ended', 'ran', 'cancelled'].map((key) => jobs.submit(work(key)).id)
    await expect.poll(() => keys().length).toBe(3)
    runs[0]?.end()
    await jobs.waitFor(ids[0] ?? '', never)
    const waiting = jobs.submit(work('waits', { runAt: Date.parse('2030-01-01') }))
    const held = new AbortController()
    runs[2]?.run.signal.addEventListener('abort', () => held.abort())
    jobs.cancel(ids[2] ?? '')
    const again = openJobs({ path: crashed(path) })
    const states = () => [...ids, waiting.id].map((id) => again.jobs.get(id)?.state)
    expect(states()).toEqual(['done', 'waiting', 'cancelled', 'waiting'])
    const second = heldKind()
    again.jobs.register(second.kind)
    await expect.poll(second.keys).toEqual(['ran'])
    expect(second.runs[0]?.job).toMatchObject({ attempts: 2, lease: 2 })
  })
})

describe('a file that takes no writes', () => {
  it('lets a job be recorded later, which keeps its key and its place until then', async () => {
    const { jobs, clock, lines, path } = openJobs()
    const { kind, runs, keys } = heldKind({ atOnce: 1 })
    jobs.register(kind)
    const { id } = jobs.submit(work('a'))
    await expect.poll(keys).toEqual(['a'])
    jobs.submit(work('a'))
    jobs.submit(work('b'))
    const file = new DatabaseSync(path)
    onTestFinished(() => file.close())
    file.exec(`CREATE TRIGGER full BEFORE UPDATE ON job WHEN NEW.key = 'a'
      BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END`)
    clock.forward(1000)
    runs[0]?.run.progress({ done: 1 })
    runs[0]?.end()
    await expect.poll(() => lines).toContain('job.record-failed')
    expect(lines).toContain('job.progress-save-failed')
    await turns()
    expect([keys(), jobs.running('work', 'a')?.id]).toEqual([['a'], id])
    file.exec('DROP TRIGGER full')
    await expect
      .poll(() => {
        clock.forward(20_000)
        return jobs.get(id)?.state
      })
      .toBe('done')
    await expect.poll(keys).toEqual(['a', 'a'])
  })
})

/** What happens to a job: it ends by itself, fails, or is cancelled. */
const fates = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  kind: fc.constantFrom('one', 'two'),
  steps: fc.nat(2),
  fails: fc.boolean(),
  isCancelled: fc.boolean(),
})

it('never lets two jobs of a key run at once, nor too many of a kind, and ends every one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fates, { minLength: 1, maxLength: 8 }),
      async (scheduler, all) => {
        const { jobs, stop } = openJobs({ path: newFile() })
        const faults: string[] = []
        const running = new Map<string, Job>()
        for (const [kind, atOnce] of [
          ['one', 1],
          ['two', 2],
        ] as const)
          jobs.register({
            kind,
            atOnce,
            run: async (job, { signal }) => {
              const others = [...running.values()]
              if (others.some(({ key }) => key === job.key)) faults.push(`two run at ${job.key}`)
              if (others.filter((one) => one.kind === kind).length >= atOnce)
                faults.push(`too many of ${kind}`)
              running.set(job.id, job)
              try {
                const { steps, fails } = job.payload as { steps: number; fails: boolean }
                for (let step = 0; step <= steps; step += 1) {
                  await scheduler.schedule(Promise.resolve(), `step ${step} of ${job.id}`)
                  signal.throwIfAborted()
                }
                if (fails) throw new Failure('conflict', 'fails')
              } finally {
                running.delete(job.id)
              }
            },
          })
        const ends = all.map(async ({ key, kind, steps, fails, isCancelled }, at) => {
          await scheduler.schedule(Promise.resolve(), `submit ${at}`)
          const { id } = jobs.submit(work(key, { kind, payload: { steps, fails } }))
          await scheduler.schedule(Promise.resolve(), `cancel ${at}`)
          const isOpen = jobs.get(id)?.endedAt === undefined
          if (isCancelled && isOpen) jobs.cancel(id)
          const end = await jobs.waitFor(id, never)
          if (end?.endedAt === undefined) faults.push(`${at} has not ended`)
        })
        await scheduler.waitFor(Promise.all(ends))
        await stop()
        expect(faults).toEqual([])
      },
    ),
    { numRuns: 100 },
  )
})
