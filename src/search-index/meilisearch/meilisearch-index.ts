/** `SearchIndex` on Meilisearch, a separate server, for more records than the embedded engine can hold. */

import { EngineWatch } from '../remote/engine-watch.ts'
import type { GenerationState } from '../remote/generation-state.ts'
import { type ServerEngine, serverIndex, type ServerOptions } from '../remote/server-index.ts'
import { WordTargets } from '../remote/word-targets.ts'
import type { SearchIndex } from '../search-index.ts'
import { indexedLanguages } from '../../text/language.ts'
import { uidsOf } from './attributes.ts'
import { DocumentCounts } from './document-counts.ts'
import { connectEngine, hasLostData, isRefusal, releaseOf, taskWaiter } from './engine-client.ts'
import { type EngineIndices, engineIndices } from './engine-indices.ts'
import type { ReadContext } from './engine-reads.ts'
import { engineState } from './engine-generations.ts'
import { EngineVectors } from './engine-vectors.ts'
import { EngineWriter } from './engine-writer.ts'
import { allFacetValues, titlesOnEngine } from './facet-values.ts'
import { MeilisearchCursors } from './meilisearch-cursors.ts'
import type { AnswerContext } from './related-hits.ts'
import { answerSearch, fetchEntries, fetchRecord } from './search-answer.ts'
import { termFinder } from './word-lookups.ts'

type MeilisearchOptions = ServerOptions & {
  /** `http://` or `https://`, without user info. */
  readonly url: string
  readonly apiKey?: string
  /** Prefix of the uids of all indices, so that several platforms can share a server. */
  readonly prefix?: string
  /** Most terms that are searched for one wildcard pattern. */
  readonly wildcardTerms?: number
}

/**
 * Connects to Meilisearch. Also resolves if the server cannot be reached; all calls then reject with `engine-unavailable` until
 * `configure` has reached it. Rejects if the release of the server is too old.
 */
export function meilisearchIndex(options: MeilisearchOptions): Promise<SearchIndex> {
  const { log, now, prefix = '', languages = indexedLanguages, isReader = false } = options
  const client = connectEngine({ callMs: 30_000, ...options })
  const waitForTasks = taskWaiter(client)
  const uids = uidsOf(prefix)
  const indices = engineIndices(client, waitForTasks)
  const count = { changes: 0 }
  const changes = () => count.changes
  const find = termFinder({ client, uids })
  const context: ReadContext = {
    client,
    uids,
    words: new WordTargets(find, changes),
    counts: new DocumentCounts(client, changes),
    log,
    now,
    searched: (index) => state.searched.get(index),
    changes,
    wildcardTerms: options.wildcardTerms ?? 1000,
  }
  const vectors = new EngineVectors({ context, indices, waitForTasks })
  const answerContext = { context, titles: titlesOnEngine(context), vectors }
  const cursors = new MeilisearchCursors(answerContext, options.cursors, isReader)
  const beforeWrite = (uid: string, keys: readonly string[]) => cursors.beforeWrite(uid, keys)
  const isRead = (uid: string) => cursors.isRead(uid)
  const state: GenerationState = engineState(indices, uids, { languages, isRead })
  const searched = () => state.searched
  const watch = new EngineWatch(log)
  return serverIndex({
    context,
    client,
    state,
    count,
    find,
    hasLostData,
    vectors,
    cursors,
    watch,
    searchMs: options.searchMs,
    attempt: () => releaseOf(client, log),
    open: () => new EngineWriter({ client, waitForTasks, uids, searched, beforeWrite }),
    isMissing: (error) => isRefusal(error, 'index_not_found'),
    afterWrite: (changes) => {
      // The server does not say by itself that its disk has room again.
      if (changes.length > 0) watch.noteBlock(undefined)
    },
    follow: isReader ? following(state, indices) : undefined,
    reads: readsOf(answerContext, state, indices),
  })
}

function readsOf(
  answerContext: AnswerContext,
  state: GenerationState,
  indices: EngineIndices,
): ServerEngine['reads'] {
  const { context } = answerContext
  return {
    search: (request, signal) => answerSearch(request, answerContext, signal),
    facetValues: (index, facet, signal) => allFacetValues(index, facet, answerContext, signal),
    get: (index, id, signal) => fetchRecord(context, index, id, signal),
    entries: (index, after, limit, signal) =>
      fetchEntries(context, index, { after, limit }, signal),
    health: async () => {
      const counts = await indices.counts()
      const numbers = [...state.searched].map(([index, { uid }]) => [index, counts.get(uid) ?? 0])
      return { documents: Object.fromEntries(numbers) }
    },
  }
}

/** Follows the indices of another process: something has changed when the server has carried out a task. */
function following(state: GenerationState, indices: EngineIndices): ServerEngine['follow'] {
  let [lastTask, lastStructure]: (string | undefined)[] = []
  return async (signal) => {
    const task = await indices.lastTask('all', signal)
    if (task === lastTask) return false
    const structure = await indices.lastTask('structure', signal)
    if (structure !== lastStructure) await state.attach(signal)
    ;[lastTask, lastStructure] = [task, structure]
    return true
  }
}
