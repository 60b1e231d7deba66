/**
 * What a list of changes comes to, record by record, and how it is sent. Meilisearch has no write on a condition: the versions that
 * are stored are read before every write, and the rules of versions are applied in memory.
 */

import { z } from 'zod'
import type { Document, IndexChange } from '../search-index.ts'
import { attributes, keyOf } from './attributes.ts'
import { jsonText, type Wire } from './engine-client.ts'
import { expected } from './engine-failures.ts'
import { orAbsent } from './engine-indices.ts'
import type { Answering, IndexTarget } from './engine-state.ts'
import { type Layout, storedOf, type Told, type Words } from './stored-document.ts'

/** The last state of a record in an index. */
type Final =
  | { readonly document: Document; readonly version: number }
  | { readonly removed: number }

/** One index that is written to, what is stored in it, and what is to become of it. */
export class Plan {
  readonly held: IndexTarget
  readonly finals = new Map<string, Final>()
  readonly #versions: Versions

  constructor(held: IndexTarget, versions: Versions) {
    this.held = held
    this.#versions = versions
  }

  version(id: string): number | undefined {
    return this.#versions.get(id)
  }

  /** A version that is not newer than the stored one changes nothing, unless it is made again. */
  apply(id: string, { document, version, again }: Step): void {
    const stored = this.#versions.get(id)
    if (stored !== undefined && stored >= version && !again) return
    const now = Math.max(stored ?? 0, version)
    this.#versions.set(id, now)
    this.finals.set(id, document ? { document, version: now } : { removed: now })
  }
}

type Step = {
  /** Absent = the record goes. */
  readonly document?: Document
  readonly version: number
  /** Made from what is stored: it replaces a version that is not older. */
  readonly again: boolean
}

/** A write goes to all that live, each under its own settings; what only fills goes where the record is missing. */
export function planned(
  change: IndexChange,
  { answering, next, isWhole }: { answering: Plan; next?: Plan | undefined; isWhole: boolean },
): void {
  const given = 'put' in change ? change.put : change.remove
  const stored = answering.version(given.id) ?? 0
  if ('put' in change && change.filling === true) {
    const filled = next ?? (isWhole ? undefined : answering)
    if (!filled || filled.version(given.id) !== undefined) return
    filled.apply(given.id, { document: change.put, version: stored, again: false })
    return
  }
  const again = given.version === 0
  const step = {
    ...('put' in change && { document: change.put }),
    version: again ? stored : given.version,
    again,
  }
  answering.apply(given.id, step)
  next?.apply(given.id, step)
}

/** Record ids by index of Meilisearch. */
export function touched(
  changes: readonly IndexChange[],
  answering: (change: IndexChange) => Answering,
): Map<IndexTarget, string[]> {
  const ids = new Map<IndexTarget, string[]>()
  const add = (held: IndexTarget, id: string) => {
    const list = ids.get(held)
    if (list) list.push(id)
    else ids.set(held, [id])
  }
  for (const change of changes) {
    const { id } = 'put' in change ? change.put : change.remove
    const target = answering(change)
    add(target, id)
    if (target.next) add(target.next, id)
  }
  return ids
}

/** Record id → stored version, that of its removal too. */
type Versions = Map<string, number>

export type StoredVersions = {
  read(held: IndexTarget, ids: readonly string[], signal?: AbortSignal): Promise<Versions>
  /** A record went with this version: an older write that comes late must not bring it back. */
  removed(held: IndexTarget, id: string, version: number): void
  /** A record is there again. */
  present(held: IndexTarget, id: string): void
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

/** The largest value of a sortable number in these indices; 0 when there is none. */
export async function largest(
  wire: Wire,
  uids: readonly string[],
  attribute: typeof attributes.number | typeof attributes.version,
): Promise<number> {
  const answer = z.object({ results: z.array(z.record(z.string(), z.number())) })
  const wish = { fields: [attribute], sort: [`${attribute}:desc`], limit: 1 }
  const none = { results: [] }
  const found = uids.map(async (uid) => {
    const told = await orAbsent(wire.post(`/indexes/${uid}/documents/fetch`, wish), none)
    return expected(answer, told).results[0]?.[attribute] ?? 0
  })
  return Math.max(0, ...(await Promise.all(found)))
}

/** Per request; servers take 100 MB by default. */
const mostDocuments = 5000
const mostChars = 16_000_000

/** What one plan sends. */
export type Post = {
  readonly uid: string
  readonly lines: readonly string[]
  /** Keys of what goes. */
  readonly removed: readonly string[]
}

type Making = { readonly words: Words; readonly told: Told; readonly next: () => number }

export function postOf({ held, finals }: Plan, { words, told, next }: Making): Post {
  const layout: Layout = { settings: held.settings, languages: held.languages, words }
  const [lines, removed]: [string[], string[]] = [[], []]
  for (const [id, final] of finals) {
    if ('removed' in final) removed.push(keyOf(id))
    else {
      const { document, version } = final
      const numbers = { [attributes.number]: next(), [attributes.version]: version }
      lines.push(jsonText({ ...storedOf(document, layout, told), ...numbers }))
    }
  }
  return { uid: held.uid, lines, removed }
}

/** The tasks that were begun. They are done in the order of the requests. */
export async function sent(
  wire: Wire,
  { uid, lines, removed }: Post,
  signal?: AbortSignal,
): Promise<unknown[]> {
  const documents = `/indexes/${uid}/documents`
  const tasks: unknown[] = []
  for (const portion of portions(lines)) tasks.push(await wire.lines(documents, portion, signal))
  if (removed.length > 0) tasks.push(await wire.post(`${documents}/delete-batch`, removed, signal))
  return tasks
}

function* portions(lines: readonly string[]): Generator<readonly string[]> {
  let [from, chars] = [0, 0]
  for (const [i, line] of lines.entries()) {
    if (i > from && (i - from >= mostDocuments || chars + line.length > mostChars)) {
      yield lines.slice(from, i)
      from = i
      chars = 0
    }
    chars += line.length
  }
  if (from < lines.length) yield lines.slice(from)
}
