/** Versions over killed processes: the newest is what the store has, and the walk back is whole. */

import { fork } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../journeys/kill/seeded-random.ts'
import { remove, temporaryDirectory } from '../support/gateway.ts'

/** By hand: `KILL_ROUNDS=300`; `KILL_SEED` runs a failure again. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 20)
const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 100_000)

type Message = { readonly faults?: readonly string[]; readonly acknowledged?: number }
type Round = { readonly faults: readonly string[] | undefined; readonly last: number }

/** Runs a writer, and kills it some moment after it has looked at what the one before left. */
function killedRound(directory: string, round: number, last: number, ms: number): Promise<Round> {
  const script = new URL('./version-writer.ts', import.meta.url)
  const child = fork(script, [directory, String(seed + round), String(last)], { execArgv: [] })
  const { promise, resolve, reject } = Promise.withResolvers<Round>()
  let result: Round = { faults: undefined, last }
  child.on('message', ({ faults, acknowledged }: Message) => {
    result = { faults: faults ?? result.faults, last: acknowledged ?? result.last }
    if (faults) setTimeout(() => child.kill('SIGKILL'), ms)
  })
  child.on('error', reject)
  child.on('exit', () => resolve(result))
  return promise
}

describe(`versions of a process that is killed ${rounds} times (seed ${seed})`, () => {
  it(
    'lead from what is stored back through each state',
    async () => {
      const directory = await temporaryDirectory()
      const random = seededRandom(seed)
      let last = 0
      for (let round = 0; round <= rounds; round += 1) {
        const ended = await killedRound(directory, round, last, 20 + random() * 200)
        expect([round, ended.faults]).toEqual([round, []])
        last = ended.last
      }
      // Writes were acknowledged between the kills.
      expect(last).toBeGreaterThan(rounds)
      await remove(directory)
    },
    rounds * 20_000,
  )
})
