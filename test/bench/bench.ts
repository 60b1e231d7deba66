/**
 * Figures and ratios, printed, never asserted: `npm run bench [-- --datasets n]`, `npm run bench -- project [--datasets n]`,
 * `npm run bench -- harvest [--datasets n] [--aside] [--store …]`, `npm run bench -- metrics [--datasets n] [--workers n]`,
 * `npm run bench -- soak [--minutes n] [--statements n]`, `npm run bench -- siege [--seconds n]`,
 * `npm run bench -- readers [--datasets n] [--seconds n]`, `npm run bench -- portal [--datasets n] [--engine meilisearch|opensearch]`,
 * `npm run bench -- relevance [--corpus demo|datafinder] [--engine meilisearch|opensearch] [--server url] [--queries file] [--save file] [--against file] [--parameters words=most] [--embedder json]`,
 * `npm run bench -- embedder`, `npm run bench -- desk`, `npm run bench -- triggers [--triggers n] [--seconds n]`, `npm run bench -- search [--records n] [--engine embedded|meilisearch|opensearch] [--directory kept]`,
 * or `npm run bench -- repository --store embedded|fuseki|virtuoso [--load n]`.
 */

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { deskBench } from './desk-bench.ts'
import { embedderBench } from './embedder-bench.ts'
import { harvestAsideBench } from './harvest-aside-bench.ts'
import { harvestBench } from './harvest-bench.ts'
import { importBench } from './import-bench.ts'
import { metricsBench } from './metrics-bench.ts'
import { portalBench } from './portal-bench.ts'
import { projectBench } from './project-bench.ts'
import { repositoryBench } from './repository/repository-bench.ts'
import { readersBench } from './readers-bench.ts'
import { relevanceBench } from './relevance/relevance-bench.ts'
import { requestsBench } from './requests-bench.ts'
import { searchServerBench } from './search-server/search-server-bench.ts'
import { searchServerOf } from './search-servers.ts'
import { searchBench } from './search/search-bench.ts'
import { engineOf, environmentOf, storeNamed } from './stores.ts'
import { siegeBench } from './siege/siege-bench.ts'
import { soakBench } from './soak-bench.ts'
import { storeSoakBench } from './store-soak-bench.ts'
import { triggersBench } from './triggers-bench.ts'

const generator = new URL('../../../shared/data/generate-catalogue.mjs', import.meta.url).pathname

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: 'string', default: 'embedded' },
    load: { type: 'string', default: '0' },
    datasets: { type: 'string', default: '20000' },
    requests: { type: 'string', default: '1000' },
    records: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '20' },
    workers: { type: 'string', default: '1' },
    engine: { type: 'string', default: 'embedded' },
    triggers: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '30' },
    statements: { type: 'string', default: '2000000' },
    corpus: { type: 'string', default: 'demo' },
    server: { type: 'string' },
    queries: { type: 'string' },
    save: { type: 'string' },
    against: { type: 'string' },
    parameters: { type: 'string' },
    embedder: { type: 'string' },
    // Into a repository that only remembers ids: what the harvest needs by itself.
    aside: { type: 'boolean', default: false },
    // Is kept, and what it holds already is not made again.
    directory: { type: 'string' },
  },
})
const say = (text: string) => process.stdout.write(`${text}\n\n`)

/** Documents that the generator writes: one dump, or a folder of single datasets. */
function generate(count: string, format: string, out: string): void {
  execFileSync(
    process.execPath,
    [generator, '--datasets', count, '--format', format, '--out', out],
    { stdio: 'ignore' },
  )
}

const needsData =
  !values.aside &&
  !['search', 'relevance', 'embedder', 'triggers', 'desk'].some((name) =>
    positionals.includes(name),
  )
if (!existsSync(generator) && needsData) {
  say(`the catalogue generator is not there: ${generator}`)
  process.exit(1)
}

/** Requests one by one and an import, on the embedded store. */
async function platformBench(directory: string, folder: string): Promise<void> {
  const dump = join(directory, 'dump.nt')
  generate(values.datasets, 'nt', dump)
  for (const [name, bench] of [
    ['requests', (platform) => requestsBench(platform, folder)],
    ['import', (platform) => importBench(platform, dump, Number(values.datasets))],
  ] as const satisfies [string, (platform: Gateway) => Promise<string>][]) {
    const platform = await gateway(join(directory, name))
    try {
      say(`## ${name}\n${await bench(platform)}`)
    } finally {
      await platform.stop()
    }
  }
}

