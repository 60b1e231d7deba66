/** The demonstration: fills a fresh platform with the sample catalogues and says where to look. */

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from './importing/import-client.ts'
import { importDump } from './importing/dump.ts'
import { openSource } from './importing/source.ts'

export type Demo = {
  /** Address of the platform, without a slash at its end. */
  readonly url: string
  readonly key: string
  /** Directory of RDF documents, each a catalogue with its datasets. */
  readonly folder: string
  readonly out: { write(text: string): unknown }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Imports every document of the folder through the public API, as any client would; a signal ends it without a word. */
export async function runDemo(demo: Demo, signal: AbortSignal): Promise<void> {
  try {
    const created = await importAll(demo, signal)
    if (!signal.aborted) demo.out.write(farewell(demo.url, demo.key, created))
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function importAll({ url, key, folder, out }: Demo, signal: AbortSignal): Promise<number> {
  const service = `${url}/api/hub/repo`
  let created = 0
  for (const name of (await readdir(folder)).sort()) {
    const source = await openSource({ place: join(folder, name), stdin: nothing() }, signal)
    const summary = await importDump(source, { service, key, clock: systemClock }, signal)
    created += summary.created
    for (const { dataset, reason } of summary.losses) out.write(`${name}: ${dataset}: ${reason}\n`)
  }
  return created
}

const farewell = (url: string, key: string, datasets: number): string => `
${datasets} sample datasets are in. Look at
  ${url}/api/hub/search/search?q=water&filters=dataset
  ${url}/api/hub/repo/
  ${url}/sparql?query=SELECT%20*%20WHERE%20%7B%3Fs%20a%20%3Chttp%3A%2F%2Fwww.w3.org%2Fns%2Fdcat%23Dataset%3E%7D%20LIMIT%2010
and write with this key:
  ${key}
Ctrl-C ends the demonstration and removes its data.
`
