/** What a client sends to set triggers: for one pipe, or for all. */

import { z } from 'zod'
import { Failure, shown } from '../../errors.ts'
import { invalid } from '../../http/shell/complaints.ts'
import type { Json } from '../../pipe/document.ts'
import { triggerSchema, type Entry } from './trigger.ts'

/** Entries by what the client calls the pipe. */
export type Sets = ReadonlyMap<string, readonly Entry[]>

/** `most` is the limit `triggers`. */
export function tooMany(count: number, most: number): Failure {
  const detail = `a pipe has at most ${most} triggers (limit triggers), got ${count}`
  return new Failure('invalid-parameter', detail, { errors: [{ detail }] })
}

/** The clock, and how many triggers a pipe may have. */
type Bounds = { readonly now: number; readonly most: number }

/** An array whose entries name their pipes as `id`, or an object from pipe to array. Throws `invalid-parameter`. */
export function allSets(body: Json | undefined, { now, most }: Bounds): Sets {
  const entry = triggerSchema(now)
  if (Array.isArray(body)) {
    const entries = parsed(z.array(entry), body)
    return bounded(
      Map.groupBy(entries, ({ id }) => id),
      most,
    )
  }
  const lists = parsed(z.record(z.string(), z.array(entry)), body)
  return bounded(new Map(Object.entries(lists)), most)
}

/** An array, or a single object. Throws `invalid-parameter`. */
export function oneSet(body: Json | undefined, { now, most }: Bounds): readonly Entry[] {
  const list = body === undefined || Array.isArray(body) ? body : [body]
  const entries = parsed(z.array(triggerSchema(now)), list)
  return bounded(new Map([['', entries]]), most).get('') ?? []
}

/** One object; the id of the path is its id, whether it says so or not. Throws `invalid-parameter`. */
export function oneEntry(body: Json | undefined, id: string, now: number): Entry {
  const whole =
    typeof body === 'object' && !Array.isArray(body) ? Object.assign({ id }, body) : body
  const entry = parsed(triggerSchema(now), whole)
  if (entry.id === id) return entry
  const detail = `the id of the body is ${shown(entry.id)}, that of the path ${shown(id)}`
  throw new Failure('invalid-parameter', detail, { errors: [{ pointer: '/id', detail }] })
}

function parsed<T>(schema: z.ZodType<T>, body: Json | undefined): T {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  throw invalid(result.error.issues, 'json', body)
}

/** No more than a pipe may have, and each id once: a repeated one gets `-2`, `-3` and so on. */
function bounded(sets: Sets, most: number): Sets {
  return new Map(
    [...sets].map(([pipe, entries]) => {
      if (entries.length > most) throw tooMany(entries.length, most)
      return [pipe, distinct(entries)]
    }),
  )
}

function distinct(entries: readonly Entry[]): readonly Entry[] {
  const taken = new Set<string>()
  const wanted = new Set(entries.map(({ id }) => id))
  return entries.map((entry) => {
    let id = entry.id
    for (let number = 2; taken.has(id) || (id !== entry.id && wanted.has(id)); number += 1)
      id = `${entry.id}-${number}`
    taken.add(id)
    return { ...entry, id }
  })
}
