/** `SearchIndex` on OpenSearch, a cluster that shards and replicates, for more records than one machine should hold. */

import { randomUUID } from 'node:crypto'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { indexedLanguages } from '../../text/language.ts'
import { wordsNear } from '../../text/nearest.ts'
import type { Pause } from '../../workers/pause.ts'
import type { CursorLimits } from '../cursors.ts'
import { EngineQueue } from '../remote/engine-queue.ts'
import { EngineWatch } from '../remote/engine-watch.ts'
import { firstContact } from '../remote/first-contact.ts'
import { recoveringWriter } from '../remote/recovering-writer.ts'
import { StateCache } from '../remote/state-cache.ts'
import { type FindTerms, WordTargets } from '../remote/word-targets.ts'
import type { SearchIndex } from '../search-index.ts'
import { truncateLists } from '../truncate-lists.ts'
import { shortestTerms } from '../wildcard.ts'
import {
  answerOnCluster,
  type ClusterAnswers,
  entriesOnCluster,
  recordOnCluster,
} from './cluster-answer.ts'
import { ClusterRefusal, clusterRelease, connectCluster } from './cluster-client.ts'
import { ClusterCursors } from './cluster-cursors.ts'
import { clusterFacetValues, clusterTitles } from './cluster-facets.ts'
import { askClusterHealth } from './cluster-health.ts'
import { clusterIndices } from './cluster-indices.ts'
import { clusterNames, type Sharding } from './cluster-layout.ts'
import { type ClusterReads, clusterTerms, freshCounts } from './cluster-reads.ts'
import { ClusterState } from './cluster-state.ts'
import { ClusterVectors } from './cluster-vectors.ts'
import { ClusterWriter, hasLostIndex } from './cluster-writer.ts'
import { everything } from './query-conditions.ts'

type OpensearchOptions = Sharding & {
  /** Addresses of nodes, `http://` or `https://`, without user info. */
  readonly urls: readonly string[]
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly apiKey?: string | undefined
  /** Certificates of authorities that nodes are trusted by, in PEM. */
  readonly ca?: string | undefined
  /** Prefix of the names of all indices, so that several platforms can share a cluster. */
  readonly prefix: string
  readonly log: Log
  /** Languages with a text bucket of their own; by default the official ones of the European Union. */
  readonly languages?: readonly string[]
  /** Milliseconds after which a search fails with `time-limit`. */
  readonly searchMs?: number
  /** Most milliseconds of a call of the cluster, including the largest writes. */
  readonly callMs?: number
  readonly cursors: CursorLimits
  /** Whether another process writes the indices and this one only searches them. */
  readonly isReader?: boolean
  /** Milliseconds that never decrease. */
  readonly now: () => number
  readonly pause: Pause
}

/** Changes in one write: a refresh costs more than a write, and what waits goes out with one refresh. */
const preferredBatch = 500
/** Most counts that are cached. */
const mostCounts = 2_000

/**
 * Connects to OpenSearch. Also resolves if no node can be reached; all calls then reject with `engine-unavailable` until
 * `configure` has reached one. Rejects if it is another product or too old.
 */
export async function opensearchIndex(options: OpensearchOptions): Promise<SearchIndex> {
  const engine = openCluster(options)
  const { client, queue, log } = engine
  let lastWritten: string | undefined
  const connectOnce = await firstContact({
    attempt: () => clusterRelease(client, log),
    close: () => client.close(),
  })
  return {
    preferredBatch,
    onDataLost: engine.listen,
    ...changingCalls(engine, connectOnce),
    ...(options.isReader && {
      attach: async (signal) => {
        const { state } = engine
        await connectOnce().catch(state.keepFailure)
        const isNew = await state.attach(signal).catch(state.keepFailure)
        const written = await engine.indices.written(signal)
        if (!isNew && written === lastWritten) return false
        lastWritten = written
        engine.count.changes++
        return true
      },
    }),
    ...readingCalls(engine, options.searchMs ?? 10_000),
    facts: () => engine.watch.facts(),
    close: async () => {
      await queue.close()
      client.close()
    },
  }
}

