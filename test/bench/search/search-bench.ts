/** Searches over generated records: how long they take, beside what FTS5 alone takes for the words of them in the same run. */

import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { embeddedIndex } from '../../../src/search-index/sqlite/sqlite-index.ts'
import type { IndexChange, SearchIndex } from '../../../src/search-index/search-index.ts'
import { logger } from '../../../src/log.ts'
import { tokens } from '../../../src/text/tokens.ts'
import { lanes, percentile, perSecond, table, timed } from '../figures.ts'
import { memory } from '../memory.ts'
import { gatewayBench } from './gateway-bench.ts'
import { queries, treeSearch, type Query } from './queries.ts'
import { records, settings } from './records.ts'

export type SearchBench = {
  readonly directory: string
  readonly count: number
  /** Of every query. */
  readonly rounds: number
  readonly say: (text: string) => void
}

const perBatch = 1000
/** More take longer to write through the store than anybody waits. */
const mostInGateway = 100_000

export async function searchBench({ directory, count, rounds, say }: SearchBench): Promise<void> {
  const folder = join(directory, 'search')
  const bare = bareIndex(join(directory, 'bare.db'))
  const index = await embeddedIndex({
    directory: folder,
    log: logger('silent'),
    // The first search waits for a million rows to be read.
    searchMs: 300_000,
  })
  try {
    for (const name of (await index.configure([settings])).rebuild) await index.finish(name)
    const { documents } = await index.health()
    const isFilled = documents.dataset === count
    const rate = isFilled ? undefined : perSecond(count, await filled(index, bare, count))
    const head = rate === undefined ? '' : `, written and searchable at ${rate} a second`
    say(`## search, ${count} records${head}\n${await times(index, bare, rounds)}`)
    say(await besides(index))
    const { now, peak } = await memory(process.pid)
    const bytes = await sizeOf(folder)
    const each = (bytes / count / 1024).toFixed(1)
    say(
      `memory ${now} MB (most ${peak} MB), files ${Math.round(bytes / 2 ** 20)} MB, ${each} KB a record`,
    )
  } finally {
    await index.close()
    bare.close()
  }
  if (count <= mostInGateway) say(await gatewayBench(join(directory, 'gateway'), count))
}

/** Milliseconds that the engine took; FTS5 is filled in between. */
async function filled(index: SearchIndex, bare: Bare, count: number): Promise<number> {
  let ms = 0
  let batch: IndexChange[] = []
  const flush = async () => {
    ms += await timed(() => index.write(batch))
    bare.add(batch)
    batch = []
  }
  for (const put of records(count)) {
    batch.push({ put })
    if (batch.length === perBatch) await flush()
  }
  if (batch.length > 0) await flush()
  return ms
}

async function times(index: SearchIndex, bare: Bare, rounds: number): Promise<string> {
  const rows: (string | number)[][] = [
    ['query', 'hits', 'first ms', 'p50 ms', 'p95 ms', 'FTS5 p50 ms', 'ratio'],
  ]
  // Columns and stemmers are read once.
  for (const { request } of queries.slice(-2)) await index.search({ ...request, limit: 1 })
  await index.search(treeSearch('warm'))
  for (const query of queries) rows.push(await row(query, { index, bare, rounds }))
  return table(rows)
}

async function row(
  { name, request, bare: match }: Query,
  {
    index,
    bare,
    rounds,
  }: { readonly index: SearchIndex; readonly bare: Bare; readonly rounds: number },
): Promise<(string | number)[]> {
  // Another boost each time: an answer that is remembered is none. What matched is remembered after the first time.
  const ask = (n: number) => index.search({ ...request, boosts: { none: n } })
  const [first = Number.NaN] = await lanes(1, 1, async () => void (await ask(-1)))
  const { count } = await ask(-2)
  const ours = await lanes(rounds, 1, async (n) => void (await ask(n)))
  const p50 = percentile(ours, 0.5)
  const common = [name, count, first.toFixed(2), p50, percentile(ours, 0.95)]
  if (match === undefined) return [...common, '–', '–']
  bare.search(match)
  const alone = percentile(await lanes(rounds, 1, async () => bare.search(match)), 0.5)
  return [...common, alone, (Number(p50) / Number(alone)).toFixed(1)]
}

/** What goes on beside searches: the event loop under broad ones, and a write until it is found. */
async function besides(index: SearchIndex): Promise<string> {
  const broad = queries.find(({ name }) => name === 'word, 30 %')
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const ask = async (n: number) =>
    void (broad && (await index.search({ ...broad.request, boosts: { none: -3 - n } })))
  await lanes(60, 4, ask)
  delay.disable()
  const p99 = (delay.percentile(99) / 1e6).toFixed(1)
  const newest = await index.newestVersion()
  const puts = [...records(200)].map((put, n) => ({ put: { ...put, version: newest + n + 1 } }))
  const written = await lanes(puts.length, 2, (n) => index.write(puts.slice(n, n + 1)))
  return `event loop delay p99 ${p99} ms beside broad queries; a write is searchable after p50 ${percentile(written, 0.5)}, p99 ${percentile(written, 0.99)} ms`
}

type Bare = ReturnType<typeof bareIndex>

/** One column with all words, without facets or anything to sort by. */
function bareIndex(path: string) {
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536;
    CREATE VIRTUAL TABLE IF NOT EXISTS fts USING fts5(text, content='', contentless_delete=1, tokenize='ascii')`)
  const insert = db.prepare('INSERT INTO fts(rowid, text) VALUES (?, ?)')
  const top = db.prepare(
    'SELECT rowid, bm25(fts) AS score FROM fts WHERE fts MATCH ? ORDER BY score LIMIT 10',
  )
  const all = db.prepare('SELECT count(*) AS count FROM fts WHERE fts MATCH ?')
  let next = 1
  return {
    add: (batch: readonly IndexChange[]) => {
      db.exec('BEGIN')
      for (const change of batch) {
        if (!('put' in change)) continue
        const texts = Object.values(change.put.text).flatMap((values) =>
          Object.values(values).flat(),
        )
        insert.run(next++, tokens(texts.join(' ')).join(' '))
      }
      db.exec('COMMIT')
    },
    /** The ten best and how many there are. */
    search: (match: string) => {
      if (top.all(match).length > 0 && all.all(match).length !== 1) throw new Error('no count')
    },
    close: () => db.close(),
  }
}

async function sizeOf(folder: string): Promise<number> {
  await mkdir(folder, { recursive: true })
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
