/** Starts each triplestore and search engine once for the whole run, or says what is missing; ends them at the end. */

import type { TestProject } from 'vitest/node'
import {
  Missing,
  type Engine,
  type EngineConfig,
  type Server as Process,
} from '../support/engines/engine.ts'
import { startFuseki } from '../support/engines/fuseki.ts'
import { startMeilisearch } from '../support/engines/meilisearch.ts'
import { startNats } from '../support/engines/nats.ts'
import { startOpensearch } from '../support/engines/opensearch.ts'
import { startVirtuoso } from '../support/engines/virtuoso.ts'

/** A server that all suites use, or the reason why there is none. */
export type Server =
  | { readonly config: EngineConfig; readonly own: boolean }
  | { readonly missing: string }

/** The search engine that all suites use: each with a prefix of its own. */
export type SearchPlace =
  | { readonly url: string; readonly key: string; readonly own: boolean }
  | { readonly missing: string }

/** The nodes of OpenSearch that all suites use: each with a prefix of its own. */
export type ClusterPlace =
  | { readonly urls: readonly string[]; readonly own: boolean }
  | { readonly missing: string }

/** The broker that all suites use: each with queues of its own. */
export type BrokerPlace =
  | { readonly url: string; readonly own: boolean }
  | { readonly missing: string }

declare module 'vitest' {
  export interface ProvidedContext {
    fuseki: Server
    virtuoso: Server
    meilisearch: SearchPlace
    opensearch: ClusterPlace
    nats: BrokerPlace
  }
}

/** Names of the engines to start; absent = all. */
const wanted = process.env['ENGINES']?.split(',')

const say = (text: string) => process.stderr.write(`${text}\n`)
const running: Process[] = []

/** In CI every engine must be there: a suite that skips itself proves nothing. */
async function found<Started extends Process, Told>(
  name: string,
  start: () => Promise<Started>,
  tell: (started: Started) => Told,
): Promise<Told | { readonly missing: string }> {
  if (wanted && !wanted.includes(name.toLowerCase())) return { missing: 'not in ENGINES' }
  try {
    const started = await start()
    running.push(started)
    return tell(started)
  } catch (error) {
    if (!(error instanceof Missing) || process.env['CI']) throw error
    say(`${name}: SKIPPED. ${error.message}`)
    return { missing: error.message }
  }
}

const store = (name: string, start: () => Promise<Engine>): Promise<Server> =>
  found(name, start, ({ config, killable }) => {
    say(`${name}: ${config.queryEndpoint}`)
    return { config, own: killable }
  })

const search = (): Promise<SearchPlace> =>
  found('Meilisearch', startMeilisearch, ({ url, key = '', killable }) => {
    say(`Meilisearch: ${url}`)
    return { url, key, own: killable }
  })

const cluster = (): Promise<ClusterPlace> =>
  found('OpenSearch', startOpensearch, ({ urls, killable }) => {
    say(`OpenSearch: ${urls.join()}`)
    return { urls, own: killable }
  })

const broker = (): Promise<BrokerPlace> =>
  found('NATS', startNats, ({ url, killable }) => {
    say(`NATS: ${new URL(url).host}`)
    return { url, own: killable }
  })

export async function setup(project: TestProject): Promise<void> {
  project.provide('nats', await broker())
  project.provide('meilisearch', await search())
  project.provide('opensearch', await cluster())
  project.provide('fuseki', await store('Fuseki', startFuseki))
  project.provide('virtuoso', await store('Virtuoso', startVirtuoso))
}

export async function teardown(): Promise<void> {
  for (const engine of running) await engine.stop()
}
