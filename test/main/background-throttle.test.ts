/** Those who work in the background let writers go first, and still get on. */

import { expect, it } from 'vitest'
import { clock } from '../../src/main/clock.ts'
import { backgroundThrottle } from '../../src/main/background-throttle.ts'

const signal = AbortSignal.timeout(20_000)
/** A house in which no time passes: a writer that was there is expected until the end. */
const house = () => backgroundThrottle({ elapsed: () => 0, pause: clock.pause })
const how = async (most: number) => most

/** A writer that stays in the house until it is let go. */
function writer({ countWrites }: ReturnType<typeof backgroundThrottle>) {
  const stay = Promise.withResolvers<Response>()
  const door = countWrites({ fetch: () => stay.promise })
  const done = door.fetch(new Request('http://localhost/', { method: 'PUT' }), {})
  return {
    leave: async () => {
      stay.resolve(new Response())
      await done
    },
  }
}

it('when nobody writes, all may work at once on much', async () => {
  const { turn } = house()
  const all = Array.from({ length: 5 }, () => turn(how, signal))
  expect(await Promise.all(all)).toEqual([64, 64, 64, 64, 64])
})

it('while a writer is in the house nobody begins, and after it little is done', async () => {
  const manners = house()
  const { leave } = writer(manners)
  let hasBegun = false
  const begun = manners.turn(async (most) => {
    hasBegun = true
    return most
  }, signal)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(hasBegun).toBe(false)
  await leave()
  expect(await begun).toBe(3)
})

it('when a writer is expected, one works at a time, whatever becomes of the work', async () => {
  const manners = house()
  await writer(manners).leave()
  let [now, most] = [0, 0]
  const work = async () => {
    now += 1
    most = Math.max(most, now)
    await new Promise((resolve) => setTimeout(resolve, 5))
    now -= 1
    throw new Error('the store is away')
  }
  const all = await Promise.allSettled(Array.from({ length: 6 }, () => manners.turn(work, signal)))
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'rejected'))
  expect(most).toBe(1)
})

it('a writer that never leaves does not stop the work for ever', async () => {
  const manners = house()
  writer(manners)
  expect(await manners.turn(how, signal)).toBe(3)
})

it('readers are not waited for', async () => {
  const manners = house()
  const door = manners.countWrites({ fetch: () => new Promise(() => undefined) })
  void door.fetch(new Request('http://localhost/'), {})
  expect(await manners.turn(how, signal)).toBe(64)
})

it('who waits for its turn hears the signal', async () => {
  const manners = house()
  await writer(manners).leave()
  const forever = () => new Promise<never>(() => undefined)
  void manners.turn(forever, signal)
  const leaving = new AbortController()
  const waiting = manners.turn(how, leaving.signal)
  leaving.abort(new Error('the run was cancelled'))
  await expect(waiting).rejects.toThrow('the run was cancelled')
})
