/** `SearchIndex` on Meilisearch, a separate server, for more records than the embedded engine can hold. */

import { randomUUID } from 'node:crypto'
import type { Log } from '../../log.ts'
import type { CursorLimits } from '../cursors.ts'
import type { IndexName } from '../index-settings.ts'
import { EngineQueue, type WriteChanges } from '../remote/engine-queue.ts'
import { EngineWatch } from '../remote/engine-watch.ts'
import { firstContact } from '../remote/first-contact.ts'
import { type RecoveringWriter, recoveringWriter } from '../remote/recovering-writer.ts'
import { WordTargets } from '../remote/word-targets.ts'
import type { SearchIndex } from '../search-index.ts'
import { truncateLists } from '../truncate-lists.ts'
import { indexedLanguages } from '../../text/language.ts'
import type { Pause } from '../../workers/pause.ts'
import { uidsOf } from './attributes.ts'
import { DocumentCounts } from './document-counts.ts'
import { connectEngine, hasLostData, releaseOf, taskWaiter } from './engine-client.ts'
import { type EngineIndices, engineIndices } from './engine-indices.ts'
import type { ReadContext } from './engine-reads.ts'
import { EngineState } from './engine-state.ts'
import { EngineVectors } from './engine-vectors.ts'
import { EngineWriter } from './engine-writer.ts'
import { allFacetValues, titlesOnEngine } from './facet-values.ts'
import { MeilisearchCursors } from './meilisearch-cursors.ts'
import { answerSearch, fetchEntries, fetchRecord } from './search-answer.ts'
import { termsAfter, termsNear } from './term-patterns.ts'
import { termFinder } from './word-lookups.ts'

type MeilisearchOptions = {
  /** `http://` or `https://`, without user info. */
  readonly url: string
  readonly apiKey?: string
  /** Prefix of the uids of all indices, so that several platforms can share a server. */
  readonly prefix?: string
  readonly log: Log
  /** Languages with a text bucket of their own; by default the official ones of the European Union. */
  readonly languages?: readonly string[]
  /** Milliseconds after which a search fails with `time-limit`. */
  readonly searchMs?: number
  /** Most milliseconds of a call of the server, including the largest writes. */
  readonly callMs?: number
  /** Most terms that are searched for one wildcard pattern. */
  readonly wildcardTerms?: number
  readonly cursors: CursorLimits
  /** Whether another process writes the indices and this one only searches them. */
  readonly isReader?: boolean
  /** Milliseconds that never decrease. */
  readonly now: () => number
  readonly pause: Pause
}

/** Changes in one write: each write is a task of the server, but clients wait for the tasks before theirs. */
const preferredBatch = 500

/**
 * Connects to Meilisearch. Also resolves if the server cannot be reached; all calls then reject with `engine-unavailable` until
 * `configure` has reached it. Rejects if the release of the server is too old.
 */
export async function meilisearchIndex(options: MeilisearchOptions): Promise<SearchIndex> {
  const { log } = options
  const engine = openEngine(options)
  const { client, queue } = engine
  const connectOnce = await firstContact({
    attempt: () => releaseOf(client, log),
    close: () => client.close(),
  })
  return {
    preferredBatch,
    onDataLost: engine.listen,
    ...changingCalls(engine, connectOnce),
    ...(options.isReader && { attach: attaching(engine, connectOnce) }),
    ...readingCalls(engine, options.searchMs ?? 10_000),
    facts: () => engine.watch.facts(),
    close: async () => {
      await queue.close()
      client.close()
    },
  }
}

type EngineParts = ReturnType<typeof openEngine>

function openEngine(options: MeilisearchOptions) {
  const { log, now, prefix = '', languages = indexedLanguages } = options
  const client = connectEngine({ callMs: 30_000, ...options })
  const waitForTasks = taskWaiter(client)
  const uids = uidsOf(prefix)
  const indices = engineIndices(client, waitForTasks)
  const state = new EngineState({ uids, indices, languages })
  const count = { changes: 0 }
  const changes = () => count.changes
  const context: ReadContext = {
    client,
    uids,
    words: new WordTargets(termFinder({ client, uids }), changes),
    counts: new DocumentCounts(client, changes),
    log,
    now,
    searched: (index) => state.searched.get(index),
    changes,
    wildcardTerms: options.wildcardTerms ?? 1000,
  }
  const vectors = new EngineVectors({ context, indices, waitForTasks })
  const answerContext = { context, titles: titlesOnEngine(context), vectors }
  const { isReader = false } = options
  const cursors = new MeilisearchCursors(answerContext, options.cursors, isReader)
  const beforeWrite = (uid: string, keys: readonly string[]) => cursors.beforeWrite(uid, keys)
  const open = () =>
    new EngineWriter({ client, waitForTasks, uids, searched: () => state.searched, beforeWrite })
  const { writer, listen } = recoveringWriter({ open, hasLostData, state, log })
  const queue = new EngineQueue(writesTo(writer, vectors))
  const watch = new EngineWatch(log)
  const parts = { listen, client, indices, state, count, answerContext, cursors }
  return { ...parts, writer, queue, log, watch }
}

const writesTo =
  (writer: RecoveringWriter<EngineWriter>, vectors: EngineVectors): WriteChanges =>
  async (changes, signal) => {
    await writer.write(changes, signal)
    await vectors.removeWith(changes, signal)
  }

