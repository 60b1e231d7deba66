/** Indices of a cluster: making and removing them, and the aliases that point at those that are searched. */

import { z } from 'zod'
import { parseAnswer } from '../remote/answers.ts'
import { type EngineGeneration, generationOfNote, generationNote } from '../remote/generation.ts'
import type { GenerationIndices, StoredGeneration } from '../remote/generation-state.ts'
import { type ClusterClient, isRefusedAs, whenPresent } from './cluster-client.ts'
import { clusterTerms, freshCounts } from './cluster-reads.ts'
import { everything } from './query-conditions.ts'
import { type ClusterNames, dictionaryIndex, recordIndex, type Sharding } from './cluster-layout.ts'

/** Indices of a platform, and what was written to them. */
export type ClusterIndices = GenerationIndices & {
  /** Text that changes whenever something was written or has become searchable. */
  written(signal?: AbortSignal): Promise<string>
}

const indexAnswer = z.record(
  z.string(),
  z
    .object({
      aliases: z.record(z.string(), z.unknown()).default({}),
      mappings: z
        .object({ _meta: z.object({ known: z.string().optional() }).default({}) })
        .optional(),
    })
    .transform(({ aliases, mappings: { _meta: meta } = { _meta: {} } }) => ({
      aliases,
      known: meta.known,
    })),
)

/** Most seconds that the cluster manager is waited for. */
export const managerTime = { cluster_manager_timeout: '10s' }
/** Most seconds that a change of the cluster may take, whose default is a minute. */
export const changeTimes = { timeout: '10s', ...managerTime }

/** Path of an index. */
const pathOf = (name: string) => `/${encodeURIComponent(name)}`

/** Makes the calls for the indices of a platform. */
export function clusterIndices(
  client: ClusterClient,
  names: ClusterNames,
  sharding: Sharding,
): ClusterIndices {
  const { change, makeOnce } = changesOf(client)
  return {
    drop: async (name) => {
      await whenPresent(change('DELETE', pathOf(name)), undefined)
    },
    make: async (generation, isSearched) => {
      const { settings, languages, uid } = generation
      const known = generationNote(generation)
      const body = recordIndex(settings, languages, { ...sharding, known })
      const aliases = isSearched ? { aliases: { [names.alias(settings.index)]: {} } } : {}
      await makeOnce(uid, { ...body, ...aliases })
    },
    note: async (generation, former) => {
      const known = generationNote(generation)
      if (former && generationNote(former) === known) return
      const body = { _meta: { known } }
      await change('PUT', `${pathOf(generation.uid)}/_mapping`, body)
    },
    point: async ({ uid, settings }, old) => {
      const alias = names.alias(settings.index)
      const removals = old.map((index) => ({ remove: { index, alias, must_exist: false } }))
      await change('POST', '/_aliases', { actions: [...removals, { add: { index: uid, alias } }] })
    },
    ensureDictionaries: async () => {
      const ensure = (name: string) => makeOnce(name, dictionaryIndex(sharding))
      const [isMade] = await Promise.all([ensure(names.terms), ensure(names.facetValues)])
      // Also when the answer to an earlier making was lost.
      return isMade || !(await hasTerms(client, names))
    },
    stored: (signal) => storedGenerations(client, names, signal),
    count: async (uid) => (await freshCounts({ client }, [{ uid, query: everything }]))[0] ?? 0,
    written: (signal) => writtenText(client, names, signal),
    refresh: async (indices, signal) => {
      const path = `/${indices.map(encodeURIComponent).join(',')}/_refresh`
      await client.call({ method: 'POST', path, isChange: true }, signal)
    },
  }
}

async function hasTerms(client: ClusterClient, names: ClusterNames): Promise<boolean> {
  const [found = []] = await clusterTerms(client, names)(
    [{ attribute: 'term', limit: 1 }],
    undefined,
  )
  return found.length > 0
}

/** Generation of an index; `undefined` for one of others, whose note says something else. */
function readNote(uid: string, note: string): EngineGeneration | undefined {
  try {
    return generationOfNote(uid, note)
  } catch {
    return undefined
  }
}

async function storedGenerations(
  client: ClusterClient,
  names: ClusterNames,
  signal?: AbortSignal,
): Promise<readonly StoredGeneration[]> {
  const query = { filter_path: '*.aliases,*.mappings._meta', ...managerTime }
  const answer = await client.call({ method: 'GET', path: `/${names.all}`, query }, signal)
  return Object.entries(parseAnswer(indexAnswer, answer)).flatMap(([name, { aliases, known }]) => {
    if (known === undefined || !names.isGeneration(name)) return []
    const generation = readNote(name, known)
    if (!generation) return []
    const alias = names.alias(generation.settings.index)
    // Another platform may have a prefix that begins with ours.
    return name.startsWith(`${alias}-`) ? [{ ...generation, isAliased: alias in aliases }] : []
  })
}

async function writtenText(
  client: ClusterClient,
  names: ClusterNames,
  signal?: AbortSignal,
): Promise<string> {
  const members = 'indices.*.total.refresh.total,indices.*.shards.*.seq_no.max_seq_no'
  const query = { level: 'shards', filter_path: members }
  const path = `/${names.all}/_stats/refresh,indexing`
  return JSON.stringify(await client.call({ method: 'GET', path, query }, signal))
}

/** Changes of a cluster; `makeOnce` resolves with whether the index was missing. */
function changesOf(client: ClusterClient) {
  const change = (
    method: 'PUT' | 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<unknown> =>
    client.call({ method, path, query: changeTimes, isChange: true, ...(body && { body }) })
  const makeOnce = async (name: string, body: object): Promise<boolean> => {
    try {
      await change('PUT', pathOf(name), body)
      return true
    } catch (error) {
      if (isRefusedAs(error, 'resource_already_exists_exception')) return false
      throw error
    }
  }
  return { change, makeOnce }
}
