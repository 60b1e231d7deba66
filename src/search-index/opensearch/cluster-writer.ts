/**
 * Writer of the indices of a platform. Versions are external: the cluster refuses what is older than the stored version, so that
 * versions are only read for what keeps its version. The dictionaries are written before the records.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { IndexName } from '../index-settings.ts'
import { jsonText, parseAnswer } from '../remote/answers.ts'
import { Dictionary, type DictionaryEntry } from '../remote/dictionary.ts'
import type { EngineGeneration, SearchedGeneration } from '../remote/generation.ts'
import { RemovalMemory } from '../remote/removal-memory.ts'
import { termKey, termRow } from '../remote/term-rows.ts'
import type { IndexChange } from '../search-index.ts'
import { type ClusterClient, ClusterRefusal, refused, whenPresent } from './cluster-client.ts'
import type { ClusterIndices } from './cluster-indices.ts'
import { clusterDocument, type ClusterNames, recordKey } from './cluster-layout.ts'
import { clusterSearch, documentsByKey } from './cluster-reads.ts'

type WriterContext = {
  readonly client: ClusterClient
  readonly names: ClusterNames
  readonly indices: ClusterIndices
  readonly searched: () => ReadonlyMap<IndexName, SearchedGeneration>
}

/** Operation on one document: its lines, and how a removal is remembered. */
type Operation = {
  readonly generation: EngineGeneration
  readonly id: string
  readonly lines: readonly string[]
  readonly removal: number | undefined
  /** Whether searches have to find it when the write resolves. */
  readonly isSearched: boolean
}

/** Most characters of one bulk: the cluster refuses bodies that take a tenth of its memory. */
const mostChars = 5_000_000
/** Key of the entry with the largest version of a removal; no facet value has this key. */
const removedKey = '-removed'

/** Writes changes and waits until they are searchable. */
export class ClusterWriter {
  readonly #context: WriterContext
  readonly #terms: Dictionary<void>
  readonly #values: Dictionary<void>
  readonly #removals = new RemovalMemory()
  #newestRemoval: number | undefined

  constructor(context: WriterContext) {
    const { client, names } = context
    this.#context = context
    this.#terms = dictionaryIn(client, names.terms)
    this.#values = dictionaryIn(client, names.facetValues)
  }

