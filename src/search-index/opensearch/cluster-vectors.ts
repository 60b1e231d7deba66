/**
 * Vectors of records on a cluster, in an index of their own beside each index, so that they outlive a rewriting of their records. The
 * cluster compares the signs of components, and this process the vectors with the most equal signs; no plugin is needed.
 */

import { z } from 'zod'
import { nearestCount } from '../fusion.ts'
import type { IndexName } from '../index-settings.ts'
import { jsonText, parseAnswer } from '../remote/answers.ts'
import type { EngineQueue } from '../remote/engine-queue.ts'
import type { IndexPart } from '../remote/generation.ts'
import type { Filter, IndexChange, VectorChange } from '../search-index.ts'
import { isZero } from '../vectors.ts'
import { whenPresent } from './cluster-client.ts'
import { changeTimes, managerTime } from './cluster-indices.ts'
import { type ClusterNames, recordKey, type Sharding, shardSettings } from './cluster-layout.ts'
import {
  type ClusterReads,
  clusterSearch,
  documentsByKey,
  fieldsOfHits,
  sendSearch,
} from './cluster-reads.ts'
import { sendBulk } from './cluster-writer.ts'
import {
  allOf,
  type ClusterQuery,
  everything,
  clusterFilter,
  isNothing,
} from './query-conditions.ts'

/** Most documents under a filter whose vectors are compared, and most that are compared by their signs. */
const mostCompared = 1_000
/** Vectors that are looked at in one call after a refill. */
const mostRemoved = 5_000
/** Components whose signs are in one field. */
const signsPerWord = 32
/** Most words of signs, for 1,024 components. */
const mostWords = 32

/** Document near to a query; the similarity is the cosine. */
export type NearRecord = {
  readonly part: IndexPart
  readonly id: string
  readonly similarity: number
}

type VectorParts = {
  readonly context: ClusterReads
  readonly names: ClusterNames
  readonly sharding: Sharding
}

const vectorSource = z.object({ i: z.string(), e: z.string() })
const vectorHits = z.object({
  hits: z.object({ hits: z.array(z.object({ _source: vectorSource })) }),
})

/** Stores and compares vectors. Calls that write must not overlap. */
export class ClusterVectors {
  readonly #parts: VectorParts

  constructor(parts: VectorParts) {
    this.#parts = parts
  }

  /** As `SearchIndex.vectors`. */
  async vectors(changes: readonly VectorChange[], signal?: AbortSignal): Promise<void> {
    const { context } = this.#parts
    for (const [index, some] of Map.groupBy(changes, (change) => change.index)) {
      const searched = context.searched(index)
      if (!searched) continue
      const vectors = new Map(some.map(({ id, vector }) => [id, vector]))
      const keys = [...vectors.keys()].map(recordKey)
      const stored = await documentsByKey(context, searched.uid, keys, { source: false, signal })
      const known = [...vectors].filter(([id]) => stored.has(recordKey(id)))
      await this.#writeTo(index, known, signal)
    }
  }

