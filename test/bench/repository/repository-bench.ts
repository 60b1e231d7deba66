/** `npm run bench -- repository --store …`: the repository against the very store below it, in one run. */

import { join } from 'node:path'
import { openEmbedded } from '../../store/opening.ts'
import type { Engine } from '../../support/engines/engine.ts'
import { client, gateway, type Gateway } from '../../support/gateway.ts'
import { engineOf, environmentOf, type StoreName } from '../stores.ts'
import { wire, type Wired } from '../wire.ts'
import { bareGateway, type BareGateway } from './bare.ts'
import { contest, type Contender } from './contest.ts'
import { documents, ground } from './documents.ts'
import { indexed, loading } from './loading.ts'
import { perBulk, requestsOf } from './our-requests.ts'
import { rawEmbedded, rawServer, type RawStore } from './raw-store.ts'

export type Wanted = {
  readonly store: StoreName
  /** An empty folder. */
  readonly directory: string
  /** Where the generator put single datasets. */
  readonly folder: string
  /** Datasets of a bulk load, 0 = none. */
  readonly load: number
  readonly say: (text: string) => void
}

const ntriples = 'application/n-triples'

export async function repositoryBench(wanted: Wanted): Promise<void> {
  const { store, directory, folder, load, say } = wanted
  const engine = await engineOf(store)
  const raw = engine ? rawServer(engine.config) : rawEmbedded(await openEmbedded())
  const env = environmentOf(engine)
  const pool = await documents(folder)
  const onPlatform = async (name: string, work: (platform: Gateway) => Promise<void>) => {
    const platform = await gateway(join(directory, name), env)
    try {
      await client(platform).put('/catalogues/bench', '<> a <http://www.w3.org/ns/dcat#Catalog> .')
      say(`## ${name} on ${store}`)
      await work(platform)
    } finally {
      await platform.stop()
    }
  }
  try {
    await onPlatform('requests', (platform) => requests({ platform, raw, pool }, engine, say))
    // A process of its own, so that its memory is that of the load.
    if (load > 0)
      await onPlatform('load', async (platform) => say(await loading(platform, pool, load)))
  } finally {
    await raw.close()
    await engine?.stop()
  }
}

/** What the contests of one platform work with. */
type Ring = {
  readonly platform: Gateway
  readonly raw: RawStore
  readonly bare: BareGateway | undefined
  readonly pool: readonly string[]
  readonly wired: Wired
}

const perSlice = 50

/**
 * Requests of each kind before the first measured one, whatever the number of these: after fewer, the compiler of the platform's
 * process has not seen its code often enough, while that of the store and of the bench has, which other rows share.
 */
const warmUp = 600

/** One table for each kind of request and number of lanes, told as soon as it is there. */
async function requests(
  given: Pick<Ring, 'platform' | 'raw' | 'pool'>,
  engine: Engine | undefined,
  say: Wanted['say'],
): Promise<void> {
  const { pool } = given
  const bare = engine && (await bareGateway(engine.config))
  const ring: Ring = { ...given, bare, wired: wire() }
  const graphs = pool.length
  try {
    // The first requests of a process, of a connection and of a virtual machine are slow on either side.
    await atWidth(ring, { run: 'warm', width: 8, graphs: warmUp })
    for (const width of [1, 8])
      for (const text of await atWidth(ring, { run: `at${width}`, width, graphs })) say(text)
  } finally {
    ring.wired.close()
    bare?.stop()
  }
}

type Round = { readonly run: string; readonly width: number; readonly graphs: number }

/** Writes, then reads: each against the raw store, and against the least that a gateway can do. */
async function atWidth(ring: Ring, { run, width, graphs }: Round): Promise<string[]> {
  const { platform, raw, bare, pool, wired } = ring
  const ours = requestsOf(ring, { name: run, first: (run === 'warm' ? 100 : width) * 1_000_000 })
  const texts = (await ours.samples(Math.min(pool.length, 200))).map(ground)
  const text = (n: number) => texts[n % texts.length] ?? ''
  const graph = (n: number, kind: string) => `urn:bench:${kind}:${run}:${n}`
  const whole = (found: string, n: number) => {
    if (found.length < text(n).length / 2) throw new Error('a raw read brought too little')
  }
  const quiet = () => indexed(platform)
  const turns = { graphs, slice: perSlice, width, quiet }
  const onBare = async (method: 'GET' | 'PUT', name: string, body?: string) => {
    const headers: Record<string, string> =
      method === 'PUT' ? { 'Content-Type': ntriples } : { Accept: ntriples }
    const address = `${bare?.url}/${name}`
    const answer = await wired.ask(address, { method, headers, ...(body && { body }) })
    if (answer.status >= 300) throw new Error(`bare gateway: ${answer.status}`)
    return answer.text
  }
  const bareWays: Contender[] = bare
    ? [
        {
          name: 'bare gateway PUT',
          work: async (n) => void (await onBare('PUT', graph(n, 'bare'), text(n))),
        },
      ]
    : []
  const writes = await contest({
    ...turns,
    contenders: [
      { name: 'PUT, new', work: ours.putNew },
      { name: 'raw GSP PUT, new', work: (n) => raw.put(graph(n, 'put'), text(n)) },
      { name: 'raw INSERT DATA', work: (n) => raw.insert(graph(n, 'insert'), text(n)) },
      ...bareWays,
      {
        name: 'look-up + raw PUT',
        work: async (n) => {
          await raw.select(ours.lookUp(n))
          await raw.put(graph(n, 'looked'), text(n))
        },
      },
      { name: 'PUT, changed', work: ours.putChanged },
      { name: 'PUT, unchanged', work: ours.putUnchanged },
      { name: 'look-up alone', work: async (n) => void (await raw.select(ours.lookUp(n))) },
      { name: 'PUT, new, searchable', work: ours.putSearchable },
      { name: `PUT of ${perBulk} in bulk`, work: ours.putBulk, graphs: perBulk },
    ],
    measures: [
      { head: '/ raw PUT', names: ['raw GSP PUT, new'] },
      { head: '/ raw INSERT', names: ['raw INSERT DATA'] },
      { head: '/ bare gateway', names: bareWays.map(({ name }) => name) },
      { head: '/ look-up + PUT', names: ['look-up + raw PUT'] },
    ],
  })
  const reads = await contest({
    ...turns,
    contenders: [
      { name: 'GET', work: ours.get },
      { name: 'raw GSP GET', work: async (n) => whole(await raw.readGraph(graph(n, 'put')), n) },
      { name: 'raw CONSTRUCT', work: async (n) => whole(await raw.construct(graph(n, 'put')), n) },
      ...(bare
        ? [
            {
              name: 'bare gateway GET',
              work: async (n: number) => whole(await onBare('GET', graph(n, 'put')), n),
            },
          ]
        : []),
    ],
    measures: [
      { head: '/ fastest raw', names: ['raw GSP GET', 'raw CONSTRUCT'] },
      { head: '/ bare gateway', names: bare ? ['bare gateway GET'] : [] },
    ],
  })
  return [writes, reads]
}