type ClusterParts = ReturnType<typeof openCluster>

function openCluster(options: OpensearchOptions) {
  const { log, now, prefix, languages = indexedLanguages, shards = 1, replicas } = options
  const client = connectCluster({ callMs: 30_000, ...options })
  const names = clusterNames(prefix)
  const sharding = { shards, replicas }
  const indices = clusterIndices(client, names, sharding)
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
  const vectors = new ClusterVectors({ context, names, sharding })
  const answers: ClusterAnswers = { context, titles: clusterTitles(context), vectors }
  const cursors = new ClusterCursors(answers, options.cursors)
  const state: ClusterState = new ClusterState({
    names,
    indices,
    languages,
    isRead: (name) => cursors.isRead(name),
    count: async (uid) => (await freshCounts({ client }, [{ uid, query: everything }]))[0] ?? 0,
  })
  const open = () => new ClusterWriter({ client, names, indices, searched: () => state.searched })
  const { writer, listen } = recoveringWriter({ open, hasLostData: hasLostIndex, state, log })
  const queue = new EngineQueue(async (some, signal) => {
    await writer.write(some, signal)
    await vectors.removeWith(some, signal)
  })
  const watch = new EngineWatch(log)
  const parts = { listen, client, indices, state, count, context, watch }
  return { ...parts, answers, cursors, writer, queue, log, find }
}

/** Calls that write. They are counted as changes even if they fail, because the cluster may have carried them out. */
function changingCalls(
  { queue, state, count, cursors, answers, log, watch }: ClusterParts,
  connectOnce: () => Promise<void>,
): Pick<SearchIndex, 'configure' | 'finish' | 'write' | 'vectors'> {
  const countChange = <T>(work: Promise<T>): Promise<T> => work.finally(() => void count.changes++)
  const configure: SearchIndex['configure'] = async (settings, refill) => {
    await connectOnce()
    await cursors.sweep()
    const rebuild = await state.configure(settings, refill)
    if (rebuild.length > 0) log.info({ indices: rebuild }, 'index.rebuild-required')
    return { rebuild }
  }
  return {
    configure: (settings, refill) =>
      countChange(queue.exclusive(() => configure(settings, refill))).catch(state.keepFailure),
    finish: async (index) => {
      await cursors.sweep()
      await countChange(queue.exclusive(() => state.finish(index)))
      await answers.vectors.removeLost(index, (work) => queue.exclusive(work))
    },
    write: async (changes, signal) => {
      await countChange(queue.add(changes, signal)).catch(watch.refused)
      await state.dropRetired()
    },
    vectors: (changes, signal) =>
      countChange(queue.exclusive(() => answers.vectors.write(changes, signal))).catch(
        watch.refused,
      ),
  }
}

/** Most tokens that are compared with a misspelt one, most suggestions, and most tokens with a common beginning. */
const [mostCompared, mostNear, mostLonger] = [5_000, 12, 24]

async function termsBeginning(find: FindTerms, beginning: string, signal: AbortSignal) {
  const query = { attribute: 'term', beginning, limit: mostCompared } as const
  const [rows = []] = await find([query], signal)
  return [...new Set(rows.map(({ term }) => term))]
}

type Timed = <T>(
  signal: AbortSignal | undefined,
  work: (end: AbortSignal) => Promise<T>,
) => Promise<T>