/** A pipe from a dump into the repository, on whatever store. */
async function pipeBench(directory: string): Promise<void> {
  const dump = join(directory, 'dump.nt')
  const datasets = Number(values.datasets)
  generate(values.datasets, 'nt', dump)
  const engine = await engineOf(storeNamed(values.store))
  const env = environmentOf(engine)
  try {
    const figures = await harvestBench(join(directory, 'harvest'), { dump, datasets, env })
    say(`## harvest on ${values.store}\n${figures}`)
  } finally {
    await engine?.stop()
  }
}

/** What is made of the datasets of the generator. */
async function catalogueBench(directory: string): Promise<void> {
  const folder = join(directory, 'single')
  generate(values.requests, 'ttl', folder)
  if (positionals.includes('project')) {
    say(`## project\n${await projectBench(directory, folder, Number(values.datasets))}`)
  } else if (positionals.includes('repository')) {
    const [store, load] = [storeNamed(values.store), Number(values.load)]
    await repositoryBench({ store, directory, folder, load, say })
  } else {
    await platformBench(directory, folder)
  }
}

const directory = values.directory ?? (await temporaryDirectory())
try {
  if (positionals.includes('search')) {
    const [count, rounds] = [Number(values.records), Number(values.rounds)]
    const server = await searchServerOf(values.engine)
    if (server) await searchServerBench({ server, count, rounds, say })
    else await searchBench({ directory, count, rounds, say })
    await server?.stop()
  } else if (positionals.includes('relevance')) {
    const { corpus, engine, server, queries, save, against, parameters, embedder } = values
    await relevanceBench({
      directory,
      corpus,
      engine,
      server,
      queries,
      save,
      against,
      parameters,
      embedder,
      say,
    })
  } else if (positionals.includes('embedder')) {
    await embedderBench(join(directory, 'embedder'), say)
  } else if (positionals.includes('desk')) {
    await deskBench(directory, say)
  } else if (positionals.includes('triggers')) {
    const wish = { triggers: Number(values.triggers), seconds: Number(values.seconds) }
    say(`## triggers\n${await triggersBench(directory, wish)}`)
  } else if (positionals.includes('harvest') && values.aside) {
    const datasets = Number(values.datasets)
    say(`## harvest aside\n${await harvestAsideBench(join(directory, 'harvest'), datasets)}`)
  } else if (positionals.includes('harvest')) {
    await pipeBench(directory)
  } else if (positionals.includes('metrics')) {
    const [dump, folder] = [join(directory, 'dump.nt'), join(directory, 'single')]
    generate(values.datasets, 'nt', dump)
    generate(values.requests, 'ttl', folder)
    const [datasets, workers] = [Number(values.datasets), Number(values.workers)]
    say(`## metrics\n${await metricsBench(directory, { dump, folder, datasets, workers })}`)
  } else if (positionals.includes('soak')) {
    const alone = await storeSoakBench(directory, Number(values.statements))
    say(`## soak of the store alone\n${alone}`)
    const folder = join(directory, 'single')
    generate('2000', 'ttl', folder)
    const platform = await gateway(join(directory, 'soak'))
    try {
      say(`## soak\n${await soakBench(platform, { folder, minutes: Number(values.minutes) })}`)
    } finally {
      await platform.stop()
    }
  } else if (positionals.includes('portal')) {
    const dump = join(directory, 'dump.nt')
    generate(values.datasets, 'nt', dump)
    const server = await searchServerOf(values.engine)
    const platform = await gateway(join(directory, 'portal'), server?.env)
    try {
      const title = `portal on ${values.engine}, ${values.datasets} records`
      say(`## ${title}\n${await portalBench(platform, dump)}`)
    } finally {
      await platform.stop()
      await server?.stop()
    }
  } else if (positionals.includes('readers')) {
    const [dump, folder] = [join(directory, 'dump.nt'), join(directory, 'single')]
    generate(values.datasets, 'nt', dump)
    generate('500', 'ttl', folder)
    await readersBench({ directory, dump, folder, seconds: Number(values.seconds), say })
  } else if (positionals.includes('siege')) {
    const folder = join(directory, 'single')
    generate('1000', 'ttl', folder)
    await siegeBench(join(directory, 'siege'), { folder, seconds: Number(values.seconds), say })
  } else await catalogueBench(directory)
} finally {
  if (values.directory === undefined) await remove(directory)
}
