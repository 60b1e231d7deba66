/** Cursors of the embedded engine over its threads: when the writer is told to let go, and when it dies. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import type { CursorRequest } from '../../../src/search-index/search-index.ts'
import { SqliteCursors } from '../../../src/search-index/sqlite/sqlite-cursors.ts'
import {
  indexReaders,
  indexWriter,
  type IndexWorkers,
} from '../../../src/search-index/sqlite/index-workers.ts'
import {
  batchOf,
  type ReaderCalls,
  type WriterCalls,
} from '../../../src/search-index/sqlite/worker-messages.ts'
import { logger } from '../../../src/log.ts'
import { documentOf, languages, request, settings } from '../../contracts/search-index-corpus.ts'

const limits = { perClient: 4, total: 8, ttlMs: 1_000, bytes: 10_000 }
const count = 20

let directory: string
let clock: number
let writer: IndexWorkers<WriterCalls>
let readers: IndexWorkers<ReaderCalls>
let cursors: SqliteCursors
let version: number

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cursors-'))
  const path = join(directory, 'index.db')
  const common = { path, wildcardTerms: 10, log: logger('silent'), onDamage: () => undefined }
  writer = indexWriter(common)
  readers = indexReaders(common, { count: 1 })
  clock = version = 0
  cursors = new SqliteCursors({ writer, readers, limits, now: () => clock })
  await writer.call('configure', { settings, languages })
  await write()
})

afterEach(async () => {
  cursors.close()
  await readers.close()
  if (writer.isRunning) await writer.call('close', undefined)
  await writer.close()
  rmSync(directory, { recursive: true })
})

/** All records anew. */
async function write(): Promise<void> {
  version++
  const puts = Array.from({ length: count }, (_, i) => ({
    put: documentOf({ index: 'dataset', id: `r${i}`, version }),
  }))
  await writer.call('write', [batchOf(puts)])
}

function open(changes: Partial<CursorRequest> = {}, signal?: AbortSignal) {
  const { offset: _, ...rest } = request()
  return cursors.open({ ...rest, client: 'somebody', note: '', limit: 5, ...changes }, signal)
}

/** Versions that are stored, dead ones included. */
function stored(): number {
  const db = new DatabaseSync(join(directory, 'index.db'))
  const row = db.prepare('SELECT count(*) AS n FROM doc_1').get()
  db.close()
  return Number(row?.['n'])
}

const toEnd = async (cursor: string) => {
  while ((await cursors.page(cursor)).hits.length > 0);
}

describe('what a cursor needs is let go', () => {
  it('when it was read to its end', async () => {
    const { cursor } = await open()
    await write()
    await toEnd(cursor)
    await expect.poll(stored).toBe(count)
  })

  it('when it expires, by whatever is called next', async () => {
    const { cursor } = await open()
    await write()
    clock += limits.ttlMs
    cursors.purge()
    await expect.poll(stored).toBe(count)
    await expect(cursors.page(cursor)).rejects.toMatchObject({ kind: 'unknown-cursor' })
  })

  it('when it was given up, or refused, while it was opened', async () => {
    await expect(open({}, AbortSignal.abort())).rejects.toMatchObject({ kind: 'time-limit' })
    const open4 = await Promise.all(Array.from({ length: 4 }, () => open()))
    await expect(open()).rejects.toMatchObject({ kind: 'too-many-cursors' })
    const racing = await Promise.allSettled(
      Array.from({ length: 6 }, () => open({ client: 'another' })),
    )
    expect(racing.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
    await write()
    for (const { cursor } of open4) await toEnd(cursor)
    expect(stored()).toBe(2 * count)
    clock += limits.ttlMs
    cursors.purge()
    await expect.poll(stored).toBe(count)
  })

  it('and not before the last of those who need it', async () => {
    const [first, second] = [await open(), await open()]
    await write()
    await toEnd(first.cursor)
    const page = await cursors.page(second.cursor)
    expect(page.hits.map((hit) => JSON.parse(hit.record))).toMatchObject(
      Array.from({ length: 5 }, () => ({ version: 1 })),
    )
    await toEnd(second.cursor)
    await expect.poll(stored).toBe(count)
  })
})

describe('a cursor', () => {
  it('does not keep a caller waiting for the writer who gives up', async () => {
    const left = new Failure('request-timeout', 'the client left')
    const caller = new AbortController()
    let written = false
    const writing = write().then(() => (written = true))
    const opening = open({}, caller.signal)
    caller.abort(left)
    await expect(opening).rejects.toBe(left)
    expect(written).toBe(false)
    await writing
    await expect(open({}, AbortSignal.abort(left))).rejects.toBe(left)
    await write()
    await toEnd((await open()).cursor)
    await expect.poll(stored).toBe(count)
  })

  it('outlives the writer: the next one keeps what it needs', async () => {
    const { cursor } = await open()
    await writer.restart()
    await expect.poll(() => writer.isRunning).toBe(false)
    await write()
    cursors.purge()
    await writer.call('newestVersion', undefined)
    expect((await cursors.page(cursor)).hits).toHaveLength(5)
    await toEnd(cursor)
    await expect.poll(stored).toBe(count)
  })

  it('whose writer dies while it is opened is not opened', async () => {
    const outcome = open().catch((error: unknown) => error)
    await writer.restart()
    expect(await outcome).toMatchObject({ kind: 'engine-unavailable' })
    expect((await open()).count).toBe(count)
  })

  it('gives a page again that could not be given', async () => {
    const { cursor, hits } = await open()
    const failed = cursors.page(cursor, {}, AbortSignal.abort())
    await expect(failed).rejects.toMatchObject({ kind: 'time-limit' })
    const second = await cursors.page(cursor)
    const expected = await cursors.page(cursor, { after: hits.length })
    expect(second.hits).toEqual(expected.hits)
  })

  it('gives every page once to callers that do not wait for each other', async () => {
    const first = await open()
    const pages = await Promise.all([1, 2, 3].map(() => cursors.page(first.cursor)))
    const ids = [first, ...pages].flatMap((page) => page.hits.map((hit) => hit.id))
    expect(new Set(ids).size).toBe(count)
  })

  it('that was read to its end has no earlier pages', async () => {
    const { cursor } = await open()
    await toEnd(cursor)
    expect((await cursors.page(cursor, { after: count })).hits).toEqual([])
    const earlier = cursors.page(cursor, { after: 5 })
    await expect(earlier).rejects.toMatchObject({ kind: 'unknown-cursor' })
  })

  it('needs memory of its own, of which there is a limit', async () => {
    for (let i = 0; i < 4; i++) await open()
    for (let i = 0; i < 3; i++) await open({ client: 'another' })
    expect(limits.bytes / 7).toBeGreaterThan(1_024 + 4 * count)
    const large = { ...limits, bytes: 1_024 + 4 * count }
    const narrow = new SqliteCursors({ writer, readers, limits: large, now: () => clock })
    const { offset: _, ...rest } = request()
    const asked = { ...rest, client: 'x', note: '' }
    await narrow.open(asked)
    await expect(narrow.open(asked)).rejects.toMatchObject({ kind: 'too-many-cursors' })
  })
})
