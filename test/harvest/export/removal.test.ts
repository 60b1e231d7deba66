/** When records are removed, when they wait for consent, and how they come back. */

import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import type { Message } from '../../../src/pipe/message.ts'
import {
  complete,
  harvestFixture,
  pipeOf,
  record,
  whole,
  type HarvestFixture,
} from './harvest-fixture.ts'

const signal = () => AbortSignal.timeout(30_000)
const many = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `r${String(n + from).padStart(3, '0')}`)
const incomplete = (problem?: Failure): Message => ({
  kind: 'end',
  completeness: { kind: 'incomplete', ...(problem && { problem }) },
})
const deletes = ({ requests }: HarvestFixture) =>
  requests.filter(({ method }) => method === 'DELETE').length

async function filled(...ids: readonly string[]): Promise<HarvestFixture> {
  const fixture = await harvestFixture()
  fixture.offers(whole(...ids))
  await fixture.run()
  return fixture
}

describe('a record that is gone at the source', () => {
  it('is removed after a complete run, leaves a tombstone, and comes back by restore', async () => {
    const fixture = await filled('a', 'b')
    fixture.offers(whole('a'))
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ removed: 1, held: 0, unchanged: 1 })
    expect(fixture.items(run, 'removed')).toMatchObject([{ originalId: 'b', platformId: 'b' }])
    expect(await fixture.ids()).toEqual(['a'])
    expect((await fixture.hub.ask('/datasets/b')).status).toBe(410)

    expect(await fixture.harvest().restore(run.id, signal())).toEqual({ restored: 1, failed: [] })
    expect(await fixture.ids()).toEqual(['a', 'b'])
    // Whoever restored it wants it: it does not go before the source has offered it again.
    expect((await fixture.run()).counts).toMatchObject({ removed: 0 })
    fixture.offers(whole('a', 'b'))
    expect((await fixture.run()).counts).toMatchObject({ created: 0, removed: 0 })
    fixture.offers(whole('a'))
    expect((await fixture.run()).counts).toMatchObject({ removed: 1 })
    await expect(fixture.harvest().restore('unheard-of', signal())).rejects.toThrow(
      'unknown-dataset',
    )
    expect(await fixture.harvest().restore('b', signal())).toEqual({ restored: 1, failed: [] })
    expect(await fixture.ids()).toEqual(['a', 'b'])
  })

  it('comes back by restore when its pipe is gone', async () => {
    const fixture = await filled('a', 'b')
    fixture.offers(whole('a'))
    const run = await fixture.run()
    fixture.pipes.delete('p')
    expect(await fixture.harvest().restore(run.id, signal())).toEqual({ restored: 1, failed: [] })
    expect(await fixture.ids()).toEqual(['a', 'b'])
  })

  it('is removed alone, among more records than are noted at once', async () => {
    const all = many(2100)
    const fixture = await filled(...all)
    fixture.offers(whole(...all.filter((id) => id !== 'r007')))
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ unchanged: 2099, removed: 1, held: 0 })
    expect(fixture.items(run, 'removed')).toMatchObject([{ originalId: 'r007' }])
  })

  it('comes back with its platform id when the source offers it again', async () => {
    const fixture = await filled('a', 'b')
    fixture.offers(whole('a'))
    await fixture.run()
    fixture.offers(whole('a', 'b'))
    const run = await fixture.run()
    expect(fixture.items(run, 'created')).toMatchObject([{ originalId: 'b', platformId: 'b' }])
  })

  it.each([
    ['incomplete', () => [record('a'), incomplete(new Failure('total-mismatch', 'x'))], {}],
    ['incomplete by design', () => [record('a'), incomplete()], {}],
    ['empty', () => [incomplete(new Failure('source-empty', 'x'))], {}],
    ['not modified', () => [{ kind: 'end', completeness: { kind: 'not-modified' } } as const], {}],
    ['dry', whole('a'), { dryRun: true }],
  ])('stays when the run is %s', async (_, source, launch) => {
    const fixture = await filled('a', 'b')
    fixture.offers(source)
    expect((await fixture.run('p', launch)).counts).toMatchObject({ removed: 0, held: 0 })
    expect(deletes(fixture)).toBe(0)
    expect(await fixture.ids()).toEqual(['a', 'b'])
  })

  it('stays when the run failed or was cancelled before its end', async () => {
    const fixture = await filled('a', 'b')
    fixture.offers(() => {
      throw new Failure('source-refused', 'no')
    })
    expect(await fixture.run()).toMatchObject({ status: 'failed' })
    const gate = Promise.withResolvers<void>()
    fixture.offers(async function* () {
      yield record('a')
      await gate.promise
      yield complete()
    })
    const { id } = fixture.begin()
    await expect.poll(() => fixture.runs.get(id)?.status).toBe('running')
    const cancelled = fixture.launcher().cancel(id)
    gate.resolve()
    expect(await cancelled).toMatchObject({ status: 'cancelled' })
    expect(await fixture.ids()).toEqual(['a', 'b'])
  })

  it('stays when it was offered and could not be read or written', async () => {
    const fixture = await filled('a', 'b', 'c')
    const problem = new Failure('item-malformed', 'x')
    fixture.offers(() => [
      record('a'),
      { kind: 'refused', sourceId: 'b', stage: 'import', problem },
      record('c', 'c', { text: 'no RDF', sourceHash: 'other' }),
      complete(),
    ])
    expect((await fixture.run()).counts).toMatchObject({ failed: 2, removed: 0 })
    expect(await fixture.ids()).toEqual(['a', 'b', 'c'])
  })

  it('goes when the source does not publish it any more, and stays when a nameless one may be it', async () => {
    const fixture = await filled('a', 'b')
    const nameless: Message = {
      kind: 'refused',
      stage: 'import',
      problem: new Failure('item-no-identifier', 'x'),
    }
    fixture.offers(() => [record('a'), nameless, complete()])
    expect(await fixture.run()).toMatchObject({
      outcome: 'incomplete',
      problem: { type: 'urn:cartulary:problem:item-no-identifier' },
      counts: { removed: 0 },
    })
    fixture.offers(() => [
      record('a'),
      { kind: 'skipped', sourceId: 'b', reason: 'private' },
      complete(),
    ])
    expect((await fixture.run()).counts).toMatchObject({ skipped: 1, removed: 1 })
  })

  it('goes only after missingRuns complete runs in a row', async () => {
    const fixture = await filled('a', 'b')
    fixture.pipes.set('p', pipeOf('p', {}, { missingRuns: 2 }))
    fixture.offers(whole('a'))
    expect((await fixture.run()).counts).toMatchObject({ removed: 0 })
    fixture.offers(whole('a', 'b'))
    await fixture.run()
    fixture.offers(whole('a'))
    expect((await fixture.run()).counts).toMatchObject({ removed: 0 })
    fixture.offers(() => [record('a'), incomplete()])
    expect((await fixture.run()).counts).toMatchObject({ removed: 0 })
    fixture.offers(whole('a'))
    expect((await fixture.run()).counts).toMatchObject({ removed: 1 })
  })

  it('goes at once when the source declares it deleted, in an incremental run too', async () => {
    const fixture = await filled('a', 'b', 'c')
    fixture.pipes.set('p', pipeOf('p', {}, { missingRuns: 3 }))
    fixture.offers(() => [record('a', 'new'), { kind: 'deleted', sourceId: 'b' }, incomplete()])
    expect((await fixture.run()).counts).toMatchObject({ updated: 1, removed: 1 })
    expect(await fixture.ids()).toEqual(['a', 'c'])
    fixture.offers(() => [
      { kind: 'deleted', sourceId: 'c' },
      incomplete(new Failure('source-error', 'x')),
    ])
    expect((await fixture.run()).counts).toMatchObject({ removed: 0 })
  })

  it('stays when another run of the pipe is under way', async () => {
    const fixture = await filled('a', 'b')
    const gate = Promise.withResolvers<void>()
    let first = true
    fixture.offers(async function* () {
      const waits = first
      first = false
      yield record('a')
      if (waits) await gate.promise
      yield complete()
    })
    const slow = fixture.begin()
    await expect.poll(() => fixture.runs.get(slow.id)?.status).toBe('running')
    await expect.poll(() => first).toBe(false)
    expect((await fixture.run('p', { startMode: 'concurrent' })).counts.removed).toBe(0)
    gate.resolve()
    expect((await fixture.ended(slow.id)).counts.removed).toBe(0)
    expect((await fixture.run()).counts.removed).toBe(1)
  })
})

