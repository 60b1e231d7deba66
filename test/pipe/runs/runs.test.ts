/** The history of runs: what is counted, what is kept, and what survives. */

import { statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { countNames, hasEnded, runStatuses, storedProblem } from '../../../src/pipe/runs/run.ts'
import { done, runsFixture, running, start } from './runs-fixture.ts'

const refused = storedProblem(new Failure('export-refused', 'no title'))
const failedItem = (id: string) =>
  ({ sourceId: id, stage: 'export', state: 'failed', problem: refused }) as const

describe('a run', () => {
  it('waits when it is made, with nothing counted and no secret configs on its face', () => {
    const runs = runsFixture().open()
    const run = runs.create(start({ configs: { 'importing-rdf': { apikey: 'hidden-value' } } }))
    expect(run).toMatchObject({ status: 'waiting', pipe: 'city', catalogue: 'city', problem: null })
    expect(countNames.map((name) => run.counts[name])).toEqual(countNames.map(() => 0))
    expect(JSON.stringify(runs.get(run.id))).not.toContain('hidden-value')
  })

  it('keeps what was done about it after its end, the last twenty times, and nothing before', async () => {
    const place = runsFixture()
    const runs = place.open()
    const id = running(runs)
    runs.note(id, { action: 'confirm', done: 1, failed: 0 })
    runs.note('no-such-run', { action: 'confirm', done: 1, failed: 0 })
    const ended = runs.change(id, { status: 'finished', outcome: 'complete' })
    expect(ended.notes).toBeUndefined()
    for (let done = 1; done <= 25; done += 1) runs.note(id, { action: 'restore', done, failed: 0 })
    await runs.close()
    const notes = place.open().get(id)?.notes
    expect(notes?.map(({ done }) => done)).toEqual(Array.from({ length: 20 }, (_, n) => n + 6))
    expect(notes?.[0]).toMatchObject({ action: 'restore', time: '2026-11-21T06:00:00.000Z' })
    expect(place.open().get(id)).toMatchObject({ status: 'finished', outcome: 'complete' })
  })

  it('has a start and an end in time, and the outcome that the last segment decided on', () => {
    const place = runsFixture()
    const runs = place.open()
    const id = running(runs)
    runs.sink(id).outcome('incomplete', new Failure('total-mismatch', '3 of 4'))
    expect(runs.get(id)).toMatchObject({ status: 'running', startTime: '2026-11-21T06:00:00.000Z' })
    expect(runs.get(id)?.outcome).toBeUndefined()
    place.at += 5000
    const run = runs.change(id, { status: 'finished' })
    expect(run).toMatchObject({ outcome: 'incomplete', endTime: '2026-11-21T06:00:05.000Z' })
    expect(run.problem).toMatchObject({ type: 'urn:cartulary:problem:total-mismatch' })
  })

  it('takes only the steps of the state machine', () => {
    const runs = runsFixture().open()
    const { id } = runs.create(start())
    expect(() => runs.change(id, { status: 'finished' })).toThrow(/waiting cannot become finished/)
    runs.change(id, { status: 'running' })
    runs.change(id, { status: 'cancelled' })
    for (const status of runStatuses.filter((one) => one !== 'waiting')) {
      expect(() => runs.change(id, { status })).toThrow(Failure)
    }
  })

  it('is complete no second time: what finished complete is not resumed', () => {
    const runs = runsFixture().open()
    const { id } = done(runs, [])
    expect(() => runs.change(id, { status: 'waiting' })).toThrow(/nothing to resume/)
  })

  it('that does not exist is told as unknown-run', () => {
    const runs = runsFixture().open()
    expect(runs.get('none')).toBeUndefined()
    expect(() => runs.report('none')).toThrow(/unknown-run/)
    expect(() => [...runs.items('none')]).toThrow(/unknown-run/)
    expect(() => runs.sink('none')).toThrow(/unknown-run/)
  })

  it('counts nothing that is reported after its end', () => {
    const runs = runsFixture().open()
    const id = running(runs)
    const sink = runs.sink(id)
    runs.change(id, { status: 'cancelled' })
    sink.item(failedItem('late'))
    sink.offered()
    expect(runs.get(id)?.counts).toMatchObject({ failed: 0, offered: 0 })
    expect([...runs.items(id)]).toEqual([])
  })

  it('sums up pages, bytes, the declared total and the segments that have ended', () => {
    const runs = runsFixture().open()
    const id = running(runs)
    const sink = runs.sink(id)
    sink.total(9)
    sink.total(12)
    sink.page({ bytes: 100 })
    sink.page({ bytes: 50 })
    sink.processed(1)
    sink.adopted(2)
    expect(runs.get(id)).toMatchObject({
      counts: { adopted: 2 },
      progress: { pages: 2, bytes: 150, total: 12 },
      segments: [{ processed: true }, { processed: false }],
    })
  })
})

describe('items', () => {
  it('come back in order of arrival, by state and stage, and by pages', () => {
    const runs = runsFixture().open()
    const id = running(runs)
    const sink = runs.sink(id)
    for (let n = 0; n < 1700; n += 1) {
      sink.item(
        n % 2 === 0
          ? { sourceId: `s${n}`, originalId: `o${n}`, stage: 'export', state: 'created' }
          : { ...failedItem(`s${n}`), stage: n % 4 === 1 ? 'import' : 'export' },
      )
    }
    const ids = (filter = {}) => [...runs.items(id, filter)].map((item) => item.sourceId)
    expect(ids()).toEqual(Array.from({ length: 1700 }, (_, n) => `s${n}`))
    expect(ids({ state: 'failed' })).toHaveLength(850)
    expect(ids({ state: 'failed', stage: 'import' })).toHaveLength(425)
    expect(ids({ offset: 1200, limit: 3 })).toEqual(['s1200', 's1201', 's1202'])
    expect(ids({ state: 'created', offset: 600, limit: 2 })).toEqual(['s1200', 's1202'])
    expect(ids({ limit: 0 })).toEqual([])
  })

  it('that are unchanged are counted and not kept', () => {
    const runs = runsFixture().open()
    const id = running(runs)
    const sink = runs.sink(id)
    for (let n = 0; n < 5000; n += 1)
      sink.item({ sourceId: `s${n}`, stage: 'export', state: 'unchanged' })
    expect(runs.get(id)?.counts.unchanged).toBe(5000)
    expect([...runs.items(id)]).toEqual([])
  })

  it('give the ids that failed, original and source ids, each once', () => {
    const runs = runsFixture().open()
    const { id } = done(runs, [
      { ...failedItem('a'), originalId: 'slug-a' },
      failedItem('b'),
      { ...failedItem('a'), originalId: 'slug-a' },
      { stage: 'import', state: 'failed', problem: refused },
      { sourceId: 'fine', stage: 'export', state: 'created' },
    ])
    expect(runs.failedIds(id)).toEqual(['slug-a', 'a', 'b'])
  })

  it('never hold a registered secret, nor more source text than a reader needs', () => {
    const runs = runsFixture().open({ redact: (text) => text.replaceAll('s3cret-key', '•••') })
    const { id } = done(runs, [
      {
        ...failedItem('a'),
        problem: storedProblem(new Failure('export-refused', 'key s3cret-key is wrong')),
        sourceUrl: 'https://a.example/?k=s3cret-key',
        note: 's3cret-key',
        excerpt: `s3cret-key${'x'.repeat(100_000)}`,
        findings: [{ slug: 'dropped-url', detail: 'has s3cret-key' }],
      },
      { sourceId: 'b', stage: 'export', state: 'created', excerpt: 'whole source' },
    ])
    const items = [...runs.items(id)]
    expect(JSON.stringify([items, runs.report(id), runs.get(id)])).not.toContain('s3cret-key')
    expect(items[0]?.excerpt).toHaveLength(65_536)
    expect(items[1]?.excerpt).toBeUndefined()
  })

  it('keep 64 MB of source text per run and no more', () => {
    const runs = runsFixture().open()
    const id = running(runs)
    const sink = runs.sink(id)
    const excerpt = 'x'.repeat(65_536)
    for (let n = 0; n < 1100; n += 1) sink.item({ ...failedItem(`s${n}`), excerpt })
    const kept = [...runs.items(id, { offset: 1000 })].filter((item) => item.excerpt)
    expect(kept).toHaveLength(24)
  })
})

describe('the list', () => {
  it('is newest first, by pipe, status and catalogue, and by pages', () => {
    const runs = runsFixture().open()
    const ids = ['a', 'b', 'a', 'b', 'a'].map(
      (pipe) => runs.create(start({ pipe, catalogue: `of-${pipe}` })).id,
    )
    runs.change(ids[4]!, { status: 'running' })
    const listed = (filter: object) =>
      runs.list({ offset: 0, limit: 100, ...filter }).map(({ id }) => ids.indexOf(id))
    expect(listed({})).toEqual([4, 3, 2, 1, 0])
    expect(listed({ pipe: 'a' })).toEqual([4, 2, 0])
    expect(listed({ status: 'waiting', catalogue: 'of-a' })).toEqual([2, 0])
    expect(listed({ offset: 1, limit: 2 })).toEqual([3, 2])
  })

  it('knows the last complete run of a pipe: no dry one, no retry, no incomplete one', () => {
    const runs = runsFixture().open()
    const { id } = done(runs, [failedItem('a')])
    const others = [start({ dryRun: true }), start({ retryOf: id }), start({ only: ['a'] })]
    for (const other of others) {
      const run = runs.create(other)
      runs.change(run.id, { status: 'running' })
      runs.sink(run.id).outcome('complete')
      runs.change(run.id, { status: 'finished' })
    }
    const last = running(runs)
    runs.change(last, { status: 'finished', outcome: 'incomplete' })
    expect(runs.lastComplete('city')?.id).toBe(id)
    expect(runs.list({ pipe: 'city', offset: 3, limit: 1 })[0]?.outcome).toBe('dry-run')
    expect(runs.lastComplete('other')).toBeUndefined()
  })
})

describe('the file', () => {
  it('belongs to its owner alone', () => {
    const place = runsFixture()
    place.open()
    expect(statSync(place.path).mode & 0o777).toBe(0o600)
  })

  it('has everything again after it was closed', async () => {
    const place = runsFixture()
    const before = place.open()
    const run = done(before, [failedItem('a')])
    await before.close()
    const after = place.open()
    expect(after.get(run.id)).toEqual(run)
    expect(hasEnded(run)).toBe(true)
    expect([...after.items(run.id)]).toHaveLength(1)
  })

  it('has what came in, within moments, when the process is killed; counts and items agree', async () => {
    const place = runsFixture()
    const runs = place.open()
    const id = running(runs)
    for (let n = 0; n < 1500; n += 1) runs.sink(id).item(failedItem(`s${n}`))
    const half = place.killed().open()
    expect(half.get(id)?.counts.failed).toBe([...half.items(id)].length)
    await expect.poll(() => place.killed().open().get(id)?.counts.failed).toBe(1500)
  })
})
