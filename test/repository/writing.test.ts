/** What keeps writes in order: locks, versions, and how long an answer waits. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { indexStatus, waitOf } from '../../src/repository/endpoints/responses.ts'
import {
  commitBatch,
  commitOne,
  deletions,
  writeLocks,
} from '../../src/repository/writing/write-batch.ts'
import type { GraphChange } from '../../src/store/graph-store.ts'
import { versionClock } from '../../src/store/versions.ts'

const never = new AbortController().signal

describe('locks', () => {
  it('a writer that waits too long is told to come back, and keeps nobody else waiting', async () => {
    const locks = writeLocks()
    const gate = Promise.withResolvers<void>()
    const holder = locks.run(['a'], () => gate.promise, never)
    const late = new AbortController()
    const tired = locks.run(['a'], () => Promise.resolve('never runs'), late.signal)
    const patient = locks.run(['a'], () => Promise.resolve('runs'), never)
    late.abort()
    await expect(tired).rejects.toMatchObject({ kind: 'time-limit', retryAfter: 1 })
    gate.resolve()
    await holder
    expect(await patient).toBe('runs')
  })
})

describe('deletions', () => {
  it('are noticed while they run and after they ran, not before', async () => {
    const { during, watch: checkOf } = deletions()
    const watch = (catalogue: string) => {
      const check = checkOf(catalogue)
      return () => {
        try {
          return check() ?? false
        } catch (error) {
          return error instanceof Failure && error.kind === 'unknown-catalogue'
        }
      }
    }
    const before = watch('c')
    expect([before(), watch('other')()]).toEqual([false, false])
    const gate = Promise.withResolvers<void>()
    const running = during('c', () => gate.promise)
    expect([before(), watch('c')(), watch('other')()]).toEqual([true, true, false])
    gate.resolve()
    await running
    expect([before(), watch('c')()]).toEqual([true, false])
  })

  it('are noticed by a write however many other catalogues were deleted meanwhile', async () => {
    const { during, watch } = deletions()
    const check = watch('c')
    const deleted = async (catalogue: string) => during(catalogue, () => Promise.resolve())
    await deleted('c')
    for (let n = 0; n < 1500; n += 1) await deleted(`other-${n}`)
    expect(check).toThrow(Failure)
    expect(watch('c')).not.toThrow()
    expect(watch('other-0')).not.toThrow()
  })
})

describe('landing', () => {
  it('tells of marks only when the write is done, and says when it does not know', async () => {
    const told: string[] = []
    const landing = (write: () => Promise<[]>) => ({
      store: { write },
      idLists: { apply: () => undefined, forget: () => void told.push('forget') },
      onCommitted: () => void told.push('changed'),
      onOutcomeUnknown: () => void told.push('unsure'),
    })
    const planned = { result: 'done', group: { changes: [], marks: [] } }
    const lands = landing(() => Promise.resolve([]))
    expect(await commitOne(lands, planned)).toBe('done')
    const lost = landing(() => Promise.reject(new Error('lost')))
    await expect(commitOne(lost, planned)).rejects.toThrow('lost')
    expect(told).toEqual(['changed', 'forget', 'unsure'])
  })

  it('writes nothing that its check refuses, and tells of the marks of the writes that succeeded', async () => {
    const marks: string[] = []
    const graphs: string[] = []
    const context = {
      store: {
        writeEach: async (groups: readonly (readonly GraphChange[])[]) => {
          graphs.push(...groups.flat().map(({ graph }) => graph))
          return groups.map(([change]) =>
            change?.graph === 'bad' ? { failure: new Error('bad') } : { written: [] },
          )
        },
      },
      idLists: { apply: () => undefined, forget: () => undefined },
      onCommitted: (all: readonly { resource: string }[]) =>
        void marks.push(...all.map(({ resource }) => resource)),
      onOutcomeUnknown: () => undefined,
    }
    const plan = (graph: string, check?: () => void) => ({
      result: graph,
      group: {
        changes: [{ graph, content: '' }],
        marks: [{ resource: graph, version: 1 }],
      },
      check,
    })
    const refuse = () => {
      throw new Error('deleted')
    }
    const results = await commitBatch(context, [plan('good'), plan('bad'), plan('late', refuse)])
    expect(results).toEqual([
      { result: 'good' },
      { failure: new Error('bad') },
      { failure: new Error('deleted') },
    ])
    expect([graphs, marks]).toEqual([['good', 'bad'], ['good']])
  })
})

describe('versions', () => {
  it('grow whatever the wall clock does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(10_000), { minLength: 2 }),
        fc.nat(10_000_000),
        (times, newest) => {
          let at = 0
          const clock = versionClock(newest, () => times[at++ % times.length] ?? 0)
          const given = times.map(() => clock.next())
          return given.every((version, i) => version > (given[i - 1] ?? newest))
        },
      ),
    )
  })
})

describe('Prefer', () => {
  const cases: readonly (readonly [string | undefined, number, string | undefined])[] = [
    [undefined, 5000, undefined],
    ['respond-async', 0, 'respond-async'],
    ['wait=2', 2000, 'wait=2'],
    ['return=minimal, wait=0', 0, 'wait=0'],
    ['wait=3600', 60_000, 'wait=60'],
    ['wait=x', 5000, undefined],
    ['RESPOND-ASYNC, wait=9', 0, 'respond-async'],
  ]
  it.each(cases)('%s waits %i ms', (header, ms, applied) => {
    expect(waitOf(header, 5000)).toEqual({ ms, applied })
  })

  it('an index that is slower than the wait is said to be pending', async () => {
    const settled = (_: unknown, signal: AbortSignal) =>
      new Promise<boolean>((resolve) => {
        signal.addEventListener('abort', () => resolve(false))
      })
    const mark = { resource: 'urn:x', version: 1 }
    expect(await indexStatus(settled, mark, { ms: 5, applied: undefined }, never)).toBe('pending')
  })
})
