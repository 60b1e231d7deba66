/** Waiting for a source, on a clock that the test moves. */

import { describe, expect, it } from 'vitest'
import { deadlineClock } from '../../src/client/deadlines.ts'

const deadlines = { connectMs: 100, firstByteMs: 1000, idleMs: 300, pageMs: 1500 }

/** A clock whose pauses never end by themselves, unless time is up. */
function clock(timeIsUp = false) {
  const asked: number[] = []
  const scene = { time: 0, ended: 0 }
  const pause = (milliseconds: number, signal: AbortSignal) => {
    asked.push(milliseconds)
    signal.addEventListener('abort', () => (scene.ended += 1))
    return timeIsUp ? Promise.resolve() : new Promise<void>(() => undefined)
  }
  return { asked, scene, now: () => scene.time, pause }
}

describe('patience', () => {
  it('waits as long as the step allows, and never longer than what is left of the page', async () => {
    const { asked, scene, now, pause } = clock()
    const time = deadlineClock(deadlines, { now, pause })
    const slowly = async (milliseconds: number) => {
      scene.time += milliseconds
      return milliseconds
    }
    expect(await time.within(slowly(0), 'connectMs')).toBe(0)
    const work = Promise.withResolvers<void>()
    const waiting = time.within(work.promise, 'firstByteMs')
    scene.time += 900
    work.resolve()
    await waiting
    await time.within(slowly(0), 'idleMs')
    const more = Promise.withResolvers<void>()
    const other = time.within(more.promise, 'idleMs')
    scene.time += 400
    more.resolve()
    await other
    await time.within(slowly(0), 'idleMs')
    expect(asked).toEqual([100, 1000, 300, 300, 200])
    expect(scene.ended).toBe(5)
  })

  it('does not blame the source for the time that the reader takes', async () => {
    const { asked, scene, now, pause } = clock()
    const time = deadlineClock(deadlines, { now, pause })
    for (let count = 0; count < 3; count += 1) {
      await time.within(Promise.resolve(), 'idleMs')
      scene.time += 1_000_000
    }
    expect(asked).toEqual([300, 300, 300])
  })

  it.each([
    ['connectMs', 'no connection within 0.1 s'],
    ['firstByteMs', 'no answer within 1 s'],
    ['idleMs', 'nothing more came for 0.3 s'],
  ] as const)('that ends in %s says so', async (step, detail) => {
    const time = deadlineClock(deadlines, clock(true))
    const never = new Promise<void>(() => undefined)
    await expect(time.within(never, step)).rejects.toMatchObject({ kind: 'source-timeout', detail })
  })
})
