/** What an operator has done to the indices, over a real store and a real engine whose store others write to as well. */

import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { names, platform } from '../swap/platform.ts'

const soon = () => AbortSignal.timeout(30_000)
const nothing = () => undefined
const spdx = 'http://spdx.org/rdf/terms#'
const title = '<http://purl.org/dc/terms/title>'
const catalogue = names.catalogue('swap')
const ids = Array.from({ length: 1200 }, (_, n) => `d-${String(n).padStart(4, '0')}`)

const temporary = () => mkdtemp(join(tmpdir(), 'cartulary-'))
/** Store and index of the beginning, which every test gets a copy of. */
let filled: string
let directory: string
let made: Awaited<ReturnType<typeof platform>>
let running: Awaited<ReturnType<typeof made.start>>
beforeAll(async () => {
  filled = await temporary()
  const first = await platform(filled, 1)
  await first.populate(ids)
  const projection = await first.start()
  await projection.idle(soon())
  await projection.stop()
  await first.close()
})
afterAll(() => rm(filled, { recursive: true, force: true }))
beforeEach(async () => {
  directory = await temporary()
  await cp(filled, directory, { recursive: true })
  made = await platform(directory, 1)
  running = await made.start()
  await running.idle(soon())
})
afterEach(async () => {
  await running.stop()
  await made.close()
  await rm(directory, { recursive: true, force: true })
})

const compare = (dryRun = false) =>
  running.maintenance.reconcile({ dryRun, progress: nothing }, soon())
const link = (id: string) =>
  `<${catalogue}> <http://www.w3.org/ns/dcat#dataset> <${names.dataset(id)}> .`
const checksum = (id: string, value: string) => [
  `<${names.record(id)}> <${spdx}checksum> <urn:x:sum> .`,
  `<urn:x:sum> <${spdx}checksumValue> "${value}" .`,
]
const text = async (id: string) => JSON.parse((await made.index.get('dataset', id)) ?? '{}')

/** What a writer does who knows nothing of the platform. */
const behindOurBack = async () => {
  await made.store.write([
    { graph: names.dataset('d-0000'), drop: true },
    { graph: catalogue, remove: [link('d-0000')], add: [link('e-new')] },
    {
      graph: names.dataset('e-new'),
      content: `<${names.dataset('e-new')}> ${title} "Fresh"@en .\n`,
    },
    { graph: names.dataset('d-0700'), add: checksum('d-0700', 'other') },
  ])
}

describe('comparing store and index', () => {
  it('finds nothing where nothing differs', async () => {
    expect(await compare()).toEqual({
      compared: ids.length + 1,
      missing: 0,
      stale: 0,
      extra: 0,
      repaired: 0,
    })
  })

  it('finds what others did to the store, and repairs it only when it may', async () => {
    await behindOurBack()
    const drift = { compared: ids.length + 1, missing: 1, stale: 1, extra: 1 }
    expect(await compare(true)).toEqual({ ...drift, repaired: 0 })
    expect(await made.index.get('dataset', 'e-new')).toBeUndefined()
    expect(await compare()).toEqual({ ...drift, repaired: 3 })
    expect(await text('e-new')).toMatchObject({ title: { en: 'Fresh' } })
    expect(await made.index.get('dataset', 'd-0000')).toBeUndefined()
    expect(await compare()).toMatchObject({ missing: 0, stale: 0, extra: 0, repaired: 0 })
  })

  it('takes what is in a hidden catalogue for too much', async () => {
    const content = await made.store.read(catalogue, { links: false })
    const hidden = `<${catalogue}> <urn:x:visibility> "hidden" .\n`
    await made.store.write([{ graph: catalogue, content: `${content ?? ''}${hidden}` }])
    const drift = await compare()
    expect(drift).toMatchObject({ compared: 0, extra: ids.length + 1, repaired: ids.length + 1 })
    expect((await made.search()).count).toBe(0)
  })

  it('takes no write for a difference while it is on its way', async () => {
    const writing = Array.from({ length: 40 }, (_, n) =>
      made.write(running, `w-${n}`, `word${n}`, soon()),
    )
    const [drift] = await Promise.all([compare(), ...writing])
    expect(drift).toMatchObject({ missing: 0, stale: 0, extra: 0 })
  })

  it('is done once at a time, and not while an index is being filled', async () => {
    const both = await Promise.all([compare(true), compare()])
    expect(both.map(({ compared }) => compared)).toEqual([ids.length + 1, ids.length + 1])
    const times = running.jobs.list({ state: 'done', limit: 2, offset: 0 })
    const [second, first] = times.map(({ kind, startedAt, endedAt }) => ({
      kind,
      startedAt,
      endedAt,
    }))
    expect([first?.kind, second?.kind]).toEqual(['compare', 'reconcile'])
    expect(second?.startedAt).toBeGreaterThanOrEqual(first?.endedAt ?? Infinity)
    const filling = running.maintenance.refill([], nothing, soon())
    await expect.poll(() => running.rebuilding().length).toBeGreaterThan(0)
    await expect(compare(true)).rejects.toThrow(/being filled/)
    await filling
  })

  it('is a job that shows its progress and its result, and can be cancelled', async () => {
    await behindOurBack()
    const drift = await compare()
    const [done] = running.jobs.list({ kind: 'reconcile', limit: 1, offset: 0 })
    const of = ids.length + 1
    expect(done).toMatchObject({ state: 'done', result: drift, progress: { done: of, of } })
    const again = compare()
    const [job] = running.jobs.list({ kind: 'reconcile', limit: 1, offset: 0 })
    running.jobs.cancel(job?.id ?? '')
    await expect(again).rejects.toThrow(/was cancelled/)
  })

  it('ends with its signal', async () => {
    const reason = new Error('enough')
    const asked = { dryRun: true, progress: nothing }
    await expect(running.maintenance.reconcile(asked, AbortSignal.abort(reason))).rejects.toBe(
      reason,
    )
  })
})

