/** A catalogue through the whole quality pipeline without URL checks, beside the bare validator; writes meanwhile. */

import { setTimeout as wait } from 'node:timers/promises'
import { join } from 'node:path'
import type { Run } from '../../src/pipe/runs/run.ts'
import { openValidation } from '../../src/metrics/validate/validation.ts'
import { parse } from '../../src/rdf/parse.ts'
import { logger } from '../../src/log.ts'
import { scheduler } from '../journeys/harvesting/scheduler.ts'
import { client, eventually, gateway, type Gateway } from '../support/gateway.ts'
import { importDump } from './import-bench.ts'
import { percentile, perSecond, table, timed } from './figures.ts'
import { memory } from './memory.ts'
import { dataset, documents } from './repository/documents.ts'

/** Every report is another one under these. */
const [usual, other] = ['dcatap301level1', 'dcatap211level2']

const ended = ['finished', 'failed', 'cancelled', 'timed-out', 'interrupted']

type Load = {
  /** Of the generator: one dump, and documents of single datasets. */
  readonly dump: string
  readonly folder: string
  readonly datasets: number
  readonly workers: number
}

export async function metricsBench(directory: string, load: Load): Promise<string> {
  const pool = await documents(load.folder)
  const platform = await gateway(join(directory, 'platform'), {
    PLATFORM_METRICS_CONFIG: JSON.stringify({ urlChecks: false, workers: load.workers }),
  })
  try {
    const bare = await validation(pool, load.workers)
    await filled(platform, load.dump)
    const quiet = await writing(platform, pool, 'quiet', after(10_000))
    const rows = [
      ['bare validator', '', perSecond(pool.length, bare), '1.00', ''],
      await round(platform, 'first run', { ...load, model: usual }, bare / pool.length),
      await round(platform, 'nothing new', { ...load, model: usual }, bare / pool.length),
      await round(platform, 'other shapes', { ...load, model: other }, bare / pool.length),
    ]
    const beside = await besideRun(platform, pool)
    return [
      table([['', 's', 'datasets/s', 'of bare', 'RSS MiB over time'], ...rows]),
      '',
      table([
        ['PUT one after the other', 'count', 'p50 ms', 'p95 ms'],
        ['quiet', quiet.length, percentile(quiet, 0.5), percentile(quiet, 0.95)],
        ['beside a run', beside.length, percentile(beside, 0.5), percentile(beside, 0.95)],
      ]),
    ].join('\n')
  } finally {
    await platform.stop()
  }
}

/** Every document validated by the pool that the segment uses, and nothing else (ms). */
async function validation(pool: readonly string[], workers: number): Promise<number> {
  const validator = await openValidation({
    directory: new URL('../../shapes/dcat-ap', import.meta.url).pathname,
    workers,
    log: logger('silent'),
  })
  const parsed = await Promise.all(
    pool.map((text) => parse(text, 'turtle', { baseIri: 'urn:bench:' })),
  )
  const signal = AbortSignal.timeout(600_000)
  const models = [usual]
  const all = async () => {
    const waiting = parsed.values()
    const lane = async () => {
      for (const quads of waiting) await validator.validate(quads, models, signal)
    }
    await Promise.all(Array.from({ length: workers * 4 }, lane))
  }
  try {
    // The first time the shapes are read and the code is compiled.
    await all()
    return await timed(all)
  } finally {
    await validator.stop()
  }
}

async function filled(platform: Gateway, dump: string): Promise<void> {
  const api = client(platform)
  const catalogue =
    '<urn:x> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "Bench"@en ; <http://purl.org/dc/terms/type> "dcat-ap" .'
  for (const id of ['bench', 'writes']) await api.put(`/catalogues/${id}`, catalogue)
  await importDump(dump, platform)
  await settled(platform)
}

const settled = (platform: Gateway): Promise<boolean> =>
  eventually(async () => {
    const address = `${platform.url}/health`
    return (await client(platform).json<{ pending: number }>(address)).pending === 0
  }, 600_000)

async function launched(platform: Gateway, shapeModel: string): Promise<string> {
  const { base, headers } = scheduler(platform)
  const configs = { 'metrics-validating-shacl': { catalogue: 'bench', shapeModel } }
  const body = JSON.stringify({ configs })
  const answer = await fetch(`${base}/pipes/metrics/runs`, { method: 'POST', headers, body })
  return ((await answer.json()) as Run).id
}

async function round(
  platform: Gateway,
  name: string,
  { datasets, model }: Load & { readonly model: string },
  bareMs: number,
): Promise<(string | number)[]> {
  const { run } = scheduler(platform)
  const sizes: number[] = []
  let told = ''
  const ms = await timed(async () => {
    const id = await launched(platform, model)
    for (let at = await run(id); !ended.includes(at.status); at = await run(id)) {
      sizes.push((await memory(platform.process.pid)).now)
      await wait(250)
    }
    const { counts, status } = await run(id)
    const written = counts.created + counts.updated
    if (written !== datasets) {
      told = ` (${status}: ${written} written, ${counts.unchanged} unchanged, ${counts.failed} failed)`
    }
  })
  const searchable = ms + (await timed(() => settled(platform)))
  const step = Math.max(1, Math.floor(sizes.length / 6))
  const some = sizes.filter((_, at) => at % step === 0)
  return [
    `${name}${told}`,
    `${(ms / 1000).toFixed(1)} (searchable ${(searchable / 1000).toFixed(1)})`,
    perSecond(datasets, ms),
    ((bareMs * datasets) / ms).toFixed(2),
    some.join(' '),
  ]
}

async function besideRun(platform: Gateway, pool: readonly string[]): Promise<number[]> {
  // All of it is written again.
  const id = await launched(platform, usual)
  const { run } = scheduler(platform)
  let isOver = false
  const watching = eventually(async () => ended.includes((await run(id)).status), 600_000).then(
    () => (isOver = true),
  )
  const times = await writing(platform, pool, 'beside', () => isOver)
  await watching
  return times
}

function after(ms: number): () => boolean {
  const end = performance.now() + ms
  return () => performance.now() > end
}

/** New datasets, one after the other and twenty a second at most, until it is over; each in ms. */
async function writing(
  platform: Gateway,
  pool: readonly string[],
  name: string,
  isOver: () => boolean,
): Promise<number[]> {
  const api = client(platform)
  const times: number[] = []
  for (let n = 0; !isOver(); n += 1) {
    const body = dataset(pool, n)
    const put = () => api.putDataset('writes', `${name}-${n}`, body, { Prefer: 'respond-async' })
    times.push(await timed(put))
    await wait(50)
  }
  return times
}
