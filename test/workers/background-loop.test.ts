/** Background work goes on after every failure, waits longer between failures, and ends when it is told to. */

import { afterEach, describe, expect, it } from 'vitest'
import { logger } from '../../src/log.ts'
import { pause as realPause } from '../../src/workers/pause.ts'
import { type BackgroundLoop, backgroundLoop } from '../../src/workers/background-loop.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))
let loop: BackgroundLoop | undefined
afterEach(() => loop?.stop())

/** A loop whose pauses end at once, until it has made so many rounds. */
async function waitsOf(rounds: number, work: (round: number) => unknown, retryMs?: number) {
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
  loop = backgroundLoop('work.failed', 1000, round, { log, pause, ...(retryMs && { retryMs }) })
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

  it('waits for the time given for failures', async () => {
    const fail = (round: number) => (round < 3 ? Promise.reject(new Error('no')) : undefined)
    expect((await waitsOf(4, fail, 50)).waits).toEqual([1000, 50, 100, 1000])
  })

  it('begins a round when it is woken, and another one when it is woken meanwhile', async () => {
    let rounds = 0
    const gate = Promise.withResolvers<void>()
    const work = () => {
      rounds += 1
      return gate.promise
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
