/**
 * Vectors of records on Meilisearch, in an index of their own beside each index: an index with an embedder demands a vector in every
 * document, and drops it when the document is replaced.
 */

import { z } from 'zod'
import { nearestCount } from '../fusion.ts'
import type { IndexName } from '../index-settings.ts'
import { parseAnswer } from '../remote/answers.ts'
import type { EngineQueue } from '../remote/engine-queue.ts'
import type { IndexPart } from '../remote/generation.ts'
import type { Filter, IndexChange, VectorChange } from '../search-index.ts'
import { isZero } from '../vectors.ts'
import { attributes, documentKey } from './attributes.ts'
import { and, comparison, type Condition, filterText } from './condition.ts'
import { isRefusal, type WaitForTasks } from './engine-client.ts'
import { type EngineIndices, whenIndexExists } from './engine-indices.ts'
import { fetchDocuments, type ReadContext } from './engine-reads.ts'
import { filterCondition } from './filter-conditions.ts'
import { dictionarySettings } from './stored-document.ts'

/**
 * Name of the embedder, most documents under a filter that are compared by their ids, and most vectors that are looked up in one call.
 */
const [embedder, mostByKey, perPage] = ['own', 1_000, 5_000]

const keyRow = z.object({ id: z.string(), n: z.number(), i: z.string() })
const storedVector = z.object({ own: z.object({ embeddings: z.array(z.array(z.number())) }) })
const vectorsAnswer = z.object({
  results: z.array(z.object({ id: z.string(), _vectors: storedVector })),
})
const nearestAnswer = z.object({
  hits: z.array(z.object({ id: z.string(), _rankingScore: z.number() })),
})

const keyOf = ({ id }: { readonly id: string }): string => id

/** Document near to a query; the similarity grows with the cosine, on the scale of the server. */
export type NearDocument = {
  readonly part: IndexPart
  readonly hit: { readonly n: number; readonly i: string }
  readonly similarity: number
}

type VectorContext = {
  readonly context: Pick<ReadContext, 'client' | 'uids' | 'searched'>
  readonly indices: EngineIndices
  readonly waitForTasks: WaitForTasks
}

/** Stores and compares vectors. Calls that write must not overlap. */
export class EngineVectors {
  readonly #parts: VectorContext

  constructor(parts: VectorContext) {
    this.#parts = parts
  }

  /** As `SearchIndex.vectors`. */
  async vectors(changes: readonly VectorChange[], signal?: AbortSignal): Promise<void> {
    for (const [index, some] of Map.groupBy(changes, (change) => change.index))
      await this.#writeTo(index, new Map(some.map(({ id, vector }) => [id, vector])), signal)
  }

