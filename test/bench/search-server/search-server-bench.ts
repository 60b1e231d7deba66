/** Searches over generated records on an engine with a server, beside what it takes when asked directly in the same run. */

import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { meilisearchIndex } from '../../../src/search-index/meilisearch/meilisearch-index.ts'
import { opensearchIndex } from '../../../src/search-index/opensearch/opensearch-index.ts'
import type { IndexChange, SearchIndex } from '../../../src/search-index/search-index.ts'
import { logger } from '../../../src/log.ts'
import { lanes, percentile, perSecond, table, timed } from '../figures.ts'
import type { RunningEngine } from '../search-servers.ts'
import { queries, treeSearch } from '../search/queries.ts'
import { records, settings } from '../search/records.ts'
import { directly } from './direct.ts'
import { recording, sent, type Call } from './recording.ts'

export type SearchServerBench = {
  readonly server: RunningEngine
  readonly count: number
  /** Of every query. */
  readonly rounds: number
  readonly say: (text: string) => void
}

const perBatch = 5000

/** On a server that the environment names the records stay, and are not written a second time. */
export async function searchServerBench(bench: SearchServerBench): Promise<void> {
  const { server, count, rounds, say } = bench
  const engine = await engineAt(server.url, server, count)
  try {
    const filling = await filled(engine, count)
    say(`## search on ${server.name}, ${count} records${filling}`)
    say(await times(engine, server, { count, rounds }))
    say(await writes(engine, count))
  } finally {
    await engine.close()
  }
}

async function engineAt(
  url: string,
  { name, key }: Pick<RunningEngine, 'name' | 'key'>,
  count: number,
): Promise<SearchIndex> {
  const options = {
    prefix: `bench${count}_`,
    log: logger('silent'),
    searchMs: 60_000,
    cursors: { perClient: 16, total: 256, ttlMs: 60_000, bytes: 2 ** 28 },
    now: () => performance.now(),
    pause: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }),
  }
  const engine =
    name === 'opensearch'
      ? await opensearchIndex({ ...options, urls: [url] })
      : await meilisearchIndex({ ...options, url, ...(key !== undefined && { apiKey: key }) })
  for (const index of (await engine.configure([settings])).rebuild) await engine.finish(index)
  return engine
}

/** How fast the records came in, if they were not there. */
async function filled(engine: SearchIndex, count: number): Promise<string> {
  if (((await engine.health()).documents.dataset ?? 0) >= count) return ', there already'
  let ms = 0
  let batch: IndexChange[] = []
  const flush = async () => {
    ms += await timed(() => engine.write(batch))
    batch = []
  }
  for (const put of records(count)) {
    batch.push({ put })
    if (batch.length === perBatch) await flush()
  }
  if (batch.length > 0) await flush()
  return `, written and searchable at ${perSecond(count, ms)} a second`
}

/** What one search of the engine does not rank. */
const further = [
  { name: 'either of two words', request: treeSearch('or(some, broad)') },
  {
    name: 'word, 3 %, descriptions first',
    request: { ...treeSearch('some'), boosts: { description: 20 } },
  },
]

type Run = { readonly count: number; readonly rounds: number }

const head = [
  'query',
  'hits',
  'p50 ms',
  'p95 ms',
  'direct p50',
  'p95',
  'ratio',
  'call p50',
  'calls',
]

async function times(engine: SearchIndex, server: RunningEngine, run: Run): Promise<string> {
  const recorder = await recording(server)
  const watched = await engineAt(recorder.url, server, run.count)
  const agent = new Agent({ keepAlive: true })
  const rows: (string | number)[][] = [head]
  try {
    for (const query of [...queries, ...further]) {
      const { count } = await watched.search(query.request)
      const calls = recorder.take()
      const { own, direct: candidates } = directly(server.name, calls)
      let direct: Call | undefined
      // One that finds something else is none to be compared with.
      for (const call of candidates)
        if (!direct && (await sent(agent, server, call)) === count) direct = call
      if (!own || !direct) continue
      const [same, call] = [direct, own]
      const asking = {
        ours: async () => void (await engine.search(query.request)),
        theirs: async () => void (await sent(agent, server, same)),
        call: async () => void (await sent(agent, server, call)),
      }
      rows.push([query.name, count, ...(await row(asking, run.rounds)), calls.length])
    }
  } finally {
    agent.destroy()
    await watched.close()
    recorder.close()
  }
  return table(rows)
}

type Asking = {
  readonly ours: () => Promise<void>
  readonly theirs: () => Promise<void>
  /** What we ask, without what we make of the question and the answer. */
  readonly call: () => Promise<void>
}

/** By turns, so that all see the same machine. */
async function row(asking: Asking, rounds: number): Promise<readonly string[]> {
  const [ours, theirs, call]: [number[], number[], number[]] = [[], [], []]
  // The first answers warm the caches.
  for (const ask of [asking.ours, asking.theirs, asking.call]) await ask()
  for (let round = 0; round < rounds; round++) {
    ours.push(await timed(asking.ours))
    theirs.push(await timed(asking.theirs))
    call.push(await timed(asking.call))
  }
  const [own, alone] = [percentile(ours, 0.5), percentile(theirs, 0.5)]
  const ratio = (Number(own) / Number(alone)).toFixed(2)
  return [
    own,
    percentile(ours, 0.95),
    alone,
    percentile(theirs, 0.95),
    ratio,
    percentile(call, 0.5),
  ]
}

const [writesPerSecond, writesAtRate] = [100, 2000]

/** How long a write takes until it is found: alone, and at a steady rate. */
async function writes(engine: SearchIndex, count: number): Promise<string> {
  let version = count + Math.round(await engine.newestVersion())
  const some = [...records(400)]
  const put = (n: number) =>
    engine.write(some.slice(n, n + 1).map((one) => ({ put: { ...one, version: ++version } })))
  const alone = await lanes(40, 1, put)
  const steady = await Promise.all(
    Array.from({ length: writesAtRate }, async (_, n) => {
      await sleep((n * 1000) / writesPerSecond)
      return timed(() => put(n % some.length))
    }),
  )
  const told = (times: readonly number[]) =>
    `p50 ${percentile(times, 0.5)}, p99 ${percentile(times, 0.99)} ms`
  return `a write is searchable after ${told(alone)} alone, ${told(steady)} at ${writesPerSecond} a second`
}
