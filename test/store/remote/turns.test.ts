/** Who waits for whom when several want the same graphs. */

import { describe, expect, it } from 'vitest'
import { graphTurns } from '../../../src/store/remote/turns.ts'

/** Works that say when they begin, and end when they are told. */
function works() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    begun.push(name)
    const { promise, resolve } = Promise.withResolvers<string>()
    ends.set(name, () => resolve(name))
    return promise
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise(setImmediate)
  }
  return { begun, work, end }
}

describe('turns', () => {
  it('lets writes of one graph run one after the other, and others beside them', async () => {
    const { begun, work, end } = works()
    const { take } = graphTurns()
    const all = [take(['a'], work('1')), take(['a', 'b'], work('2')), take(['c'], work('3'))]
    expect(begun).toEqual(['1', '3'])
    await end('1')
    expect(begun).toEqual(['1', '3', '2'])
    await end('2')
    await end('3')
    expect(await Promise.all(all)).toEqual(['1', '2', '3'])
  })

  it('lets reads run beside each other but not beside a write, whichever came first', async () => {
    const { begun, work, end } = works()
    const { take, share } = graphTurns()
    const all = [
      share('a', work('read 1')),
      share('a', work('read 2')),
      take(['a'], work('write')),
      share('a', work('read 3')),
      share('b', work('read of another')),
    ]
    expect(begun).toEqual(['read 1', 'read 2', 'read of another'])
    await end('read 1')
    expect(begun).not.toContain('write')
    await end('read 2')
    expect(begun.at(-1)).toBe('write')
    await end('write')
    expect(begun.at(-1)).toBe('read 3')
    await end('read 3')
    await end('read of another')
    expect(await Promise.all(all)).toHaveLength(5)
  })

  it('goes on after work that failed', async () => {
    const { take, share } = graphTurns()
    const fail = () => Promise.reject(new Error('no'))
    const first = take(['a'], fail)
    const second = share('a', fail)
    const third = take(['a'], () => Promise.resolve('done'))
    await expect(first).rejects.toThrow('no')
    await expect(second).rejects.toThrow('no')
    await expect(third).resolves.toBe('done')
  })
})
