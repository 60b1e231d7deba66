/** Which versions are stored: read before every write, because Meilisearch has no write on a condition. */

import { z } from 'zod'
import { expected } from '../wire/answers.ts'
import { attributes } from '../layout/names.ts'
import { keyOf } from '../layout/spelling.ts'
import type { Held } from '../settings/answering.ts'
import type { Wire } from '../wire/wire.ts'

/** Record id → stored version, that of its removal too. */
export type Versions = Map<string, number>

export type StoredVersions = {
  read(held: Held, ids: readonly string[], signal?: AbortSignal): Promise<Versions>
  /** A record went with this version: an older write that comes late must not bring it back. */
  removed(held: Held, id: string, version: number): void
  /** A record is there again. */
  present(held: Held, id: string): void
  /** Removals of documents that are no more. */
  forget(mark: string): void
}

/** Ids per call. */
const portion = 5000
/** Removals that are remembered; after a restart only what is stored is written, nothing older. */
const remembered = 100_000

const storedVersions = z.object({
  results: z.array(z.object({ i: z.string(), version: z.number() })),
})

export function storedVersionsOf(wire: Wire): StoredVersions {
  const gone = new Map<string, Map<string, number>>()
  return {
    read: async ({ uid, mark }, ids, signal) => {
      const all = [...new Set(ids)]
      const removals = gone.get(mark)
      const versions: Versions = new Map()
      for (const id of removals ? all : []) {
        const version = removals?.get(id)
        if (version !== undefined) versions.set(id, version)
      }
      for (let at = 0; at < all.length; at += portion) {
        const keys = all.slice(at, at + portion).map(keyOf)
        const fields = [attributes.id, attributes.version]
        const wish = { ids: keys, fields, limit: portion }
        const answer = await wire.post(`/indexes/${uid}/documents/fetch`, wish, signal)
        for (const { i, version } of expected(storedVersions, answer).results)
          versions.set(i, version)
      }
      return versions
    },
    removed: ({ mark }, id, version) => {
      const removals = gone.get(mark) ?? new Map<string, number>()
      gone.set(mark, removals)
      removals.delete(id)
      removals.set(id, version)
      const [oldest] = removals.size > remembered ? removals.keys() : []
      if (oldest !== undefined) removals.delete(oldest)
    },
    present: ({ mark }, id) => {
      gone.get(mark)?.delete(id)
    },
    forget: (mark) => {
      gone.delete(mark)
    },
  }
}
