/** An answer of nothing is not believed while something lands. */

import { describe, expect, it } from 'vitest'
import { repeatEmptyReads } from '../../../src/store/remote/steady.ts'

/** A store that gives these answers one after the other. */
function answering(
  answers: readonly boolean[],
  update: () => Promise<void> = () => Promise.resolve(),
) {
  const left = [...answers]
  let asked = 0
  const next = () => {
    asked += 1
    return left.shift() ?? false
  }
  return {
    asked: () => asked,
    ask: () => Promise.resolve(next()),
    select: () => Promise.resolve(next() ? [{}] : []),
    update,
  }
}

const landing = () => Promise.withResolvers<void>()

describe('a steady store', () => {
  it('asks once when nothing lands', async () => {
    const store = answering([false, true])
    const { ask } = repeatEmptyReads(store)
    expect(await ask('ASK {}')).toBe(false)
    expect(store.asked()).toBe(1)
  })

  it('asks again while something lands, when the answer is nothing', async () => {
    const { promise, resolve } = landing()
    const store = answering([false, true, true], () => promise)
    const { ask, select, update } = repeatEmptyReads(store)
    const landed = update('')
    expect(await ask('ASK {}')).toBe(true)
    expect(store.asked()).toBe(2)
    expect(await select('SELECT * {}')).toHaveLength(1)
    expect(store.asked()).toBe(3)
    resolve()
    await landed
  })

  it('asks again when something has landed between question and answer', async () => {
    const store = answering([false, true])
    const held = Promise.withResolvers<void>()
    const slow = {
      ...store,
      ask: async () => {
        const answer = await store.ask()
        await held.promise
        return answer
      },
    }
    const { ask, update } = repeatEmptyReads(slow)
    const answer = ask('ASK {}')
    await update('')
    held.resolve()
    expect(await answer).toBe(true)
  })

  it('hands the failure of a write on, and forgets it', async () => {
    const store = answering([false, true], () => Promise.reject(new Error('no')))
    const { ask, update } = repeatEmptyReads(store)
    await expect(update('')).rejects.toThrow('no')
    expect(await ask('ASK {}')).toBe(false)
  })
})
