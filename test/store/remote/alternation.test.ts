/** Queries and updates of one process: neither runs beside the other for long, and neither waits for ever. */

import { describe, expect, it } from 'vitest'
import { alternating } from '../../../src/store/remote/alternation.ts'
import type { StoreEndpoint } from '../../../src/store/remote/dialect.ts'

/** An endpoint whose calls end when they are told to, and what has begun and ended so far. */
function stage(pause: StoreEndpoint['pause'] = () => new Promise(() => undefined)) {
  const events: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const call = async (name: string) => {
    events.push(`${name} begins`)
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    await end.promise
    events.push(`${name} ends`)
  }
  const parts: Partial<StoreEndpoint> = {
    pause,
    select: async (name) => {
      await call(name)
      return []
    },
    update: call,
  }
  return {
    events,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that is called here
    ...alternating(parts as StoreEndpoint),
    end: (name: string) => ends.get(name)?.resolve(),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('queries and updates', () => {
  it('run beside their own kind at once', async () => {
    const { events, select, end } = stage()
    const calls = ['a', 'b'].map((name) => select(name))
    await turn()
    expect(events).toEqual(['a begins', 'b begins'])
    for (const name of ['a', 'b']) end(name)
    await Promise.all(calls)
  })

  it('wait for the other side, in the order of arrival', async () => {
    const { events, select, update, end } = stage()
    const calls: Promise<unknown>[] = [select('a'), update('w'), update('v'), select('b')]
    await turn()
    expect(events).toEqual(['a begins'])
    end('a')
    await turn()
    expect(events.splice(0)).toEqual(['a begins', 'a ends', 'w begins', 'v begins'])
    end('w')
    await turn()
    expect(events.splice(0)).toEqual(['w ends'])
    end('v')
    await turn()
    expect(events).toEqual(['v ends', 'b begins'])
    end('b')
    await Promise.all(calls)
  })

  it('do not wait for a call that takes too long', async () => {
    const patience = Promise.withResolvers<void>()
    const { events, select, update, end } = stage(() => patience.promise)
    const calls: Promise<unknown>[] = [select('long'), update('w')]
    await turn()
    expect(events).toEqual(['long begins'])
    patience.resolve()
    await turn()
    expect(events).toEqual(['long begins', 'w begins'])
    for (const name of ['long', 'w']) end(name)
    await Promise.all(calls)
  })

  it('go on after a call that fails', async () => {
    const { events, select, update, end, fail } = stage()
    const failing = update('w')
    const call = select('a')
    await turn()
    fail('w')
    await expect(failing).rejects.toThrow('w')
    await turn()
    expect(events).toEqual(['w begins', 'a begins'])
    end('a')
    await call
  })
})