/** Calls that read. All but `currentSettings` and `stateTag` reject before `configure`; searches have a time limit. */
function readingCalls(parts: ClusterParts, searchMs: number) {
  const { state, count } = parts
  const process = randomUUID()
  const whenConfigured = async <T>(work: () => Promise<T>): Promise<T> => {
    state.requireConfigured()
    const { searched } = state
    return work().catch((error: unknown) => {
      // The index was replaced meanwhile.
      if (isMissing(error) && state.searched !== searched) return work()
      throw error
    })
  }
  const timed: Timed = async (signal, work) => {
    const timeout = AbortSignal.timeout(searchMs)
    return whenConfigured(() => work(signal ? AbortSignal.any([timeout, signal]) : timeout))
  }
  return {
    currentSettings: () => state.current,
    stateTag: () => `${process}.${count.changes}`,
    ...searchingCalls(parts, timed),
    ...wordCalls(parts, timed),
    ...keepingCalls(parts, whenConfigured),
  } satisfies Partial<SearchIndex>
}

/** Calls that search and read records. */
const searchingCalls = ({ context, answers, cursors }: ClusterParts, timed: Timed) =>
  ({
    search: (request, signal) => timed(signal, (end) => answerOnCluster(request, answers, end)),
    openCursor: (request, signal) => timed(signal, (end) => cursors.open(request, end)),
    readPage: (cursor, options, signal) =>
      timed(signal, (end) => cursors.page(cursor, options, end)),
    facetValues: (index, facet, signal) =>
      timed(signal, (end) => clusterFacetValues(index, facet, answers, end)),
    get: async (index, id, signal, most) => {
      const text = await timed(signal, (end) => recordOnCluster(context, index, id, end))
      return text && truncateLists(text, most)
    },
    entries: (index, after, limit, signal) =>
      timed(signal, (end) => entriesOnCluster(context, index, { after, limit }, end)),
    vectorsOf: (index, ids, signal) => timed(signal, (end) => answers.vectors.of(index, ids, end)),
  }) satisfies Partial<SearchIndex>

/** Calls that read the dictionary of tokens. */
const wordCalls = ({ state, context, find }: ClusterParts, timed: Timed) =>
  ({
    similarTokens: (tokens, signal) =>
      timed(signal, (end) =>
        Promise.all(
          tokens.map(async (token) => {
            const beginning = Array.from(token).slice(0, 2).join('')
            const terms = await termsBeginning(find, beginning, end)
            return wordsNear(token, terms, mostNear).map(({ word }) => word)
          }),
        ),
      ),
    tokensBeginning: (beginning, _indices, signal) =>
      timed(signal, async (end) => {
        const terms = await termsBeginning(find, beginning, end)
        const longer = terms.filter((term) => term !== beginning)
        return shortestTerms(longer, mostLonger)
      }),
    wordForms: (terms, signal) =>
      timed(signal, (end) => {
        const [generation] = state.searched.values()
        return context.words.targetsOf(terms, generation?.languages ?? [], end)
      }),
  }) satisfies Partial<SearchIndex>

/** Calls for those who keep the index up to date. */
const keepingCalls = (
  { state, context, writer, watch }: ClusterParts,
  whenConfigured: <T>(work: () => Promise<T>) => Promise<T>,
) =>
  ({
    newestVersion: () => whenConfigured(() => writer.current.newestVersion()),
    missingIds: (index, ids) =>
      whenConfigured(async () => {
        const filling = state.fillingGeneration(index)
        const versions = filling && (await writer.current.versions(filling, ids))
        return versions ? ids.filter((id) => !versions.has(id)) : []
      }),
    health: () =>
      whenConfigured(async () => {
        const { client, names } = context
        await askClusterHealth({ client, names, searched: () => state.searched, watch })
        const parts = [...state.searched]
        const requests = parts.map(([, { uid }]) => ({ uid, query: everything }))
        const counts = await freshCounts(context, requests)
        return { documents: Object.fromEntries(parts.map(([index], i) => [index, counts[i] ?? 0])) }
      }),
  }) satisfies Partial<SearchIndex>

const isMissing = (error: unknown): boolean =>
  error instanceof Failure &&
  error.cause instanceof ClusterRefusal &&
  [404, 503].includes(error.cause.status)
