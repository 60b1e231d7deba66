/** Runs over time: leases, interruptions, going on, being watched, being forgotten. */

import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { isGone, ownerOf } from '../../../src/pipe/runs/run-tables.ts'

import { type Run, storedProblem } from '../../../src/pipe/runs/run.ts'
import { day, done, runsFixture, running, start } from './runs-fixture.ts'

const unread = storedProblem(new Failure('item-malformed', 'x'))

describe('a lease', () => {
  it('lasts 60 s without renewal; then the run is interrupted, waiting ones too', () => {
    const place = runsFixture()
    const ours = place.open()
    const ids = [running(ours), ours.create(start()).id]
    const theirs = place.open({ owner: 'other:2' })
    place.at += 50_000
    expect(ours.renew()).toEqual([])
    place.at += 50_000
    expect(theirs.interruptOrphans()).toEqual([])
    place.at += 11_000
    expect(theirs.interruptOrphans().map(({ id }) => id)).toEqual(ids)
    expect(theirs.get(ids[0]!)).toMatchObject({
      status: 'interrupted',
      problem: { type: 'urn:cartulary:problem:run-interrupted' },
    })
  })

  it('that another process has ended is told to the one that held it, and its reports change nothing', () => {
    const place = runsFixture()
    const ours = place.open()
    const id = running(ours)
    const sink = ours.sink(id)
    place.at += 61_000
    const theirs = place.open({ owner: 'other:2' })
    theirs.interruptOrphans()
    sink.item({ sourceId: 'late', stage: 'export', state: 'created' })
    expect(ours.renew()).toEqual([id])
    expect(ours.get(id)?.status).toBe('interrupted')
    expect([...theirs.items(id)]).toEqual([])
    expect(() => ours.change(id, { status: 'finished' })).toThrow(/conflict/)
  })

  it('of an earlier process of the same name, or of one that is known to be gone, counts no more', () => {
    const place = runsFixture()
    running(place.open())
    expect(place.killed().open().interruptOrphans()).toHaveLength(1)
    const gone = place.killed().open({ owner: 'host:9', isGone: (owner) => owner === 'host:1' })
    expect(gone.interruptOrphans()).toHaveLength(1)
    expect(place.killed().open({ owner: 'host:9' }).interruptOrphans()).toEqual([])
  })

  it('that ran out long ago ended its run then, as in an older copy of the file', () => {
    const place = runsFixture()
    running(place.open())
    const older = place.killed()
    older.at += 3 * day
    const [run] = older.open().interruptOrphans()
    expect(run?.endTime).toBe(new Date(place.at + 60_000).toISOString())
  })

  it('is of a process that is known to be gone only where that can be seen', () => {
    const here = { host: 'host', isAlive: (pid: number) => pid === 1 }
    expect(isGone(ownerOf('host', 2), here)).toBe(true)
    expect(isGone(ownerOf('host', 1), here)).toBe(false)
    expect(isGone(ownerOf('elsewhere', 2), here)).toBe(false)
    expect(isGone('odd', here)).toBe(false)
  })
})

