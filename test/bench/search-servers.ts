/** Search engines on servers that a bench can use. */

import { startOpensearch } from '../support/engines/opensearch.ts'
import { startMeilisearch } from '../support/engines/meilisearch.ts'

const engineNames = ['meilisearch', 'opensearch'] as const
export type ServerName = (typeof engineNames)[number]

/** Search engine on a server: its address, its key, and the setting of a platform that uses it. */
export type RunningEngine = {
  readonly name: ServerName
  readonly url: string
  readonly key?: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

/** Starts the server of an engine, or takes the one that the environment names; `undefined` for the embedded engine. */
export async function searchServerOf(name: string): Promise<RunningEngine | undefined> {
  if (name === 'embedded') return undefined
  const engine = engineNames.find((known) => known === name)
  if (!engine) throw new Error(`--engine is embedded, ${engineNames.join(' or ')}`)
  if (engine === 'meilisearch') {
    const { url, key, stop } = await startMeilisearch()
    return { name: engine, url, key, env: settingOf({ engine, url, apiKey: key }), stop }
  }
  const { urls, stop } = await startOpensearch()
  return { name: engine, url: urls[0] ?? '', env: settingOf({ engine, urls }), stop }
}

const settingOf = (search: Readonly<Record<string, unknown>>) => ({
  PLATFORM_SEARCH_ENGINE_CONFIG: JSON.stringify(search),
})
