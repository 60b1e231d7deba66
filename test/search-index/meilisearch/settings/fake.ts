/** Indices in memory, which can fail between any two steps. */

import type { EngineIndices } from '../../../../src/search-index/meilisearch/engine-indices.ts'
import type { EngineSettings } from '../../../../src/search-index/meilisearch/stored-document.ts'

type Own = { settings: EngineSettings; documents: number }

export function fake() {
  const held = new Map<string, Own>()
  /** Steps that are still done; then everything fails. */
  const left = { steps: Infinity }
  const log: string[] = []
  const step = async <T>(text: string, work: () => T): Promise<T> => {
    if (left.steps-- <= 0) throw new Error('away')
    log.push(text)
    return work()
  }
  const indices: EngineIndices = {
    make: (uid, settings) =>
      step(`make ${uid}`, () => void held.set(uid, { settings, documents: 0 })),
    ensure: (uid, settings) =>
      step(`ensure ${uid}`, () => {
        held.set(uid, { documents: held.get(uid)?.documents ?? 0, settings })
      }),
    drop: (uid) => step(`drop ${uid}`, () => void held.delete(uid)),
    settings: (uid) => Promise.resolve(held.get(uid)?.settings),
    lastTask: () => Promise.resolve(String(log.length)),
    counts: () => Promise.resolve(new Map([...held].map(([uid, one]) => [uid, one.documents]))),
  }
  return { held, left, log, indices }
}
