/** Indices of a cluster: making and removing them, and the aliases that point at those that are searched. */

import { z } from 'zod'
import { parseAnswer } from '../remote/answers.ts'
import { type EngineGeneration, generationOfNote, noteOf } from '../remote/generation.ts'
import { type ClusterClient, isRefusedAs, whenPresent } from './cluster-client.ts'
import { type ClusterNames, dictionaryIndex, recordIndex, type Sharding } from './cluster-layout.ts'

/** Generation on the cluster, and whether an alias points at it. */
export type StoredGeneration = EngineGeneration & { readonly isAliased: boolean }

/** Indices of a platform. Each call resolves when the cluster has carried it out. */
export type ClusterIndices = {
  /** Makes the index of a generation, with its alias where it is to be searched at once. */
  make(generation: EngineGeneration, isSearched: boolean): Promise<void>
  /** Notes what has changed of a generation. */
  note(generation: EngineGeneration): Promise<void>
  /** Lets the alias point at a generation only, in one step. */
  point(generation: EngineGeneration, old: readonly string[]): Promise<void>
  drop(name: string): Promise<void>
  /** Makes the dictionaries that are missing; resolves with whether that of tokens was. */
  ensureDictionaries(): Promise<boolean>
  /** Generations on the cluster. */
  stored(signal?: AbortSignal): Promise<readonly StoredGeneration[]>
  /** Makes everything searchable that was written to some indices. */
  refresh(names: readonly string[], signal?: AbortSignal): Promise<void>
}

const indexAnswer = z.record(
  z.string(),
  z.object({
    aliases: z.record(z.string(), z.unknown()).default({}),
    mappings: z.object({ _meta: z.object({ known: z.string() }).optional() }).default({}),
  }),
)

/** Most seconds that a change of the cluster may take, whose default is a minute. */
const times = { timeout: '10s', cluster_manager_timeout: '10s' }

/** Makes the calls for the indices of a platform. */
export function clusterIndices(
  client: ClusterClient,
  names: ClusterNames,
  sharding: Sharding,
): ClusterIndices {
  const pathOf = (name: string) => `/${encodeURIComponent(name)}`
  const drop = async (name: string) => {
    await whenPresent(
      client.call({ method: 'DELETE', path: pathOf(name), query: times }),
      undefined,
    )
  }
  const makeOnce = async (name: string, body: object): Promise<boolean> => {
    try {
      await client.call({ method: 'PUT', path: pathOf(name), body, query: times })
      return true
    } catch (error) {
      if (isRefusedAs(error, 'resource_already_exists_exception')) return false
      throw error
    }
  }
  return {
    drop,
    make: async (generation, isSearched) => {
      const { settings, languages, uid } = generation
      const known = noteOf(generation)
      const body = recordIndex(settings, languages, { ...sharding, known })
      const aliases = isSearched ? { aliases: { [names.alias(settings.index)]: {} } } : {}
      await makeOnce(uid, { ...body, ...aliases })
    },
    note: async (generation) => {
      const path = `${pathOf(generation.uid)}/_mapping`
      const body = { _meta: { known: noteOf(generation) } }
      await client.call({ method: 'PUT', path, body, query: times })
    },
    point: async ({ uid, settings }, old) => {
      const alias = names.alias(settings.index)
      const actions = [
        ...old.map((index) => ({ remove: { index, alias, must_exist: false } })),
        { add: { index: uid, alias } },
      ]
      await client.call({ method: 'POST', path: '/_aliases', body: { actions }, query: times })
    },
    ensureDictionaries: async () => {
      await makeOnce(names.facetValues, dictionaryIndex(sharding))
      return makeOnce(names.terms, dictionaryIndex(sharding))
    },
    stored: async (signal) => {
      const answer = await client.call(
        {
          method: 'GET',
          path: pathOf(names.all).replace('%2A', '*'),
          query: { filter_path: '*.aliases,*.mappings._meta', cluster_manager_timeout: '10s' },
        },
        signal,
      )
      return Object.entries(parseAnswer(indexAnswer, answer)).flatMap(([name, index]) => {
        const known = index.mappings._meta?.known
        if (known === undefined || !names.isGeneration(name)) return []
        const generation = generationOfNote(name, known)
        const alias = names.alias(generation.settings.index)
        // Another platform whose prefix begins with ours.
        if (!name.startsWith(`${alias}-`)) return []
        return [{ ...generation, isAliased: alias in index.aliases }]
      })
    },
    refresh: async (indices, signal) => {
      const path = `${pathOf(indices.join()).replaceAll('%2C', ',')}/_refresh`
      await client.call({ method: 'POST', path }, signal)
    },
  }
}
