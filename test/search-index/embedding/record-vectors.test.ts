/** Vectors of records: each changed text is embedded once, whatever the embedder does, and the index gets what it lacks. */

import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { logger } from '../../../src/log.ts'
import { connectEmbedder } from '../../../src/search-index/embedding/embedder.ts'
import { recordText } from '../../../src/search-index/embedding/record-text.ts'
import { RecordVectors } from '../../../src/search-index/embedding/record-vectors.ts'
import { printOf, VectorFile } from '../../../src/search-index/embedding/vector-file.ts'
import type { IndexName } from '../../../src/search-index/index-settings.ts'
import { embedderDouble, type Mood } from '../../support/embedder.ts'
import { pause as wait } from '../../../src/workers/pause.ts'
import { eventually, temporaryDirectory, remove } from '../../support/gateway.ts'

/** Records and vectors of an index, as the port has them. */
function indexDouble() {
  const records = new Map<string, string>()
  const vectors = new Map<string, Int8Array>()
  const counts = { changes: 0 }
  const put = (id: string, title: string, index = 'dataset') =>
    records.set(`${index} ${id}`, JSON.stringify({ title: { en: title } }))
  const port = {
    entries: async (index: IndexName, after: string, limit: number) =>
      [...records.keys()]
        .filter((key) => key.startsWith(`${index} `))
        .map((key) => key.slice(index.length + 1))
        .filter((id) => id > after)
        .toSorted()
        .slice(0, limit)
        .map((id) => ({ id, version: 1, hash: '' })),
    get: async (index: IndexName, id: string) => records.get(`${index} ${id}`),
    vectors: async (
      changes: readonly { index: IndexName; id: string; vector: Int8Array | undefined }[],
    ) => {
      counts.changes += changes.length
      for (const { index, id, vector } of changes)
        if (vector) vectors.set(`${index} ${id}`, vector)
        else vectors.delete(`${index} ${id}`)
    },
    vectorsOf: async (index: IndexName, ids: readonly string[]) =>
      ids.map((id) => vectors.get(`${index} ${id}`)),
  }
  return { records, vectors, counts, put, port }
}

type Options = {
  readonly moodOf?: (texts: readonly string[]) => Mood | undefined
  readonly batch?: number
}

async function open(options: Options = {}) {
  const directory = await temporaryDirectory()
  const server = await embedderDouble(options)
  const index = indexDouble()
  const lines: string[] = []
  const log = logger('info', { write: (line: string) => void lines.push(line) })
  const state = { date: Date.now() }
  onTestFinished(async () => {
    await server.stop()
    await remove(directory)
  })
  const start = (model = 'm') => {
    const settings = {
      url: server.url,
      model,
      recordPrefix: 'passage: ',
      batch: options.batch ?? 8,
      perMinute: 60_000,
      characters: 100,
    }
    const file = new VectorFile(join(directory, 'vectors.db'))
    // Pauses are short, and the clock passes with them.
    let clock = 0
    const now = () => clock
    const pause = async (ms: number, signal: AbortSignal) => {
      await wait(ms >= 5000 ? 500 : 1, signal)
      clock += ms
    }
    const knownDimensions = file.dimensionsOf(model)
    const embedder = connectEmbedder({
      settings,
      knownDimensions,
      log,
      pause,
      now: () => performance.now(),
    })
    const date = () => state.date
    const vectors = new RecordVectors({
      index: index.port,
      embedder,
      settings,
      file,
      log,
      pause,
      now,
      date,
      onCall: () => undefined,
    })
    vectors.compareAll()
    const stop = async () => {
      await vectors.stop()
      await embedder.close()
      file.close()
    }
    const settled = () => eventually(async () => vectors.waiting === 0)
    const write = (...records: readonly (readonly [id: string, title: string])[]) => {
      for (const [id, title] of records) index.put(id, title)
      vectors.offer(records.map(([id]) => ({ index: 'dataset' as const, id })))
    }
    return { vectors, file, settled, write, stop }
  }
  return { server, index, lines, state, start }
}

const idsOf = (count: number) => Array.from({ length: count }, (_, n) => String(n).padStart(4, '0'))

describe('the text of a record', () => {
  it('has titles in all languages, then descriptions, the main language first, and is cut', () => {
    const record = {
      title: { de: 'Bäume', fr: 'Arbres' },
      description: { de: 'Alle Bäume.', fr: 'Tous les arbres.' },
      catalog: { language: [{ id: 'fr' }] },
    }
    expect(recordText(record, 100)).toBe('Arbres. Bäume. Tous les arbres.. Alle Bäume.')
    expect(recordText(record, 8)).toBe('Arbres.')
    expect(recordText({ title: 'Plain' }, 100)).toBe('Plain')
    expect(recordText({ title: { en: '😀' } }, 1)).toBe('�')
    expect(recordText({}, 100)).toBe('')
  })
})

