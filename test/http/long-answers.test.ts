/** Slots of long answers, and whose turn it is on the main thread. */

import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { defaultLimits } from '../../src/http/limits.ts'
import { longAnswers, slicedPieces } from '../../src/http/long-answers.ts'

const { signal } = new AbortController()
const limits = { ...defaultLimits, longAnswersPerClient: 2, longAnswers: 3, longAnswersWaiting: 2 }

/** Who has begun, in this order. */
function slots() {
  const { slots: limit } = longAnswers(limits)
  const begun: string[] = []
  return {
    begun,
    take: async (client: string, own = signal) => {
      const release = await limit.take(client, own)
      begun.push(client)
      return release
    },
  }
}

/** All that is about to happen has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('a slot', () => {
  it('is free for two answers of a client and three in all; the others wait for one', async () => {
    const { begun, take } = slots()
    const first = await take('a')
    await take('a')
    const third = take('a')
    await take('b')
    const other = take('c')
    await settled()
    expect(begun).toEqual(['a', 'a', 'b'])
    first()
    await third
    expect(begun).toEqual(['a', 'a', 'b', 'a'])
    ;(await third)()
    await other
    expect(begun).toEqual(['a', 'a', 'b', 'a', 'c'])
  })

  it('is there for a client without any although another one has all of the queue', async () => {
    const { take } = slots()
    await Promise.all([take('a'), take('a')])
    void take('a')
    void take('a')
    await expect(take('a')).rejects.toMatchObject({ kind: 'too-many-requests', retryAfter: 5 })
    expect(await take('b')).toBeTypeOf('function')
  })

  it('is given back once, however often that is said', async () => {
    const { begun, take } = slots()
    const release = await take('a')
    await take('b')
    await take('c')
    void take('d')
    void take('e')
    release()
    release()
    await settled()
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
  })

  it('is not kept for a client that has left the queue, whose place is free again', async () => {
    const { begun, take } = slots()
    const releases = await Promise.all([take('a'), take('a'), take('b')])
    const leaving = new AbortController()
    const left = take('c', leaving.signal)
    void take('d')
    leaving.abort(new Failure('request-timeout', 'left'))
    await expect(left).rejects.toMatchObject({ kind: 'request-timeout' })
    void take('e')
    for (const release of releases) release()
    await settled()
    expect(begun).toEqual(['a', 'a', 'b', 'd', 'e'])
  })
})

describe('a turn', () => {
  it('is one of many long answers in each turn of the event loop', async () => {
    const { turn } = longAnswers(limits)
    const events: string[] = []
    const work = async (name: string) => {
      for (let n = 0; n < 3; n += 1) {
        await turn()
        events.push(name)
      }
    }
    const all = Promise.all([work('a'), work('b')])
    for (let n = 0; n < 100; n += 1) {
      await settled()
      events.push('-')
    }
    await all
    expect(events.join('')).not.toMatch(/[ab]{2}/)
    expect(events.filter((one) => one !== '-').join('')).toBe('ababab')
  })

  it('comes before a document is begun, which is whole in the end', async () => {
    const { turn } = longAnswers(limits)
    let turns = 0
    const counted = () => {
      turns += 1
      return turn()
    }
    async function* steps() {
      yield [1, 2, 3]
      yield [4]
    }
    const write = (n: number) => String(n).repeat(50_000)
    const pieces = []
    const document = { head: '<', steps: steps(), write, tail: '>' }
    for await (const piece of slicedPieces(document, counted)) pieces.push(piece)
    expect(pieces.join('')).toBe(`<${[1, 2, 3, 4].map(write).join('')}>`)
    expect(pieces.every(({ length }) => length <= 64 * 1024 + 50_000)).toBe(true)
    expect(turns).toBeGreaterThanOrEqual(1)
  })
})