describe('the guard', () => {
  const held = { type: 'urn:cartulary:problem:removal-held' }

  it('holds back more than a fifth and more than ten, until somebody consents', async () => {
    const fixture = await filled(...many(60))
    fixture.offers(whole(...many(47)))
    const run = await fixture.run()
    expect(run).toMatchObject({
      status: 'finished',
      outcome: 'complete',
      problem: held,
      counts: { removed: 0, held: 13 },
    })
    expect(run.problem?.detail).toContain('13 of 60')
    expect(fixture.items(run, 'held')).toHaveLength(13)
    expect(await fixture.ids()).toHaveLength(60)
    await fixture.harvest().confirm(run.id, signal())
    expect(await fixture.ids()).toEqual(many(47))
    await expect(fixture.harvest().confirm(run.id, signal())).rejects.toThrow('conflict')
    await expect(fixture.harvest().confirm('x', signal())).rejects.toThrow('unknown-run')
    expect(await fixture.harvest().restore(run.id, signal())).toEqual({ restored: 13, failed: [] })
    expect(fixture.runs.get(run.id)?.notes).toEqual([
      { action: 'confirm', time: expect.any(String) as string, done: 13, failed: 0 },
      { action: 'restore', time: expect.any(String) as string, done: 13, failed: 0 },
    ])
    expect(await fixture.ids()).toHaveLength(60)
  })

  it('lets up to ten go without asking, whatever their share', async () => {
    const fixture = await filled(...many(12))
    fixture.offers(whole(...many(2)))
    expect((await fixture.run()).counts).toMatchObject({ removed: 10, held: 0 })
  })

  it('takes its share of what the pipe had before, whatever the run has brought', async () => {
    const fixture = await filled(...many(60))
    fixture.offers(whole(...many(20), ...many(200, 100)))
    const run = await fixture.run()
    expect(run).toMatchObject({ problem: held, counts: { created: 200, removed: 0, held: 40 } })
    expect(run.problem?.detail).toContain('40 of 60')
    expect(await fixture.ids()).toHaveLength(260)
  })

  it('takes no share of what the run took over from another pipe', async () => {
    const fixture = await harvestFixture()
    fixture.pipes.set('a', pipeOf('a'))
    fixture.offers(whole(...many(200, 100)), 'a')
    fixture.offers(whole(...many(60)))
    await fixture.run('a')
    await fixture.run()
    fixture.pipes.delete('a')
    fixture.offers(whole(...many(20), ...many(200, 100)))
    const run = await fixture.run()
    expect(run).toMatchObject({ problem: held, counts: { removed: 0, held: 40 } })
    expect(run.problem?.detail).toContain('40 of 60')
  })

  it('takes consent only for the latest complete run, and never for what was offered again', async () => {
    const fixture = await filled(...many(60))
    fixture.offers(whole(...many(40)))
    const old = await fixture.run()
    const late = await fixture.run()
    await expect(fixture.harvest().confirm(old.id, signal())).rejects.toThrow('later run')
    fixture.offers(() => [...many(5, 40).map((id) => record(id)), incomplete()])
    await fixture.run()
    await fixture.harvest().confirm(late.id, signal())
    expect(await fixture.ids()).toEqual(many(45))
  })

  it.each([
    ['guardPercent 100 asks for nothing', { guardPercent: 100 }, 30, 30],
    ['both 0 always asks', { guardPercent: 0, guardMinimum: 0 }, 59, 0],
    ['a share of its own', { guardPercent: 50, guardMinimum: 0 }, 31, 29],
  ])('%s', async (_, exporter, left, removed) => {
    const fixture = await filled(...many(60))
    fixture.pipes.set('p', pipeOf('p', {}, exporter))
    fixture.offers(whole(...many(left)))
    expect((await fixture.run()).counts.removed).toBe(removed)
  })

  it('holds removals back once when the pipe asks for something else', async () => {
    const fixture = await filled('a', 'b', 'c')
    fixture.offers(() => [record('a'), record('x'), complete('other')])
    const moved = await fixture.run()
    expect(moved).toMatchObject({ problem: held, counts: { created: 1, held: 2, removed: 0 } })
    fixture.offers(() => [...['a', 'b', 'c'].map((id) => record(id)), complete('f')])
    expect((await fixture.run()).counts).toMatchObject({ held: 1, removed: 0, unchanged: 3 })
    expect((await fixture.run()).counts).toMatchObject({ held: 0, removed: 1 })
    expect(await fixture.ids()).toEqual(['a', 'b', 'c'])
  })
})

