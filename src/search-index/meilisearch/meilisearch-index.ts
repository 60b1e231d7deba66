/** The search engine Meilisearch: a server of its own, for more records than the embedded engine is good for. */

import { randomUUID } from 'node:crypto'
import { cutLists } from '../cut-lists.ts'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { officialLanguages } from '../../text/language.ts'
import type { Pause } from '../../workers/pause.ts'
import type { CursorLimits } from '../cursors.ts'
import type { IndexName, IndexSettings } from '../index-settings.ts'
import type { SearchIndex } from '../search-index.ts'
import { uidsOf } from './attributes.ts'
import { connect, releaseOf, tasksOf } from './engine-client.ts'
import { indicesOf } from './engine-indices.ts'
import type { ReadContext } from './engine-reads.ts'
import { EngineState } from './engine-state.ts'
import { EngineQueue, EngineWriter, RenewedWriter } from './engine-writer.ts'
import { facetTitles, facetValuesOf } from './facet-values.ts'
import { nearTerms } from './matching.ts'
import { MeilisearchCursors } from './meilisearch-cursors.ts'
import { entriesOf, recordOf, search } from './search-answer.ts'

type MeilisearchOptions = {
  /** `http://` or `https://`, without user info. */
  readonly url: string
  readonly apiKey?: string
  /** Begins the names of all our indices, so that several platforms can share a server. */
  readonly prefix?: string
  readonly log: Log
  /** Languages with a text bucket of their own; by default the official ones of the European Union. */
  readonly languages?: readonly string[]
  /** Milliseconds after which a search fails with `time-limit`. */
  readonly searchMs?: number
  /** Milliseconds after which a server that does not answer counts as away, after the largest posts too. */
  readonly callMs?: number
  /** Terms that one wildcard stands for. */
  readonly wildcardTerms?: number
  readonly cursors: CursorLimits
  /** Milliseconds that never go back. */
  readonly now: () => number
  readonly pause: Pause
}

/** A write costs a task, however small it is; somebody waits for those beside a large one. */
const batch = 500

/**
 * Resolves also while the server is away: every call rejects with `engine-unavailable` until `configure` has reached it.
 * Rejects when the server answers and is too old.
 */
export async function meilisearchIndex(options: MeilisearchOptions): Promise<SearchIndex> {
  const { log } = options
  const parts = partsOf(options)
  const { client, queue } = parts
  const contact = contactWith(() => releaseOf(client, log))
  await contact().catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'engine-unavailable') return
    client.close()
    throw error
  })
  return {
    batch,
    onLost: parts.listen,
    ...changingCalls(parts, contact),
    ...readingCalls(parts, options.searchMs ?? 10_000),
    close: async () => {
      await queue.close()
      client.close()
    },
  }
}

type Parts = ReturnType<typeof partsOf>

function partsOf(options: MeilisearchOptions) {
  const { log, now, pause, prefix = '', languages = officialLanguages } = options
  const client = connect({ callMs: 30_000, ...options })
  const done = tasksOf(client, pause)
  const uids = uidsOf(prefix)
  const indices = indicesOf(client, done)
  const state = new EngineState({ uids, indices, languages })
  const count = { changes: 0 }
  const context: ReadContext = {
    client,
    uids,
    log,
    now,
    answering: (index) => state.answering.get(index),
    changes: () => count.changes,
    wildcardTerms: options.wildcardTerms ?? 1000,
  }
  const using = { context, titles: facetTitles(context) }
  const cursors = new MeilisearchCursors(using, options.cursors)
  const before = (uid: string, keys: readonly string[]) => cursors.before(uid, keys)
  let settings: readonly IndexSettings[] = []
  let onLost: (rebuild: readonly IndexName[]) => void = () => undefined
  const writer = new RenewedWriter({
    open: () => new EngineWriter({ client, done, uids, answering: () => state.answering, before }),
    certain: () => state.certain(),
    configure: async () => {
      // After a try that failed some of them are missing.
      if (state.current.length > settings.length) settings = state.current
      const rebuild = await state.configure(settings)
      log.warn({ indices: rebuild }, 'index.lost')
      onLost(rebuild)
    },
  })
  const queue = new EngineQueue((changes, signal) => writer.write(changes, signal))
  const listen: SearchIndex['onLost'] = (listener) => {
    onLost = listener
  }
  return { listen, client, indices, state, count, using, cursors, writer, queue, log }
}

