/** A changed profile: everything is projected anew beside what answers, and nobody who searches or writes notices. */

import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { logger } from '../../../src/log.ts'
import { readMarks } from '../../../src/projector/queue.ts'
import { names, pause, platform } from './platform.ts'

const soon = () => AbortSignal.timeout(30_000)
const ids = Array.from({ length: 700 }, (_, n) => `d-${String(n).padStart(4, '0')}`)

let directory: string
const running: { stop: () => Promise<void>; close: () => Promise<void> }[] = []
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cartulary-'))
})
afterEach(async () => {
  for (const one of running.splice(0)) {
    await one.stop()
    await one.close()
  }
  await rm(directory, { recursive: true, force: true })
})

/** Starts everything under a version of the profile; `end` stops it before the next start. */
async function start(version: number, lines: string[] = []) {
  const sink = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  const made = await platform(directory, version, logger('info', sink))
  const projected = await made.start()
  const one = { stop: projected.stop, close: made.close }
  running.push(one)
  const end = async () => {
    running.splice(running.indexOf(one), 1)
    await one.stop()
    await one.close()
  }
  return { ...made, projected, end }
}

/** What tests that begin with a full index get a copy of; made by the first of them. */
let template: string | undefined
afterAll(async () => {
  if (template !== undefined) await rm(template, { recursive: true, force: true })
})
async function filled(): Promise<void> {
  template ??= await fill()
  await cp(template, directory, { recursive: true })
}

/** A directory whose index is full, under the first version of the profile. */
async function fill(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'cartulary-'))
  const made = await platform(place, 1)
  await made.populate(ids)
  const projected = await made.start()
  await projected.idle(soon())
  expect((await made.search()).count).toBe(ids.length)
  await projected.stop()
  await made.close()
  return place
}

const basisOf = ({ index }: Awaited<ReturnType<typeof start>>) =>
  index.currentSettings().find((one) => one.index === 'dataset')!.basis

describe('an index', () => {
  it('that was never there answers from the beginning, and is whole when the store is through', async () => {
    const made = await platform(directory, 1)
    await made.populate(ids)
    await made.close()
    const first = await start(1)
    expect(first.projected.rebuilding().map(({ index }) => index)).toContain('dataset')
    await first.projected.idle(soon())
    expect(first.projected.rebuilding()).toEqual([])
    expect((await first.search()).count).toBe(700)
    expect((await first.search(undefined, ['catalogue'])).count).toBe(1)
  })

  it('is left alone by a start under the same profile', async () => {
    await filled()
    const lines: string[] = []
    const again = await start(1, lines)
    expect(again.projected.rebuilding()).toEqual([])
    await again.projected.idle(soon())
    expect(lines.filter((line) => line.includes('reindex'))).toEqual([])
  })

  it('is swapped while searches and waiting writers go on, and every state that a writer waited for stays found', async () => {
    await filled()
    const lines: string[] = []
    const made = await start(2, lines)
    const old = basisOf(made)
    const wrong: unknown[] = []
    const over = new AbortController()
    let [searches, writes, under] = [0, 0, 0]
    const searching = Array.from({ length: 2 }, async () => {
      for (; !over.signal.aborted; searches++) {
        const { count } = await made.search('dataset')
        if (count < ids.length) wrong.push(`${count} datasets`)
      }
    })
    const writing = (async () => {
      for (; !over.signal.aborted; writes++) {
        const word = `dataset word${writes}`
        if (basisOf(made) === old) under++
        // New records, and some that were there before.
        const id = writes % 2 === 0 ? `new-${writes}` : ids[(writes * 37) % ids.length]!
        if (!(await made.write(made.projected, id, word, soon()))) wrong.push(`${id} not settled`)
        if ((await made.search(`word${writes}`)).count !== 1) wrong.push(`${word} not found`)
      }
    })()
    const progress: number[] = []
    while (made.projected.rebuilding().length > 0) {
      const dataset = made.projected.rebuilding().find(({ index }) => index === 'dataset')
      if (dataset) progress.push(dataset.done)
      await pause(5)
    }
    over.abort()
    await Promise.all([...searching, writing])
    await made.projected.idle(soon())
    expect(wrong).toEqual([])
    expect(basisOf(made)).not.toBe(old)
    expect([searches > 5, writes > 2, under > 1]).toEqual([true, true, true])
    expect(progress.toSorted((a, b) => a - b)).toEqual(progress)
    const fresh = Array.from({ length: writes }, (_, n) => n)
    expect((await made.search()).count).toBe(ids.length + fresh.filter((n) => n % 2 === 0).length)
    for (const n of fresh.slice(-20)) expect((await made.search(`word${n}`)).count).toBe(1)
    expect(lines.some((line) => line.includes('"event":"reindex.finished"'))).toBe(true)
    expect(await readMarks(made.store, 10, soon())).toEqual([])
  })

  it('that was stopped on the way goes on where it was, and answers from the old one until then', async () => {
    await filled()
    const first = await start(2)
    const old = basisOf(first)
    const { index } = first
    const left = async () => (await index.missingIds('dataset', ids)).length
    await expect.poll(left, { timeout: 20_000, interval: 5 }).toBeLessThan(ids.length)
    await first.end()
    const lines: string[] = []
    const second = await start(2, lines)
    expect(basisOf(second)).toBe(old)
    expect((await second.search('dataset')).count).toBe(ids.length)
    await second.projected.idle(soon())
    expect(basisOf(second)).not.toBe(old)
    expect((await second.search('dataset')).count).toBe(ids.length)
    const finished = lines
      .map((line): Record<string, unknown> => JSON.parse(line))
      .find((line) => line['event'] === 'reindex.finished' && line['index'] === 'dataset')
    expect(finished).toMatchObject({ records: ids.length })
    expect(finished!['present']).toBeGreaterThan(0)
  })

  it('waits with its swap for a record that cannot be projected, and loses none', async () => {
    await filled()
    const made = await platform(directory, 2)
    const bad = names.dataset(ids[5]!)
    let isBroken = true
    const readAll = made.store.readAll.bind(made.store)
    made.store.readAll = (graphs, ...rest) =>
      isBroken && graphs.includes(bad)
        ? Promise.reject(new Error('cannot be read'))
        : readAll(graphs, ...rest)
    const projected = await made.start()
    running.push({ stop: projected.stop, close: made.close })
    const left = () => made.index.missingIds('dataset', ids)
    await expect.poll(left, { timeout: 25_000, interval: 20 }).toEqual([ids[5]])
    expect(projected.rebuilding().map(({ index }) => index)).toEqual(['dataset'])
    expect((await made.search('dataset')).count).toBe(ids.length)
    isBroken = false
    await projected.idle(soon())
    expect((await made.search('dataset')).count).toBe(ids.length)
  })
})