  /** Writes all changes. Calls must not overlap. */
  async write(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    const operations: Operation[] = []
    let isDone = false
    try {
      for (const [index, some] of Map.groupBy(changes, (change) => recordOf(change).index))
        operations.push(...(await this.#operationsOf(index, some, signal)))
      await this.#noteRemovals(changes, signal)
      await this.#terms.post(signal)
      await this.#values.post(signal)
      isDone = true
    } finally {
      this.#terms.endWrite(isDone)
      this.#values.endWrite(isDone)
    }
    await this.#send(operations, signal)
    for (const { generation, id, removal } of operations)
      this.#removals.note(generation.instance, id, removal)
  }

  /** Stored versions of records by id, including those of remembered removals. */
  async versions(
    { uid, instance }: EngineGeneration,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, number>> {
    const versions = this.#removals.versionsOf(instance, ids)
    const { client } = this.#context
    const keys = [...new Set(ids.map(recordKey))]
    const found = await documentsByKey({ client }, uid, keys, { source: false, signal })
    for (const id of ids) {
      const stored = found.get(recordKey(id))
      if (stored) versions.set(id, stored.version)
    }
    return versions
  }

  /** Largest version ever written, including removals; 0 if there is none. */
  async newestVersion(): Promise<number> {
    const { client, searched } = this.#context
    const uids = [...searched().values()].flatMap(({ uid, next }) =>
      next ? [uid, next.uid] : [uid],
    )
    const body = { size: 0, track_total_hits: false, aggs: { v: { max: { field: 'v' } } } }
    const { aggregations } = await clusterSearch({ client }, uids, body)
    return Math.max(await this.#largestRemoval(), parseAnswer(largest, aggregations).v.value ?? 0)
  }

  async #operationsOf(
    index: IndexName,
    changes: readonly IndexChange[],
    signal?: AbortSignal,
  ): Promise<readonly Operation[]> {
    const searched = this.#context.searched().get(index)
    if (!searched) throw new Failure('internal', `The index ${index} is not configured.`)
    const kept = changes.flatMap((change) => (keepsVersion(change) ? [recordOf(change).id] : []))
    const versions = new Map(kept.length > 0 ? await this.versions(searched, kept, signal) : [])
    const filling = searched.next ?? (searched.isComplete ? undefined : searched)
    const generations = searched.next ? [searched, searched.next] : [searched]
    return changes.flatMap((change): readonly Operation[] => {
      const { id, version } = recordOf(change)
      if ('put' in change && change.onlyIfMissing === true) {
        if (!filling || this.#isRemoved(filling, id, 0)) return []
        const own = { version: versions.get(id) ?? 0, type: 'external' }
        return [this.#operation(filling, change, own, filling === searched)]
      }
      const isRebuilt = version === 0
      if (isRebuilt && 'remove' in change && !versions.has(id)) return []
      const own = isRebuilt
        ? { version: versions.get(id) ?? 0, type: 'external_gte' }
        : { version, type: 'external' }
      versions.set(id, Math.max(versions.get(id) ?? 0, own.version))
      return generations.flatMap((generation) =>
        !isRebuilt && this.#isRemoved(generation, id, version)
          ? []
          : [this.#operation(generation, change, own, generation === searched)],
      )
    })
  }

  /** Whether a removal of this version or a later one is remembered. */
  #isRemoved({ instance }: EngineGeneration, id: string, version: number): boolean {
    const removed = this.#removals.versionsOf(instance, [id]).get(id)
    return removed !== undefined && removed >= version
  }

  #operation(
    generation: EngineGeneration,
    change: IndexChange,
    { version, type }: { readonly version: number; readonly type: string },
    isSearched: boolean,
  ): Operation {
    const { id } = recordOf(change)
    const { uid, settings, languages } = generation
    const meta = { _index: uid, _id: recordKey(id), version, version_type: type }
    if ('remove' in change)
      return { generation, id, lines: [jsonText({ delete: meta })], removal: version, isSearched }
    const document = clusterDocument(
      { ...change.put, version },
      {
        settings,
        languages,
        onWord: (word) => {
          const key = termKey(word)
          if (!this.#terms.has(key)) this.#terms.add(key, termRow(word))
        },
        onFacetValue: (code, value) => this.#values.add(code, value),
      },
    )
    const lines = [jsonText({ index: meta }), jsonText(document)]
    return { generation, id, lines, removal: undefined, isSearched }
  }

  async #noteRemovals(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    const versions = changes.flatMap((change) =>
      'remove' in change ? [change.remove.version] : [],
    )
    const newest = Math.max(0, ...versions)
    if (newest === 0 || newest <= (await this.#largestRemoval())) return
    const { client, names } = this.#context
    const entries = new Map([[removedKey, { version: newest }]])
    await sendEntries(client, names.facetValues, entries, { isSearched: false, signal })
    this.#newestRemoval = newest
  }

  /** Largest version of a removal, which is stored as an entry of its own, because a removed document has no version. */
  async #largestRemoval(): Promise<number> {
    const { client, names } = this.#context
    const read = documentsByKey({ client }, names.facetValues, [removedKey], { source: 'version' })
    const stored = (await whenPresent(read, new Map())).get(removedKey)
    return (this.#newestRemoval ??= Number(stored?.source['version'] ?? 0))
  }

  /** Sends operations in bulks, and makes those that are searched visible by one refresh. */
  async #send(operations: readonly Operation[], signal?: AbortSignal): Promise<void> {
    const { client, indices } = this.#context
    const bulks = [...bulksOf(operations)]
    const isRefreshed = operations.some(({ isSearched }) => isSearched)
    for (const bulk of bulks) {
      const lines = bulk.flatMap((operation) => operation.lines)
      await sendBulk(client, lines, { isRefreshed: isRefreshed && bulks.length === 1, signal })
    }
    if (!isRefreshed || bulks.length === 1) return
    const searched = operations.filter(({ isSearched }) => isSearched)
    await indices.refresh([...new Set(searched.map(({ generation }) => generation.uid))], signal)
  }
}

const largest = z.object({ v: z.object({ value: z.number().nullable() }) })

const recordOf = (change: IndexChange) => ('put' in change ? change.put : change.remove)

const keepsVersion = (change: IndexChange): boolean =>
  recordOf(change).version === 0 || ('put' in change && change.onlyIfMissing === true)

function* bulksOf(operations: readonly Operation[]): Generator<readonly Operation[]> {
  let [from, chars] = [0, 0]
  for (const [i, { lines }] of operations.entries()) {
    const size = lines.reduce((sum, line) => sum + line.length, 0)
    if (i > from && chars + size > mostChars) {
      yield operations.slice(from, i)
      from = i
      chars = 0
    }
    chars += size
  }
  if (from < operations.length) yield operations.slice(from)
}

const bulkAnswer = z.object({
  errors: z.boolean(),
  items: z.array(
    z.record(z.string(), z.object({ status: z.number(), error: z.unknown().optional() })),
  ),
})

type BulkOptions = { readonly isRefreshed: boolean; readonly signal: AbortSignal | undefined }

/** Sends a bulk. Rejects if an item failed; one that is older than what is stored is skipped. */
export async function sendBulk(
  client: ClusterClient,
  lines: readonly string[],
  { isRefreshed, signal }: BulkOptions,
): Promise<void> {
  const query = {
    refresh: isRefreshed,
    timeout: '10s',
    filter_path: 'errors,items.*.status,items.*.error',
  }
  const answer = await client.call(
    { method: 'POST', path: '/_bulk', query, lines, isChange: true },
    signal,
  )
  for (const item of parseAnswer(bulkAnswer, answer).items)
    for (const { status, error } of Object.values(item))
      if (status >= 400 && status !== 409 && error !== undefined) throw refused(status, { error })
}

const titleShape = z.object({ title: z.string().default('') })

function dictionaryIn(client: ClusterClient, uid: string): Dictionary<void> {
  return new Dictionary({
    titlesOf: async (ids, signal) => {
      const stored = await documentsByKey({ client }, uid, ids, { source: 'title', signal })
      return new Map([...stored].map(([id, { source: own }]) => [id, titleShape.parse(own).title]))
    },
    send: (entries, signal) => sendEntries(client, uid, entries, { isSearched: true, signal }),
  })
}

async function sendEntries(
  client: ClusterClient,
  uid: string,
  entries: ReadonlyMap<string, DictionaryEntry | { readonly version: number }>,
  {
    isSearched,
    signal,
  }: { readonly isSearched: boolean; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const lines = [...entries].flatMap(([id, entry]) => {
    // A node may carry out a write long after another one was asked for it.
    const versioned = 'version' in entry && { version: entry.version, version_type: 'external_gte' }
    return [jsonText({ index: { _index: uid, _id: id, ...versioned } }), jsonText(entry)]
  })
  await sendBulk(client, lines, { isRefreshed: isSearched, signal })
}

/** Whether a failed write means that the cluster has lost its data. */
export const hasLostIndex = (error: unknown): boolean =>
  error instanceof Failure &&
  error.cause instanceof ClusterRefusal &&
  error.cause.type === 'index_not_found_exception'
