/** A process that dies while it deletes and restores: whatever was acknowledged holds, and nothing hides what is there. */

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
import { queryValues } from './query-values.ts'
import { seededRandom } from './seeded-random.ts'

/** By hand: `KILL_ROUNDS=20 KILL_DATASETS=1000`; `KILL_SEED` runs a failure again. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 2)
const size = Number(process.env['KILL_DATASETS'] ?? 200)
const singles = 40
const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 100_000)

type Texts = ReadonlyMap<string, string>

/** `ground` is what the platform stands on, as environment; it is asked once. */
export function deletingJourney(name: string, openStore: () => Promise<StoreUnderTest>): void {
  describe(`${name}, killed while it deletes ${size} datasets at once and ${singles} by themselves (seed ${seed})`, () => {
    const random = seededRandom(seed)
    let place: StoreUnderTest
    let directory: string
    let platform: Gateway

    /** Kills at some moment after `enough` holds. */
    const killed = async (work: readonly Promise<unknown>[], enough = () => true) => {
      await eventually(() => Promise.resolve(enough()))
      await new Promise((resolve) => setTimeout(resolve, random() * 300))
      await platform.kill()
      await Promise.all(work)
      platform = await gateway(directory, place.env)
    }

    beforeAll(async () => {
      place = await openStore()
      directory = await temporaryDirectory()
      platform = await gateway(directory, place.env)
    })
    afterAll(async () => {
      await platform.stop()
      await remove(directory)
      await place.end()
    })

    it.each(Array.from({ length: rounds }, (_, round) => round))(
      'round %i: everything is settled as acknowledged, and comes back as it was',
      async (round) => {
        const [whole, some] = [`w${round}`, `s${round}`]
        const ids = await fill(platform, whole, size)
        const alone = await fill(platform, some, singles)
        const before = await texts(platform, [...ids, ...alone])
        const acknowledged = new Set<string>()

        const wanted = Math.floor(random() * singles)
        const cascade = ask(platform, 'DELETE', `/catalogues/${whole}`, {
          Prefer: 'respond-async',
        }).then((status) => status === 202 && acknowledged.add(whole), unanswered)
        const deletions = each(alone, async (id) => {
          const status = await ask(platform, 'DELETE', `/datasets/${id}`)
          if (status === 204) acknowledged.add(id)
        }).catch(unanswered)
        await killed([cascade, deletions], () => acknowledged.size >= wanted)

        const isWholeGone = (await ask(platform, 'GET', `/catalogues/${whole}`)) === 410
        expect(isWholeGone || !acknowledged.has(whole)).toBe(true)
        const status = await statuses(platform, alone)
        const listed = await tombstones(platform, some)
        const gone = alone.filter((id) => status.get(id) === 410)
        expect([...status.values()].filter((one) => one !== 200 && one !== 410)).toEqual([])
        expect(alone.filter((id) => acknowledged.has(id) && !gone.includes(id))).toEqual([])
        expect(new Set(listed)).toEqual(new Set(gone))

        // What was not acknowledged may not have begun; then it is done now.
        expect(await eventually(() => isDeleted(platform, whole), 120_000)).toBe(true)
        expect(await left(platform, whole)).toEqual([])
        expect((await tombstones(platform, whole)).length).toBe(size + 1)

        await killed([
          ask(platform, 'POST', `/catalogues/${whole}/restore`).catch(unanswered),
          each(
            gone,
            async (id) => void (await ask(platform, 'POST', `/datasets/${id}/restore`)),
          ).catch(unanswered),
        ])

        await ask(platform, 'POST', `/catalogues/${whole}/restore`)
        for (const id of gone) await ask(platform, 'POST', `/datasets/${id}/restore`)
        const isBack = async () => (await tombstones(platform, whole)).length === 0
        expect(await eventually(isBack, 120_000)).toBe(true)
        expect(await tombstones(platform, some)).toEqual([])
        expect(await texts(platform, [...ids, ...alone])).toEqual(before)
        expect((await left(platform, whole)).length).toBe(size)
      },
      600_000,
    )
  })
}

/** The process died before it answered. */
const unanswered = () => undefined

async function ask(
  platform: Gateway,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const { repo } = client(platform)
  const answer = await fetch(repo + path, {
    method,
    headers: { 'X-API-Key': platform.key, ...headers },
  })
  await answer.text()
  return answer.status
}

/** A catalogue of so many datasets; answers their ids. */
async function fill(platform: Gateway, catalogue: string, count: number): Promise<string[]> {
  const { put } = client(platform)
  await put(`/catalogues/${catalogue}`, `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
  const originals = Array.from({ length: count }, (_, n) => `${catalogue}-${n}`)
  const body = originals.map(
    (id) =>
      `<urn:x:${id}> a dcat:Dataset ; dct:identifier "${id}" ; dcat:distribution <urn:d:${id}> . <urn:d:${id}> a dcat:Distribution .`,
  )
  await (
    await put(`/catalogues/${catalogue}/datasets/bulk`, `${prefixes}${body.join('\n')}`)
  ).text()
  return originals
}

async function each<T>(values: readonly T[], work: (value: T) => Promise<void>): Promise<void> {
  const queue = [...values]
  const lane = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) await work(next)
  }
  await Promise.all(Array.from({ length: 8 }, lane))
}

async function texts(platform: Gateway, ids: readonly string[]): Promise<Texts> {
  const found = new Map<string, string>()
  await each(ids, async (id) => {
    const answer = await fetch(`${client(platform).repo}/datasets/${id}.nt`)
    // Blank nodes are labelled anew in every answer.
    const lines = (await answer.text()).replaceAll(/_:\S+/g, '_:').split('\n')
    found.set(id, lines.toSorted((a, b) => a.localeCompare(b)).join('\n'))
  })
  return new Map(ids.map((id) => [id, found.get(id) ?? '']))
}

async function statuses(platform: Gateway, ids: readonly string[]) {
  const found = new Map<string, number>()
  await each(ids, async (id) => void found.set(id, await ask(platform, 'GET', `/datasets/${id}`)))
  return found
}

async function tombstones(platform: Gateway, catalogue: string): Promise<string[]> {
  const address = `${client(platform).repo}/tombstones?limit=5000&catalogue=${catalogue}`
  const answer = await fetch(address, { headers: { 'X-API-Key': platform.key } })
  return ((await answer.json()) as { id: string }[]).map(({ id }) => id)
}

/** Asks for the deletion again until it has come to its end. */
const isDeleted = async (platform: Gateway, catalogue: string) =>
  (await ask(platform, 'DELETE', `/catalogues/${catalogue}`)) === 410

/** Datasets of a catalogue that the store still holds or links. */
const left = (platform: Gateway, catalogue: string): Promise<string[]> =>
  queryValues(
    platform,
    `SELECT DISTINCT ?d { { GRAPH ?d { ?d a <http://www.w3.org/ns/dcat#Dataset> } }
       UNION { GRAPH ?c { ?c <http://www.w3.org/ns/dcat#dataset> ?d } } FILTER(CONTAINS(STR(?d), '/${catalogue}-')) }`,
  )