describe('removals that go wrong', () => {
  it('leave what could not be removed for the next complete run', async () => {
    const fixture = await filled('a', 'b', 'c')
    fixture.offers(whole('a'))
    fixture.intercept = ({ method, url }) =>
      method === 'DELETE' && url.endsWith('=b') ? new Response('{}', { status: 500 }) : undefined
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ removed: 1, failed: 1 })
    fixture.intercept = undefined
    expect((await fixture.run()).counts).toMatchObject({ removed: 1 })
    expect(await fixture.ids()).toEqual(['a'])
  })

  it('are taken up by the next complete run when the process ends between them', async () => {
    const fixture = await filled(...many(30))
    fixture.pipes.set('p', pipeOf('p', {}, { guardPercent: 100 }))
    fixture.offers(whole('r000'))
    fixture.intercept = async ({ method }) => {
      if (method === 'DELETE' && deletes(fixture) === 6) void fixture.launcher().stop()
      return undefined
    }
    const { id } = fixture.begin()
    await expect.poll(() => fixture.runs.get(id)?.status).toBe('interrupted')
    fixture.intercept = undefined
    await fixture.restart()
    await fixture.ended(id)
    const left = (await fixture.ids()).length
    expect(left).toBeGreaterThan(10)
    const last = await fixture.run()
    expect(last.counts.removed).toBeGreaterThan(10)
    expect(await fixture.ids()).toEqual(['r000'])
  })
})

