/** Kill and return: a process that dies at any moment loses no acknowledged write, leaves no half, and the index follows. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

/** Kills per run; many more by hand (`KILL_ROUNDS=50`). */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 3)
const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 100_000)

let directory: string
let platform: Gateway
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  await client(platform).put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

/** Every version has its number in thirty places: a mixed graph would show two numbers. */
const body = (
  n: number,
  version: number,
) => `${prefixes}<> a dcat:Dataset ; dct:title "N${n} v${version}" ;
  ${Array.from({ length: 30 }, (_, i) => `dct:relation <urn:part:${i}:${version}>`).join(' ; ')} .`

/** A small deterministic generator, so that a failing seed can be run again. */
function dice(state: number): () => number {
  let value = state
  return () => {
    value = (value * 1_103_515_245 + 12_345) % 2_147_483_648
    return value / 2_147_483_648
  }
}

type Acknowledged = Map<string, number>

/**
 * Writes until the process is gone. Every third write updates a record that nobody else is writing at that moment, so the
 * last acknowledged version of a record is known.
 */
async function writeUntilDead(acknowledged: Acknowledged, round: number): Promise<void> {
  const { putDataset } = client(platform)
  const idle: string[] = []
  let next = 0
  const lane = async () => {
    for (;;) {
      const n = next++
      const id = (n % 3 === 2 && idle.shift()) || `r${round}-${n}`
      const version = round * 100_000 + n
      try {
        const answer = await putDataset('c', id, body(n, version), { Prefer: 'respond-async' })
        if (answer.status !== 201 && answer.status !== 204)
          throw new Error(`status ${answer.status}`)
        acknowledged.set(id, version)
        idle.push(id)
      } catch {
        return
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, lane))
}

const versionsIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/urn:part:\d+:(\d+)/g)].map((match) => match[1] ?? ''))

describe(`after kill -9 (seed ${seed})`, () => {
  const random = dice(seed)
  const acknowledged: Acknowledged = new Map()

  it.each(Array.from({ length: rounds }, (_, round) => round))(
    'round %i: nothing acknowledged is missing, no graph is half-written, the index follows by itself',
    async (round) => {
      const dead = writeUntilDead(acknowledged, round)
      await new Promise((resolve) => setTimeout(resolve, 50 + random() * 800))
      await platform.kill()
      await dead
      platform = await gateway(directory)
      const api = client(platform)

      const wrong: string[] = []
      for (const [id, version] of acknowledged) {
        const text = await (await fetch(`${api.repo}/datasets/${id}.nt`)).text()
        const found = versionsIn(text)
        const [only] = found
        const parts = text.match(/urn:part:/g)?.length ?? 0
        if (found.size !== 1 || parts !== 30)
          wrong.push(`${id}: ${parts} parts of versions ${[...found].join(', ')}`)
        else if (Number(only) < version) wrong.push(`${id}: ${only} instead of ${version}`)
      }
      expect(wrong).toEqual([])

      expect(
        await eventually(
          async () => (await api.json<{ pending: number }>(`${platform.url}/health`)).pending === 0,
        ),
      ).toBe(true)
      const stored = await everyId(`${api.repo}/datasets?valueType=identifiers&limit=5000`, api)
      const indexed = await api.json<string[]>(`${api.search}/datasets?catalogue=c`)
      expect(indexed.toSorted()).toEqual(stored.toSorted())
      const stale: string[] = []
      for (const id of stored) {
        const graph = versionsIn(await (await fetch(`${api.repo}/datasets/${id}.nt`)).text())
        const { result } = await api.json<{ result: { relation: string[] } }>(
          `${api.search}/datasets/${id}`,
        )
        const shown = versionsIn(result.relation.join(' '))
        if ([...shown].join() !== [...graph].join()) stale.push(id)
      }
      expect(stale).toEqual([])
    },
    120_000,
  )
})

async function everyId(address: string, api: ReturnType<typeof client>): Promise<string[]> {
  const found: string[] = []
  for (;;) {
    const page = await api.json<string[]>(`${address}&offset=${found.length}`)
    found.push(...page)
    if (page.length < 5000) return found
  }
}
