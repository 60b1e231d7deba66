/** `SearchIndex` on a server: the calls that do not differ between the engines, from the parts that do. */

import { randomUUID } from 'node:crypto'
import type { Log } from '../../log.ts'
import { wordsNear } from '../../text/nearest.ts'
import type { Pause } from '../../workers/pause.ts'
import type { CursorLimits } from '../cursors.ts'
import type { IndexName } from '../index-settings.ts'
import type { IndexChange, SearchIndex } from '../search-index.ts'
import { truncateLists } from '../truncate-lists.ts'
import { shortestTerms } from '../wildcard.ts'
import { EngineQueue } from './engine-queue.ts'
import type { EngineWatch } from './engine-watch.ts'
import { firstContact } from './first-contact.ts'
import type { EngineGeneration, SearchedGeneration } from './generation.ts'
import type { GenerationState } from './generation-state.ts'
import { type ChangeWriter, recoveringWriter } from './recovering-writer.ts'
import type { FindTerms, WordTargets } from './word-targets.ts'

/** Options of every engine on a server. */
export type ServerOptions = {
  readonly log: Log
  /** Languages with a text bucket of their own; by default the official ones of the European Union. */
  readonly languages?: readonly string[]
  /** Milliseconds after which a search fails with `time-limit`. */
  readonly searchMs?: number
  /** Most milliseconds of a call of the server, including the largest writes. */
  readonly callMs?: number
  readonly cursors: CursorLimits
  /** Whether another process writes the indices and this one only searches them. */
  readonly isReader?: boolean
  /** Milliseconds that never decrease. */
  readonly now: () => number
  readonly pause: Pause
}

/** State that reads of every engine need. */
export type ReadState = {
  /** Searched generation of an index; `undefined` if it is not configured. */
  readonly searched: (index: IndexName) => SearchedGeneration | undefined
  /** Number of writes and changes of indices by this process, including failed ones. */
  readonly changes: () => number
  /** Milliseconds that never decrease. */
  readonly now: () => number
  /** Targets of words in the index of terms. */
  readonly words: WordTargets
  readonly log: Log
}

