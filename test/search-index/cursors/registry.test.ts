/** Open cursors: bounds by client, number and memory, and a life that begins anew with every use. */

import { beforeEach, describe, expect, it } from 'vitest'
import { CursorRegistry } from '../../../src/search-index/cursors.ts'
import { Failure } from '../../../src/errors.ts'

type Held = { readonly bytes: number; readonly name?: string }

const limits = { perClient: 2, total: 3, ttlMs: 10_000, bytes: 100 }
let clock = 0
let registry: CursorRegistry<Held>

beforeEach(() => {
  clock = 5_000
  registry = new CursorRegistry<Held>(limits, () => clock)
})

const open = (client: string, bytes = 10) => registry.open(client, { bytes }, '')
const refusal = (work: () => unknown): Failure => {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure) return error
  }
  throw new Error('it was not refused')
}

describe('a cursor', () => {
  it('is named by 128 random bits that are safe in an address', () => {
    const names = [open('a'), open('a')]
    expect(new Set(names).size).toBe(2)
    for (const name of names) expect(name).toMatch(/^[\w-]{22}$/)
  })

  it('gives back what it holds and its note, and takes another note', () => {
    const content = { bytes: 1, name: 'mine' }
    const name = registry.open('a', content, 'first')
    expect(registry.use(name)).toMatchObject({ content, note: 'first' })
    expect(registry.use(name, 'second').note).toBe('second')
    expect(registry.use(name).note).toBe('second')
  })

  it('lives as long as it is used, and not a moment longer', () => {
    const name = open('a')
    for (let i = 0; i < 5; i++) {
      clock += limits.ttlMs - 1
      registry.use(name)
    }
    clock += limits.ttlMs
    expect(refusal(() => registry.use(name)).kind).toBe('unknown-cursor')
  })

  it('that is old does not take one with it that was used since', () => {
    const [used, old] = [open('a'), open('b')]
    clock += 6_000
    registry.use(used)
    clock += 6_000
    registry.sweep()
    expect(registry.size).toBe(1)
    expect(refusal(() => registry.use(old)).kind).toBe('unknown-cursor')
    registry.use(used)
  })
})

describe('one too many', () => {
  it('of a client is refused until the time that the oldest may be gone', () => {
    open('a')
    clock += 3_500
    open('a')
    const failure = refusal(() => open('a'))
    expect([failure.kind, failure.retryAfter]).toEqual(['too-many-cursors', 7])
    expect(refusal(() => registry.admit('a')).kind).toBe('too-many-cursors')
    open('b')
    clock += 6_500
    open('a')
  })

  it('of all clients is refused too', () => {
    for (const client of ['a', 'b', 'c']) open(client)
    expect(refusal(() => registry.admit('d')).detail).toContain('3 of all clients')
    expect(registry.size).toBe(3)
  })

  it('by memory is refused, and what was freed can be had again', () => {
    const large = open('a', 90)
    expect(refusal(() => open('b', 11)).kind).toBe('too-many-cursors')
    open('b', 10)
    registry.end(large, { bytes: 0 })
    open('c', 90)
    expect([...registry.contents()].map((held) => held.bytes)).toEqual([10, 90])
  })

  it('larger than all memory there is never fits', () => {
    expect(refusal(() => open('a', 101))).toMatchObject({
      kind: 'too-many-cursors',
      retryAfter: 10,
    })
  })
})

describe('an ended cursor', () => {
  it('counts no more, answers with what is left of it, and expires like others', () => {
    const ended = [open('a'), open('a')]
    for (const name of ended) registry.end(name, { bytes: 0, name: 'rest' })
    expect([registry.size, [...registry.contents()]]).toEqual([0, []])
    open('a')
    clock += 9_000
    expect(registry.use(ended[0]!).content).toEqual({ bytes: 0, name: 'rest' })
    clock += 1_000
    expect(refusal(() => registry.use(ended[1]!)).kind).toBe('unknown-cursor')
    registry.use(ended[0]!)
  })

  it('is forgotten when more than the total have ended', () => {
    const ended = Array.from({ length: 4 }, () => {
      const name = open('a')
      registry.end(name, { bytes: 0 })
      return name
    })
    expect(refusal(() => registry.use(ended[0]!)).kind).toBe('unknown-cursor')
    for (const name of ended.slice(1)) registry.use(name)
  })
})

it('clearing forgets all', () => {
  const names = [open('a'), open('b')]
  registry.end(names[0]!, { bytes: 0 })
  registry.clear()
  for (const name of names) expect(refusal(() => registry.use(name)).kind).toBe('unknown-cursor')
  expect(registry.size).toBe(0)
})
