/** Turns at hosts, and work that many share. */

import { describe, expect, it } from 'vitest'
import { joining, lanes } from '../../../src/metrics/reach/host-turns.ts'

const never = new AbortController().signal
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('lanes', () => {
  function scene(atOnce: number) {
    const all = lanes(atOnce)
    const begun: string[] = []
    const ends = new Map<string, () => void>()
    return {
      begun,
      end: async (name: string) => {
        ends.get(name)?.()
        await settled()
      },
      take: (host: string, name: string, signal = never) => {
        const work = () => {
          begun.push(name)
          return new Promise<void>((resolve) => ends.set(name, resolve))
        }
        return all.take({ host, owner: name.slice(0, 1) }, work, signal)
      },
    }
  }

  it('let so many in at each host, and none wait for another host', async () => {
    const { begun, take, end } = scene(2)
    const all = ['a1', 'a2', 'a3'].map((name) => take('one', name))
    all.push(take('two', 'a4'))
    await settled()
    expect(begun).toEqual(['a1', 'a2', 'a4'])
    await end('a2')
    expect(begun).toEqual(['a1', 'a2', 'a4', 'a3'])
    for (const name of ['a1', 'a3', 'a4']) await end(name)
    await Promise.all(all)
  })

  it('let owners take turns, each in its order', async () => {
    const { begun, take, end } = scene(1)
    const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']
    const all = names.map((name) => take('one', name))
    for (let done = 0; done < names.length; done += 1) {
      await expect.poll(() => begun.length).toBe(done + 1)
      await end(begun[done] ?? '')
    }
    await Promise.all(all)
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  })

  it('forget who gives up, and go on after work that failed', async () => {
    const { begun, take, end } = scene(1)
    const first = take('one', 'a1')
    const stop = new AbortController()
    const second = take('one', 'a2', stop.signal)
    const third = take('one', 'a3')
    stop.abort(new Error('enough'))
    await expect(second).rejects.toThrow('enough')
    await end('a1')
    await first
    expect(begun).toEqual(['a1', 'a3'])
    await end('a3')
    await third
    const all = lanes(1)
    const turn = { host: 'one', owner: 'a' }
    const failing = all.take(turn, () => Promise.reject(new Error('no')), never)
    await expect(failing).rejects.toThrow('no')
    expect(await all.take(turn, async () => 'yes', never)).toBe('yes')
  })
})

describe('joined work', () => {
  it('is done once for all who come while it is under way, and again for who comes later', async () => {
    const all = joining<number>()
    let times = 0
    const work = async () => {
      await settled()
      return (times += 1)
    }
    expect(await Promise.all([all.join('x', work, never), all.join('x', work, never)])).toEqual([
      1, 1,
    ])
    expect(all.has('x')).toBe(false)
    expect(await all.join('x', work, never)).toBe(2)
  })

  it('fails for all, and is not remembered', async () => {
    const all = joining<number>()
    const work = () => Promise.reject(new Error('no'))
    const told = await Promise.allSettled([all.join('x', work, never), all.join('x', work, never)])
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await all.join('x', async () => 1, never)).toBe(1)
  })

  it('is broken off when the last one gives up', async () => {
    const all = joining<number>()
    const stops = [new AbortController(), new AbortController()]
    const seen: AbortSignal[] = []
    const work = (signal: AbortSignal) => {
      seen.push(signal)
      return new Promise<number>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    }
    const both = Promise.allSettled(stops.map(({ signal }) => all.join('x', work, signal)))
    stops[0]?.abort(new Error('one'))
    await settled()
    expect(seen.map(({ aborted }) => aborted)).toEqual([false])
    stops[1]?.abort(new Error('two'))
    await both
    expect(seen.map(({ aborted }) => aborted)).toEqual([true])
    expect(all.has('x')).toBe(false)
  })
})