  /** Removes the vectors of records that were removed. */
  async removeWith(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    const { context } = this.#parts
    const removed = changes.flatMap((change) => ('remove' in change ? [change.remove] : []))
    for (const [index, some] of Map.groupBy(removed, (change) => change.index)) {
      const searched = context.searched(index)
      if (!searched) continue
      const keys = [...new Set(some.map(({ id }) => recordKey(id)))]
      const vectors = await this.#stored(index, keys, signal)
      if (vectors.size === 0) continue
      const present = await documentsByKey(context, searched.uid, keys, { source: false, signal })
      await this.#remove(
        index,
        keys.filter((key) => !present.has(key)),
        signal,
      )
    }
  }

  /** Removes the vectors whose records are not stored, as after a refill without them. Writes may take place between two pages. */
  async removeLost(index: IndexName, exclusive: EngineQueue['exclusive']): Promise<void> {
    const { context, names } = this.#parts
    for (let after: string | undefined, isMore = true; isMore;) {
      const body = {
        size: mostRemoved,
        sort: [{ i: 'asc' }],
        _source: ['i', 'e'],
        ...(after !== undefined && { search_after: [after] }),
      }
      const reading = sendSearch(context.client, [names.vectors(index)], body)
      const answer = await whenPresent(reading, { hits: { hits: [] } })
      const ids = parseAnswer(vectorHits, answer).hits.hits.map(({ _source: { i } }) => i)
      await exclusive(async () => {
        const searched = context.searched(index)
        if (!searched || ids.length === 0) return
        const keys = ids.map(recordKey)
        const stored = await documentsByKey(context, searched.uid, keys, { source: false })
        await this.#remove(
          index,
          keys.filter((key) => !stored.has(key)),
        )
      })
      after = ids.at(-1)
      isMore = ids.length === mostRemoved
    }
  }

  /** As `SearchIndex.vectorsOf`. */
  async of(index: IndexName, ids: readonly string[], signal?: AbortSignal) {
    const stored = await this.#stored(index, ids.map(recordKey), signal)
    return ids.map((id) => {
      const found = vectorSource.safeParse(stored.get(recordKey(id))?.source).data
      return found && vectorOfText(found.e)
    })
  }

  /** The documents of some indices under a filter that are nearest to a vector, nearest first. */
  async nearest(
    parts: readonly IndexPart[],
    vector: Int8Array,
    filter: Filter,
    signal?: AbortSignal,
  ): Promise<readonly NearRecord[]> {
    if (isZero(vector)) return []
    const near = await Promise.all(
      parts.map((part) =>
        this.#nearestIn(part, vector, clusterFilter(filter, part.settings), signal),
      ),
    )
    return near
      .flat()
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, nearestCount)
  }

  /**
   * Compares the documents under a filter if these are few. Else filters those that have the most signs in common, so that some may be
   * missing.
   */
  async #nearestIn(
    part: IndexPart,
    vector: Int8Array,
    filter: ClusterQuery,
    signal?: AbortSignal,
  ): Promise<readonly NearRecord[]> {
    if (isNothing(filter)) return []
    const idsUnder = async (query: ClusterQuery) => {
      const body = {
        query,
        size: mostCompared,
        track_total_hits: true,
        ...fieldsOfHits({ record: false }),
      }
      const { total, hits } = await clusterSearch(this.#parts.context, [part.uid], body, signal)
      return { total, ids: hits.map(({ id }) => id) }
    }
    const under = filter === everything ? undefined : await idsUnder(filter)
    const few = under && under.total <= mostCompared ? under.ids : undefined
    const found = await this.#compare(part.index, vector, few, signal)
    if (found.length === 0) return []
    const ids =
      few ?? (await idsUnder(allOf([filter, { terms: { i: found.map(({ i }) => i) } }]))).ids
    const allowed = new Set(ids)
    return found.flatMap(({ i: id, e }) =>
      allowed.has(id) ? [{ part, id, similarity: cosineOf(vector, vectorOfText(e)) }] : [],
    )
  }

  async #compare(
    index: IndexName,
    vector: Int8Array,
    ids: readonly string[] | undefined,
    signal?: AbortSignal,
  ) {
    if (ids?.length === 0) return []
    const params = { q: signWords(vector) }
    const source =
      'int equal = 0; for (int w = 0; w < params.q.length; w++) { int other = (int) doc[params.names[w]].value; ' +
      'equal += 32 - Integer.bitCount(other ^ (int) params.q[w]); } return equal;'
    const names = params.q.map((_, word) => `s${word}`)
    const query = allOf([{ term: { d: vector.length } }, ids ? { terms: { i: ids } } : everything])
    const script = { lang: 'painless', source, params: { ...params, names } }
    const body = {
      query: { script_score: { query, script } },
      size: mostCompared,
      sort: ['_score', { i: 'asc' }],
      track_total_hits: false,
      _source: ['i', 'e'],
    }
    const { client, names: indexNames } = this.#parts.context
    const reading = sendSearch(client, [indexNames.vectors(index)], body, signal)
    const answer = await whenPresent(reading, { hits: { hits: [] } })
    return parseAnswer(vectorHits, answer).hits.hits.map(({ _source: found }) => found)
  }

  async #writeTo(
    index: IndexName,
    vectors: readonly (readonly [id: string, vector: Int8Array | undefined])[],
    signal?: AbortSignal,
  ): Promise<void> {
    const isSet = (vector: Int8Array | undefined) => vector !== undefined && !isZero(vector)
    const length = vectors.findLast(([, vector]) => isSet(vector))?.[1]?.length
    const uid = this.#parts.names.vectors(index)
    if (length !== undefined) await this.#ensure(uid, length, signal)
    const puts = vectors.flatMap(([id, vector]) =>
      vector && isSet(vector) && vector.length === length
        ? [
            jsonText({ index: { _index: uid, _id: recordKey(id) } }),
            jsonText(documentOf(id, vector)),
          ]
        : [],
    )
    if (puts.length > 0)
      await sendBulk(this.#parts.context.client, puts, { isRefreshed: true, signal })
    const removed = vectors.filter(([, vector]) => !isSet(vector)).map(([id]) => recordKey(id))
    const stored = await this.#stored(index, removed, signal)
    await this.#remove(index, [...stored.keys()], signal)
  }

  /** Makes the index of vectors of a length, in place of one with another length. */
  async #ensure(uid: string, length: number, signal?: AbortSignal): Promise<void> {
    const { context, sharding } = this.#parts
    const path = `/${encodeURIComponent(uid)}`
    const call = { method: 'GET', path: `${path}/_mapping`, query: managerTime } as const
    const read = context.client.call(call, signal)
    const answer = await whenPresent(read, undefined)
    const present = mappingShape.safeParse(answer).data
    if (present && Object.values(present).every((own) => own.length === length)) return
    const change = { path, query: changeTimes, isChange: true }
    if (answer !== undefined) await context.client.call({ method: 'DELETE', ...change }, signal)
    const body = { settings: shardSettings(sharding), mappings: vectorMapping(length) }
    await context.client.call({ method: 'PUT', ...change, body }, signal)
  }

  async #remove(index: IndexName, keys: readonly string[], signal?: AbortSignal): Promise<void> {
    if (keys.length === 0) return
    const { context, names } = this.#parts
    const lines = keys.map((key) =>
      jsonText({ delete: { _index: names.vectors(index), _id: key } }),
    )
    await sendBulk(context.client, lines, { isRefreshed: true, signal })
  }

  async #stored(index: IndexName, keys: readonly string[], signal?: AbortSignal) {
    const { context, names } = this.#parts
    const reading = documentsByKey(context, names.vectors(index), keys, { source: 'i,e', signal })
    return whenPresent(reading, new Map<string, never>())
  }
}

