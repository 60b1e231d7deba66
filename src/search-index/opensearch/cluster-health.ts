/** Health of a cluster as a node knows it: whether all shards of our indices are there, and whether they take writes. */

import { z } from 'zod'
import type { IndexName } from '../index-settings.ts'
import { engineUnavailable, parseAnswer } from '../remote/answers.ts'
import type { EngineWatch } from '../remote/engine-watch.ts'
import type { SearchedGeneration } from '../remote/generation.ts'
import type { ClusterHealth, WriteBlock } from '../search-index.ts'
import type { ClusterClient } from './cluster-client.ts'
import type { ClusterNames } from './cluster-layout.ts'

type HealthContext = {
  readonly client: ClusterClient
  readonly names: ClusterNames
  readonly searched: () => ReadonlyMap<IndexName, SearchedGeneration>
  readonly watch: EngineWatch
}

/**
 * Asks a node for the health of our indices, and notes it. Rejects with `engine-unavailable` if no node answers, if documents are away,
 * or if the nodes have no cluster manager.
 */
export async function askClusterHealth(context: HealthContext): Promise<void> {
  const { client, names, watch } = context
  // Each node knows it. Without a cluster manager, a question to that would wait.
  const query = { level: 'indices', local: true }
  const path = `/_cluster/health/${names.all}`
  const answer = await client.call({ method: 'GET', path, query }).catch((error: unknown) => {
    watch.noteCluster(undefined)
    throw error
  })
  const { discovered_cluster_manager: isManaged, indices } = parseAnswer(healthShape, answer)
  const { health, detail }: KnownHealth = isManaged ? healthOf(ownOf(indices, context)) : unmanaged
  watch.noteCluster(health, detail)
  if (health.status === 'red') throw engineUnavailable(detail ?? '')
  watch.noteBlock(await writeBlock(context))
}

const indexShape = z.object({
  status: z.enum(['green', 'yellow', 'red']),
  number_of_shards: z.number(),
  active_primary_shards: z.number(),
  initializing_shards: z.number(),
  unassigned_shards: z.number(),
})
const healthShape = z.object({
  discovered_cluster_manager: z.boolean().default(true),
  indices: z.record(z.string(), indexShape).default({}),
})

/** Values of those names that are indices of the platform: the cluster may have others with the same beginning. */
function ownOf<T>(values: Readonly<Record<string, T>>, { names, searched }: HealthContext): T[] {
  const own = [...searched()].flatMap(([index, { uid, next }]) => [
    uid,
    ...(next ? [next.uid] : []),
    names.vectors(index),
  ])
  const all = new Set([...own, names.terms, names.facetValues])
  return Object.entries(values).flatMap(([name, value]) => (all.has(name) ? [value] : []))
}

type KnownHealth = { readonly health: ClusterHealth; readonly detail?: string | undefined }

/** Health of nodes of which too few are together: what they know of their shards is old. */
const unmanaged = {
  health: { status: 'red', unassigned: 0 },
  detail: 'The nodes of the search engine that answer have no cluster manager.',
} as const

/** Health of some indices, with a sentence about what is missing. */
function healthOf(indices: readonly z.infer<typeof indexShape>[]): KnownHealth {
  const sum = (count: (one: (typeof indices)[number]) => number) =>
    indices.reduce((total, one) => total + count(one), 0)
  const unassigned = sum((one) => one.unassigned_shards)
  const missing = sum((one) => one.number_of_shards - one.active_primary_shards)
  if (missing > 0) {
    const detail = `${missing} of the ${sum((one) => one.number_of_shards)} shards of the search engine are away, so that it does not have all records.`
    return { health: { status: 'red', unassigned }, detail }
  }
  if (indices.every(({ status }) => status === 'green'))
    return { health: { status: 'green', unassigned } }
  const made = sum((one) => one.initializing_shards)
  const detail = `The search engine has all records, but not all copies of them: no node has ${unassigned} copies of shards, and ${made} are being made.`
  return { health: { status: 'yellow', unassigned }, detail }
}

const settingsShape = z.record(
  z.string(),
  z.object({ settings: z.record(z.string(), z.unknown()) }).transform(({ settings }) => settings),
)

/** Why one of our indices takes no writes. */
async function writeBlock(context: HealthContext): Promise<WriteBlock | undefined> {
  const { client, names } = context
  const path = `/${names.all}/_settings/index.blocks.*`
  const query = { flat_settings: true, local: true }
  const answer = await client.call({ method: 'GET', path, query })
  const own = ownOf(parseAnswer(settingsShape, answer), context)
  const isSet = (...blocks: string[]) =>
    own.some((settings) => blocks.some((name) => settings[`index.blocks.${name}`] === 'true'))
  // The cluster sets this one when the disk of a node is nearly full.
  if (isSet('read_only_allow_delete')) return 'disk-full'
  return isSet('read_only', 'write') ? 'read-only' : undefined
}