describe('a run that goes on', () => {
  const interrupted = (more: { readonly cursor?: string } = {}) => {
    const runs = runsFixture().open()
    const id = running(runs)
    const sink = runs.sink(id)
    sink.offered(2)
    sink.item({ sourceId: 'a', stage: 'export', state: 'created' })
    sink.item({ sourceId: 'b', stage: 'import', state: 'failed', problem: unread })
    sink.page({ bytes: 10 })
    if (more.cursor !== undefined) runs.checkpoint(id, more.cursor)
    sink.offered(2)
    sink.item({ sourceId: 'c', stage: 'export', state: 'updated' })
    sink.item({ sourceId: 'd', stage: 'import', state: 'failed', problem: unread })
    runs.change(id, { status: 'interrupted' })
    return { runs, id, run: runs.change(id, { status: 'waiting' }) }
  }
  const ids = ({ runs, id }: ReturnType<typeof interrupted>) =>
    [...runs.items(id)].map((item) => item.sourceId)

  it('from the beginning keeps what was written and forgets the rest', () => {
    const told = interrupted()
    expect(told.run).toMatchObject({
      status: 'waiting',
      problem: null,
      counts: { offered: 0, created: 1, updated: 1, failed: 0 },
      progress: { pages: 0 },
    })
    expect(told.run.endTime).toBeUndefined()
    expect(ids(told)).toEqual(['a', 'c'])
    expect(told.runs.resumption(told.id)).toMatchObject({ resumptions: 1 })
    expect(told.runs.resumption(told.id).cursor).toBeUndefined()
    expect(told.runs.report(told.id).problems).toEqual({})
  })

  it('from a cursor keeps everything before it, and what was written after it', () => {
    const told = interrupted({ cursor: 'page-2' })
    expect(told.run.counts).toMatchObject({ offered: 2, created: 1, updated: 1, failed: 1 })
    expect(told.run.progress).toMatchObject({ pages: 1, bytes: 10 })
    expect(ids(told)).toEqual(['a', 'b', 'c'])
    expect(told.runs.resumption(told.id).cursor).toBe('page-2')
  })

  it('counts no record twice that it had written before', () => {
    const { runs, id } = interrupted()
    runs.change(id, { status: 'running' })
    const sink = runs.sink(id)
    for (const sourceId of ['a', 'b', 'c', 'd'])
      sink.item({ sourceId, stage: 'export', state: 'unchanged' })
    expect(runs.get(id)?.counts).toMatchObject({ created: 1, updated: 1, unchanged: 2 })
  })
})

describe('whoever follows a run', () => {
  const all = async (source: AsyncIterable<Run>) => {
    const seen: Run[] = []
    for await (const run of source) seen.push(run)
    return seen
  }

  it('sees it as it is, then its changes, and is done when it has ended', async () => {
    const runs = runsFixture().open()
    const { id } = runs.create(start())
    const seen = all(runs.follow(id, new AbortController().signal))
    await Promise.resolve()
    runs.change(id, { status: 'running' })
    for (let n = 0; n < 100; n += 1) runs.sink(id).offered()
    runs.change(id, { status: 'finished', outcome: 'complete' })
    const told = await seen
    expect(told[0]?.status).toBe('waiting')
    expect(told.at(-1)).toMatchObject({ status: 'finished', counts: { offered: 100 } })
    expect(told.length).toBeLessThan(20)
  })

  it('sees the end of a run of another process', async () => {
    const place = runsFixture()
    const ours = place.open()
    const theirs = place.open({ owner: 'other:2' })
    const id = running(theirs)
    const seen = all(ours.follow(id, new AbortController().signal))
    theirs.change(id, { status: 'cancelled' })
    expect((await seen).at(-1)?.status).toBe('cancelled')
  })

  it('is done without an error when it goes away, or when the history is closed', async () => {
    const runs = runsFixture().open()
    const { id } = runs.create(start())
    const leaving = new AbortController()
    const gone = all(runs.follow(id, leaving.signal))
    const left = all(runs.follow(id, new AbortController().signal))
    leaving.abort()
    expect(await gone).toHaveLength(1)
    await runs.close()
    expect(await left).toHaveLength(1)
  })

  it('of a run that does not exist is told so', async () => {
    const runs = runsFixture().open()
    await expect(all(runs.follow('none', new AbortController().signal))).rejects.toThrow(
      /unknown-run/,
    )
  })
})

describe('history', () => {
  it('forgets runs with their items after 365 days, and no run that goes on', async () => {
    const place = runsFixture()
    const first = place.open()
    const old = done(
      first,
      Array.from(
        { length: 20 },
        (_, n) => ({ sourceId: `s${n}`, stage: 'export', state: 'created' }) as const,
      ),
    )
    const open = running(first)
    await first.close()
    place.at += 364 * day
    const runs = place.open()
    const young = done(runs, [])
    await runs.close()
    place.at += 2 * day
    const later = place.open()
    await expect.poll(() => later.get(old.id)).toBeUndefined()
    expect(later.get(open)?.status).toBe('running')
    expect(later.get(young.id)).toBeDefined()
  })
})
