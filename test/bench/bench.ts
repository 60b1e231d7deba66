/** `npm run bench [-- --datasets n]`: figures and ratios, printed, never asserted. */

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gateway, remove, temporaryDirectory } from '../support/gateway.ts'
import { importBench } from './import-bench.ts'
import { requestsBench } from './requests-bench.ts'

const generator = new URL('../../../shared/data/generate-catalogue.mjs', import.meta.url).pathname

const { values } = parseArgs({
  options: {
    datasets: { type: 'string', default: '20000' },
    requests: { type: 'string', default: '1000' },
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

if (!existsSync(generator)) {
  say(`the catalogue generator is not there: ${generator}`)
  process.exit(1)
}
const directory = await temporaryDirectory()
try {
  const dump = join(directory, 'dump.nt')
  const folder = join(directory, 'single')
  generate(values.datasets, 'nt', dump)
  generate(values.requests, 'ttl', folder)
  for (const [name, bench] of [
    ['requests', (platform) => requestsBench(platform, folder)],
    ['import', (platform) => importBench(platform, dump, Number(values.datasets))],
  ] as const satisfies [
    string,
    (platform: Awaited<ReturnType<typeof gateway>>) => Promise<string>,
  ][]) {
    const platform = await gateway(join(directory, name))
    try {
      say(`## ${name}\n${await bench(platform)}`)
    } finally {
      await platform.stop()
    }
  }
} finally {
  await remove(directory)
}
