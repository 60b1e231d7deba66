/** Waiting for a source, on a clock that the test moves. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deadlineClock } from '../../src/client/deadlines.ts'

const deadlines = { connectMs: 100, firstByteMs: 1000, idleMs: 300, pageMs: 1500 }
const never = () => new Promise<void>(() => undefined)
const clock = () => deadlineClock(deadlines, () => Date.now())

/** What takes so long. */
const slowly = (milliseconds: number) =>
  new Promise<void>((resolve) => void setTimeout(resolve, milliseconds))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** What became of a wait, and after how many milliseconds. */
async function outcome(waiting: Promise<unknown>) {
  const start = Date.now()
  const told = waiting.then(
    () => [Date.now() - start, 'there'],
    (error: unknown) => [Date.now() - start, String(error)],
  )
  await vi.runAllTimersAsync()
  return told
}

describe('patience', () => {
  it('waits as long as the step allows, and never longer than what is left of the page', async () => {
    const time = clock()
    expect(await outcome(time.within(slowly(900), 'firstByteMs'))).toEqual([900, 'there'])
    expect(await outcome(time.within(slowly(299), 'idleMs'))).toEqual([299, 'there'])
    expect(await outcome(time.within(slowly(200), 'idleMs'))).toEqual([200, 'there'])
    expect(time.remainingMs()).toBe(101)
    const late = 'Failure: source-timeout: the page took longer than 1.5 s'
    expect(await outcome(time.within(never(), 'idleMs'))).toEqual([101, late])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not blame the source for the time that the reader takes', async () => {
    const time = clock()
    for (let count = 0; count < 3; count += 1) {
      await time.within(Promise.resolve(), 'idleMs')
      vi.advanceTimersByTime(1_000_000)
    }
    expect(time.remainingMs()).toBe(1500)
  })

  it.each([
    ['connectMs', 100, 'no connection within 0.1 s'],
    ['firstByteMs', 1000, 'no answer within 1 s'],
    ['idleMs', 300, 'nothing more came for 0.3 s'],
  ] as const)('that ends in %s says so', async (step, ms, detail) => {
    const told = [ms, `Failure: source-timeout: ${detail}`]
    expect(await outcome(clock().within(never(), step))).toEqual(told)
  })
})
