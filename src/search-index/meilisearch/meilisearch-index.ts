/** The search engine Meilisearch: a server of its own, for more records than the embedded engine is good for. */

import { randomUUID } from 'node:crypto'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { officialLanguages } from '../../text/language.ts'
import type { CursorLimits } from '../cursors.ts'
import { attributes, uidsOf } from './attributes.ts'
import type { ReadContext } from './documents.ts'
import { reads } from './reads.ts'
import { indicesOf } from './engine-indices.ts'
import { metaOf } from './engine-generations.ts'
import { State } from './engine-state.ts'
import { connect, releaseOf, tasksOf } from './engine-client.ts'
import { largest } from './write-plan.ts'
import { allUids, EngineQueue, EngineWriter } from './engine-writer.ts'
import type { SearchIndex } from '../search-index.ts'

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
  /** Milliseconds after which a server that does not answer counts as away. */
  readonly callMs?: number
  /** Terms that one wildcard stands for. */
  readonly wildcardTerms?: number
  readonly cursors: CursorLimits
  /** Milliseconds that never go back. */
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** A write costs a task, however small it is; somebody waits for those beside a large one. */
const batch = 500

/** Of one call, the largest posts too: after that the server counts as away. Searches have a limit of their own. */
const standardCallMs = 30_000

/**
 * Resolves also while the server is away: every call rejects with `engine-unavailable` until `configure` has reached it.
 * Rejects when the server answers and is too old.
 */
export async function meilisearchIndex(options: MeilisearchOptions): Promise<SearchIndex> {
  const { log, searchMs = 10_000 } = options
  const parts = partsOf(options)
  const { wire, state, queue, read } = parts
  const contact = contactWith(() => releaseOf(wire, log))
  await contact().catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'engine-unavailable') return
    wire.close()
    throw error
  })
  const limited = async <T>(
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    state.check()
    const limit = AbortSignal.timeout(searchMs)
    return work(signal ? AbortSignal.any([limit, signal]) : limit)
  }
  return {
    batch,
    ...changingCalls(parts, contact),
    ...lookingCalls(parts),
    search: (request, signal) => limited((end) => read.search(request, end), signal),
    open: (request, signal) => limited((end) => read.open(request, end), signal),
    page: (cursor, wish, signal) => limited((end) => read.page(cursor, wish, end), signal),
    values: (index, facet, signal) => limited((end) => read.values(index, facet, end), signal),
    get: (index, id, signal) => limited((end) => read.get(index, id, end), signal),
    entries: (index, after, limit, signal) =>
      limited((end) => read.entries(index, after, limit, end), signal),
    close: async () => {
      await queue.close()
      wire.close()
    },
  }
}

type Parts = ReturnType<typeof partsOf>

function partsOf(options: MeilisearchOptions) {
  const { log, now, pause, cursors, prefix = '', languages = officialLanguages } = options
  const wire = connect({ callMs: standardCallMs, ...options })
  const tasks = tasksOf(wire, pause)
  const uids = uidsOf(prefix)
  const indices = indicesOf(wire, tasks)
  const state = new State({ uids, indices, meta: metaOf(wire, tasks, uids), languages })
  const count = { changes: 0 }
  const reading: ReadContext = {
    wire,
    uids,
    log,
    now,
    answering: (index) => state.answering.get(index),
    changes: () => count.changes,
    wildcardTerms: options.wildcardTerms ?? 1000,
  }
  const read = reads(reading, cursors)
  const { keeping } = read
  const writer = new EngineWriter({
    wire,
    tasks,
    uids,
    answering: () => state.answering,
    before: (uid, keys) => keeping.before(uid, keys),
  })
  const queue = new EngineQueue(async (changes, signal) => {
    await state.certain()
    await writer.write(changes, signal)
    await state.remove(changes)
  })
  return { wire, indices, state, count, read, writer, queue, log }
}

type Changing = Pick<SearchIndex, 'configure' | 'finish' | 'write'>

/** What makes the state another one, also when it fails: it may have happened all the same. */
function changingCalls(
  { queue, state, count, read, log }: Parts,
  contact: () => Promise<void>,
): Changing {
  const changing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } finally {
      count.changes += 1
    }
  }
  const configure: SearchIndex['configure'] = async (settings, anew) => {
    await contact()
    const rebuild = await state.configure(settings, anew)
    if (rebuild.length > 0) log.info({ indices: rebuild }, 'index.unfilled')
    return { rebuild }
  }
  const finish: SearchIndex['finish'] = async (index) => {
    const own = state.answering.get(index)
    if (own?.next) await read.keeping.beforeSwap(own.uid)
    await state.finish(index)
  }
  return {
    configure: (settings, anew) => changing(queue.alone(() => configure(settings, anew))),
    finish: (index) => changing(queue.alone(() => finish(index))),
    write: (changes, signal) => changing(queue.add(changes, signal)),
  }
}

type Looking = Pick<SearchIndex, 'current' | 'missing' | 'newest' | 'health' | 'state'>

function lookingCalls({ wire, indices, state, count, writer }: Parts): Looking {
  const process = randomUUID()
  return {
    current: () => state.current,
    missing: async (index, ids) => {
      state.check()
      const filled = state.filled(index)
      if (!filled) return []
      const versions = await writer.versions.read(filled, ids)
      return ids.filter((id) => !versions.has(id))
    },
    newest: async () => {
      state.check()
      const present = await largest(wire, allUids(state.answering), attributes.version)
      return Math.max(present, state.removed)
    },
    health: async () => {
      state.check()
      const counts = await indices.counts()
      const own = [...state.answering].map(([index, { uid }]) => [index, counts.get(uid) ?? 0])
      return { documents: Object.fromEntries(own) }
    },
    state: () => `${process}.${count.changes}`,
  }
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
