/** A whole catalogue from a dump to searchable, against the bare parser, the raw store and the raw index. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { client, eventually, type Gateway } from '../support/gateway.ts'
import { cartulary } from '../support/program.ts'
import { perSecond, table, timed } from './figures.ts'
import { memory } from './memory.ts'
import { bareIndex, bareN3, bareStore, parseOnly } from './raw.ts'

/** Runs the import command; its output. */
export async function importDump(file: string, { url, key }: Gateway): Promise<string> {
  const env = { CARTULARY_SERVER: url, CARTULARY_KEY: key }
  const { code, out, err } = await cartulary(['import', file, '--catalogue', 'bench'], { env })
  if (code !== 0) throw new Error(`import ended with ${code}: ${out}${err}`)
  return out
}

export async function importBench(
  platform: Gateway,
  file: string,
  datasets: number,
): Promise<string> {
  const api = client(platform)
  const indexed = async () => {
    const { pending } = await api.json<{ pending: number }>(`${platform.url}/health`)
    return pending === 0
  }
  const raw = {
    'bare n3, text in memory': await bareN3(file),
    'parse only, streamed': await parseOnly(file),
    'raw store (Oxigraph load)': await bareStore(file),
    'raw index (FTS5, one column)': await bareIndex(
      await texts(file),
      join(platform.directory, 'raw.db'),
    ),
  }
  let output = ''
  const sent = await timed(async () => (output = await importDump(file, platform)))
  const searchable = sent + (await timed(() => eventually(indexed, 600_000)))
  const again = await timed(() => importDump(file, platform))
  const { peak, now } = await memory(platform.process.pid)
  const row = (name: string, ms: number) => [
    name,
    (ms / 1000).toFixed(1),
    perSecond(datasets, ms),
    (searchable / ms).toFixed(1),
  ]
  return [
    output.trim().split('\n').at(-1),
    table([
      [`${datasets} datasets`, 'seconds', 'datasets/s', 'import = x times'],
      ...Object.entries(raw).map(([name, ms]) => row(name, ms)),
      row('import, acknowledged', sent),
      row('import, searchable', searchable),
      row('import again, all unchanged', again),
    ]),
    `resident memory of the platform: ${now} MB, peak ${peak} MB`,
  ].join('\n')
}

/** Titles, descriptions and keywords per dataset, as the raw index takes them. */
async function texts(file: string): Promise<string[]> {
  const found = new Map<string, string[]>()
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    const match =
      /^(<[^>]+\/dataset\/[^>]+>) <[^>]*(?:title|description|keyword)> "((?:[^"\\]|\\.)*)"/.exec(
        line,
      )
    if (!match) continue
    const [, subject = '', text = ''] = match
    found.set(subject, [...(found.get(subject) ?? []), text])
  }
  return [...found.values()].map((values) => values.join(' '))
}
