/**
 * The drill: a platform under load is backed up, restored elsewhere and goes on. Every write that was acknowledged before the
 * backup began is there with its entity tag, and nothing happens twice.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Run } from '../../../src/pipe/runs/run.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../../support/gateway.ts'
import { cartulary } from '../../support/program.ts'
import { prefixes } from '../../support/repository.ts'
import { city, pipeInto, type City } from '../harvesting/city.ts'
import { scheduler } from '../harvesting/scheduler.ts'
import type { StoreUnderTest } from '../store-under-test.ts'
import { flipped } from './flipped.ts'
import { type Acknowledged, writers } from './writers.ts'

/** A store, and its own copy where the backup of the data directory has none. */
export type DrilledStore = StoreUnderTest & {
  /** Copies the store while it is written; resolves with another one that has the copy. */
  readonly copied?: () => Promise<StoreUnderTest>
}

const vocabulary = `${prefixes}<urn:colours> a skos:ConceptScheme .
<urn:colours:red> a skos:Concept ; skos:inScheme <urn:colours> ; skos:prefLabel "Red"@en .`
/** Seconds between two firings of the trigger. */
const everySeconds = 4

/** Runs the drill; `target` is the name of the backup, an archive where it ends so. */
export function drill(name: string, target: string, openStore: () => Promise<DrilledStore>): void {
  describe(`a platform on ${name} under load, backed up as ${target} and restored elsewhere`, () => {
    const places: string[] = []
    const place = async () => {
      const directory = await temporaryDirectory()
      places.push(directory)
      return directory
    }
    let stores: StoreUnderTest[] = []
    let source: City
    let backup: string
    let restored: Gateway
    let restoredAt: number
    /** What was acknowledged before the backup began and not written again before it ended. */
    let kept: Acknowledged
    /** Entity tags of what was written once, by path. */
    const tags = new Map<string, string>()
    const api = () => client(restored)

    const platform = (directory: string, env: StoreUnderTest['env'], pipes: string) =>
      gateway(directory, {
        ...env,
        PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
      })

    beforeAll(async () => {
      const [directory, folder] = [await place(), await place()]
      const store = await openStore()
      stores = [store]
      source = await city(25)
      const pipes = await pipeInto(await place(), source.address)
      const first = await platform(directory, store.env, pipes)
      const { put } = client(first)
      const title = `${prefixes}<> a dcat:Catalog ; dct:title "T"@en .`
      for (const [path, body] of [
        ['/catalogues/water', title],
        ['/catalogues/city', title],
        ['/vocabularies/colours', vocabulary],
      ] as const)
        tags.set(path, (await put(path, body)).headers.get('ETag')!)
      const { harvested, base, headers } = scheduler(first)
      expect(await harvested('city')).toMatchObject({
        outcome: 'complete',
        counts: { created: 25 },
      })
      const often = [{ id: 'often', status: 'enabled', cron: `*/${everySeconds} * * * * ?` }]
      const body = JSON.stringify(often)
      const set = await fetch(`${base}/triggers/city`, { method: 'PUT', headers, body })
      expect(set.ok).toBe(true)

      const load = writers(first)
      expect(await eventually(async () => load.acknowledged().size > 150, 120_000)).toBe(true)
      const before = load.acknowledged()
      backup = join(folder, target)
      const ended = await cartulary(['backup', backup, '--data', directory])
      expect([ended.code, ended.err]).toEqual([0, ''])
      const copy = await store.copied?.()
      const after = load.acknowledged()
      if (copy) stores.push(copy)
      kept = new Map([...before].filter(([id, tag]) => after.get(id) === tag))
      expect(await load.stop()).toEqual([])
      await first.stop()

      const other = join(await place(), 'data')
      const back = await cartulary(['restore', backup, '--data', other])
      expect([back.code, back.err]).toEqual([0, ''])
      writeFileSync(join(other, 'api-key'), first.key, { mode: 0o600 })
      restoredAt = Date.now()
      restored = await platform(other, copy?.env ?? store.env, pipes)
    }, 400_000)
    afterAll(async () => {
      await restored.stop()
      await source.end()
      for (const store of stores) await store.end()
      await Promise.all(places.map(remove))
    })

    const harvests = async (): Promise<Run[]> =>
      (await scheduler(restored).runs()).filter(({ trigger }) => trigger === 'often')

    it('has every acknowledged write with its entity tag', async () => {
      const wrong: string[] = []
      const check = async (path: string, tag: string, expected: number) => {
        const answer = await fetch(`${api().repo}${path}`, { headers: { 'If-None-Match': tag } })
        if (answer.status !== expected) wrong.push(`${path}: ${answer.status}`)
      }
      for (const [path, tag] of tags) await check(path, tag, 304)
      for (const [id, tag] of kept)
        await check(`/datasets/${id}`, tag, tag === 'deleted' ? 410 : 304)
      expect(wrong).toEqual([])
      // Neither of them is empty.
      const isDeleted = [...kept.values()].map((tag) => tag === 'deleted')
      expect([...new Set(isDeleted)]).toHaveLength(2)
    })

    it('finds as many datasets by searching as the store has', async () => {
      const { repo, search, json } = api()
      const ids = await json<string[]>(`${repo}/datasets?valueType=identifiers&limit=5000`)
      const found = async () => {
        const answer = await fetch(`${search}/search?filters=dataset&limit=0`)
        const body = (await answer.json()) as { readonly result?: { readonly count: number } }
        return body.result?.count
      }
      expect(await eventually(async () => (await found()) === ids.length)).toBe(true)
      expect(new Set(ids).size).toBe(ids.length)
    })

    it('restores everything that was deleted', async () => {
      const headers = { 'X-API-Key': restored.key }
      const wrong: string[] = []
      for (const [id, tag] of kept) {
        if (tag !== 'deleted') continue
        const path = `${api().repo}/datasets/${id}`
        const { status } = await fetch(`${path}/restore`, { method: 'POST', headers })
        if (status !== 201 || !(await fetch(path)).ok) wrong.push(`${id}: ${status}`)
      }
      expect(wrong).toEqual([])
    })

    it('harvests without a change and removes nothing', async () => {
      // A document of the same bytes would not be looked through.
      source.remark = () => crypto.randomUUID()
      const { launch, settled } = scheduler(restored)
      // While a run of the trigger goes on, another one is refused with 409.
      let run = '409 '
      await eventually(async () => {
        run = await launch('city').catch((error: Error) => error.message)
        return !run.startsWith('409 ')
      })
      expect(await settled(run)).toMatchObject({
        outcome: 'complete',
        counts: { offered: 25, unchanged: 25, created: 0, updated: 0, removed: 0, held: 0 },
      })
    })

    it('fires a trigger once at each time at which it is due, and none of before again', async () => {
      const since = async () =>
        (await harvests()).filter(({ created }) => Date.parse(created) >= restoredAt)
      expect(await eventually(async () => (await since()).length >= 2)).toBe(true)
      const slots = (await harvests()).map(({ created }) =>
        Math.floor(Date.parse(created) / (everySeconds * 1000)),
      )
      expect(new Set(slots).size).toBe(slots.length)
    })

    it('names each file of the backup in which one byte is another one', async () => {
      for (const [file, copy] of flipped(backup, await place())) {
        const { code, err } = await cartulary(['verify', copy])
        expect([code, err]).toEqual([5, expect.stringContaining(file)])
      }
    })
  })
}
