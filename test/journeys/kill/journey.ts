/** Random writes and a process that dies again and again: acknowledged = stored, no half graph, no lost update, no drift. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import type { StoreUnderTest } from '../store-under-test.ts'
import { quiet, wrongs } from './checking.ts'
import { between, seededRandom } from './seeded-random.ts'
import { history } from './history.ts'
import { tally } from './records.ts'
import { writers, type World } from './writing.ts'

/** Acceptance by hand: `KILL_WRITES=10000 KILL_ROUNDS=30`; `KILL_SEED` runs a failure again. */
const writes = Number(process.env['KILL_WRITES'] ?? 600)
const rounds = Number(process.env['KILL_ROUNDS'] ?? 3)
export const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 100_000)

/** `ground` is what the platform stands on, as environment; it is asked once. */
export function killJourney(name: string, openStore: () => Promise<StoreUnderTest>): void {
  describe(`${name}, killed ${rounds} times in ${writes} writes (seed ${seed})`, () => {
    const started = performance.now()
    const random = seededRandom(seed)
    const world = newWorld(random)
    let place: StoreUnderTest
    let directory: string
    let platform: Gateway

    beforeAll(async () => {
      place = await openStore()
      directory = await temporaryDirectory()
      platform = await gateway(directory, place.env)
      await populate(world, platform)
    })
    afterAll(async () => {
      const seconds = Math.round((performance.now() - started) / 1000)
      const told = place.faults?.told() ?? 'no faults on the way'
      process.stderr.write(`${name}: ${seconds} s, ${JSON.stringify(world.counts)}, ${told}\n`)
      await platform.stop()
      await remove(directory)
      await place.end()
    })

    it.each(Array.from({ length: rounds }, (_, round) => round))(
      'round %i: all that was acknowledged is there, whole, linked and searchable',
      async (round) => {
        const goal =
          round === rounds - 1 ? writes : ((round + 0.5 + random() / 2) * writes) / rounds
        place.faults?.start()
        // Every other round writes one by one.
        const { isWriting, ended } = writers(world, platform, round % 2 === 0 ? 8 : 1)
        const isTime = () => world.counts.writes >= goal || !isWriting()
        expect(await eventually(() => Promise.resolve(isTime()), 600_000)).toBe(true)
        await new Promise((resolve) => setTimeout(resolve, between(random, 0, 40)))
        await platform.kill()
        await ended
        // And every other return is through bad weather.
        if (round % 4 > 1) place.faults?.stop()
        platform = await gateway(directory, place.env)
        place.faults?.stop()
        expect(await quiet(platform)).toBe(true)
        expect(await wrongs(world, platform)).toEqual([])
        expect((await place.leftovers?.()) ?? []).toEqual([])
        expect(world.faults).toEqual([])
      },
      900_000,
    )
  })
}

function newWorld(random: () => number): World {
  const ids = Array.from({ length: Math.max(40, writes / 25) }, (_, n) => `k-${n}`)
  const tallies = Array.from({ length: 6 }, (_, n) => `t-${n}`)
  return {
    random,
    history: history(),
    ids,
    tallies,
    marks: new Map(tallies.map((id) => [id, { sent: new Set(), acknowledged: new Set() }])),
    version: 0,
    counts: { writes: 0, acknowledged: 0, unsure: 0, refused: 0, reads: 0 },
    faults: [],
  }
}

async function populate({ tallies }: World, platform: Gateway): Promise<void> {
  const api = client(platform)
  const made = await api.put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
  expect(made.status).toBe(201)
  for (const id of tallies) expect((await api.putDataset('c', id, tally(id, []))).status).toBe(201)
}
