/** Background work goes on after every failure, waits longer between failures, and ends when it is told to. */

import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { logger } from '../../src/log.ts'
import { pause as realPause } from '../../src/workers/pause.ts'
import { type BackgroundLoop, backgroundLoop } from '../../src/workers/background-loop.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))
/** A round that ends with the loop, so that a loop that does not rest is a failure and no endless one. */
const untilStopped = (signal: AbortSignal) =>
  new Promise<number>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
let loop: BackgroundLoop | undefined
afterEach(() => loop?.stop())

/** A loop whose pauses end at once, until it has made so many rounds. */
async function waitsOf(
  rounds: number,
  work: (round: number) => Promise<number | void> | number | void,
  options: Partial<Record<'retryMs' | 'firstMs' | 'longestRetryMs', number>> = {},
) {
  const waits: number[] = []
  const lines: string[] = []
  const done = Promise.withResolvers<void>()
  const pause = (ms: number, signal: AbortSignal) => {
    if (waits.length === rounds) {
      done.resolve()
      return realPause(60_000, signal)
    }
    waits.push(ms)
    return Promise.resolve()
  }
  const log = logger('error', { write: (line) => void lines.push(JSON.parse(line).event) })
  const round = () => work(waits.length)
  loop = backgroundLoop('work.failed', 1000, round, { log, pause, ...options })
  await done.promise
  return { waits, lines }
}

