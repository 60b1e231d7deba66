/** Versions over killed processes: the newest is what the store has, and the walk back is whole. */

import { fork } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../journeys/kill/seeded-random.ts'
import { remove, temporaryDirectory } from '../support/gateway.ts'

/** By hand: `KILL_ROUNDS=300`; `KILL_SEED` runs a failure again. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 20)
const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 100_000)

/** Rounds after which the data begin anew: a long history takes a minute to be looked at. */
const roundsOfDirectory = 30

type Message = { readonly faults?: readonly string[]; readonly acknowledged?: number }
type Round = { readonly faults: readonly string[] | undefined; readonly last: number }

/** Runs a writer, and kills it some moment after it has looked at what the one before left. */
function killedRound(directory: string, round: number, last: number, ms: number): Promise<Round> {
  const script = new URL('./version-writer.ts', import.meta.url)
  const child = fork(script, [directory, String(seed + round), String(last)], { execArgv: [] })
  const { promise, resolve, reject } = Promise.withResolvers<Round>()
  let result: Round = { faults: undefined, last }
  child.on('message', ({ faults, acknowledged }: Message) => {
    const isFirst = acknowledged !== undefined && result.last === last
    result = { faults: faults ?? result.faults, last: acknowledged ?? result.last }
    // Every other one is killed after its first write at the earliest, however busy the machine is.
    if (round % 2 === 0 ? faults : isFirst) setTimeout(() => child.kill('SIGKILL'), ms)
  })
  child.on('error', reject)
  child.on('exit', () => resolve(result))
  return promise
}

describe(`versions of a process that is killed ${rounds} times (seed ${seed})`, () => {
  it(
    'lead from what is stored back through each state',
    async () => {
      const random = seededRandom(seed)
      // The last round of a directory looks at what the one before it left.
      for (let first = 0; first < rounds; first += roundsOfDirectory) {
        const directory = await temporaryDirectory()
        const end = Math.min(first + roundsOfDirectory, rounds)
        let last = 0
        for (let round = first; round <= end; round += 1) {
          const ended = await killedRound(directory, round, last, 20 + random() * 200)
          expect([round, ended.faults]).toEqual([round, []])
          last = ended.last
        }
        // Writes were acknowledged between the kills.
        expect(last).toBeGreaterThanOrEqual((end - first) / 2)
        await remove(directory)
      }
    },
    rounds * 20_000,
  )
})
