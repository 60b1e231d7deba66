/**
 * The only writer of our indices: what is written is searchable when its promise resolves. Meilisearch has no write on a condition:
 * the stored versions are read before every write, and the rules of versions are applied in memory. The dictionaries are written
 * before the records.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { KeyedLock } from '../../workers/keyed-lock.ts'
import type { IndexName } from '../index-settings.ts'
import type { Document, IndexChange } from '../search-index.ts'
import { type WriteQueue, writeQueue } from '../write-queue.ts'
import { attributes, keyOf, termKey, type Uids } from './attributes.ts'
import { Dictionary } from './dictionary.ts'
import {
  away,
  expected,
  hasLostData,
  jsonText,
  type EngineClient,
  type TasksDone,
} from './engine-client.ts'
import { orAbsent } from './engine-indices.ts'
import type { Answering, Generation } from './engine-state.ts'
import { storedOf, type Layout } from './stored-document.ts'

type WriterContext = {
  readonly client: EngineClient
  readonly done: TasksDone
  readonly uids: Uids
  readonly answering: () => ReadonlyMap<IndexName, Answering>
  /**
   * Called with the keys of what is about to be written or removed where searches are answered from, for the cursors that still
   * show what was there; what it answers is called when that has happened or failed.
   */
  readonly before: (uid: string, keys: readonly string[]) => Promise<() => void>
}

/** The last state of a record in an index; without a document it goes. */
type Final = { readonly document?: Document; readonly version: number }

/** One index that is written to, the versions stored in it, and what is to become of its records. */
type Plan = {
  readonly generation: Generation
  readonly versions: Map<string, number>
  readonly finals: Map<string, Final>
}

/** Ids per call, documents and characters per request (servers take 100 MB by default). */
const [mostIds, mostDocuments, mostChars] = [5000, 5000, 16_000_000]
/** Removals that are remembered; after a restart only what is stored is written, nothing older. */
const maxRemovals = 100_000
/** In the index of terms: no term has such a key. */
const removedKey = '_removed'

const storedVersions = z.object({
  results: z.array(z.object({ i: z.string(), version: z.number() })),
})

/** There must be one in all processes that share the indices. */
export class EngineWriter {
  readonly #context: WriterContext
  readonly #terms: Dictionary
  readonly #values: Dictionary
  /** Versions that took records away, by mark and id: an older write that comes late must not bring a record back. */
  readonly #removals = new Map<string, number>()
  /** The last number that was given, and the largest version that took a record away; looked up when first needed. */
  #last: number | undefined
  #removed: number | undefined

  constructor(context: WriterContext) {
    const { client, uids } = context
    this.#context = context
    this.#terms = new Dictionary(client, uids.terms)
    this.#values = new Dictionary(client, uids.facetValues)
  }