const mappingShape = z.record(
  z.string(),
  z
    .object({ mappings: z.object({ _meta: z.object({ length: z.number() }) }) })
    .transform(({ mappings: { _meta: meta } }) => meta),
)

const vectorMapping = (length: number) => ({
  dynamic: 'strict',
  _meta: { length },
  properties: {
    i: { type: 'keyword' },
    d: { type: 'integer' },
    e: { type: 'keyword', index: false, doc_values: false },
    ...Object.fromEntries(
      Array.from({ length: mostWords }, (_, word) => [
        `s${word}`,
        { type: 'integer', index: false },
      ]),
    ),
  },
})

const documentOf = (id: string, vector: Int8Array) => ({
  i: id,
  d: vector.length,
  e: Buffer.from(vector.buffer, vector.byteOffset, vector.length).toString('base64'),
  ...Object.fromEntries(signWords(vector).map((signs, word) => [`s${word}`, signs])),
})

const vectorOfText = (text: string): Int8Array => new Int8Array(Buffer.from(text, 'base64'))

/** Signs of the components as numbers of 32 bits. */
function signWords(vector: Int8Array): readonly number[] {
  const words = Array.from({ length: Math.ceil(vector.length / signsPerWord) }, () => 0)
  for (const [place, component] of vector.entries()) {
    const word = Math.floor(place / signsPerWord)
    if (component > 0) words[word] = (words[word] ?? 0) | (1 << (place % signsPerWord))
  }
  return words
}

function cosineOf(a: Int8Array, b: Int8Array): number {
  let [product, ofA, ofB] = [0, 0, 0]
  for (const [i, left] of a.entries()) {
    const right = b[i] ?? 0
    product += left * right
    ofA += left * left
    ofB += right * right
  }
  return ofA > 0 && ofB > 0 ? product / Math.sqrt(ofA * ofB) : 0
}
