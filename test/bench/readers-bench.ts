/** Requests per second of one process, and of one, two and three readers beside the one that writes, while datasets are written. */

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { client, eventually, gateway, type Gateway } from '../support/gateway.ts'
import { freePort } from '../support/engines/engine.ts'
import { ownFuseki } from '../support/engines/fuseki.ts'
import { ownMeilisearch } from '../support/engines/meilisearch.ts'
import { documents } from './repository/documents.ts'
import { table } from './figures.ts'
import { importDump } from './import-bench.ts'
import { memory } from './memory.ts'
import { threadsOf } from './threads.ts'
import { wire } from './wire.ts'

const writesPerSecond = 100
const concurrency = 8
const words = ['water', 'budget', 'traffic', 'school', 'energy', 'forest', 'census', 'noise']
const key = 'a-key-of-the-readers-bench-12345678'

type Work = {
  readonly directory: string
  readonly dump: string
  readonly folder: string
  readonly seconds: number
  readonly say: (text: string) => void
}

/** Milliseconds of processor time of some processes. */
async function used(processes: readonly Gateway[]): Promise<number> {
  const threads = await Promise.all(processes.map((one) => threadsOf(one.process.pid)))
  return threads.flatMap((each) => [...each.values()]).reduce((sum, ms) => sum + ms, 0)
}

const whileWriting = async <T>(
  writer: Gateway,
  bodies: readonly string[],
  work: () => Promise<T>,
) => {
  const over = new AbortController()
  const api = client({ url: writer.url, key })
  let written = 0
  const started = performance.now()
  const lane = async () => {
    while (!over.signal.aborted) {
      const n = written++
      const body = (bodies[n % bodies.length] ?? '').replace(
        /dct:title "/,
        `dct:title "${started}-${n} `,
      )
      const headers = { Prefer: 'respond-async' }
      const { status } = await api.putDataset('written', `w${n % 500}`, body, headers)
      if (status >= 300) throw new Error(`a write was answered ${status}`)
      const due = started + (n * 1000) / writesPerSecond
      await sleep(Math.max(0, due - performance.now()))
    }
  }
  const lanes = Promise.all(Array.from({ length: 4 }, lane))
  const result = await Promise.race([work(), lanes.then(() => work())])
  const seconds = (performance.now() - started) / 1000
  over.abort()
  await lanes
  return { result, writes: Math.round(written / seconds) }
}

export async function readersBench({ directory, dump, folder, seconds, say }: Work): Promise<void> {
  const [store, engine] = [await ownFuseki(), await ownMeilisearch()]
  const port = String(await freePort())
  const env = {
    PLATFORM_TRIPLESTORE_CONFIG: JSON.stringify(store.config),
    PLATFORM_SEARCH_ENGINE_CONFIG: JSON.stringify({
      engine: 'meilisearch',
      url: engine.url,
      apiKey: engine.key,
    }),
    PLATFORM_HUB_API_KEYS: JSON.stringify({ [key]: ['*'] }),
    PLATFORM_TRUSTED_PROXIES: '127.0.0.1',
  }
  const processes: Gateway[] = []
  const start = async (name: string, more: Record<string, string>) => {
    const one = await gateway(join(directory, name), { ...env, ...more })
    processes.push(one)
    return one
  }
  const { send, ask, close } = wire()
  try {
    const writer = await start('writer', { PLATFORM_PORT: port })
    await importDump(dump, { ...writer, key })
    await client({ url: writer.url, key }).put(
      '/catalogues/written',
      '<> a <http://www.w3.org/ns/dcat#Catalog> .',
    )
    const isIndexed = async () =>
      Object(await (await fetch(`${writer.url}/health`)).json()).pending === 0
    if (!(await eventually(isIndexed, 600_000))) throw new Error('the index is behind')
    const readers = []
    for (const n of [1, 2, 3])
      readers.push(await start(`reader-${n}`, { PLATFORM_WRITER_URL: writer.url }))
    const list = await ask(
      `${writer.url}/api/hub/search/search?filters=dataset&limit=200&includes=id`,
    )
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of our own search
    const { result } = JSON.parse(list.text) as { result: { results: { id: string }[] } }
    const idOf = (n: number) =>
      encodeURIComponent(result.results[n % result.results.length]?.id ?? '')
    const kinds: readonly (readonly [string, (n: number) => string])[] = [
      ['GET as Turtle', (n) => `/api/hub/repo/datasets/${idOf(n)}.ttl`],
      [
        'search, 10 hits, facets',
        (n) => `/api/hub/search/search?q=${words[n % words.length]}&filters=dataset`,
      ],
      ['dataset page', (n) => `/en/datasets/${idOf(n)}`],
    ]
    const bodies = await documents(folder)
    const answer = async (targets: readonly Gateway[], [name, pathOf]: (typeof kinds)[number]) => {
      const before = await used(targets)
      const end = performance.now() + seconds * 1000
      const headers = { Accept: name.includes('page') ? 'text/html' : '*/*' }
      let [asked, answered] = [0, 0]
      const lane = async () => {
        while (performance.now() < end) {
          const n = asked++
          const status = await send(`${targets[n % targets.length]?.url}${pathOf(n)}`, { headers })
          // Under load pages are refused with 503, and whoever reads them tries again.
          if (status === 200) answered += 1
          else if (status !== 503) throw new Error(`${name}: ${status}`)
        }
      }
      await Promise.all(Array.from({ length: concurrency }, lane))
      return {
        answered,
        refused: asked - answered,
        ms: ((await used(targets)) - before) / answered,
      }
    }
    const alone: (string | number)[][] = [
      [
        'request, nothing written',
        'one process, per s',
        'ms each',
        'reader, per s',
        'ms each',
        '×',
      ],
    ]
    for (const kind of kinds) {
      // Once before, so that both have compiled their code.
      for (const one of [writer, ...readers]) await answer([one], kind)
      const one = await answer([writer], kind)
      const reader = await answer(readers.slice(0, 1), kind)
      const perSecondOf = ({ answered }: typeof one) => Math.round(answered / seconds)
      const costs = [one.ms.toFixed(2), perSecondOf(reader), reader.ms.toFixed(2)]
      alone.push([kind[0], perSecondOf(one), ...costs, (one.ms / reader.ms).toFixed(2)])
    }
    const alongside: (string | number)[][] = [
      ['request, beside writes', 'answered by', 'per second', 'refused', 'writes/s'],
    ]
    for (const kind of kinds)
      for (const count of [0, 1, 2, 3]) {
        const targets = count === 0 ? [writer] : readers.slice(0, count)
        const work = () => answer(targets, kind)
        const { result: found, writes } = await whileWriting(writer, bodies, work)
        const by = count === 0 ? 'one process' : `${count} readers`
        alongside.push([kind[0], by, Math.round(found.answered / seconds), found.refused, writes])
      }
    say(
      `## readers\nThe factor is what a reader answers with a core of its own, against the one process.\n\n${table(alone)}\n\n${table(alongside)}`,
    )
    const sizes = await Promise.all(
      processes.map(async (one) => (await memory(one.process.pid)).now),
    )
    say(`memory of the writer ${sizes[0]} MB, of the readers ${sizes.slice(1).join(', ')} MB`)
  } finally {
    close()
    for (const one of processes.toReversed()) await one.stop()
    await engine.stop()
    await store.stop()
  }
}