type VersionWriter = ChangeWriter & {
  /** Largest version ever written, including removals; 0 if there is none. */
  newestVersion(): Promise<number>
  /** Stored versions of records by id. */
  versions(
    generation: EngineGeneration,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, number>>
}

type Vectors = Pick<SearchIndex, 'vectors'> & {
  readonly of: SearchIndex['vectorsOf']
  /** Removes the vectors of records that were removed. */
  readonly removeWith: SearchIndex['write']
  /** Removes the vectors of records that are not stored, by parts that are run by `exclusive`, because writes may take place between them. */
  readonly removeLost: (index: IndexName, exclusive: EngineQueue['exclusive']) => Promise<void>
}

/** Parts of an engine on a server. */
export type ServerEngine = {
  readonly context: ReadState
  readonly client: { readonly close: () => void }
  /** Finds out the release of the server. Rejects with `engine-unavailable` if it cannot be reached. */
  readonly attempt: () => Promise<unknown>
  readonly state: GenerationState
  /** Number of changes, as `ReadState.changes` returns it. */
  readonly count: { changes: number }
  readonly find: FindTerms
  /** Makes a writer without cached state. */
  readonly open: () => VersionWriter
  /** Whether a failed write means that the server has lost its data. */
  readonly hasLostData: (error: unknown) => boolean
  /** Whether a search failed because its index is missing. */
  readonly isMissing: (error: unknown) => boolean
  readonly vectors: Vectors
  /** Known facts about the server. */
  readonly watch: EngineWatch
  readonly cursors: {
    readonly open: SearchIndex['openCursor']
    readonly page: SearchIndex['readPage']
    /** Drops expired cursors and what they held. */
    readonly sweep: () => void | Promise<void>
  }
  /** Called after each write. */
  readonly afterWrite?: (changes: readonly IndexChange[]) => void
  readonly reads: Pick<SearchIndex, 'search' | 'facetValues' | 'get' | 'entries' | 'health'>
  /** In a process that only reads: looks for changes of the process that writes; resolves with whether there are any. */
  readonly follow?: ((signal?: AbortSignal) => Promise<boolean>) | undefined
  /** Milliseconds after which a search fails with `time-limit`; by default ten seconds. */
  readonly searchMs?: number | undefined
}

/** Changes in one write: each has a cost of its own on a server, and those that wait go out together. */
const preferredBatch = 500

/**
 * Connects to a server. Also resolves if it cannot be reached; all calls then reject with `engine-unavailable` until `configure` has
 * reached it.
 */
export async function serverIndex(engine: ServerEngine): Promise<SearchIndex> {
  const { client, vectors, follow, count, context } = engine
  const { writer, listen } = recoveringWriter({ ...engine, log: context.log })
  const queue = new EngineQueue(async (changes, signal) => {
    await writer.write(changes, signal)
    await vectors.removeWith(changes, signal)
  })
  const connectOnce = await firstContact({ attempt: engine.attempt, close: () => client.close() })
  const attach: SearchIndex['attach'] =
    follow &&
    (async (signal) => {
      await connectOnce().catch(engine.state.keepFailure)
      const isChanged = await follow(signal)
      if (isChanged) count.changes++
      return isChanged
    })
  return {
    preferredBatch,
    onDataLost: listen,
    ...changingCalls(engine, queue, connectOnce),
    ...(attach && { attach }),
    ...readingCalls(engine, () => writer.current),
    facts: () => engine.watch.facts(),
    close: async () => {
      await queue.close()
      client.close()
    },
  }
}

/** Calls that write. They are counted as changes even if they fail, because the server may have carried them out. */
function changingCalls(
  { state, count, vectors, cursors, context, watch, ...engine }: ServerEngine,
  queue: EngineQueue,
  connectOnce: () => Promise<void>,
): Pick<SearchIndex, 'configure' | 'finish' | 'write' | 'vectors'> {
  const countChange = <T>(work: Promise<T>): Promise<T> =>
    work.catch(watch.refused).finally(() => void count.changes++)
  const exclusive: EngineQueue['exclusive'] = (work) => queue.exclusive(work)
  const configure: SearchIndex['configure'] = async (settings, refill) => {
    await connectOnce()
    await cursors.sweep()
    const rebuild = await state.configure(settings, refill)
    if (rebuild.length > 0) context.log.info({ indices: rebuild }, 'index.rebuild-required')
    return { rebuild }
  }
  return {
    configure: (settings, refill) =>
      countChange(exclusive(() => configure(settings, refill))).catch(state.keepFailure),
    finish: async (index) => {
      await cursors.sweep()
      await countChange(exclusive(() => state.finish(index)))
      await vectors.removeLost(index, exclusive)
    },
    write: async (changes, signal) => {
      await countChange(queue.add(changes, signal))
      engine.afterWrite?.(changes)
      await state.dropRetired()
    },
    vectors: (changes, signal) => countChange(exclusive(() => vectors.vectors(changes, signal))),
  }
}

type Timed = <T>(
  signal: AbortSignal | undefined,
  work: (end: AbortSignal) => Promise<T>,
) => Promise<T>

/** Calls that read. All but `currentSettings` and `stateTag` reject before `configure`; searches have a time limit. */
function readingCalls(engine: ServerEngine, writer: () => VersionWriter) {
  const { state, count, cursors, reads, vectors, searchMs = 10_000 } = engine
  const process = randomUUID()
  const whenConfigured = async <T>(work: () => Promise<T>): Promise<T> => {
    state.requireConfigured()
    const { searched } = state
    return work().catch(async (error: unknown) => {
      if (!engine.isMissing(error)) throw error
      if (engine.follow && (await state.attach())) count.changes++
      // The index was replaced meanwhile.
      if (state.searched !== searched) return work()
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
    newestVersion: () => whenConfigured(() => writer().newestVersion()),
    missingIds: (index, ids) =>
      whenConfigured(async () => {
        const filling = state.fillingGeneration(index)
        const versions = filling && (await writer().versions(filling, ids))
        return versions ? ids.filter((id) => !versions.has(id)) : []
      }),
    health: () => whenConfigured(() => reads.health()),
    search: (request, signal) => timed(signal, (end) => reads.search(request, end)),
    openCursor: (request, signal) => timed(signal, (end) => cursors.open(request, end)),
    readPage: (cursor, options, signal) =>
      timed(signal, (end) => cursors.page(cursor, options, end)),
    facetValues: (index, facet, signal) =>
      timed(signal, (end) => reads.facetValues(index, facet, end)),
    vectorsOf: (index, ids, signal) => timed(signal, (end) => vectors.of(index, ids, end)),
    get: async (index, id, signal, most) => {
      const text = await timed(signal, (end) => reads.get(index, id, end))
      return text && truncateLists(text, most)
    },
    entries: (index, after, limit, signal) =>
      timed(signal, (end) => reads.entries(index, after, limit, end)),
    ...wordCalls(engine, timed),
  } satisfies Partial<SearchIndex>
}

/** Most tokens that are compared with a misspelt one, most suggestions, and most tokens with a common beginning. */
const [mostCompared, mostNear, mostLonger] = [5_000, 12, 24]

async function termsBeginning(find: FindTerms, beginning: string, signal: AbortSignal) {
  const query = { attribute: 'term', beginning, limit: mostCompared } as const
  const [rows = []] = await find([query], signal)
  return [...new Set(rows.map(({ term }) => term))]
}

/** Calls that read the dictionary of tokens. */
const wordCalls = ({ state, context, find }: ServerEngine, timed: Timed) =>
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
        // A server may compare decomposed text, of which a letter may be the beginning of another.
        const longer = terms.filter((term) => term !== beginning && term.startsWith(beginning))
        return shortestTerms(longer, mostLonger)
      }),
    wordForms: (terms, signal) =>
      timed(signal, (end) => {
        const [generation] = state.searched.values()
        return context.words.targetsOf(terms, generation?.languages ?? [], end)
      }),
  }) satisfies Partial<SearchIndex>
