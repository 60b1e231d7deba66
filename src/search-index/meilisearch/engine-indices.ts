/** Creation, settings and removal of indices of a server. Each call resolves when the server has carried it out. */

import { parseAnswer } from '../remote/answers.ts'
import { isJsonObject } from '../../text/json.ts'
import { attributes } from './attributes.ts'
import { type EngineClient, isRefusal, type WaitForTasks } from './engine-client.ts'
import type { EngineSettings } from './stored-document.ts'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

/** Indices of a server by their uids. */
export type EngineIndices = {
  /** Creates an index in place of an existing one. Writes and removes a document with every attribute of `seed`, which makes them known to the server. */
  make(uid: string, wanted: EngineSettings, seed?: Readonly<Record<string, unknown>>): Promise<void>
  /** Creates an index if it is missing, else changes the settings that differ. */
  ensure(uid: string, wanted: EngineSettings): Promise<void>
  /** Removes an index if it exists. */
  drop(uid: string): Promise<void>
  /** Settings of an index; `undefined` if it is missing. */
  settings(uid: string): Promise<EngineSettings | undefined>
  /** Number of documents by uid, including indices of other platforms. */
  counts(signal?: AbortSignal): Promise<ReadonlyMap<string, number>>
  /** Text that changes whenever the server has carried out a task; `structure`: one that makes, changes or removes an index. */
  lastTask(of: 'all' | 'structure', signal?: AbortSignal): Promise<string>
}

const settingsAnswer = z.record(z.string(), z.unknown())
const statsAnswer = z.object({
  indexes: z.record(z.string(), z.object({ numberOfDocuments: z.number() })),
})
const lastTasks = z.object({
  results: z.array(z.object({ uid: z.number() })),
  total: z.number(),
})
const structureTypes = 'indexCreation,indexUpdate,indexDeletion,settingsUpdate'

/** Key of the seed document. `documentKey` writes two hex digits after `_`, so that no record has this key. */
const seedKey = '_seed'

const path = (uid: string): string => `/indexes/${uid}`

/** Makes the calls for the indices of a server. */
export function engineIndices(client: EngineClient, waitForTasks: WaitForTasks): EngineIndices {
  const settings = (uid: string) =>
    whenIndexExists(
      client.get(`${path(uid)}/settings`).then((answer) => parseAnswer(settingsAnswer, answer)),
      undefined,
    )
  // Removing a missing index is a failed task, whose reasons are hard to distinguish.
  const startDrop = async (uid: string): Promise<unknown[]> =>
    (await settings(uid)) ? [await client.remove(path(uid))] : []
  const make: EngineIndices['make'] = async (uid, wanted, seed) => {
    // The server runs the tasks of an index in order, so that one wait at the end is enough.
    const started = await startDrop(uid)
    started.push(await client.post('/indexes', { uid, primaryKey: attributes.key }))
    started.push(await client.patch(`${path(uid)}/settings`, wanted))
    if (seed) {
      const documents = `${path(uid)}/documents`
      const line = JSON.stringify({ ...seed, [attributes.key]: seedKey })
      started.push(await client.postLines(documents, [line]))
      started.push(await client.post(`${documents}/delete-batch`, [seedKey]))
    }
    await waitForTasks(started)
  }
  return {
    make,
    ensure: async (uid, wanted) => {
      const stored = await settings(uid)
      if (!stored) return make(uid, wanted)
      const changes = Object.entries(wanted).filter(([name, value]) => !isSame(stored[name], value))
      if (changes.length > 0)
        await waitForTasks([
          await client.patch(`${path(uid)}/settings`, Object.fromEntries(changes)),
        ])
    },
    drop: async (uid) => waitForTasks(await startDrop(uid)),
    settings,
    counts: async (signal) => {
      const { indexes } = parseAnswer(statsAnswer, await client.get('/stats', signal))
      return new Map(Object.entries(indexes).map(([uid, stats]) => [uid, stats.numberOfDocuments]))
    },
    lastTask: (of, signal) => lastTask(client, of, signal),
  }
}

async function lastTask(
  client: EngineClient,
  of: 'all' | 'structure',
  signal: AbortSignal | undefined,
): Promise<string> {
  const types = of === 'structure' ? `&types=${structureTypes}` : ''
  const answer = await client.get(`/tasks?statuses=succeeded&limit=1${types}`, signal)
  const { results, total } = parseAnswer(lastTasks, answer)
  // Tasks of several indices may end in another order than that of their numbers.
  return `${total} ${results[0]?.uid ?? ''}`
}

/** Whether a setting has the wanted value; of a group of settings only the members in `wanted` are compared. */
function isSame(present: unknown, wanted: unknown): boolean {
  const isGroup = isJsonObject(wanted)
  return isDeepStrictEqual(isGroup ? { ...Object(present), ...wanted } : wanted, present)
}

/** Result of a call, or `absent` if its index is missing. */
export async function whenIndexExists<T, A>(call: Promise<T>, absent: A): Promise<T | A> {
  try {
    return await call
  } catch (error) {
    if (isRefusal(error, 'index_not_found')) return absent
    throw error
  }
}
