/** `SearchIndex` on OpenSearch, a cluster that shards and replicates, for more records than one machine should hold. */

import { Failure } from '../../errors.ts'
import { indexedLanguages } from '../../text/language.ts'
import { EngineWatch } from '../remote/engine-watch.ts'
import { GenerationState } from '../remote/generation-state.ts'
import { type ServerEngine, serverIndex, type ServerOptions } from '../remote/server-index.ts'
import { StateCache } from '../remote/state-cache.ts'
import { WordTargets } from '../remote/word-targets.ts'
import type { SearchIndex } from '../search-index.ts'
import {
  answerOnCluster,
  type ClusterAnswers,
  entriesOnCluster,
  recordOnCluster,
} from './cluster-answer.ts'
import { ClusterRefusal, connectCluster } from './cluster-client.ts'
import { ClusterCursors } from './cluster-cursors.ts'
import { clusterFacetValues, clusterTitles } from './cluster-facets.ts'
import { askClusterHealth } from './cluster-health.ts'
import { type ClusterIndices, clusterIndices } from './cluster-indices.ts'
import { clusterLayout, clusterNames, type Sharding } from './cluster-layout.ts'
import { type ClusterReads, clusterTerms, freshCounts } from './cluster-reads.ts'
import { clusterRelease } from './cluster-release.ts'
import { ClusterVectors } from './cluster-vectors.ts'
import { ClusterWriter, hasLostIndex } from './cluster-writer.ts'
import { everything } from './query-conditions.ts'

type OpensearchOptions = ServerOptions &
  Sharding & {
    /** Addresses of nodes, `http://` or `https://`, without user info. */
    readonly urls: readonly string[]
    readonly username?: string | undefined
    readonly password?: string | undefined
    readonly apiKey?: string | undefined
    /** Certificates of authorities that nodes are trusted by, in PEM. */
    readonly ca?: string | undefined
    /** Prefix of the names of all indices, so that several platforms can share a cluster. */
    readonly prefix: string
  }

/** Most counts that are cached. */
const mostCounts = 2_000

/**
 * Connects to OpenSearch. Also resolves if no node can be reached; all calls then reject with `engine-unavailable` until
 * `configure` has reached one. Rejects if it is another product or too old.
 */
export function opensearchIndex(options: OpensearchOptions): Promise<SearchIndex> {
  const { log, now, prefix, languages = indexedLanguages, shards = 1, replicas } = options
  const client = connectCluster({ callMs: 30_000, ...options })
  const names = clusterNames(prefix)
  const indices = clusterIndices(client, names, { shards, replicas })
  const count = { changes: 0 }
  const changes = () => count.changes
  const find = clusterTerms(client, names)
  const context: ClusterReads = {
    client,
    names,
    searched: (index) => state.searched.get(index),
    changes,
    now,
    words: new WordTargets(find, changes),
    counts: new StateCache<number>('search-counts', mostCounts, changes),
    isSharded: shards > 1,
    log,
  }
  const vectors = new ClusterVectors({ context, names, sharding: { shards, replicas } })
  const answers: ClusterAnswers = { context, titles: clusterTitles(context), vectors }
  const cursors = new ClusterCursors(answers, options.cursors)
  const layout = clusterLayout
  const isRead = (uid: string) => cursors.isRead(uid)
  const state = new GenerationState({ names, indices, languages, layout, isRead })
  const searched = () => state.searched
  const watch = new EngineWatch(log)
  return serverIndex({
    context,
    client,
    state,
    count,
    find,
    vectors,
    cursors,
    watch,
    isMissing,
    searchMs: options.searchMs,
    attempt: () => clusterRelease(client, log),
    open: () => new ClusterWriter({ client, names, indices, searched }),
    hasLostData: hasLostIndex,
    follow: options.isReader ? following(state, indices) : undefined,
    reads: readsOf(answers, state, watch),
  })
}

function readsOf(
  answers: ClusterAnswers,
  state: GenerationState,
  watch: EngineWatch,
): ServerEngine['reads'] {
  const { context } = answers
  return {
    search: (request, signal) => answerOnCluster(request, answers, signal),
    facetValues: (index, facet, signal) => clusterFacetValues(index, facet, answers, signal),
    get: (index, id, signal) => recordOnCluster(context, index, id, signal),
    entries: (index, after, limit, signal) =>
      entriesOnCluster(context, index, { after, limit }, signal),
    health: async () => {
      const { client, names } = context
      await askClusterHealth({ client, names, searched: () => state.searched, watch })
      const parts = [...state.searched]
      const counts = await freshCounts(
        context,
        parts.map(([, { uid }]) => ({ uid, query: everything })),
      )
      return { documents: Object.fromEntries(parts.map(([index], i) => [index, counts[i] ?? 0])) }
    },
  }
}

/** Follows the indices of another process. */
function following(state: GenerationState, indices: ClusterIndices): ServerEngine['follow'] {
  let lastWritten: string | undefined
  return async (signal) => {
    const isNew = await state.attach(signal).catch(state.keepFailure)
    const written = await indices.written(signal)
    if (!isNew && written === lastWritten) return false
    lastWritten = written
    return true
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Failure &&
  error.cause instanceof ClusterRefusal &&
  [404, 503].includes(error.cause.status)