describe('a background loop', () => {
  it('logs a failure, thrown or rejected, waits longer after each, and goes on', async () => {
    const fail = (round: number) => {
      if (round === 1) throw new Error('disk full')
      return round < 7 ? Promise.reject(new Error('busy')) : undefined
    }
    const { waits, lines } = await waitsOf(9, fail)
    expect(waits).toEqual([1000, 1000, 2000, 4000, 8000, 10_000, 10_000, 1000, 1000])
    expect(lines).toEqual(Array.from({ length: 6 }, () => 'work.failed'))
  })

  it('waits for the time given for failures, and begins with it again after a success', async () => {
    const fail = (round: number) => (round === 3 ? undefined : Promise.reject(new Error('no')))
    const { waits } = await waitsOf(5, fail, { retryMs: 50 })
    expect(waits).toEqual([1000, 50, 100, 1000, 50])
  })

  it('begins the next round without a pause when a round returns 0', async () => {
    let rounds = 0
    const { waits } = await waitsOf(2, async () => {
      rounds += 1
      await turn()
      return rounds % 3 === 0 ? undefined : 0
    })
    expect(waits).toEqual([1000, 1000])
    expect(rounds).toBe(6)
  })

  it('begins its first round at once when it is told to, or later than the others', async () => {
    let rounds = 0
    const work = () => void (rounds += 1)
    const own = { log: logger('silent'), pause: realPause }
    loop = backgroundLoop('work.failed', 3_600_000, work, { ...own, firstMs: 0 })
    expect(rounds).toBe(1)
    await loop.stop()
    expect((await waitsOf(3, () => undefined, { firstMs: 7 })).waits).toEqual([7, 1000, 1000])
  })

  it('waits as long as a round says, once, and never longer than a timer can', async () => {
    const said = [0, 5, undefined, 2 ** 40]
    const { waits } = await waitsOf(5, (round) => said[round])
    expect(waits).toEqual([1000, 5, 1000, 2 ** 31 - 1, 1000])
  })

  it('waits as long after a failure as an overloaded service asks for', async () => {
    const busy = new Failure('engine-unavailable', 'busy', { pauseMs: 30_000 })
    const fail = (round: number) => (round < 3 ? Promise.reject(busy) : undefined)
    const { waits } = await waitsOf(4, fail, { retryMs: 50, longestRetryMs: 100 })
    expect(waits).toEqual([1000, 30_000, 30_000, 1000])
  })

  it('waits no longer after failures than it is told', async () => {
    const fail = (round: number) => (round < 5 ? Promise.reject(new Error('no')) : undefined)
    const { waits } = await waitsOf(6, fail, { retryMs: 50, longestRetryMs: 100 })
    expect(waits).toEqual([1000, 50, 100, 100, 100, 1000])
  })

  it('rests until it is woken when a round says so, and can be stopped meanwhile', async () => {
    let rounds = 0
    const waits: number[] = []
    const pause = async (ms: number) => void waits.push(ms)
    const work = (signal: AbortSignal) => {
      rounds += 1
      return rounds > 3 ? untilStopped(signal) : Infinity
    }
    const own = { log: logger('silent'), pause, firstMs: 0 }
    loop = backgroundLoop('work.failed', 10, work, own)
    await turn()
    loop.wake()
    await turn()
    loop.wake()
    await turn()
    expect([rounds, waits]).toEqual([3, []])
    await loop.stop()
    expect(rounds).toBe(3)
  })

  it('never works twice at once, misses no call and begins nothing after its end, in any order', async () => {
    const run = async (scheduler: fc.Scheduler, isFailing: readonly boolean[]) => {
      const faults: string[] = []
      let [active, begun, isStopped] = [0, 0, false]
      const step = (name: string) => scheduler.schedule(Promise.resolve(), name)
      const work = async (signal: AbortSignal) => {
        begun += 1
        if (begun === 100) faults.push('does not rest')
        if (begun >= 100) await untilStopped(signal)
        if (isStopped) faults.push('begins after its end')
        if (active > 0) faults.push('two rounds at once')
        active += 1
        await step('round')
        active -= 1
        if (isFailing[begun - 1]) throw new Error('no')
        return Infinity
      }
      const pause = () => step('pause')
      const own = { log: logger('silent'), pause, firstMs: Infinity, retryMs: 10 }
      const one = backgroundLoop('work.failed', 10, work, own)
      const wake = async (at: number) => {
        await step(`wake ${at}`)
        if (isStopped) return
        const before = begun
        one.wake()
        await step(`look ${at}`)
        const isMissed = () => begun === before && !isStopped
        while (isMissed()) await step(`look again ${at}`)
      }
      const stop = async (calls: Promise<unknown>) => {
        await calls
        const ending = one.stop()
        isStopped = true
        await ending
        if (active > 0) faults.push('ends before its round')
        one.wake()
        await turn()
      }
      const early = async () => {
        await step('stop')
        await stop(Promise.resolve())
      }
      const calls = Promise.all([0, 1, 2].map(wake))
      await scheduler.waitFor(Promise.all([calls, isFailing.length % 2 ? early() : stop(calls)]))
      return faults
    }
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.boolean(), { maxLength: 5 }),
        async (s, fails) => {
          expect(await run(s, fails)).toEqual([])
        },
      ),
      { numRuns: 300 },
    )
  })

  it('begins a round when it is woken, and another one when it is woken meanwhile', async () => {
    let rounds = 0
    const gate = Promise.withResolvers<void>()
    const work = async (signal: AbortSignal) => {
      rounds += 1
      if (rounds > 2) await untilStopped(signal)
      await gate.promise
    }
    loop = backgroundLoop('work.failed', 3_600_000, work, {
      log: logger('silent'),
      pause: realPause,
    })
    await turn()
    expect(rounds).toBe(0)
    loop.wake()
    await expect.poll(() => rounds).toBe(1)
    loop.wake()
    loop.wake()
    gate.resolve()
    await expect.poll(() => rounds).toBe(2)
    await turn()
    expect(rounds).toBe(2)
  })

  it('ends with its round, whose signal is aborted and whose failure is not logged', async () => {
    const lines: string[] = []
    const seen: string[] = []
    const log = logger('error', { write: (line) => void lines.push(line) })
    const work = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => {
        seen.push('begins')
        signal.addEventListener('abort', () => {
          seen.push('ends')
          reject(signal.reason)
        })
      })
    loop = backgroundLoop('work.failed', 3_600_000, work, { log, pause: realPause })
    loop.wake()
    await expect.poll(() => seen.length).toBe(1)
    await loop.stop()
    expect([seen, lines]).toEqual([['begins', 'ends'], []])
  })
})

describe('a pause', () => {
  it('rejects with the reason of its signal, before and while it lasts', async () => {
    const reason = new Error('the process stops')
    await expect(realPause(1000, AbortSignal.abort(reason))).rejects.toBe(reason)
    const end = new AbortController()
    const waiting = realPause(60_000, end.signal)
    end.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })
})
