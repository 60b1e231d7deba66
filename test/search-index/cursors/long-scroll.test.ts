/** A scroll through very many hits while records are replaced, deleted and added: the state of its beginning, once and whole. */

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { cursorBytes } from '../../../src/search-index/cursors.ts'
import { embeddedIndex } from '../../../src/search-index/sqlite/sqlite-index.ts'
import type { IndexChange, Page, SearchIndex } from '../../../src/search-index/search-index.ts'
import { logger } from '../../../src/log.ts'
import { configured, documentOf, languages, request } from '../../contracts/search-index-corpus.ts'

/** `CURSOR_RECORDS` for more; a tenth of them changes meanwhile. */
const count = Number(process.env['CURSOR_RECORDS'] ?? 4_000)
const limit = 1_000

let directory: string
let index: SearchIndex

afterEach(async () => {
  await index.close()
  rmSync(directory, { recursive: true })
})

const putOf = (n: number, version: number): IndexChange => ({
  put: {
    ...documentOf({ index: 'dataset', id: `r${n}`, version }),
    record: { id: `r${n}`, version },
  },
})

/** Each change is a replacement, a deletion or a new record. */
function changeOf(n: number): IndexChange {
  const version = count + n + 1
  const at = (n * 7919) % count
  if (n % 3 === 0) return { remove: { index: 'dataset', id: `r${at}`, version } }
  return n % 3 === 1 ? putOf(at, version) : putOf(count + n, version)
}

it(
  `${count} hits are each read once and as they were, whatever changes`,
  async () => {
    directory = mkdtempSync(join(tmpdir(), 'scroll-'))
    // Numbers, which index each is in, and scores: no more than that may be held.
    const bytes = cursorBytes + 10 * count
    const cursors = { perClient: 1, total: 1, ttlMs: 600_000, bytes }
    index = await embeddedIndex({
      directory,
      log: logger('silent'),
      languages,
      cursors,
      searchMs: 120_000,
    })
    await configured(index)
    for (let from = 0; from < count; from += 1_000) {
      const size = Math.min(1_000, count - from)
      await index.write(Array.from({ length: size }, (_, n) => putOf(from + n, from + n + 1)))
    }

    const state = { changed: 0 }
    // Each page with its share.
    const share = Math.ceil(limit / 10)
    const change = async () => {
      if (state.changed >= count / 10) return
      await index.write(Array.from({ length: share }, (_, n) => changeOf(state.changed + n)))
      state.changed += share
    }
    const read = new Map<string, unknown>()
    const take = ({ hits }: Page) => {
      for (const { id, record } of hits) {
        expect(read.has(id), `${id} twice`).toBe(false)
        read.set(id, JSON.parse(record))
      }
    }
    const first = await index.openCursor({
      ...request({ indices: ['dataset'], limit }),
      client: 'c',
      note: '',
    })
    expect(first.count).toBe(count)
    take(first)
    for (let hits = first.hits.length; hits > 0;) {
      const [page] = await Promise.all([index.readPage(first.cursor), change()])
      take(page)
      hits = page.hits.length
    }

    expect(read.size).toBe(count)
    const wrong = [...read].filter(([id, record]) => {
      const n = Number(id.slice(1))
      return JSON.stringify(record) !== JSON.stringify({ id, version: n + 1 })
    })
    expect(wrong).toEqual([])
    expect(state.changed).toBeGreaterThanOrEqual(count / 10)
    const log = statSync(join(directory, 'index.db-wal')).size
    expect(log).toBeLessThan(128 * 2 ** 20)
  },
  60_000 + count * 10,
)
