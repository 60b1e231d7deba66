/**
 * Generations of indices on Meilisearch. The facts about one are noted in the settings of its index, as an entry of
 * `displayedAttributes`. There are no aliases: the searched generation is the newest that is complete, or the first one.
 */

import { z } from 'zod'
import { type EngineGeneration, generationNote, generationOfNote } from '../remote/generation.ts'
import {
  type GenerationIndices,
  GenerationState,
  type StateContext,
  type StoredGeneration,
} from '../remote/generation-state.ts'
import { termAttributes } from '../remote/term-rows.ts'
import type { Uids } from './attributes.ts'
import type { EngineIndices } from './engine-indices.ts'
import {
  dictionarySettings,
  type EngineSettings,
  recordSettings,
  seedOf,
} from './stored-document.ts'

/** Version of the layout of documents; indices of another layout are filled again. */
const engineLayout = 3

/** Makes the state of the indices of a platform. */
export const engineState = (
  indices: EngineIndices,
  names: Uids,
  context: Pick<StateContext, 'languages' | 'isRead'>,
): GenerationState =>
  new GenerationState({
    ...context,
    names,
    indices: engineGenerations(indices, names),
    layout: engineLayout,
  })

function engineGenerations(indices: EngineIndices, uids: Uids): GenerationIndices {
  return {
    make: ({ uid, ...facts }) => {
      const { settings, languages } = facts
      return indices.make(uid, settingsOf({ uid, ...facts }), seedOf(settings, languages))
    },
    note: (generation) => indices.ensure(generation.uid, settingsOf(generation)),
    point: () => Promise.resolve(),
    drop: (uid) => indices.drop(uid),
    ensureDictionaries: async () => {
      await indices.ensure(uids.terms, dictionarySettings(...termAttributes))
      await indices.ensure(uids.facetValues, dictionarySettings('facet'))
      await indices.drop(uids.formerState)
      return ((await indices.counts()).get(uids.terms) ?? 0) === 0
    },
    stored: (signal) => storedGenerations(indices, uids, signal),
    refresh: () => Promise.resolve(),
    count: async (uid) => (await indices.counts()).get(uid) ?? 0,
  }
}

async function storedGenerations(
  indices: EngineIndices,
  uids: Uids,
  signal?: AbortSignal,
): Promise<readonly StoredGeneration[]> {
  const generations: EngineGeneration[] = []
  for (const uid of (await indices.counts(signal)).keys()) {
    const generation = uids.isOfPlatform(uid) && generationOf(uid, await indices.settings(uid))
    if (generation && uids.isGeneration(uid, generation.settings.index))
      generations.push(generation)
  }
  return generations.map((generation) => {
    const { settings, number } = generation
    const all = generations.filter((other) => other.settings.index === settings.index)
    const isFirst = all.every((other) => !other.isComplete && other.number >= number)
    return { ...generation, isAliased: isFirst }
  })
}

const notePrefix = '_gen '

function settingsOf(generation: EngineGeneration): EngineSettings {
  const { settings, languages } = generation
  return recordSettings(settings, languages, notePrefix + generationNote(generation))
}

function generationOf(
  uid: string,
  settings: EngineSettings | undefined,
): EngineGeneration | undefined {
  const displayed = z.array(z.string()).safeParse(settings?.['displayedAttributes']).data ?? []
  const note = displayed.find((name) => name.startsWith(notePrefix))
  return note === undefined ? undefined : generationOfNote(uid, note.slice(notePrefix.length))
}