/** Calls that write. They are counted as changes even if they fail, because the server may have carried them out. */
function changingCalls(
  { queue, state, count, cursors, answerContext, log, watch }: EngineParts,
  connectOnce: () => Promise<void>,
): Pick<SearchIndex, 'configure' | 'finish' | 'write' | 'vectors'> {
  const countChange = <T>(work: Promise<T>): Promise<T> => work.finally(() => void count.changes++)
  const configure: SearchIndex['configure'] = async (settings, refill) => {
    await connectOnce()
    const rebuild = await state.configure(settings, refill)
    if (rebuild.length > 0) log.info({ indices: rebuild }, 'index.rebuild-required')
    return { rebuild }
  }
  const finish: SearchIndex['finish'] = async (index) => {
    const searched = state.searched.get(index)
    if (searched?.next) await cursors.beforeSwap(searched.uid)
    await state.finish(index)
  }
  /** Writes may take place between two pages. */
  const removeLostVectors = async (index: IndexName) => {
    const { vectors } = answerContext
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const from: number = offset
      offset = await queue.exclusive(() => vectors.removeLost(index, from))
    }
  }
  return {
    configure: (settings, refill) =>
      countChange(queue.exclusive(() => configure(settings, refill))).catch(state.keepFailure),
    finish: async (index) => {
      await countChange(queue.exclusive(() => finish(index)))
      await removeLostVectors(index)
    },
    write: async (changes, signal) => {
      await countChange(queue.add(changes, signal)).catch(watch.refused)
      // The server does not say by itself that its disk has room again.
      if (changes.length > 0) watch.noteBlock(undefined)
    },
    vectors: (changes, signal) =>
      countChange(queue.exclusive(() => answerContext.vectors.write(changes, signal))).catch(
        watch.refused,
      ),
  }
}

/** Follows the indices of another process: what is cached of them is forgotten when the server has carried out something. */
function attaching(
  { state, indices, count }: EngineParts,
  connectOnce: () => Promise<void>,
): NonNullable<SearchIndex['attach']> {
  let [lastTask, lastStructure]: (string | undefined)[] = []
  return async (signal) => {
    await connectOnce().catch(state.keepFailure)
    const task = await indices.lastTask('all', signal)
    if (task === lastTask) return false
    const structure = await indices.lastTask('structure', signal)
    if (structure !== lastStructure) await state.attach()
    ;[lastTask, lastStructure] = [task, structure]
    count.changes++
    return true
  }
}

/** Calls that read. All but `currentSettings` and `stateTag` reject before `configure`; searches have a time limit. */
function readingCalls(
  { indices, state, count, answerContext, cursors, writer }: EngineParts,
  searchMs: number,
) {
  const { context, vectors } = answerContext
  const process = randomUUID()
  const whenConfigured = <T>(work: () => Promise<T>): Promise<T> =>
    Promise.try(() => {
      state.requireConfigured()
      return work()
    })
  const timed = <T>(signal: AbortSignal | undefined, work: (end: AbortSignal) => Promise<T>) => {
    const timeout = AbortSignal.timeout(searchMs)
    return whenConfigured(() => work(signal ? AbortSignal.any([timeout, signal]) : timeout))
  }
  return {
    currentSettings: () => state.current,
    stateTag: () => `${process}.${count.changes}`,
    newestVersion: () => whenConfigured(() => writer.current.newestVersion()),
    missingIds: (index, ids) =>
      whenConfigured(async () => {
        const filling = state.fillingGeneration(index)
        const versions = filling && (await writer.current.versions(filling, ids))
        return versions ? ids.filter((id) => !versions.has(id)) : []
      }),
    health: () => whenConfigured(async () => ({ documents: await documentCounts(state, indices) })),
    search: (request, signal) => timed(signal, (end) => answerSearch(request, answerContext, end)),
    openCursor: (request, signal) => timed(signal, (end) => cursors.open(request, end)),
    readPage: (cursor, options, signal) =>
      timed(signal, (end) => cursors.page(cursor, options, end)),
    similarTokens: (tokens, signal) =>
      timed(signal, (end) => Promise.all(tokens.map((token) => termsNear(token, context, end)))),
    tokensBeginning: (beginning, _indices, signal) =>
      timed(signal, (end) => termsAfter(beginning, context, end)),
    wordForms: (terms, signal) =>
      timed(signal, (end) => {
        const [generation] = state.searched.values()
        return context.words.targetsOf(terms, generation?.languages ?? [], end)
      }),
    facetValues: (index, facet, signal) =>
      timed(signal, (end) => allFacetValues(index, facet, answerContext, end)),
    vectorsOf: (index, ids, signal) => timed(signal, (end) => vectors.of(index, ids, end)),
    get: async (index, id, signal, most) => {
      const text = await timed(signal, (end) => fetchRecord(context, index, id, end))
      return text && truncateLists(text, most)
    },
    entries: (index, after, limit, signal) =>
      timed(signal, (end) => fetchEntries(context, index, { after, limit }, end)),
  } satisfies Partial<SearchIndex>
}

/** Number of documents of each index that is searched. */
async function documentCounts({ searched }: EngineState, indices: EngineIndices) {
  const counts = await indices.counts()
  return Object.fromEntries([...searched].map(([index, { uid }]) => [index, counts.get(uid) ?? 0]))
}