  /** Writes all changes as one. Not beside another call. */
  async write(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    const plans: Plan[] = []
    for (const [answering, own] of Map.groupBy(changes, (change) => this.#find(change)))
      plans.push(...(await this.#plans(answering, own, signal)))
    this.#last ??= await this.#largest(attributes.number)
    let isDone = false
    try {
      const lines = plans.map((plan) => this.#linesOf(plan))
      await this.#noteRemovals(changes, signal)
      const begun = [await this.#terms.post(signal), await this.#values.post(signal)]
      await this.#context.done(begun.flat(), signal)
      isDone = true
      await this.#send(plans, lines, signal)
    } finally {
      this.#terms.settle(isDone)
      this.#values.settle(isDone)
    }
    for (const plan of plans) this.#remember(plan)
  }

  /** The stored versions of records, those of their removals too, by id. */
  async versions(
    { uid, mark }: Generation,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, number>> {
    const versions = new Map<string, number>()
    for (const id of ids) {
      const removed = this.#removals.get(`${mark} ${id}`)
      if (removed !== undefined) versions.set(id, removed)
    }
    for (let at = 0; at < ids.length; at += mostIds) {
      const keys = ids.slice(at, at + mostIds).map(keyOf)
      const request = { ids: keys, fields: [attributes.id, attributes.version], limit: mostIds }
      const path = `/indexes/${uid}/documents/fetch`
      const answer = await this.#context.client.post(path, request, signal)
      for (const { i, version } of expected(storedVersions, answer).results)
        versions.set(i, version)
    }
    return versions
  }

  /** The largest version ever written, those of removals included; 0 when there is none. */
  async newest(): Promise<number> {
    return Math.max(await this.#largestRemoval(), await this.#largest(attributes.version))
  }

  /** Documents that are gone tell of no version: the largest one that took a record away is stored by itself. */
  async #largestRemoval(): Promise<number> {
    const { client, uids } = this.#context
    const request = { ids: [removedKey], fields: [attributes.version], limit: 1 }
    return (this.#removed ??= await numberIn(client, uids.terms, attributes.version, request))
  }

  /** The largest value of a sortable number in all indices. */
  async #largest(attribute: string): Promise<number> {
    const { client, answering } = this.#context
    const generations = [...answering().values()].flatMap((own) => [own, own.next ?? own])
    const request = { fields: [attribute], sort: [`${attribute}:desc`], limit: 1 }
    const found = generations.map(({ uid }) => numberIn(client, uid, attribute, request))
    return Math.max(0, ...(await Promise.all(found)))
  }

  #find(change: IndexChange): Answering {
    const { index } = recordOf(change)
    const found = this.#context.answering().get(index)
    if (!found) throw new Failure('internal', `The index ${index} is not configured.`)
    return found
  }

  /** Plans the changes of one index, for the generation that answers and for the one that is filled. */
  async #plans(
    own: Answering,
    changes: readonly IndexChange[],
    signal?: AbortSignal,
  ): Promise<readonly Plan[]> {
    const ids = [...new Set(changes.map((change) => recordOf(change).id))]
    const planOf = async (generation: Generation): Promise<Plan> => {
      const versions = await this.versions(generation, ids, signal)
      return { generation, versions, finals: new Map() }
    }
    const answering = await planOf(own)
    const next = own.next && (await planOf(own.next))
    for (const change of changes) apply(change, answering, next)
    return [answering, ...(next ? [next] : [])].filter(({ finals }) => finals.size > 0)
  }

  #linesOf({ generation, finals }: Plan): readonly string[] {
    const { settings, languages } = generation
    const layout: Layout = {
      settings,
      languages,
      onToken: (term) => this.#terms.note(termKey(term), { term }),
      onFacetValue: (code, value) => this.#values.note(code, value),
    }
    return [...finals.values()].flatMap(({ document, version }) => {
      if (!document) return []
      this.#last = (this.#last ?? 0) + 1
      const numbers = { [attributes.number]: this.#last, [attributes.version]: version }
      return [jsonText({ ...storedOf(document, layout), ...numbers })]
    })
  }

  async #noteRemovals(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    const versions = changes.flatMap((one) => ('remove' in one ? [one.remove.version] : []))
    const newest = Math.max(0, ...versions)
    if (newest === 0 || newest <= (await this.#largestRemoval())) return
    const line = JSON.stringify({ [attributes.key]: removedKey, [attributes.version]: newest })
    const { client, done, uids } = this.#context
    await done([await client.lines(`/indexes/${uids.terms}/documents`, [line], signal)], signal)
    this.#removed = newest
  }

  async #send(
    plans: readonly Plan[],
    lines: readonly (readonly string[])[],
    signal?: AbortSignal,
  ): Promise<void> {
    const { done, answering, before } = this.#context
    const shown = new Set([...answering().values()].map(({ uid }) => uid))
    const after = await Promise.all(
      plans
        .filter(({ generation }) => shown.has(generation.uid))
        .map(({ generation, finals }) => before(generation.uid, [...finals.keys()].map(keyOf))),
    )
    try {
      const begun = await Promise.all(
        plans.map((plan, i) => this.#post(plan, lines[i] ?? [], signal)),
      )
      await done(begun.flat(), signal)
    } finally {
      for (const call of after) call()
    }
  }

  /** The tasks that were begun. They are done in the order of the requests. */
  async #post(
    { generation, finals }: Plan,
    lines: readonly string[],
    signal?: AbortSignal,
  ): Promise<unknown[]> {
    const { client } = this.#context
    const documents = `/indexes/${generation.uid}/documents`
    const removed = [...finals].flatMap(([id, { document }]) => (document ? [] : [keyOf(id)]))
    const tasks: unknown[] = []
    for (const portion of portions(lines))
      tasks.push(await client.lines(documents, portion, signal))
    if (removed.length > 0)
      tasks.push(await client.post(`${documents}/delete-batch`, removed, signal))
    return tasks
  }

  #remember({ generation, finals }: Plan): void {
    for (const [id, { document, version }] of finals) {
      const key = `${generation.mark} ${id}`
      this.#removals.delete(key)
      if (!document) this.#removals.set(key, version)
      const [oldest] = this.#removals.size > maxRemovals ? this.#removals.keys() : []
      if (oldest !== undefined) this.#removals.delete(oldest)
    }
  }
}

const recordOf = (change: IndexChange) => ('put' in change ? change.put : change.remove)

/** A write goes to both, each under its own settings; what only fills goes where the record is missing. */
function apply(change: IndexChange, answering: Plan, next: Plan | undefined): void {
  const { id, version } = recordOf(change)
  const document = 'put' in change ? change.put : undefined
  const stored = answering.versions.get(id) ?? 0
  if ('put' in change && change.filling === true) {
    const filled = next ?? (answering.generation.isWhole ? undefined : answering)
    if (filled && !filled.versions.has(id))
      enter(filled, id, { document: change.put, version: stored })
    return
  }
  // Made again from what is stored: it replaces a version that is not older.
  const isAgain = version === 0
  const final = { document, version: isAgain ? stored : version }
  for (const plan of next ? [answering, next] : [answering]) {
    const before = plan.versions.get(id)
    if (before === undefined || before < final.version || isAgain) enter(plan, id, final)
  }
}

function enter({ versions, finals }: Plan, id: string, final: Final): void {
  const version = Math.max(versions.get(id) ?? 0, final.version)
  versions.set(id, version)
  finals.set(id, { ...final, version })
}

/** The number that the first document of a fetch has; 0 without one. */
async function numberIn(
  client: EngineClient,
  uid: string,
  attribute: string,
  request: Readonly<Record<string, unknown>>,
): Promise<number> {
  const shape = z.object({ results: z.array(z.record(z.string(), z.number())) })
  const none = { results: [] }
  const answer = await orAbsent(client.post(`/indexes/${uid}/documents/fetch`, request), none)
  return expected(shape, answer).results[0]?.[attribute] ?? 0
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

/** Changes that go out together. */
const maxChanges = 5000

type Write = (changes: readonly IndexChange[], signal: AbortSignal) => Promise<void>

type Renewal = {
  /** A writer that knows nothing of the server yet. */
  readonly open: () => EngineWriter
  /** Rejects while it is not certain what is on the server. */
  readonly certain: () => Promise<void>
  /** Configures the server again. */
  readonly configure: () => Promise<void>
}

/** Writes to a server that may come back without its data: what is remembered of it is forgotten then, and its indices are made again. */
export class RenewedWriter {
  readonly #renewal: Renewal
  #isLost = false
  #writer: EngineWriter

  constructor(renewal: Renewal) {
    this.#renewal = renewal
    this.#writer = renewal.open()
  }

  get current(): EngineWriter {
    return this.#writer
  }

  /** As `EngineWriter.write`. The write that meets the loss fails, and so does each one until the server is configured. */
  async write(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    if (this.#isLost) await this.#renew()
    await this.#renewal.certain()
    try {
      await this.#writer.write(changes, signal)
    } catch (error) {
      if (!hasLostData(error)) throw error
      this.#isLost = true
      await this.#renew()
      throw away('The search engine came back without its data, which are written again.', error)
    }
  }

  async #renew(): Promise<void> {
    this.#writer = this.#renewal.open()
    await this.#renewal.configure()
    this.#isLost = false
  }
}

/** Group commit; nothing is written while an index is made or swapped. */
export class EngineQueue {
  readonly #write: Write
  readonly #queue: WriteQueue<readonly IndexChange[]>
  readonly #lock = new KeyedLock()
  readonly #closing = new AbortController()

  constructor(write: Write) {
    this.#write = write
    this.#queue = writeQueue({
      most: maxChanges,
      commit: (batches) => this.alone(() => this.#commit(batches)),
    })
  }

  add(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    return this.#queue.write(changes, signal)
  }

  /** Does `work` while nothing is written. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#lock.run(['writes'], work)
  }

  /** Closes the writer; tasks that were sent are completed by the server. */
  async close(): Promise<void> {
    this.#closing.abort(away('The search engine is closed.'))
    await this.#queue.close()
    await this.alone(() => Promise.resolve())
  }

  /** A batch that the engine refuses does not take its neighbours with it: then each is written by itself. */
  async #commit(batches: readonly (readonly IndexChange[])[]): Promise<readonly unknown[]> {
    try {
      await this.#write(batches.flat(), this.#closing.signal)
      return []
    } catch (error) {
      const isRefused = error instanceof Failure && error.kind === 'internal'
      if (batches.length === 1 || !isRefused) throw error
    }
    const errors: unknown[] = []
    for (const batch of batches)
      errors.push(
        await this.#commit([batch]).then(
          () => undefined,
          (error: unknown) => error,
        ),
      )
    return errors
  }
}
