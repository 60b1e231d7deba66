/** A repository that is busy, broken or closed, and runs that go on. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/pipe/message.ts'
import { complete, harvestGround, record, whole } from './ground.ts'

const busy = () => new Response('{}', { status: 503, headers: { 'Retry-After': '1' } })
const isWrite = ({ method }: Request) => method === 'PUT'

describe('a repository that', () => {
  it('is busy for a while makes the run wait, and nothing is lost', async () => {
    const ground = await harvestGround()
    let left = 7
    ground.intercept = (request) => (isWrite(request) && left-- > 0 ? busy() : undefined)
    ground.offers(whole('a', 'b'))
    expect((await ground.run()).counts).toMatchObject({ created: 2, failed: 0 })
  })

  it('stays broken ends the run, and what was written stays', async () => {
    const ground = await harvestGround()
    const ids = Array.from({ length: 500 }, (_, n) => `r${n}`)
    let writes = 0
    ground.intercept = (request) =>
      isWrite(request) && (writes += 1) > 1 ? new Response('down', { status: 502 }) : undefined
    ground.offers(whole(...ids))
    const run = await ground.run()
    expect(run).toMatchObject({
      status: 'failed',
      problem: { type: 'urn:cartulary:problem:export-failed' },
    })
    ground.intercept = undefined
    const stored = (await ground.ids()).length
    expect(stored).toBe(run.counts.created)
    expect((await ground.run()).counts).toMatchObject({ unchanged: stored, created: 500 - stored })
  })

  it('breaks the connection after it has written: the next run finds its records', async () => {
    const ground = await harvestGround()
    let broken = 5
    const fetch = ground.hub.app.fetch.bind(ground.hub.app)
    ground.intercept = async (request) => {
      if (!isWrite(request) || broken-- <= 0) return undefined
      await fetch(request.clone())
      throw new TypeError('fetch failed')
    }
    ground.offers(whole('a', 'b'))
    expect(await ground.run()).toMatchObject({ status: 'failed' })
    expect(await ground.ids()).toEqual(['a', 'b'])
    expect((await ground.run()).counts).toMatchObject({ adopted: 2, failed: 0 })
    expect((await ground.run()).counts).toMatchObject({ unchanged: 2 })
  })

  it.each([401, 403])('answers %i ends the run at once', async (status) => {
    const ground = await harvestGround()
    ground.intercept = (request) => (isWrite(request) ? new Response('{}', { status }) : undefined)
    ground.offers(whole('a', 'b'))
    const run = await ground.run()
    expect(run).toMatchObject({
      status: 'failed',
      problem: {
        type: 'urn:cartulary:problem:export-refused',
        detail: expect.stringMatching(/: catalogue city, key id [0-9a-f]{8}\.$/),
      },
    })
    expect(JSON.stringify(run)).not.toContain('a-key')
    expect(ground.requests.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })

  it('knows no bulk request gets its records one by one', async () => {
    const ground = await harvestGround()
    ground.intercept = ({ url }) =>
      url.includes('/bulk') ? new Response('{}', { status: 404 }) : undefined
    ground.offers(whole('a', 'b', 'c'))
    expect((await ground.run()).counts).toMatchObject({ created: 3 })
    expect((await ground.run()).counts).toMatchObject({ unchanged: 3 })
  })

  it('breaks off the list of its ids ends the run before anything is written', async () => {
    const ground = await harvestGround()
    ground.intercept = ({ url }) =>
      url.includes('valueType=originalIds') ? new Response('["a","b') : undefined
    ground.offers(whole('a', 'b'))
    expect(await ground.run()).toMatchObject({ status: 'failed', counts: { created: 0 } })
  })

  it('says in the middle of a bulk answer that the catalogue is gone keeps what it took before', async () => {
    const ground = await harvestGround()
    ground.offers(whole('a', 'b', 'c'))
    ground.intercept = ({ url }) => {
      if (!url.includes('/bulk')) return undefined
      const items = ['a', 'b', 'c'].map((originalId) => ({
        originalId,
        status: 201,
        id: originalId,
      }))
      items.splice(1, 1, { originalId: 'b', status: 404, id: 'b' })
      return new Response(JSON.stringify(items), { status: 200 })
    }
    const run = await ground.run()
    expect(run).toMatchObject({
      status: 'failed',
      counts: { created: 2 },
      problem: { type: 'urn:cartulary:problem:unknown-catalogue' },
    })
    const ledger = new DatabaseSync(join(ground.directory, 'harvest.sqlite'), { readOnly: true })
    const kept = ledger.prepare('SELECT original FROM record ORDER BY original').all()
    ledger.close()
    expect(kept.map(({ original }) => original)).toEqual(['a', 'c'])
  })

  it('loses its catalogue in the middle ends the run', async () => {
    const ground = await harvestGround()
    ground.offers(async function* () {
      yield record('a')
      await ground.hub.ask('/catalogues/city', { method: 'DELETE' })
      yield record('b')
      yield complete()
    })
    expect(await ground.run()).toMatchObject({
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
    const ground = await harvestGround()
    ground.offers(whole(...ids, 'gone'))
    await ground.run()
    const asked: (string | undefined)[] = []
    let stops = true
    ground.offers(async function* (context, signal): AsyncGenerator<Message> {
      asked.push(context.resumeFrom)
      let count = 0
      for (const id of from(context.resumeFrom)) {
        yield record(id, `${id} new`)
        count += 1
        if (count % 5 !== 0) continue
        yield withCursor ? { kind: 'page', cursor: id } : { kind: 'page' }
        if (!stops) continue
        const written = () => ground.runs.get(context.runId)?.counts.updated ?? 0
        await expect.poll(written).toBeGreaterThanOrEqual(count)
        if (count / 5 < page) continue
        stops = false
        void ground.launcher().stop()
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        })
      }
      yield complete()
    })
    const { id } = ground.begin()
    await expect.poll(() => ground.runs.get(id)?.status).toBe('interrupted')
    const sent = ground.requests.filter(({ path }) => path.includes('/bulk')).length
    await ground.restart()
    return { ground, asked, sent, run: await ground.ended(id) }
  }

  it('knows what it had met before its checkpoint, so that it may remove', async () => {
    const { ground, asked, run } = await interruptedAfter(4, true)
    expect(asked).toHaveLength(2)
    expect(asked[1]).toMatch(/^k\d\d$/)
    expect(run).toMatchObject({ status: 'finished', outcome: 'complete', counts: { removed: 1 } })
    expect(await ground.ids()).toEqual(ids)
    expect(await ground.text('k00')).toContain('k00 new')
  })

  it('removes nothing when it had to start from the first page, and sends nothing twice', async () => {
    const { ground, asked, sent, run } = await interruptedAfter(4, false)
    expect(asked).toEqual([undefined, undefined])
    expect(run.counts).toMatchObject({ removed: 0, held: 0 })
    // Of six pages four were written before.
    expect(run.counts).toMatchObject({ updated: 30 })
    expect(ground.requests.filter(({ path }) => path.includes('/bulk')).length).toBe(sent + 2)
    expect(await ground.ids()).toEqual(['gone', ...ids])
    expect((await ground.run()).counts).toMatchObject({ removed: 1, unchanged: 30 })
  })
})
