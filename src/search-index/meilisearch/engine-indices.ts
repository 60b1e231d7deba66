/** Making, changing, swapping and dropping the indices of a server; every step has happened when its promise resolves. */

import { isJsonObject } from '../../text/json.ts'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { attributes } from './attributes.ts'
import { expected, isRefusal, type EngineClient, type TasksDone } from './engine-client.ts'
import type { EngineSettings } from './stored-document.ts'

export type EngineIndices = {
  /** Makes a new one in the place of any that is there, and has every attribute of `seed` in a document for a moment. */
  make(uid: string, wanted: EngineSettings, seed?: Readonly<Record<string, unknown>>): Promise<void>
  /** Makes it where it is missing, and changes those of its settings that are others. */
  ensure(uid: string, wanted: EngineSettings): Promise<void>
  /** Nothing happens where there is none. */
  drop(uid: string): Promise<void>
  /** In one step: whoever searches meets the one or the other. */
  swap(one: string, other: string): Promise<void>
  /** Resolves when no swap is under way, not even one of an earlier process. */
  swapped(): Promise<void>
  /** The settings of an index; `undefined` when there is none. */
  settings(uid: string): Promise<EngineSettings | undefined>
  /** Documents per index, those of other platforms too. */
  counts(signal?: AbortSignal): Promise<ReadonlyMap<string, number>>
}

const settingsAnswer = z.record(z.string(), z.unknown())
const statsAnswer = z.object({
  indexes: z.record(z.string(), z.object({ numberOfDocuments: z.number() })),
})
const openTasks = z.object({ results: z.array(z.object({ uid: z.number() })) })

/** No key of a record has such letters after the sign. */
const seedKey = '_seed'

const path = (uid: string): string => `/indexes/${uid}`

export function indicesOf(client: EngineClient, done: TasksDone): EngineIndices {
  const settings = (uid: string) =>
    orAbsent(
      client.get(`${path(uid)}/settings`).then((answer) => expected(settingsAnswer, answer)),
      undefined,
    )
  // The task of a missing one fails: a look before is cheaper than telling its reasons apart.
  const dropping = async (uid: string): Promise<unknown[]> =>
    (await settings(uid)) ? [await client.remove(path(uid))] : []
  const make: EngineIndices['make'] = async (uid, wanted, seed) => {
    // Tasks of one index are done in their order: one wait is enough.
    const begun = await dropping(uid)
    begun.push(await client.post('/indexes', { uid, primaryKey: attributes.key }))
    begun.push(await client.patch(`${path(uid)}/settings`, wanted))
    if (seed) {
      const documents = `${path(uid)}/documents`
      const line = JSON.stringify({ ...seed, [attributes.key]: seedKey })
      begun.push(await client.lines(documents, [line]))
      begun.push(await client.post(`${documents}/delete-batch`, [seedKey]))
    }
    await done(begun)
  }
  return {
    make,
    ensure: async (uid, wanted) => {
      const live = await settings(uid)
      if (!live) return make(uid, wanted)
      const other = Object.entries(wanted).filter(([name, value]) => !isSame(live[name], value))
      if (other.length > 0)
        await done([await client.patch(`${path(uid)}/settings`, Object.fromEntries(other))])
    },
    drop: async (uid) => done(await dropping(uid)),
    swap: async (one, other) =>
      done([await client.once('/swap-indexes', [{ indexes: [one, other], rename: false }])]),
    swapped: async () => {
      const answer = await client.get('/tasks?types=indexSwap&statuses=enqueued,processing')
      await done(expected(openTasks, answer).results.map(({ uid }) => ({ taskUid: uid })))
    },
    settings,
    counts: async (signal) => {
      const { indexes } = expected(statsAnswer, await client.get('/stats', signal))
      return new Map(Object.entries(indexes).map(([uid, one]) => [uid, one.numberOfDocuments]))
    },
  }
}

/** Compares a group of settings; only those that we set count. */
function isSame(present: unknown, wanted: unknown): boolean {
  const isGroup = isJsonObject(wanted)
  return isDeepStrictEqual(isGroup ? { ...Object(present), ...wanted } : wanted, present)
}

/** Result of a call, or `absent` where its index is missing. */
export async function orAbsent<T, A>(call: Promise<T>, absent: A): Promise<T | A> {
  try {
    return await call
  } catch (error) {
    if (isRefusal(error, 'index_not_found')) return absent
    throw error
  }
}
