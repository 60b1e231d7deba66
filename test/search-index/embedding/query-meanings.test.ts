/** Meanings of queries: kept, shared, in time or not at all; and none for a while after failures. */

import { describe, expect, it } from 'vitest'
import { logger } from '../../../src/log.ts'
import { QueryMeanings } from '../../../src/search-index/embedding/query-meanings.ts'
import { pause } from '../../../src/workers/pause.ts'

const unending = new AbortController().signal
const vector = Int8Array.of(127, 0, 0, 0, 0, 0, 0, 0)

function open() {
  const texts: string[] = []
  const waited: boolean[] = []
  const lines: string[] = []
  const state = { answer: (): Promise<readonly Int8Array[]> => Promise.resolve([vector]), now: 0 }
  const queries = new QueryMeanings({
    embedder: {
      embed: (asked) => {
        texts.push(...asked)
        return state.answer()
      },
    },
    settings: { queryPrefix: 'query: ', queryMs: 20, weight: 0.6, most: 10 },
    log: logger('debug', { write: (line: string) => void lines.push(line) }),
    now: () => state.now,
    pause,
    onQuery: (_, isAnswered) => waited.push(isAnswered),
  })
  return { queries, texts, waited, lines, state }
}

const failed = () => Promise.reject(new Error('away'))

describe('the meaning of a query', () => {
  it('is asked for once, with the prefix, by all who wait and by those who come later', async () => {
    const { queries, texts } = open()
    const meaning = { vector, weight: 0.6, most: 10 }
    const asked = [' water', 'water ', 'water'].map((q) => queries.meaningOf(q, unending))
    expect(await Promise.all(asked)).toEqual([meaning, meaning, meaning])
    expect(await queries.meaningOf('water', unending)).toEqual(meaning)
    expect(texts).toEqual(['query: water'])
    expect(await queries.meaningOf('  ', unending)).toBe(undefined)
  })

  it('that comes too late is left out and kept for the next search', async () => {
    const { queries, state, waited, texts } = open()
    const { promise, resolve } = Promise.withResolvers<[Int8Array]>()
    state.answer = () => promise
    expect(await queries.meaningOf('water', unending)).toBe(undefined)
    resolve([vector])
    await promise
    expect(await queries.meaningOf('water', unending)).toMatchObject({ vector })
    expect(waited).toEqual([false])
    expect(texts).toHaveLength(1)
    await queries.stop()
  })

  it('ends with its search', async () => {
    const { queries, state } = open()
    state.answer = () => new Promise(() => undefined)
    const ending = new AbortController()
    const asked = queries.meaningOf('water', ending.signal)
    ending.abort(new Error('gone'))
    await expect(asked).rejects.toThrow('gone')
  })

  it('is not asked for during 30 seconds after five failures in a row, and then again', async () => {
    const { queries, state, texts, lines } = open()
    state.answer = failed
    for (let n = 0; n < 5; n += 1)
      expect(await queries.meaningOf(`private ${n}`, unending)).toBe(undefined)
    expect([queries.isAway, texts.length]).toEqual([true, 5])
    state.answer = () => Promise.resolve([vector])
    state.now = 29_999
    expect(await queries.meaningOf('water', unending)).toBe(undefined)
    expect(texts).toHaveLength(5)
    state.now = 30_000
    expect(await queries.meaningOf('water', unending)).toMatchObject({ vector })
    expect(queries.isAway).toBe(false)
    expect(lines.join('')).toContain('embedder.queries-paused')
    expect(lines.join('')).not.toContain('private')
  })

  it('counts a call that is late for several searches as one failure', async () => {
    const { queries, state } = open()
    state.answer = () => new Promise(() => undefined)
    await Promise.all(Array.from({ length: 9 }, () => queries.meaningOf('water', unending)))
    expect(queries.isAway).toBe(false)
  })
})