/** Calls that change the state, also when they fail: their effect may have happened all the same. */
function changingCalls(
  { queue, state, count, cursors, log }: Parts,
  contact: () => Promise<void>,
): Pick<SearchIndex, 'configure' | 'finish' | 'write'> {
  const changing = <T>(work: Promise<T>): Promise<T> => work.finally(() => void count.changes++)
  const configure: SearchIndex['configure'] = async (settings, anew) => {
    await contact()
    const rebuild = await state.configure(settings, anew)
    if (rebuild.length > 0) log.info({ indices: rebuild }, 'index.rebuild-required')
    return { rebuild }
  }
  const finish: SearchIndex['finish'] = async (index) => {
    const own = state.answering.get(index)
    if (own?.next) await cursors.beforeSwap(own.uid)
    await state.finish(index)
  }
  return {
    configure: (settings, anew) => changing(queue.alone(() => configure(settings, anew))),
    finish: (index) => changing(queue.alone(() => finish(index))),
    write: (changes, signal) => changing(queue.add(changes, signal)),
  }
}

/** Every call but `current` and `state` rejects while nothing is configured; searches have a time limit. */
function readingCalls({ indices, state, count, using, cursors, writer }: Parts, searchMs: number) {
  const { context } = using
  const process = randomUUID()
  const ready = <T>(work: () => Promise<T>): Promise<T> =>
    Promise.try(() => {
      state.check()
      return work()
    })
  const limited = <T>(signal: AbortSignal | undefined, work: (end: AbortSignal) => Promise<T>) => {
    const limit = AbortSignal.timeout(searchMs)
    return ready(() => work(signal ? AbortSignal.any([limit, signal]) : limit))
  }
  return {
    current: () => state.current,
    state: () => `${process}.${count.changes}`,
    newest: () => ready(() => writer.current.newest()),
    missing: (index, ids) =>
      ready(async () => {
        const filled = state.filled(index)
        const versions = filled && (await writer.current.versions(filled, ids))
        return versions ? ids.filter((id) => !versions.has(id)) : []
      }),
    health: () =>
      ready(async () => {
        const counts = await indices.counts()
        const own = [...state.answering].map(([index, { uid }]) => [index, counts.get(uid) ?? 0])
        return { documents: Object.fromEntries(own) }
      }),
    search: (request, signal) => limited(signal, (end) => search(request, using, end)),
    open: (request, signal) => limited(signal, (end) => cursors.open(request, end)),
    page: (cursor, options, signal) => limited(signal, (end) => cursors.page(cursor, options, end)),
    near: (tokens, signal) =>
      limited(signal, (end) => Promise.all(tokens.map((token) => nearTerms(token, context, end)))),
    values: (index, facet, signal) =>
      limited(signal, (end) => facetValuesOf(index, facet, using, end)),
    get: async (index, id, signal, most) => {
      const text = await limited(signal, (end) => recordOf(context, index, id, end))
      return text && cutLists(text, most)
    },
    entries: (index, after, limit, signal) =>
      limited(signal, (end) => entriesOf(context, index, { after, limit }, end)),
  } satisfies Partial<SearchIndex>
}

/** Until it has succeeded once. */
function contactWith(look: () => Promise<unknown>): () => Promise<void> {
  let isMade = false
  return async () => {
    if (isMade) return
    await look()
    isMade = true
  }
}