describe('records that change', () => {
  it('twice have each changed text embedded once, with a restart in between none twice', async () => {
    const { server, index, start } = await open({ batch: 32 })
    const ids = idsOf(1000)
    const first = start()
    first.write(...ids.map((id) => [id, `title ${id}`] as const))
    await first.settled()
    first.write(...ids.map((id, n) => [id, n % 2 ? `title ${id}` : `other ${id}`] as const))
    await eventually(async () => server.embedded.length >= 1100)
    await first.stop()
    const second = start()
    await eventually(async () => server.embedded.length >= 1500)
    expect(await second.settled()).toBe(true)
    expect(server.embedded).toHaveLength(1500)
    expect(new Set(server.embedded).size).toBe(1500)
    expect(index.vectors.size).toBe(1000)
    await second.stop()
  })

  it('back to an earlier text get its vector without a call, and the same text is embedded once', async () => {
    const { server, index, start } = await open()
    const { write, settled, stop } = start()
    write(['a', 'one'], ['b', 'one'])
    await settled()
    const before = index.vectors.get('dataset a')
    write(['a', 'two'])
    await settled()
    expect(index.vectors.get('dataset a')).not.toEqual(before)
    write(['a', 'one'])
    await settled()
    expect(index.vectors.get('dataset a')).toEqual(before)
    expect(server.embedded).toEqual(['passage: one', 'passage: two'])
    const { changes } = index.counts
    write(['a', 'one'])
    await settled()
    expect(index.counts.changes).toBe(changes)
    await stop()
  })

  it('of an index that lost its vectors get them from the file', async () => {
    const { server, index, start } = await open()
    const { write, settled, stop, vectors } = start()
    write(['a', 'one'])
    index.put('city', 'City', 'catalogue')
    index.put('concept', 'Concept', 'vocabulary')
    vectors.compareAll()
    await eventually(async () => index.vectors.size === 2)
    const made = new Map(index.vectors)
    index.vectors.clear()
    vectors.compareAll()
    expect(await eventually(async () => index.vectors.size === 2)).toBe(true)
    expect(index.vectors).toEqual(made)
    expect(server.embedded).toHaveLength(2)
    await settled()
    await stop()
  })

  it('and lose their texts lose their vectors', async () => {
    const { index, start } = await open()
    const { write, settled, stop } = start()
    write(['a', 'one'])
    await settled()
    write(['a', ''])
    await settled()
    expect(index.vectors.size).toBe(0)
    await stop()
  })
})

describe('an embedder', () => {
  it.each<[string, Mood]>([
    ['that is away', { isAway: true }],
    ['that is busy', { status: 429, headers: { 'Retry-After': '2' } }],
    ['with a fault', { status: 500 }],
    ['that does not take the key any more', { status: 401 }],
    ['that answers nonsense', { body: '<html>' }],
    [
      'of other dimensions',
      { body: JSON.stringify({ data: [{ index: 0, embedding: Array(16).fill(1) }] }) },
    ],
  ])('%s loses nothing, and is asked again', async (_, mood) => {
    const { server, index, start } = await open()
    const { write, settled, stop, vectors } = start()
    write(['a', 'one'])
    await settled()
    server.state.mood = mood
    write(['b', 'two'], ['c', 'three'])
    expect(await eventually(async () => vectors.isAway)).toBe(true)
    server.state.mood = {}
    expect(await settled()).toBe(true)
    expect(index.vectors.size).toBe(3)
    expect(vectors.isAway).toBe(false)
    expect(server.embedded.toSorted()).toEqual(['one', 'three', 'two'].map((t) => `passage: ${t}`))
    await stop()
  })

  it('that refuses one text gets the others, and that one three times', async () => {
    const isBad = (texts: readonly string[]) => texts.some((text) => text.includes('bad'))
    const moodOf = (texts: readonly string[]) => (isBad(texts) ? { status: 400 } : undefined)
    const { server, index, start, lines } = await open({ moodOf })
    const { write, settled, stop } = start()
    write(...idsOf(20).map((id) => [id, id === '0003' ? 'bad' : `title ${id}`] as const))
    expect(await settled()).toBe(true)
    expect(index.vectors.size).toBe(19)
    expect(server.calls.filter(({ texts }) => isBad(texts))).toHaveLength(3)
    expect(lines.filter((line) => line.includes('embedder.text-refused'))).toHaveLength(1)
    write(['0003', 'good'])
    expect(await settled()).toBe(true)
    expect(index.vectors.size).toBe(20)
    await stop()
  })

  it('is asked for all texts again when it has another model', async () => {
    const { server, index, start } = await open()
    const first = start()
    first.write(['a', 'one'])
    await first.settled()
    await first.stop()
    server.embedded.length = 0
    const second = start('other')
    expect(index.vectors.size).toBe(1)
    await eventually(async () => server.embedded.length === 1)
    await second.settled()
    await second.stop()
    expect(server.embedded).toEqual(['passage: one'])
  })

  it('gets five seconds for a call under way when the platform stops', async () => {
    const { server, start } = await open()
    const { write, stop } = start()
    server.state.mood = { afterMs: 100 }
    write(['a', 'one'])
    await eventually(async () => server.calls.length === 1)
    await stop()
    server.state.mood = {}
    const again = start()
    await again.settled()
    expect(server.embedded).toHaveLength(1)
    await again.stop()
  })
})

describe('the file of vectors', () => {
  it('is purged once a day of texts that no record has', async () => {
    const { start, state, lines } = await open()
    const { write, settled, stop, file, vectors } = start()
    write(['a', 'one'], ['b', 'two'])
    await settled()
    write(['a', 'three'])
    await settled()
    const prints = ['one', 'two', 'three'].map((text) => printOf('m', `passage: ${text}`))
    const isStored = () => file.read(prints).map((vector) => vector !== undefined)
    expect(isStored()).toEqual([true, true, true])
    state.date += 86_400_000
    vectors.offer([])
    await eventually(async () => lines.some((line) => line.includes('vectors.purged')))
    expect(isStored()).toEqual([false, true, true])
    await stop()
  })
})
