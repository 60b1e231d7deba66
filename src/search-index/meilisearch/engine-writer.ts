/**
 * Writer of the indices of a platform. Meilisearch has no conditional writes: the stored versions are read before every write and
 * compared in memory, so that only one process may write. The dictionaries are written before the records.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { IndexName } from '../index-settings.ts'
import { jsonText, parseAnswer } from '../remote/answers.ts'
import { Dictionary } from '../remote/dictionary.ts'
import type { EngineGeneration, SearchedGeneration } from '../remote/generation.ts'
import { RemovalMemory } from '../remote/removal-memory.ts'
import { termKey, termRow } from '../remote/term-rows.ts'
import type { Document, IndexChange } from '../search-index.ts'
import { attributes, documentKey, type Uids } from './attributes.ts'
import type { EngineClient, WaitForTasks } from './engine-client.ts'
import { whenIndexExists } from './engine-indices.ts'
import { engineDocument, type Layout } from './stored-document.ts'

type WriterContext = {
  readonly client: EngineClient
  readonly waitForTasks: WaitForTasks
  readonly uids: Uids
  readonly searched: () => ReadonlyMap<IndexName, SearchedGeneration>
  /**
   * Called before documents with these keys are written or removed in a searched index, so that cursors can copy them. The result is
   * called when the write has ended or failed.
   */
  readonly beforeWrite: (uid: string, keys: readonly string[]) => Promise<() => void>
}

/** State of a record after a write; without a document it is removed. */
type FinalState = { readonly document?: Document; readonly version: number }

/** Write to one generation: the stored versions of the records, and their states after the write. */
type Plan = {
  readonly generation: EngineGeneration
  readonly versions: Map<string, number>
  readonly finals: Map<string, FinalState>
}

/** Most ids in a call, and most documents and characters in a write (servers accept 100 MB by default). */
const [mostIds, mostDocuments, mostChars] = [5000, 5000, 16_000_000]
/** Key in the index of terms of the entry with the largest version of a removal; no term has this key. */
const removedKey = '_removed'

const storedVersions = z.object({
  results: z.array(z.object({ i: z.string(), version: z.number() })),
})

/** Writes changes and waits until they are searchable. There must be one writer in all processes that share the indices. */
export class EngineWriter {
  readonly #context: WriterContext
  readonly #terms: Dictionary<unknown>
  readonly #values: Dictionary<unknown>
  readonly #removals = new RemovalMemory()
  /** Last used document number, and largest version of a removal; read when first needed. */
  #lastNumber: number | undefined
  #newestRemoval: number | undefined

  constructor(context: WriterContext) {
    const { client, uids } = context
    this.#context = context
    this.#terms = dictionaryAt(uids.terms, client)
    this.#values = dictionaryAt(uids.facetValues, client)
  }

