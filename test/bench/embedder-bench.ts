/**
 * Searches with `related=true` beside an embedder in each state that it may get into, against the same searches without one, and
 * how long it takes until records are related again once it answers.
 */

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { embedderDouble, type Mood } from '../support/embedder.ts'
import { client, eventually, gateway, type Gateway } from '../support/gateway.ts'
import { judgePortal, type JudgedQuery } from '../support/relevance.ts'
import { lanes, percentile } from './figures.ts'
import { fillWithDataFinder } from './relevance/datafinder.ts'

const dimensions = 256
/** A vector that depends on the text. */
const vectorOf = (text: string): readonly number[] =>
  Array.from(
    { length: dimensions },
    (_, n) => ((text.charCodeAt(n % text.length) * (n + 7)) % 255) - 127,
  )

const states: readonly (readonly [name: string, mood: Mood])[] = [
  ['up', {}],
  ['slow (5 s)', { afterMs: 5000 }],
  ['slow (140 ms)', { afterMs: 140 }],
  ['away', { isAway: true }],
  ['nonsense', { body: '<html>' }],
  ['429', { status: 429, headers: { 'Retry-After': '1' } }],
  ['500', { status: 500, body: '{}' }],
  [
    'other dimensions',
    { body: JSON.stringify({ data: [{ index: 0, embedding: Array(16).fill(1) }] }) },
  ],
]

/** Clients that search at the same time, in the first figures of each state. */
const clients = 8

/** Measures all states over the texts of DataFinder, and says each line of a table. */
export async function embedderBench(directory: string, say: (text: string) => void): Promise<void> {
  const embedder = await embedderDouble({ vectorOf })
  const config = { url: embedder.url, model: 'double', perMinute: 60_000 }
  const beside = join(directory, 'beside')
  const filled = await gateway(beside)
  const all = await fillWithDataFinder(filled)
  const [queries = [], others = []] = [0, 1].map((part) => all.filter((_, n) => n % 3 === part))
  await filled.stop()
  const alone = join(directory, 'alone')
  cpSync(beside, alone, { recursive: true })
  say(head.join(' | '))
  try {
    for (const [name, mood] of states) {
      embedder.state.mood = {}
      const env = { PLATFORM_EMBEDDER_CONFIG: JSON.stringify(config) }
      const [without, platform] = await Promise.all([gateway(alone), gateway(beside, env)])
      try {
        if (!(await eventually(() => isEmbedded(platform), 600_000)))
          throw new Error('the embedder did not follow')
        // Both have started just now: the first searches of a process are slow.
        for (const { url } of [without, platform]) await judgePortal(url, others)
        embedder.state.mood = mood
        await write(platform, name)
        const figures = await measure(without, platform, queries)
        embedder.state.mood = {}
        say([name, ...figures, ...(await secondsUntilBack(platform))].join(' | '))
      } finally {
        await Promise.all([without.stop(), platform.stop()])
      }
    }
  } finally {
    await embedder.stop()
  }
}

const head = [
  'embedder',
  ...[`${clients} clients`, '1 client'].map(
    (who) => `${who}: p50, p95 ms without; p50, p95 with; p50, p95, most of the difference`,
  ),
  'query, record back after s',
]

/** Figures of searches by several clients, then by one; each is asked without an embedder and then beside it, no query twice. */
async function measure(
  without: Gateway,
  beside: Gateway,
  queries: readonly JudgedQuery[],
): Promise<string[]> {
  const half = Math.floor(queries.length / 2)
  const parts = [
    [queries.slice(half), clients],
    [queries.slice(0, half), 1],
  ] as const
  const figures: string[] = []
  for (const [some, number] of parts) {
    const times: (readonly [before: number, after: number])[] = []
    await lanes(some.length, number, async (n) => {
      const asked = some.slice(n, n + 1)
      const [before] = await judgePortal(without.url, asked, { related: 'true' })
      const [after] = await judgePortal(beside.url, asked, { related: 'true' })
      if (before && after) times.push([before.ms, after.ms])
    })
    const of = (value: (pair: readonly [number, number]) => number, ...shares: number[]) =>
      shares.map((share) => percentile(times.map(value), share)).join(' ')
    const difference = of(([before, after]) => after - before, 0.5, 0.95, 1)
    figures.push(`${of(([ms]) => ms, 0.5, 0.95)}; ${of(([, ms]) => ms, 0.5, 0.95)}; ${difference}`)
  }
  return figures
}

const titleOf = (state: string) => `Written while it was ${state}`

async function write(platform: Gateway, state: string): Promise<void> {
  const body = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
    <urn:x:late> a dcat:Dataset ; dct:title "${titleOf(state)}"@en .`
  const answer = await client(platform).putDataset('texts', `late-${state}`, body)
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

/** Seconds until a search has related records again, and until the record that was written meanwhile has its vector. */
async function secondsUntilBack(platform: Gateway): Promise<readonly string[]> {
  const started = performance.now()
  const seconds = () => ((performance.now() - started) / 1000).toFixed(1)
  const isRelated = async () => {
    const { result } = await client(platform).json<{ result: { related?: number } }>(
      `${platform.url}/api/hub/search/search?filters=dataset&limit=1&related=true&q=${encodeURIComponent(`back ${Math.round(performance.now())}`)}`,
    )
    return result.related !== undefined
  }
  const byQuery = (await eventually(isRelated, 120_000)) ? seconds() : 'never'
  const byRecord = (await eventually(() => isEmbedded(platform), 600_000)) ? seconds() : 'never'
  return [byQuery, byRecord]
}

/** Whether no record waits for its vector. */
export async function isEmbedded({ url }: Pick<Gateway, 'url'>): Promise<boolean> {
  const metrics = await (await fetch(new URL('/metrics', url))).text()
  return /^cartulary_embedder_waiting_texts 0$/m.test(metrics)
}
