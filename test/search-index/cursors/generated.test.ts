/** Any mixture of writing, swapping, purging and reading: a cursor shows what was there when it was opened. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { batchOf } from '../../../src/search-index/sqlite/worker-messages.ts'
import type { Answer, IndexChange } from '../../../src/search-index/search-index.ts'
import { IndexFileReader } from '../../../src/search-index/sqlite/reader.ts'
import { sliceOf, type Snapshot } from '../../../src/search-index/sqlite/stored-records.ts'
import { IndexFileWriter } from '../../../src/search-index/sqlite/writer.ts'
import { documentOf, languages, request, settings } from '../../contracts/search-index-corpus.ts'

type Cursor = {
  readonly end: number
  readonly snapshot: Snapshot
  readonly expected: readonly string[]
}

/** The engine, what should be in it, and the cursors that are open. */
class Play {
  readonly #writer: IndexFileWriter
  readonly #readers: readonly IndexFileReader[]
  readonly #records = new Map<string, string>()
  readonly #cursors = new Map<number, Cursor>()
  #version = 0
  #swaps = 0
  #opened = 0

  constructor(path: string) {
    this.#writer = new IndexFileWriter(path)
    this.#writer.configure(settings, languages)
    for (const { index } of settings) this.#writer.finish(index)
    this.#readers = [1, 2].map(() => new IndexFileReader(path, () => undefined))
  }

  write(ids: readonly number[]): void {
    const version = ++this.#version
    this.#apply(
      ids.map((id) => {
        const put = documentOf({ index: 'dataset', id: `r${id}`, version })
        this.#records.set(put.id, JSON.stringify(put.record))
        return { put }
      }),
    )
  }

  remove(id: number): void {
    const version = ++this.#version
    this.#records.delete(`r${id}`)
    this.#apply([{ remove: { index: 'dataset', id: `r${id}`, version } }])
  }

  swap(): void {
    const basis = `swap ${++this.#swaps}`
    this.#writer.configure(
      settings.map((one) => ({ ...one, basis })),
      languages,
    )
    const filling = [...this.#records.values()].map((record) => {
      const { id } = JSON.parse(record) as { id: string }
      const put = documentOf({ index: 'dataset', id, version: 0 })
      return { put: { ...put, record: JSON.parse(record) }, onlyIfMissing: true }
    })
    this.#apply(filling)
    for (const { index } of settings) this.#writer.finish(index)
    this.purge()
  }

  purge(): void {
    const ends = [...this.#cursors.values()].map(({ end }) => end)
    this.purgeUpTo(Math.min(Number.MAX_SAFE_INTEGER, ...ends))
  }

  purgeUpTo(limit: number): void {
    while (this.#writer.purge(limit));
  }

  /** As the main thread does it; something may be written between the hold and the snapshot. */
  open(by: number, between: readonly number[]): void {
    const end = this.#writer.lastEnded()
    if (between.length > 0) this.write(between)
    this.purgeUpTo(Math.min(end, ...[...this.#cursors.values()].map((cursor) => cursor.end)))
    const { offset: _, ...all } = request()
    const { snapshot } = this.#reader(by).open({ ...all, limit: 2 })
    const expected = [...this.#records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
    this.#cursors.set(++this.#opened, { snapshot, expected, end })
  }

  release(which: number): void {
    const hold = [...this.#cursors.keys()][which % Math.max(1, this.#cursors.size)]
    if (hold === undefined) return
    this.#cursors.delete(hold)
  }

  /** What the cursors and a search show, and what they should. */
  compare(by: number): { readonly shown: unknown; readonly expected: unknown } {
    const reader = this.#reader(by)
    const cursors = [...this.#cursors.values()]
    const recordsOf = ({ hits }: Pick<Answer, 'hits'>) => hits.map((hit) => hit.record)
    const pages = cursors.map(({ snapshot }) => {
      const all = sliceOf(snapshot, 0, snapshot.numbers.length)
      return recordsOf(reader.page({ ...all, score: false }))
    })
    return {
      shown: [...pages, recordsOf(reader.search(request())).sort()],
      expected: [...cursors.map(({ expected }) => expected), [...this.#records.values()].sort()],
    }
  }

  close(): void {
    for (const reader of this.#readers) reader.close()
    this.#writer.close()
  }

  #reader(by: number): IndexFileReader {
    return this.#readers[by % 2]!
  }

  #apply(changes: readonly IndexChange[]): void {
    const { errors } = this.#writer.write([batchOf(changes)])
    if (errors.some(Boolean)) throw new Error(String(errors))
  }
}

const id = fc.nat(8)
const step = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), ids: fc.uniqueArray(id, { minLength: 1 }) }),
  fc.record({ kind: fc.constant('remove' as const), id }),
  fc.record({ kind: fc.constantFrom('swap' as const, 'purge' as const) }),
  fc.record({
    kind: fc.constant('open' as const),
    by: fc.nat(1),
    between: fc.uniqueArray(id, { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('release' as const), which: fc.nat(5) }),
)

it('a cursor shows what was there when it was opened, whatever follows', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
      const directory = mkdtempSync(join(tmpdir(), 'play-'))
      const play = new Play(join(directory, 'index.db'))
      try {
        for (const [i, one] of steps.entries()) {
          if (one.kind === 'write') play.write(one.ids)
          else if (one.kind === 'remove') play.remove(one.id)
          else if (one.kind === 'open') play.open(one.by, one.between)
          else if (one.kind === 'release') play.release(one.which)
          else play[one.kind]()
          const { shown, expected } = play.compare(i)
          expect(shown).toEqual(expected)
        }
      } finally {
        play.close()
        rmSync(directory, { recursive: true })
      }
    }),
    { numRuns: 40 },
  )
}, 60_000)
