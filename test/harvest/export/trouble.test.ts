/** A repository that is busy, broken or closed, and runs that go on. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/pipe/message.ts'
import { complete, harvestFixture, record, whole } from './harvest-fixture.ts'

const busy = () => new Response('{}', { status: 503, headers: { 'Retry-After': '1' } })
const isWrite = ({ method }: Request) => method === 'PUT'

describe('a repository that', () => {
  it('is busy for a while makes the run wait, and nothing is lost', async () => {
    const fixture = await harvestFixture()
    let left = 7
    fixture.intercept = (request) => (isWrite(request) && left-- > 0 ? busy() : undefined)
    fixture.offers(whole('a', 'b'))
    expect((await fixture.run()).counts).toMatchObject({ created: 2, failed: 0 })
  })

  it('stays broken ends the run, and what was written stays', async () => {
    const fixture = await harvestFixture()
    const ids = Array.from({ length: 500 }, (_, n) => `r${n}`)
    let writes = 0
    fixture.intercept = (request) =>
      isWrite(request) && (writes += 1) > 1 ? new Response('down', { status: 502 }) : undefined
    fixture.offers(whole(...ids))
    const run = await fixture.run()
    expect(run).toMatchObject({
      status: 'failed',
      problem: { type: 'urn:cartulary:problem:export-failed' },
    })
    fixture.intercept = undefined
    const stored = (await fixture.ids()).length
    expect(stored).toBe(run.counts.created)
    expect((await fixture.run()).counts).toMatchObject({ unchanged: stored, created: 500 - stored })
  })

  it('breaks the connection after it has written: the next run finds its records', async () => {
    const fixture = await harvestFixture()
    let broken = 5
    const fetch = fixture.hub.app.fetch.bind(fixture.hub.app)
    fixture.intercept = async (request) => {
      if (!isWrite(request) || broken-- <= 0) return undefined
      await fetch(request.clone())
      throw new TypeError('fetch failed')
    }
    fixture.offers(whole('a', 'b'))
    expect(await fixture.run()).toMatchObject({ status: 'failed' })
    expect(await fixture.ids()).toEqual(['a', 'b'])
    expect((await fixture.run()).counts).toMatchObject({ adopted: 2, failed: 0 })
    expect((await fixture.run()).counts).toMatchObject({ unchanged: 2 })
  })

  it.each([401, 403])('answers %i ends the run at once', async (status) => {
    const fixture = await harvestFixture()
    fixture.intercept = (request) => (isWrite(request) ? new Response('{}', { status }) : undefined)
    fixture.offers(whole('a', 'b'))
    const run = await fixture.run()
    expect(run).toMatchObject({
      status: 'failed',
      problem: {
        type: 'urn:cartulary:problem:export-refused',
        detail: expect.stringMatching(/: catalogue city, key id [0-9a-f]{8}\.$/),
      },
    })
    expect(JSON.stringify(run)).not.toContain('a-key')
    expect(fixture.requests.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })

  it('knows no bulk request gets its records one by one', async () => {
    const fixture = await harvestFixture()
    fixture.intercept = ({ url }) =>
      url.includes('/bulk') ? new Response('{}', { status: 404 }) : undefined
    fixture.offers(whole('a', 'b', 'c'))
    expect((await fixture.run()).counts).toMatchObject({ created: 3 })
    expect((await fixture.run()).counts).toMatchObject({ unchanged: 3 })
  })

  it('breaks off the list of its ids ends the run before anything is written', async () => {
    const fixture = await harvestFixture()
    fixture.intercept = ({ url }) =>
      url.includes('valueType=originalIds') ? new Response('["a","b') : undefined
    fixture.offers(whole('a', 'b'))
    expect(await fixture.run()).toMatchObject({ status: 'failed', counts: { created: 0 } })
  })

  it('says in the middle of a bulk answer that the catalogue is gone keeps what it took before', async () => {
    const fixture = await harvestFixture()
    fixture.offers(whole('a', 'b', 'c'))
    fixture.intercept = ({ url }) => {
      if (!url.includes('/bulk')) return undefined
      const items = ['a', 'b', 'c'].map((originalId) => ({
        originalId,
        status: 201,
        id: originalId,
      }))
      items.splice(1, 1, { originalId: 'b', status: 404, id: 'b' })
      return new Response(JSON.stringify(items), { status: 200 })
    }
    const run = await fixture.run()
    expect(run).toMatchObject({
      status: 'failed',
      counts: { created: 2 },
      problem: { type: 'urn:cartulary:problem:unknown-catalogue' },
    })
    const ledger = new DatabaseSync(join(fixture.directory, 'harvest.sqlite'), { readOnly: true })
    const kept = ledger.prepare('SELECT original FROM record ORDER BY original').all()
    ledger.close()
    expect(kept.map(({ original }) => original)).toEqual(['a', 'c'])
  })

  it('loses its catalogue in the middle ends the run', async () => {
    const fixture = await harvestFixture()
    fixture.offers(async function* () {
      yield record('a')
      await fixture.hub.ask('/catalogues/city', { method: 'DELETE' })
      yield record('b')
      yield complete()
    })
    expect(await fixture.run()).toMatchObject({
      status: 'failed',
      problem: { type: 'urn:cartulary:problem:unknown-catalogue' },
    })
  })
})

describe('a run that goes on', () => {
  const ids = Array.from({ length: 30 }, (_, n) => `k${String(n).padStart(2, '0')}`)
  const from = (after: string | undefined) => ids.filter((id) => after === undefined || id > after)

  /** Pages of five by key; the process ends after the page of this number. */
  async function interruptedAfter(page: number, withCursor: boolean) {
    const fixture = await harvestFixture()
    fixture.offers(whole(...ids, 'gone'))
    await fixture.run()
    const asked: (string | undefined)[] = []
    let stops = true
    fixture.offers(async function* (context, signal): AsyncGenerator<Message> {
      asked.push(context.resumeFrom)
      let count = 0
      for (const id of from(context.resumeFrom)) {
        yield record(id, `${id} new`)
        count += 1
        if (count % 5 !== 0) continue
        yield withCursor ? { kind: 'page', cursor: id } : { kind: 'page' }
        if (!stops) continue
        const written = () => fixture.runs.get(context.runId)?.counts.updated ?? 0
        await expect.poll(written).toBeGreaterThanOrEqual(count)
        if (count / 5 < page) continue
        stops = false
        void fixture.launcher().stop()
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        })
      }
      yield complete()
    })
    const { id } = fixture.begin()
    await expect.poll(() => fixture.runs.get(id)?.status).toBe('interrupted')
    const sent = fixture.requests.filter(({ path }) => path.includes('/bulk')).length
    await fixture.restart()
    return { fixture, asked, sent, run: await fixture.ended(id) }
  }

  it('knows what it had met before its checkpoint, so that it may remove', async () => {
    const { fixture, asked, run } = await interruptedAfter(4, true)
    expect(asked).toHaveLength(2)
    expect(asked[1]).toMatch(/^k\d\d$/)
    expect(run).toMatchObject({ status: 'finished', outcome: 'complete', counts: { removed: 1 } })
    expect(await fixture.ids()).toEqual(ids)
    expect(await fixture.text('k00')).toContain('k00 new')
  })

  it('removes nothing when it had to start from the first page, and sends nothing twice', async () => {
    const { fixture, asked, sent, run } = await interruptedAfter(4, false)
    expect(asked).toEqual([undefined, undefined])
    expect(run.counts).toMatchObject({ removed: 0, held: 0 })
    // Of six pages four were written before.
    expect(run.counts).toMatchObject({ updated: 30 })
    expect(fixture.requests.filter(({ path }) => path.includes('/bulk')).length).toBe(sent + 2)
    expect(await fixture.ids()).toEqual(['gone', ...ids])
    expect((await fixture.run()).counts).toMatchObject({ removed: 1, unchanged: 30 })
  })
})
