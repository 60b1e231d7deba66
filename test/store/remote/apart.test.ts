/** Reads and writes kept apart: neither stands beside the other for long, and neither waits for ever. */

import { describe, expect, it } from 'vitest'
import { readsApartFromWrites } from '../../../src/store/remote/turns.ts'

/** Work that ends when it is told to, and what has begun and ended so far. */
function stage() {
  const told: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    told.push(`${name} begins`)
    return new Promise<string>((resolve) => {
      ends.set(name, () => {
        told.push(`${name} ends`)
        resolve(name)
      })
    })
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return { told, work, end: (name: string) => ends.get(name)?.(), settle }
}

const forEver = () => new Promise<void>(() => undefined)

describe('reads and writes', () => {
  it('run beside their own kind at once', async () => {
    const { told, work, settle } = stage()
    const { run } = readsApartFromWrites({ pause: forEver })
    void run('reads', work('a'))
    void run('reads', work('b'))
    await settle()
    expect(told).toEqual(['a begins', 'b begins'])
  })

  it('wait for the other side, in the order of coming', async () => {
    const { told, work, end, settle } = stage()
    const { run } = readsApartFromWrites({ pause: forEver })
    void run('reads', work('a'))
    const write = run('writes', work('w'))
    void run('reads', work('b'))
    await settle()
    expect(told).toEqual(['a begins'])
    end('a')
    await settle()
    expect(told).toEqual(['a begins', 'a ends', 'w begins'])
    end('w')
    expect(await write).toBe('w')
    await settle()
    expect(told.at(-1)).toBe('b begins')
  })

  it('lose their patience with what takes too long', async () => {
    const { told, work, settle } = stage()
    const patience = Promise.withResolvers<void>()
    const { run } = readsApartFromWrites({ pause: () => patience.promise })
    void run('reads', work('long'))
    void run('writes', work('w'))
    await settle()
    expect(told).toEqual(['long begins'])
    patience.resolve()
    await settle()
    expect(told).toEqual(['long begins', 'w begins'])
  })

  it('go on after work that fails', async () => {
    const { told, work, settle } = stage()
    const { run } = readsApartFromWrites({ pause: forEver })
    const failing = run('writes', () => Promise.reject(new Error('no')))
    void run('reads', work('a'))
    await expect(failing).rejects.toThrow('no')
    await settle()
    expect(told).toEqual(['a begins'])
  })
})