describe('a ledger that was lost', () => {
  it('or is an older copy holds the removals of the next complete run, and of that one alone', async () => {
    let known = 0
    const changes = {
      get storedCount() {
        return known
      },
      store: async (count: number) => void (known = count),
    }
    const fixture = await harvestFixture({ harvest: { changes } })
    const [file, older] = ['harvest.sqlite', 'older'].map((name) => join(fixture.directory, name))
    const copy = (from = '', to = '') => {
      for (const end of ['', '-wal', '-shm']) {
        rmSync(to + end, { force: true })
        if (existsSync(from + end)) copyFileSync(from + end, to + end)
      }
    }
    fixture.offers(whole('a', 'b'))
    await fixture.run()
    await fixture.restart(() => copy(file, older))
    fixture.offers(whole('a', 'b', 'c'))
    await fixture.run()
    await fixture.restart(() => copy(older, file))
    fixture.offers(whole('a', 'c'))
    const run = await fixture.run()
    expect(run).toMatchObject({ counts: { removed: 0, held: 1 } })
    expect(run.problem?.detail).toContain('harvest.sqlite or the store is an older copy')
    expect((await fixture.run()).counts).toMatchObject({ removed: 1, held: 0 })
    expect(await fixture.ids()).toEqual(['a', 'c'])
  })

  it('makes nothing that nobody owns the property of the first pipe that comes, and no record of another pipe goes', async () => {
    let known = 0
    const store = async (count: number) => {
      known = count
    }
    const changes = {
      get storedCount() {
        return known
      },
      store,
    }
    const fixture = await harvestFixture({ harvest: { changes } })
    fixture.pipes.set('p', pipeOf('p', {}, { adoptUnowned: true }))
    fixture.pipes.set('q', pipeOf('q'))
    fixture.offers(whole('a', 'b'))
    fixture.offers(whole('x', 'y'), 'q')
    await fixture.run()
    await fixture.run('q')
    await fixture.restart(() => rmSync(join(fixture.directory, 'harvest.sqlite')))
    fixture.offers(whole('a'))
    expect((await fixture.run()).counts).toMatchObject({ adopted: 1, removed: 0, held: 0 })
    expect((await fixture.run('q')).counts).toMatchObject({ removed: 0, unchanged: 2 })
    expect((await fixture.run()).counts).toMatchObject({ adopted: 1, removed: 1 })
    expect(await fixture.ids()).toEqual(['a', 'x', 'y'])
  })
})
