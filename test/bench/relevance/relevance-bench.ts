/**
 * Order of hits against judged queries: over the demonstration, over the texts of DataFinder, or on a portal that runs (`server`) with
 * queries of one's own.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, gateway } from '../../support/gateway.ts'
import {
  figuresOf,
  judgePortal,
  readQueries,
  type Judgement,
  type JudgedQuery,
} from '../../support/relevance.ts'
import { startDemo } from '../../portal/demo-process.ts'
import { isEmbedded } from '../embedder-bench.ts'
import { percentile, table } from '../figures.ts'
import { searchServerOf } from '../search-servers.ts'
import { dataFinder, fillWithDataFinder } from './datafinder.ts'

const demoQueries = new URL('../../fixtures/relevance/demo-queries.json', import.meta.url).pathname

export type RelevanceBench = {
  readonly directory: string
  /** `demo` or `datafinder`; a portal of one's own is named by `server`. */
  readonly corpus: string
  /** `embedded`, `meilisearch` or `opensearch`. */
  readonly engine: string
  /** Address of a portal that runs. */
  readonly server?: string
  /** Path of a file of judged queries; those of the demonstration when absent. */
  readonly queries?: string
  /** Path of a file to which the figures of each query are written. */
  readonly save?: string
  /** Path of such a file to compare with. */
  readonly against?: string
  /** Further parameters of each search, such as `words=most`. */
  readonly parameters?: string
  /** `PLATFORM_EMBEDDER_CONFIG` of the platform that is filled; it is asked once all records have their vectors. */
  readonly embedder?: string
  readonly say: (text: string) => void
}

export async function relevanceBench(bench: RelevanceBench): Promise<void> {
  const parameters = Object.fromEntries(new URLSearchParams(bench.parameters ?? ''))
  const judged = (origin: string, queries: readonly JudgedQuery[]) =>
    judgePortal(origin, queries, parameters)
  if (bench.server !== undefined) {
    const queries = readQueries(bench.queries ?? demoQueries)
    return report(bench.server, await judged(bench.server, queries), bench)
  }
  const server = await searchServerOf(bench.engine)
  const environment: Record<string, string> = {
    ...server?.env,
    ...(bench.embedder !== undefined && { PLATFORM_EMBEDDER_CONFIG: bench.embedder }),
  }
  try {
    if (bench.corpus === 'datafinder') await ofDataFinder(bench, environment, judged)
    else {
      const demo = await startDemo(bench.directory, environment)
      try {
        const queries = readQueries(bench.queries ?? demoQueries)
        if (bench.embedder !== undefined) await embedded(demo.home)
        report(`demo on ${bench.engine}`, await judged(demo.home, queries), bench)
      } finally {
        await demo.end()
      }
    }
  } finally {
    await server?.stop()
  }
}

async function ofDataFinder(
  bench: RelevanceBench,
  environment: Record<string, string>,
  judged: (origin: string, queries: readonly JudgedQuery[]) => Promise<readonly Judgement[]>,
): Promise<void> {
  if (!existsSync(dataFinder)) {
    bench.say(`the texts of DataFinder are not there: ${dataFinder}`)
    return
  }
  const platform = await gateway(join(bench.directory, 'datafinder'), environment)
  try {
    const queries = await fillWithDataFinder(platform)
    if (bench.embedder !== undefined) await embedded(platform.url)
    report(`DataFinder on ${bench.engine}`, await judged(platform.url, queries), bench)
  } finally {
    await platform.stop()
  }
}

/** Resolves once no record waits for its vector; rejects after an hour. */
async function embedded(origin: string): Promise<void> {
  const isDone = () => isEmbedded({ url: origin })
  if (!(await eventually(isDone, 3_600_000))) throw new Error('the embedder did not follow')
}

const share = (value: number) => value.toFixed(3)

/** Prints the figures by language and kind, and the ten worst queries; with `against` what rose and fell. */
function report(title: string, judgements: readonly Judgement[], bench: RelevanceBench): void {
  const rowOf = (name: string, some: readonly Judgement[]) => {
    const { queries, ndcg, mrr, withoutHit, meanHits } = figuresOf(some)
    const times = some.map(({ ms }) => ms)
    return [
      name,
      queries,
      share(ndcg),
      share(mrr),
      withoutHit,
      meanHits.toFixed(1),
      percentile(times, 0.5),
      percentile(times, 0.95),
    ]
  }
  const groups = [
    ...Map.groupBy(judgements, ({ lang }) => lang),
    ...Map.groupBy(judgements, ({ kind }) => kind),
  ].filter(([, some]) => some.length < judgements.length)
  bench.say(
    `## relevance: ${title}\n${table([
      ['queries', 'number', 'nDCG@10', 'MRR', 'no hit', 'hits', 'p50 ms', 'p95 ms'],
      rowOf('all', judgements),
      ...groups.map(([name, some]) => rowOf(name, some)),
    ])}`,
  )
  const worst = judgements.toSorted((a, b) => a.ndcg - b.ndcg).slice(0, 10)
  bench.say(
    `Worst:\n${worst.map(({ ndcg, id, q, ids }) => `${share(ndcg)} ${id} “${q}”: ${ids.slice(0, 5).join(', ')}`).join('\n')}`,
  )
  if (bench.against !== undefined) bench.say(changesSince(bench.against, judgements))
  if (bench.save !== undefined)
    writeFileSync(
      bench.save,
      JSON.stringify(Object.fromEntries(judgements.map(({ id, ndcg }) => [id, ndcg]))),
    )
}

function changesSince(path: string, judgements: readonly Judgement[]): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `save`
  const before = JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>
  const changes = judgements
    .map(({ id, q, ndcg }) => ({ id, q, ndcg, was: before[id] ?? 0 }))
    .filter(({ ndcg, was }) => Math.abs(ndcg - was) > 1e-9)
    .toSorted((a, b) => a.ndcg - a.was - (b.ndcg - b.was))
  const lines = changes.map(({ id, q, ndcg, was }) => `${share(was)} → ${share(ndcg)} ${id} “${q}”`)
  return `Fell and rose (${lines.length}):\n${lines.join('\n')}`
}
