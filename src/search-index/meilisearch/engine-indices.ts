/** Making, changing, swapping and dropping the indices of a server; every step has happened when its promise resolves. */

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { expected, isRefusal } from './engine-failures.ts'
import { attributes } from './attributes.ts'
import type { Tasks } from './engine-client.ts'
import type { Wire } from './engine-client.ts'
import type { EngineSettings } from './engine-settings.ts'

export type Indices = {
  /** Makes a new one in the place of any that is there, and has every attribute of `seed` in a document for a moment. */
  make(uid: string, wanted: EngineSettings, seed?: Readonly<Record<string, unknown>>): Promise<void>
  /** Makes it where it is missing, and changes those of its settings that are others. */
  ensure(uid: string, wanted: EngineSettings): Promise<void>
  /** Nothing happens where there is none. */
  drop(uid: string): Promise<void>
  /** In one step: whoever searches meets the one or the other. */
  swap(one: string, other: string): Promise<void>
  /** Resolves when no swap is under way, one that nobody waits for any more. */
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

/** No key of a record has such letters behind the sign. */
const seedKey = '_seed'

const path = (uid: string): string => `/indexes/${uid}`

export function indicesOf(wire: Wire, tasks: Tasks): Indices {
  const settings = async (uid: string) =>
    expected(settingsAnswer, await wire.get(`${path(uid)}/settings`))
  const existing = (uid: string) => orAbsent(settings(uid), undefined)
  const drop = async (uid: string): Promise<unknown[]> =>
    // The task of a missing one fails: a look before is cheaper than telling its reasons apart.
    (await existing(uid)) ? [await wire.remove(path(uid))] : []
  const make: Indices['make'] = async (uid, wanted, seed) => {
    // Tasks of one index are done in their order: one wait is enough.
    const begun = await drop(uid)
    begun.push(await wire.post('/indexes', { uid, primaryKey: attributes.key }))
    begun.push(await wire.patch(`${path(uid)}/settings`, wanted))
    if (seed) {
      const documents = `${path(uid)}/documents`
      const line = JSON.stringify({ ...seed, [attributes.key]: seedKey })
      begun.push(await wire.lines(documents, [line]))
      begun.push(await wire.post(`${documents}/delete-batch`, [seedKey]))
    }
    await tasks.done(begun)
  }
  return {
    make,
    ensure: async (uid, wanted) => {
      const live = await existing(uid)
      if (!live) return make(uid, wanted)
      const other = Object.entries(wanted).filter(([name, value]) => !isSame(live[name], value))
      if (other.length === 0) return
      await tasks.done([await wire.patch(`${path(uid)}/settings`, Object.fromEntries(other))])
    },
    drop: async (uid) => tasks.done(await drop(uid)),
    swap: async (one, other) => {
      const pair = { indexes: [one, other], rename: false }
      await tasks.done([await wire.once('/swap-indexes', [pair])])
    },
    swapped: async () => {
      const path = '/tasks?types=indexSwap&statuses=enqueued,processing'
      const open = expected(openTasks, await wire.get(path)).results
      await tasks.done(open.map(({ uid }) => ({ taskUid: uid })))
    },
    settings: existing,
    counts: async (signal) => {
      const { indexes } = expected(statsAnswer, await wire.get('/stats', signal))
      return new Map(Object.entries(indexes).map(([uid, one]) => [uid, one.numberOfDocuments]))
    },
  }
}

/** Of a group of settings those count that we have something to say about. */
function isSame(present: unknown, wanted: unknown): boolean {
  const isGroup = typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted)
  return isDeepStrictEqual(isGroup ? { ...Object(present), ...wanted } : wanted, present)
}

/** What a call answers, or something else where its index is missing. */
export async function orAbsent<T, A>(call: Promise<T>, absent: A): Promise<T | A> {
  try {
    return await call
  } catch (error) {
    if (isRefusal(error, 'index_not_found')) return absent
    throw error
  }
}