  /** Removes the vectors of records that were removed. */
  async removeWith(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    const removed = changes.flatMap((change) => ('remove' in change ? [change.remove] : []))
    for (const [index, some] of Map.groupBy(removed, (change) => change.index)) {
      const ids = [...new Set(some.map(({ id }) => id))]
      if (!(await this.#parts.indices.settings(this.#uid(index)))) continue
      const stored = await this.#stored(index, ids, signal)
      const gone = ids.filter((id) => !stored.has(id))
      await this.#send(index, [], gone.map(documentKey), signal)
    }
  }

  /** Removes the vectors of records that are not stored, as after a refill without them. Writes may take place between two pages. */
  async removeLost(index: IndexName, exclusive: EngineQueue['exclusive']): Promise<void> {
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const from: number = offset
      offset = await exclusive(() => this.#removeLostFrom(index, from))
    }
  }

  /** Removes those from `offset` on; returns the offset of the next page, `undefined` at the end. */
  async #removeLostFrom(index: IndexName, offset: number): Promise<number | undefined> {
    const { context } = this.#parts
    if (!context.searched(index)) return undefined
    const page = { row: keyRow.pick({ id: true }), offset, limit: perPage }
    const fetched = fetchDocuments(context, this.#uid(index), page)
    const { results, total } = await whenIndexExists(fetched, { results: [], total: 0 })
    const stored = new Set((await this.#rows(index, results.map(keyOf))).map(keyOf))
    const lost = results.map(keyOf).filter((key) => !stored.has(key))
    await this.#send(index, [], lost)
    const next = offset + results.length - lost.length
    return results.length > 0 && next < total - lost.length ? next : undefined
  }

  /** As `SearchIndex.vectorsOf`. */
  async of(index: IndexName, ids: readonly string[], signal?: AbortSignal) {
    const { client } = this.#parts.context
    const body = { ids: ids.map(documentKey), limit: ids.length, retrieveVectors: true }
    const answer = await whenIndexExists(
      client.post(`/indexes/${this.#uid(index)}/documents/fetch`, body, signal),
      { results: [] },
    )
    const { results } = parseAnswer(vectorsAnswer, answer)
    const byKey = new Map(results.map(({ id, _vectors: { own } }) => [id, own.embeddings[0]]))
    return ids.map((id) => {
      const vector = byKey.get(documentKey(id))
      return vector && Int8Array.from(vector)
    })
  }

  /** The documents of some indices under a filter that are nearest to a vector, nearest first. */
  async nearest(
    parts: readonly IndexPart[],
    vector: Int8Array,
    filter: Filter,
    signal?: AbortSignal,
  ): Promise<readonly NearDocument[]> {
    if (isZero(vector)) return []
    const near = await Promise.all(
      parts.map((part) => this.#nearestIn(part, vector, filter, signal)),
    )
    return near
      .flat()
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, nearestCount)
  }

  /**
   * Compares the documents under a filter if these are few. Else filters the nearest of all documents, at most `mostByKey`, so that
   * some may be missing.
   */
  async #nearestIn(
    part: IndexPart,
    vector: Int8Array,
    filter: Filter,
    signal?: AbortSignal,
  ): Promise<readonly NearDocument[]> {
    const { context } = this.#parts
    const condition = filterCondition(filter, part.settings)
    if (condition.kind === 'none') return []
    const read = async (wanted: Condition) => {
      const request = { row: keyRow, filter: filterText(wanted), limit: mostByKey }
      return fetchDocuments(context, part.uid, request, signal)
    }
    const met = condition.kind === 'all' ? undefined : await read(condition)
    const few = met && met.total <= mostByKey ? met.results : undefined
    const keys = few?.map(({ id }) => id)
    const hits = await this.#compare(part.index, vector, keys, signal)
    const among = hasKeyAmong(hits.map(({ id }) => id))
    const rows = few ?? (hits.length > 0 ? (await read(and([condition, among]))).results : [])
    const byKey = new Map(rows.map((row) => [row.id, row]))
    return hits.flatMap(({ id, _rankingScore: similarity }): readonly NearDocument[] => {
      const hit = byKey.get(id)
      return hit ? [{ part, hit, similarity }] : []
    })
  }

  async #compare(
    index: IndexName,
    vector: Int8Array,
    keys: readonly string[] | undefined,
    signal?: AbortSignal,
  ) {
    if (keys?.length === 0) return []
    const body = {
      vector: [...vector],
      hybrid: { embedder, semanticRatio: 1 },
      ...(keys && { filter: filterText(hasKeyAmong(keys)) }),
      limit: keys ? nearestCount : mostByKey,
      attributesToRetrieve: [attributes.key],
      showRankingScore: true,
    }
    try {
      const answer = await this.#parts.context.client.post(
        `/indexes/${this.#uid(index)}/search`,
        body,
        signal,
      )
      return parseAnswer(nearestAnswer, answer).hits
    } catch (error) {
      if (noVectors.some((code) => isRefusal(error, code))) return []
      throw error
    }
  }

  async #writeTo(
    index: IndexName,
    vectors: ReadonlyMap<string, Int8Array | undefined>,
    signal?: AbortSignal,
  ): Promise<void> {
    const { indices } = this.#parts
    const stored = await this.#stored(index, [...vectors.keys()], signal)
    const known = [...vectors].filter(([id]) => stored.has(id))
    const isSet = (vector: Int8Array | undefined) => vector !== undefined && !isZero(vector)
    const length = known.findLast(([, vector]) => isSet(vector))?.[1]?.length
    const uid = this.#uid(index)
    const settings = await indices.settings(uid)
    if (length !== undefined) {
      const wanted = settingsOf(length)
      const present = embedderSettings.safeParse(settings).data?.embedders.own.dimensions
      if (present !== length) await indices.make(uid, wanted)
    } else if (!settings) return
    const puts = known.filter(([, vector]) => isSet(vector) && vector?.length === length)
    const lines = puts.map(([id, vector]) =>
      JSON.stringify({
        [attributes.key]: documentKey(id),
        _vectors: { [embedder]: [...(vector ?? [])] },
      }),
    )
    const removed = known.filter(([, vector]) => !isSet(vector)).map(([id]) => documentKey(id))
    await this.#send(index, lines, removed, signal)
  }

  async #send(
    index: IndexName,
    lines: readonly string[],
    removed: readonly string[],
    signal?: AbortSignal,
  ): Promise<void> {
    const { context, waitForTasks } = this.#parts
    const documents = `/indexes/${this.#uid(index)}/documents`
    const started: unknown[] = []
    if (lines.length > 0) started.push(await context.client.postLines(documents, lines, signal))
    if (removed.length > 0)
      started.push(await context.client.post(`${documents}/delete-batch`, removed, signal))
    await waitForTasks(started, signal)
  }

  /** Those of some ids that are stored. */
  async #stored(index: IndexName, ids: readonly string[], signal?: AbortSignal) {
    const rows = await this.#rows(index, ids.map(documentKey), signal)
    return new Set(rows.map(({ i }) => i))
  }

  /** The stored documents with some keys. */
  async #rows(index: IndexName, keys: readonly string[], signal?: AbortSignal) {
    const { context } = this.#parts
    const searched = context.searched(index)
    if (!searched || keys.length === 0) return []
    const request = { row: keyRow, ids: keys, limit: keys.length }
    return (await fetchDocuments(context, searched.uid, request, signal)).results
  }

  #uid(index: IndexName): string {
    return this.#parts.context.uids.vectors(index)
  }
}

/** Error codes of a search among vectors that are not there, or have another length. */
const noVectors = ['index_not_found', 'invalid_search_embedder', 'invalid_vector_dimensions']

const embedderSettings = z.object({
  embedders: z.object({ own: z.object({ dimensions: z.number() }) }),
})

const settingsOf = (dimensions: number) => ({
  ...dictionarySettings(attributes.key),
  embedders: { [embedder]: { source: 'userProvided', dimensions } },
})

const hasKeyAmong = (keys: readonly string[]) =>
  comparison(`${attributes.key} IN [${keys.map((key) => JSON.stringify(key)).join(', ')}]`)
