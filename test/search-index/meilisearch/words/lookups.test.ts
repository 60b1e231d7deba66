/** Lookups of word forms: few calls for many words, nothing kept beyond a write, and answers of a server that errs. */

import { describe, expect, it } from 'vitest'
import { uidsOf } from '../../../../src/search-index/meilisearch/attributes.ts'
import type { EngineClient } from '../../../../src/search-index/meilisearch/engine-client.ts'
import { termRow, type IndexedWord } from '../../../../src/search-index/remote/term-rows.ts'
import { WordTargets } from '../../../../src/search-index/remote/word-targets.ts'
import { termFinder } from '../../../../src/search-index/meilisearch/word-lookups.ts'
import type { Term } from '../../../../src/search-index/query-tree.ts'
import { stems } from '../../../../src/text/stems.ts'

type Query = { readonly filter: string; readonly limit: number }

const rowsIn = (bucket: string, ...tokens: string[]) =>
  tokens.map((token): IndexedWord => ({ token, bucket, stems: stems(bucket, token) }))
const dictionary = [
  ...rowsIn('de', 'wasser', 'wassertemperatur', 'trinkwasser', 'temperatur', 'wasserte'),
  ...rowsIn('en', 'water', 'waters', 'wasserman'),
].map(termRow)

/** Rows that a filter of lookups finds, compared as Meilisearch compares. */
function found({ filter }: Query) {
  const listed = (name: string) =>
    new RegExp(`${name} IN \\[(.*?)\\]`).exec(filter)?.[1]?.match(/[^", ]+/g)
  const [, attribute, beginning = ''] = /(\w+) STARTS WITH "(.*)"/.exec(filter) ?? []
  return dictionary.filter((row) => {
    const stemList: readonly string[] = row.stems ?? []
    return (
      (listed('term')?.includes(row.term) ?? true) &&
      (listed('bucket')?.includes(row.bucket) ?? true) &&
      (listed('stems')?.some((stem) => stemList.includes(stem)) ?? true) &&
      (attribute === undefined ||
        (attribute === 'mirror' ? (row.mirror ?? '') : row.term).startsWith(beginning))
    )
  })
}

function lookups(answer: (query: Query) => unknown = (query) => ({ hits: found(query) })) {
  const calls: (readonly Query[])[] = []
  const state = { changes: 0 }
  const client = {
    post: async (_: string, body: unknown, signal?: AbortSignal) => {
      const { queries } = body as { readonly queries: readonly Query[] }
      calls.push(queries)
      await Promise.resolve()
      signal?.throwIfAborted()
      return { results: queries.map(answer) }
    },
  } as Pick<EngineClient, 'post'> as EngineClient
  const words = new WordTargets(termFinder({ client, uids: uidsOf('') }), () => state.changes)
  const formsOf = (terms: readonly Term[], signal?: AbortSignal) =>
    words.targetsOf(terms, ['en', 'de'], signal)
  const targetsOf = (tokens: readonly string[], signal?: AbortSignal) =>
    formsOf(tokens.map(termOf), signal)
  return { calls, state, targetsOf, formsOf }
}

const termOf = (token: string): Term => ({ kind: 'term', token, parts: true })
const tokensOf = (targets: readonly { readonly tokens: readonly string[] }[] = []) =>
  targets.map(({ tokens }) => tokens.join(' ')).sort()

describe('targets of words', () => {
  it('are tokens, words with a common stem, and compounds of the same language', async () => {
    const { targetsOf } = lookups()
    const [wasser, water] = await targetsOf(['wasser', 'water'])
    expect(tokensOf(wasser)).toEqual(['trinkwasser', 'wasser', 'wassertemperatur'])
    expect(tokensOf(water)).toEqual(['water', 'waters'])
  })

  it('are words with as many characters more as question marks are typed', async () => {
    const { formsOf } = lookups()
    const asked = (token: string, marks: number): Term => ({ kind: 'term', token, marks })
    const targets = await formsOf([asked('wate', 1), asked('wate', 2), asked('wasserma', 2)])
    expect(targets.map(tokensOf)).toEqual([['water'], ['waters'], []])
    expect(tokensOf((await formsOf([asked('wasser', 2)]))[0])).toEqual(['wasser', 'wasserte'])
  })

  it('of many words take as few calls as those of one', async () => {
    const [one, many] = [lookups(), lookups()]
    await one.targetsOf(['wasser'])
    await many.targetsOf(['wasser', 'water', 'temperatur', 'wasser', 'trinkwasser'])
    expect(one.calls.length).toBeLessThanOrEqual(6)
    expect(many.calls.length).toBeLessThanOrEqual(one.calls.length)
    for (const { limit } of many.calls.flat()) expect(limit).toBeLessThanOrEqual(100_000)
    const ofAffixes = many.calls.flat().filter(({ filter }) => filter.includes('STARTS WITH'))
    expect(new Set(ofAffixes.map(({ filter }) => filter)).size).toBe(ofAffixes.length)
    for (const { limit } of ofAffixes) expect(limit).toBe(2_000)
  })

  it('are kept until something is written', async () => {
    const { calls, state, targetsOf } = lookups()
    const first = await targetsOf(['wasser'])
    const { length } = calls
    expect(await targetsOf(['wasser'])).toEqual(first)
    expect(calls).toHaveLength(length)
    state.changes++
    await targetsOf(['wasser'])
    expect(calls).toHaveLength(2 * length)
  })

  it('that were read while something was written are not kept', async () => {
    const { calls, state, targetsOf } = lookups()
    const reading = targetsOf(['water'])
    state.changes++
    await reading
    const { length } = calls
    await targetsOf(['water'])
    expect(calls.length).toBeGreaterThan(length)
  })

  it('are none for no words, without a call', async () => {
    const { calls, targetsOf } = lookups()
    expect(await targetsOf([])).toEqual([])
    expect(calls).toEqual([])
  })
})

describe('a server that errs', () => {
  // Meilisearch compares decomposed letters, so that one may be the beginning of another.
  it('finds rows that do not fit: they are left out', async () => {
    const { targetsOf } = lookups(() => ({ hits: dictionary }))
    expect(tokensOf((await targetsOf(['wasser']))[0])).toEqual([
      'trinkwasser',
      'wasser',
      'wassertemperatur',
    ])
  })

  it('has rows of an earlier layout: they are left out', async () => {
    const { targetsOf } = lookups(() => ({ hits: [{ term: 'wasser' }] }))
    expect(await targetsOf(['wasser'])).toEqual([[]])
  })

  it('answers something else: the search fails, and nothing is kept', async () => {
    let isWrong = true
    const { targetsOf } = lookups((query) => (isWrong ? {} : { hits: found(query) }))
    await expect(targetsOf(['water'])).rejects.toMatchObject({ kind: 'engine-unavailable' })
    isWrong = false
    expect(tokensOf((await targetsOf(['water']))[0])).toEqual(['water', 'waters'])
  })

  it('is not asked again after the search was given up', async () => {
    const { calls, targetsOf } = lookups()
    await expect(targetsOf(['wasser'], AbortSignal.abort())).rejects.toThrow('aborted')
    expect(calls).toHaveLength(1)
  })
})