  /** Writes all changes. Calls must not overlap. */
  async write(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    const plans: Plan[] = []
    for (const [searched, changesOfIndex] of Map.groupBy(changes, (change) =>
      this.#generationOf(change),
    ))
      plans.push(...(await this.#plans(searched, changesOfIndex, signal)))
    this.#lastNumber ??= await this.#largest(attributes.number)
    let isDone = false
    try {
      const lines = plans.map((plan) => this.#linesOf(plan))
      await this.#noteRemovals(changes, signal)
      const started = [await this.#terms.post(signal), await this.#values.post(signal)]
      await this.#context.waitForTasks(started.flat(), signal)
      isDone = true
      await this.#send(plans, lines, signal)
    } finally {
      this.#terms.endWrite(isDone)
      this.#values.endWrite(isDone)
    }
    for (const { generation, finals } of plans)
      for (const [id, { document, version }] of finals)
        this.#removals.note(generation.instance, id, document ? undefined : version)
  }

  /** Stored versions of records by id, including those of cached removals. */
  async versions(
    { uid, instance }: EngineGeneration,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, number>> {
    const versions = this.#removals.versionsOf(instance, ids)
    for (let at = 0; at < ids.length; at += mostIds) {
      const keys = ids.slice(at, at + mostIds).map(documentKey)
      const request = { ids: keys, fields: [attributes.id, attributes.version], limit: mostIds }
      const path = `/indexes/${uid}/documents/fetch`
      const answer = await this.#context.client.post(path, request, signal)
      for (const { i, version } of parseAnswer(storedVersions, answer).results)
        versions.set(i, version)
    }
    return versions
  }

  /** Largest version ever written, including removals; 0 if there is none. */
  async newestVersion(): Promise<number> {
    return Math.max(await this.#largestRemoval(), await this.#largest(attributes.version))
  }

  /** Largest version of a removal, which is stored as an entry of its own, because a removed document has no version. */
  async #largestRemoval(): Promise<number> {
    const { client, uids } = this.#context
    const request = { ids: [removedKey], fields: [attributes.version], limit: 1 }
    return (this.#newestRemoval ??= await numberIn(client, uids.terms, attributes.version, request))
  }

  /** Largest value of a sortable number in all indices. */
  async #largest(attribute: string): Promise<number> {
    const { client, searched } = this.#context
    const generations = [...searched().values()].flatMap((generation) => [
      generation,
      generation.next ?? generation,
    ])
    const request = { fields: [attribute], sort: [`${attribute}:desc`], limit: 1 }
    const values = generations.map(({ uid }) => numberIn(client, uid, attribute, request))
    return Math.max(0, ...(await Promise.all(values)))
  }

  #generationOf(change: IndexChange): SearchedGeneration {
    const { index } = recordOf(change)
    const generation = this.#context.searched().get(index)
    if (!generation) throw new Failure('internal', `The index ${index} is not configured.`)
    return generation
  }

  /** Plans the changes of one index for the searched generation and for the one that is being filled. */
  async #plans(
    searched: SearchedGeneration,
    changes: readonly IndexChange[],
    signal?: AbortSignal,
  ): Promise<readonly Plan[]> {
    const ids = [...new Set(changes.map((change) => recordOf(change).id))]
    const planOf = async (generation: EngineGeneration): Promise<Plan> => {
      const versions = await this.versions(generation, ids, signal)
      return { generation, versions, finals: new Map() }
    }
    const searchedPlan = await planOf(searched)
    const next = searched.next && (await planOf(searched.next))
    for (const change of changes) planChange(change, searchedPlan, next)
    return [searchedPlan, ...(next ? [next] : [])].filter(({ finals }) => finals.size > 0)
  }

  #linesOf({ generation, finals }: Plan): readonly string[] {
    const { settings, languages } = generation
    const layout: Layout = {
      settings,
      languages,
      onWord: (word) => {
        const key = termKey(word)
        if (!this.#terms.has(key)) this.#terms.add(key, termRow(word))
      },
      onFacetValue: (code, value) => this.#values.add(code, value),
    }
    return [...finals.values()].flatMap(({ document, version }) => {
      if (!document) return []
      this.#lastNumber = (this.#lastNumber ?? 0) + 1
      const numbers = { [attributes.number]: this.#lastNumber, [attributes.version]: version }
      return [jsonText({ ...engineDocument(document, layout), ...numbers })]
    })
  }

  async #noteRemovals(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    const versions = changes.flatMap((change) =>
      'remove' in change ? [change.remove.version] : [],
    )
    const newest = Math.max(0, ...versions)
    if (newest === 0 || newest <= (await this.#largestRemoval())) return
    const line = JSON.stringify({ [attributes.key]: removedKey, [attributes.version]: newest })
    const { client, waitForTasks, uids } = this.#context
    await waitForTasks(
      [await client.postLines(`/indexes/${uids.terms}/documents`, [line], signal)],
      signal,
    )
    this.#newestRemoval = newest
  }

  async #send(
    plans: readonly Plan[],
    lines: readonly (readonly string[])[],
    signal?: AbortSignal,
  ): Promise<void> {
    const { waitForTasks, searched, beforeWrite } = this.#context
    const searchedUids = new Set([...searched().values()].map(({ uid }) => uid))
    const onEnds = await Promise.all(
      plans
        .filter(({ generation }) => searchedUids.has(generation.uid))
        .map(({ generation, finals }) =>
          beforeWrite(generation.uid, [...finals.keys()].map(documentKey)),
        ),
    )
    try {
      const started = await Promise.all(
        plans.map((plan, i) => this.#post(plan, lines[i] ?? [], signal)),
      )
      await waitForTasks(started.flat(), signal)
    } finally {
      for (const call of onEnds) call()
    }
  }

  /** Sends a plan and returns the started tasks, which the server runs in order. */
  async #post(
    { generation, finals }: Plan,
    lines: readonly string[],
    signal?: AbortSignal,
  ): Promise<unknown[]> {
    const { client } = this.#context
    const documents = `/indexes/${generation.uid}/documents`
    const removedKeys = [...finals].flatMap(([id, { document }]) =>
      document ? [] : [documentKey(id)],
    )
    const tasks: unknown[] = []
    for (const portion of portions(lines))
      tasks.push(await client.postLines(documents, portion, signal))
    if (removedKeys.length > 0)
      tasks.push(await client.post(`${documents}/delete-batch`, removedKeys, signal))
    return tasks
  }
}

const recordOf = (change: IndexChange) => ('put' in change ? change.put : change.remove)

/**
 * Applies a change to the plans of both generations; with `onlyIfMissing` only to the one that is being filled, if it lacks the record.
 */
function planChange(change: IndexChange, searched: Plan, next: Plan | undefined): void {
  const { id, version } = recordOf(change)
  const document = 'put' in change ? change.put : undefined
  const stored = searched.versions.get(id) ?? 0
  if ('put' in change && change.onlyIfMissing === true) {
    const filling = next ?? (searched.generation.isComplete ? undefined : searched)
    if (filling && !filling.versions.has(id))
      setFinal(filling, id, { document: change.put, version: stored })
    return
  }
  // A projection from the store replaces the stored document and keeps its version.
  const isRebuilt = version === 0
  const final = { document, version: isRebuilt ? stored : version }
  for (const plan of next ? [searched, next] : [searched]) {
    const storedVersion = plan.versions.get(id)
    if (storedVersion === undefined || storedVersion < final.version || isRebuilt)
      setFinal(plan, id, final)
  }
}

function setFinal({ versions, finals }: Plan, id: string, final: FinalState): void {
  const version = Math.max(versions.get(id) ?? 0, final.version)
  versions.set(id, version)
  finals.set(id, { ...final, version })
}

const storedTitles = z.object({
  results: z.array(z.object({ id: z.string(), title: z.string().default('') })),
})

/** Ids of entries in one call. */
const entriesPerCall = 1000

function dictionaryAt(uid: string, client: EngineClient): Dictionary<unknown> {
  const documents = `/indexes/${uid}/documents`
  return new Dictionary({
    titlesOf: async (ids, signal) => {
      const titles = new Map<string, string>()
      for (let at = 0; at < ids.length; at += entriesPerCall) {
        const some = ids.slice(at, at + entriesPerCall)
        const request = { ids: some, fields: ['id', 'title'], limit: entriesPerCall }
        const answer = await client.post(`${documents}/fetch`, request, signal)
        for (const { id, title } of parseAnswer(storedTitles, answer).results) titles.set(id, title)
      }
      return titles
    },
    send: async (entries, signal) => {
      const lines = [...entries].map(([id, entry]) => jsonText({ id, ...entry }))
      return client.postLines(documents, lines, signal)
    },
  })
}

/** Number in an attribute of the first document that is found; 0 if there is none. */
async function numberIn(
  client: EngineClient,
  uid: string,
  attribute: string,
  request: Readonly<Record<string, unknown>>,
): Promise<number> {
  const shape = z.object({ results: z.array(z.record(z.string(), z.number())) })
  const noResults = { results: [] }
  const answer = await whenIndexExists(
    client.post(`/indexes/${uid}/documents/fetch`, request),
    noResults,
  )
  return parseAnswer(shape, answer).results[0]?.[attribute] ?? 0
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
