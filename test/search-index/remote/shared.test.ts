/** What engines on a server share: memory of removals, dictionaries, notes of generations, the order of the first hits. */

import { describe, expect, it } from 'vitest'
import { logger } from '../../../src/log.ts'
import { refusedCall } from '../../../src/search-index/remote/answers.ts'
import { Dictionary } from '../../../src/search-index/remote/dictionary.ts'
import { EngineWatch } from '../../../src/search-index/remote/engine-watch.ts'
import {
  generationOfNote,
  generationNote,
  type IndexPart,
} from '../../../src/search-index/remote/generation.ts'
import { orderHead } from '../../../src/search-index/remote/head-order.ts'
import { indexedValues } from '../../../src/search-index/remote/indexed-texts.ts'
import { RemovalMemory } from '../../../src/search-index/remote/removal-memory.ts'
import { settings } from '../../contracts/search-index-corpus.ts'

const part: IndexPart = {
  index: 'dataset',
  uid: 'u',
  instance: 'i',
  number: 1,
  signature: 's',
  settings: settings[0]!,
  languages: ['en'],
  isComplete: true,
  layout: 3,
}

describe('what is known of a server', () => {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const watch = new EngineWatch(logger('info', { write }, { isReadable: false, repeatMs: 60_000 }))
  const full = refusedCall('disk-full', new Error('no space'))
  const events = () => lines.map((line) => (JSON.parse(line) as { event: string }).event)

  it('has why it takes no writes, which the log says once a minute', () => {
    expect(watch.facts()).toEqual({ details: [] })
    for (let n = 0; n < 5; n++) expect(() => watch.refused(full)).toThrow(full)
    expect(watch.facts()).toEqual({ writeBlock: 'disk-full', details: [full.detail] })
    expect(events()).toEqual(['engine.blocked'])
    // It is known no better when another call fails for another reason.
    const busy = refusedCall('overload', new Error('429'))
    expect(() => watch.refused(busy)).toThrow(busy)
    expect(watch.facts().writeBlock).toBe('disk-full')
  })

  it('is forgotten when it takes writes again', () => {
    watch.noteBlock(undefined)
    watch.noteBlock(undefined)
    expect(watch.facts()).toEqual({ details: [] })
    expect(events()).toEqual(['engine.blocked', 'engine.writable'])
  })

  it('has the health of its cluster until no node answers', () => {
    watch.noteCluster({ status: 'yellow', unassigned: 2 }, 'Two copies are missing.')
    const cluster = { status: 'yellow', unassigned: 2 }
    expect(watch.facts()).toEqual({ cluster, details: ['Two copies are missing.'] })
    watch.noteCluster(undefined)
    expect(watch.facts()).toEqual({ details: [] })
  })

  it('has no longer pause than five minutes, whatever it asks for', () => {
    const { retryAfter, pauseMs } = refusedCall('overload', new Error('429'), 86_400_000)
    expect([retryAfter, pauseMs]).toEqual([300, 300_000])
  })
})

describe('the memory of removals', () => {
  it('has the version of a removal until the record is stored again', () => {
    const memory = new RemovalMemory()
    memory.note('a', 'x', 5)
    memory.note('a', 'y', 6)
    memory.note('a', 'y', undefined)
    expect([...memory.versionsOf('a', ['x', 'y', 'z'])]).toEqual([['x', 5]])
    expect(memory.versionsOf('b', ['x']).size).toBe(0)
  })

  it('forgets the oldest when it is full', () => {
    const memory = new RemovalMemory(2)
    for (const [i, id] of ['x', 'y', 'x', 'z'].entries()) memory.note('a', id, i)
    expect([...memory.versionsOf('a', ['x', 'y', 'z'])]).toEqual([
      ['x', 2],
      ['z', 3],
    ])
  })
})

describe('a dictionary', () => {
  const dictionary = (stored: Readonly<Record<string, string>>) => {
    const sent: string[][] = []
    const store = {
      titlesOf: (ids: readonly string[]) =>
        Promise.resolve(new Map(Object.entries(stored).filter(([id]) => ids.includes(id)))),
      send: (entries: ReadonlyMap<string, unknown>) =>
        Promise.resolve(sent.push([...entries.keys()])),
    }
    return { sent, entries: new Dictionary(store) }
  }

  it('sends what is not stored with its title, once', async () => {
    const { sent, entries } = dictionary({ a: 'A', b: 'old' })
    for (const id of ['a', 'b', 'c']) entries.add(id, { title: id.toUpperCase() })
    await entries.post()
    entries.endWrite(true)
    for (const id of ['a', 'b', 'c']) entries.add(id, { title: id.toUpperCase() })
    await entries.post()
    expect(sent).toEqual([['b', 'c']])
  })

  it('sends again what a failed write may not have stored', async () => {
    const { sent, entries } = dictionary({})
    for (const isDone of [false, true]) {
      entries.add('a', {})
      await entries.post()
      entries.endWrite(isDone)
    }
    expect([sent, entries.has('a')]).toEqual([[['a'], ['a']], true])
  })
})

it('a generation is the same after it was stored', () => {
  const { index: _, ...generation } = part
  expect(generationOfNote('u', generationNote(generation))).toEqual(generation)
  expect(() => generationOfNote('u', '{"other":1}')).toThrow('Invalid input')
})

it('a field is indexed up to a number of words', () => {
  const values = [
    ...indexedValues({ en: ['a '.repeat(19_999), 'b c d'], fr: ['e', '...'] }, ['en']),
  ]
  expect(values.map(({ bucket, words }) => [bucket, words.length])).toEqual([
    ['en', 19_999],
    ['en', 1],
  ])
  expect([...indexedValues({ de: ['x', '!'] }, ['en'])].map(({ bucket }) => bucket)).toEqual(['x'])
})

describe('the first hits', () => {
  const query = {
    units: [{ fields: [{ field: 'title' }], phrases: [{ tokens: ['a'], share: 1 }], rarity: 1 }],
    unitCount: 1,
    neighbours: [],
    weightOf: () => 1,
  }
  const hits = Array.from({ length: 201 }, (_, key) => ({ part, key, score: 9 }))
  const textsOf = (known: readonly number[]) =>
    Promise.resolve(
      new Map(
        known.map((key) => [
          key,
          [{ field: 'title', bucket: 'en', tokens: key === 7 ? ['a'] : ['b'] }],
        ]),
      ),
    )
  const order = { size: 200, queries: new Map([[part, query]]), related: [], closeness: undefined }

  it('are ordered by their texts, the others follow with the score 0', async () => {
    const ordered = await orderHead(hits, {
      ...order,
      textsOf: (_: IndexPart, keys: readonly number[]) => textsOf(keys),
    })
    expect(ordered?.slice(0, 3).map(({ key }) => key)).toEqual([7, 0, 1])
    expect([ordered?.[0]?.score === 0, ordered?.at(-1)?.score, ordered?.length]).toEqual([
      false,
      0,
      201,
    ])
  })

  it('have no order while one of them is gone', async () => {
    const ordered = await orderHead(hits, {
      ...order,
      textsOf: (_: IndexPart, keys: readonly number[]) => textsOf(keys.slice(1)),
    })
    expect(ordered).toBeUndefined()
  })
})