describe('projecting again', () => {
  it('brings what others wrote into the index, of one catalogue or of all', async () => {
    await behindOurBack()
    const told: (number | undefined)[] = []
    const progress = (done: number, total?: number) => told.push(done, total)
    expect(await running.maintenance.projectAgain(['swap'], progress, soon())).toBe(ids.length + 1)
    expect(told.slice(-1)).toEqual([ids.length + 1])
    expect(await text('e-new')).toMatchObject({ title: { en: 'Fresh' } })
    expect(await running.maintenance.projectAgain([], nothing, soon())).toBe(ids.length + 1)
  })

  it('knows which catalogues there are', async () => {
    await expect(
      running.maintenance.projectAgain(['swap', 'none'], nothing, soon()),
    ).rejects.toThrow(/there is no catalogue "?none/)
  })
})

describe('filling anew', () => {
  it('swaps in what the store holds, and answers all the while', async () => {
    await behindOurBack()
    const filling = running.maintenance.refill(['dataset'], nothing, soon())
    const counts: number[] = []
    do counts.push((await made.search()).count)
    while (running.rebuilding().length > 0)
    expect(await filling).toBe(ids.length)
    expect(Math.min(...counts)).toBe(ids.length)
    expect(await made.index.get('dataset', 'd-0000')).toBeUndefined()
    expect(await compare(true)).toMatchObject({ missing: 0, stale: 0, extra: 0 })
  })

  it('is refused for an index that is none, and while another is under way', async () => {
    const refill = (indices: readonly string[]) =>
      running.maintenance.refill(indices, nothing, soon())
    await expect(refill(['datasets'])).rejects.toThrow(/the indices are dataset, catalogue/)
    const first = refill(['dataset'])
    await expect.poll(() => running.rebuilding().length).toBeGreaterThan(0)
    await expect(refill(['dataset'])).rejects.toThrow(/being filled/)
    expect(await first).toBe(ids.length)
    const [job] = running.jobs.list({ kind: 'reindex', limit: 1, offset: 0 })
    const of = ids.length
    expect(job).toMatchObject({ state: 'done', payload: ['dataset'], result: { records: of } })
    expect(() => running.jobs.cancel(job?.id ?? '')).toThrow('it is done')
  })

  it('of several requests that wait is one job for all their indices', async () => {
    const asked = compare(true)
    const wanted = [['dataset'], ['catalogue'], ['dataset']]
    const counts = wanted.map((one) => running.maintenance.refill(one, nothing, soon()))
    await asked
    expect(await Promise.all(counts)).toEqual(wanted.map(() => ids.length + 1))
    const listed = running.jobs.list({ kind: 'reindex', limit: 9, offset: 0 })
    expect(listed.map(({ payload }) => payload)).toEqual([['dataset', 'catalogue']])
  })

  it('goes on after a crash with what the engine fills already', async () => {
    const filling = running.maintenance.refill(['dataset'], nothing, soon()).catch(() => 'stopped')
    await expect.poll(() => running.rebuilding().length).toBeGreaterThan(0)
    await running.stop()
    expect(await filling).toBe('stopped')
    running = await made.start()
    const last = () => running.jobs.list({ kind: 'reindex', limit: 9, offset: 0 })
    await expect.poll(last, { timeout: 20_000 }).toMatchObject([{ state: 'done', attempts: 2 }])
    expect(running.rebuilding()).toEqual([])
    expect((await made.search()).count).toBe(ids.length)
  })
})
