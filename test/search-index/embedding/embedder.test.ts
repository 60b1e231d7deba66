/** The client of an embedder: what it sends, which answers it takes, and what it says about the others. */

import { describe, expect, it, onTestFinished } from 'vitest'
import { logger } from '../../../src/log.ts'
import { connectEmbedder, EmbedderFault } from '../../../src/search-index/embedding/embedder.ts'
import { pause } from '../../../src/workers/pause.ts'
import { embedderDouble, type Mood } from '../../support/embedder.ts'

const unending = new AbortController().signal

async function open(settings: { apiKey?: string; dimensions?: number } = {}) {
  const server = await embedderDouble()
  const embedder = connectEmbedder({
    settings: { url: server.url, model: 'm', ...settings },
    log: logger('silent'),
    pause,
    now: () => performance.now(),
  })
  onTestFinished(async () => {
    await embedder.close()
    await server.stop()
  })
  const ask = (texts: readonly string[], limitMs = 5000, signal = unending) =>
    embedder.embed(texts, { limitMs, signal })
  return { server, embedder, ask }
}

const answerOf = (...embeddings: readonly unknown[]): Mood => ({
  body: JSON.stringify({ data: embeddings.map((embedding, index) => ({ index, embedding })) }),
})
const eight = [1, 2, 3, 4, 5, 6, 7, 8]

describe('a vector', () => {
  it('is that of its text, whatever the order of the answer, with 127 as the largest component', async () => {
    const { server, embedder, ask } = await open({ apiKey: 'a-key' })
    const [one, two] = await ask(['one', 'twelve'])
    expect(await ask(['twelve'])).toEqual([two])
    expect(one).not.toEqual(two)
    expect(Math.max(...(two ?? []).map(Math.abs))).toBe(127)
    expect(server.calls[0]).toEqual({ texts: ['one', 'twelve'], key: 'Bearer a-key' })
    expect(embedder.dimensions()).toBe(8)
  })

  it('of zeros stays one', async () => {
    const { server, ask } = await open()
    server.state.mood = answerOf([0, 0, 0, 0, 0, 0, 0, 0])
    expect(await ask(['a'])).toEqual([new Int8Array(8)])
  })
})

describe('an answer is refused', () => {
  it.each<[string, Mood, string]>([
    ['of HTML', { body: '<html>', headers: { 'Content-Type': 'text/html' } }, 'no vectors'],
    ['of something else', { body: '{"error":"x"}' }, 'no vectors'],
    ['with fewer vectors than texts', answerOf(eight), '1 vectors of 2'],
    ['with more vectors than texts', answerOf(eight, eight, eight), '3 vectors of 2'],
    [
      'with one index twice',
      { body: JSON.stringify({ data: [0, 0].map((index) => ({ index, embedding: eight })) }) },
      '2 vectors of 2',
    ],
    ['with nothing for a number', answerOf(eight, [...eight.slice(1), null]), 'no vectors'],
    ['with infinity', { body: '{"data":[{"embedding":[1e999]},{"embedding":[1]}]}' }, 'no vectors'],
    ['with NaN', { body: '{"data":[{"embedding":[NaN]},{"embedding":[1]}]}' }, 'no vectors'],
    ['with empty vectors', answerOf([], []), '2 vectors of 2'],
    ['with vectors of different lengths', answerOf(eight, [...eight, ...eight]), 'same length'],
    ['with a length that 8 does not divide', answerOf([1, 2, 3], [1, 2, 3]), 'same length'],
    ['with too long vectors', answerOf(Array(1032).fill(1), Array(1032).fill(1)), 'same length'],
  ])('%s', async (_, mood, said) => {
    const { server, ask } = await open()
    server.state.mood = mood
    const failure = await ask(['a', 'b']).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(EmbedderFault)
    expect(String(failure)).toContain(said)
    server.state.mood = {}
    expect(await ask(['a', 'b'])).toHaveLength(2)
  })

  it('of other dimensions than configured, or than before', async () => {
    const { ask } = await open({ dimensions: 16 })
    await expect(ask(['a'])).rejects.toThrow('8 numbers in place of 16')
    const { server, ask: askOther } = await open()
    await askOther(['a'])
    server.state.mood = answerOf([...eight, ...eight])
    await expect(askOther(['a'])).rejects.toThrow('16 numbers in place of 8')
  })

  it('of more than 16 MB', async () => {
    const { server, ask } = await open()
    server.state.mood = { body: ' '.repeat(17 * 2 ** 20) }
    await expect(ask(['a'])).rejects.toMatchObject({ kind: 'too-large' })
  })

  it.each<[number, Record<string, string>, object]>([
    [400, {}, { isRefusal: true, isByText: true }],
    [403, {}, { isRefusal: false, isByText: false }],
    [404, {}, { isRefusal: false, isByText: false }],
    [429, { 'Retry-After': '7' }, { retryMs: 7000, isRefusal: false, isByText: false }],
    [500, {}, { isRefusal: false, isByText: true }],
    [503, { 'Retry-After': 'soon' }, { retryMs: undefined, isByText: false }],
  ])('with the status %i, whose cause is no secret', async (status, headers, expected) => {
    const { server, ask } = await open({ apiKey: 'sk-secret' })
    server.state.mood = { status, headers, body: 'wrong key sk-secret for "private query"' }
    const failure = await ask(['private query']).catch((error: unknown) => error)
    expect(failure).toMatchObject({ status, ...expected })
    expect(String(failure)).not.toMatch(/sk-secret|private query/)
  })
})

describe('a call', () => {
  it('with a key that is refused is a failure that can pass', async () => {
    const { server, ask } = await open({ apiKey: 'sk-secret' })
    server.state.mood = { status: 401, body: 'sk-secret' }
    const failure = await ask(['a']).catch((error: unknown) => error)
    expect(failure).toMatchObject({ kind: 'engine-unavailable' })
    expect(String(failure)).not.toContain('sk-secret')
    server.state.mood = {}
    expect(await ask(['a'])).toHaveLength(1)
  })

  it('ends after its time limit, and with its signal', async () => {
    const { server, ask } = await open()
    server.state.mood = { afterMs: 60_000 }
    await expect(ask(['a'], 30)).rejects.toMatchObject({ kind: 'time-limit' })
    const ending = new AbortController()
    const asked = ask(['a'], 60_000, ending.signal)
    ending.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
  })

  it('without a connection is a failure that can pass', async () => {
    const { server, ask } = await open()
    await server.stop()
    await expect(ask(['a'])).rejects.toMatchObject({ kind: 'engine-unavailable' })
  })
})
