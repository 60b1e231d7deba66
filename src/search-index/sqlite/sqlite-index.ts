/** The embedded search engine: one SQLite file, a writer thread and a few reader threads, for up to about a million records. */

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../../log.ts'
import { indexedLanguages } from '../../text/language.ts'
import { backgroundLoop } from '../../workers/background-loop.ts'
import { pause } from '../../workers/pause.ts'
import { defaultCursorLimits, type CursorLimits } from '../cursors.ts'
import type { IndexName, IndexSettings } from '../index-settings.ts'
import type { SearchIndex } from '../search-index.ts'
import { writeQueue } from '../write-queue.ts'
import { Repair } from './repair.ts'
import { indexReaders, indexWriter, indexUnavailable, type IndexWorkers } from './index-workers.ts'
import { SqliteCursors } from './sqlite-cursors.ts'
import {
  batchOf,
  type Batch,
  type ConfigureResult,
  type ReaderCalls,
  type WriterCalls,
} from './worker-messages.ts'

/** Options of `embeddedIndex`. */
export type EmbeddedOptions = {
  /** Directory of `index.db`; created if missing. */
  readonly directory: string
  readonly log: Log
  /** Reader threads; by default one less than there are cores, but 1 or 2. */
  readonly readers?: number
  /** Languages with a text bucket of their own; by default the official ones of the European Union. */
  readonly languages?: readonly string[]
  /** Milliseconds after which a search fails with `time-limit`. */
  readonly searchMs?: number
  /** Most terms that are searched for one wildcard pattern; 1,000 by default. */
  readonly wildcardTerms?: number
  readonly cursors?: CursorLimits
  /** Milliseconds that never decrease, for the lifetime of cursors. */
  readonly now?: () => number
}

/**
 * Opens the search engine of a directory. A file that cannot be read is renamed and replaced by an empty one; `configure` then returns
 * all indices to fill.
 */
export async function embeddedIndex(options: EmbeddedOptions): Promise<SearchIndex> {
  const { directory, log } = options
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const isNew = !existsSync(join(directory, 'index.db'))
  const engine = await openEngineParts(options)
  const { writer, cursors, repair, configuration } = engine
  const [process, state] = [randomUUID(), { changes: 0 }]
  const countChange = () => void state.changes++
  const queue = writeQueue({ mostChanges: maxChanges, commit: committer(engine, countChange) })
  const purging = backgroundLoop('cursor.purge-failed', purgeEveryMs, () => cursors.purge(), {
    log,
    pause,
  })
  return {
    configure: async (settings, refill) => {
      const { rebuild, incomplete } = await configuration.configure(settings, refill)
      // In a new file they are filled at once, as the store of a new platform is empty.
      if (!isNew) repair.setIncomplete(incomplete)
      countChange()
      cursors.purge()
      if (rebuild.length > 0 && !isNew) log.warn({ indices: rebuild }, 'index.rebuild-required')
      return { rebuild }
    },
    finish: async (index) => {
      await configuration.finish(index)
      repair.setComplete(index)
      countChange()
      cursors.purge()
    },
    onDataLost: (listener) => repair.onDataLost(listener),
    currentSettings: () => configuration.current,
    write: (changes, signal) => queue.write(batchOf(changes), signal),
    vectors: (changes, signal) => queue.write(changes, signal),
    ...readingCalls(engine),
    stateTag: () => `${process}.${state.changes}`,
    entries: (index, after, limit, signal) =>
      writer.call('entries', { index, after, limit }, signal),
    fragmented: () => writer.call('fragmented', undefined),
    newestVersion: () => writer.call('newestVersion', undefined),
    // Counted by the writer: a reader takes more than 20 MB, and is not started before the first search.
    health: async () => ({ documents: await writer.call('documentCounts', undefined) }),
    close: async () => {
      await purging.stop()
      cursors.close()
      await queue.close()
      await close(engine)
    },
  }
}

/** Milliseconds between two purges, which drop expired cursors and the versions that only they needed. */
const purgeEveryMs = 10_000

type EngineParts = {
  readonly writer: IndexWorkers<WriterCalls>
  readonly readers: IndexWorkers<ReaderCalls>
  readonly cursors: SqliteCursors
  readonly repair: Repair
  readonly configuration: Configuration
}

/** Starts the writer, which opens the file, and makes the other parts of the engine. */
async function openEngineParts(options: EmbeddedOptions): Promise<EngineParts> {
  const { log, languages = indexedLanguages, wildcardTerms = 1_000, searchMs } = options
  const { cursors: limits = defaultCursorLimits, now = () => performance.now() } = options
  const path = join(options.directory, 'index.db')
  const startup = { hasBegun: false }
  const onDamage = () => repair.noteDamage(startup.hasBegun)
  const common = { path, wildcardTerms, log, onDamage }
  const writer = indexWriter(common)
  const readers = indexReaders(common, { count: options.readers, searchMs })
  const cursors = new SqliteCursors({ writer, readers, limits, now })
  const configuration = new Configuration(writer, languages)
  const withoutWorkers = (work: () => void) =>
    readers.exclusive(() =>
      writer.exclusive(async () => {
        await Promise.all([readers.restart(), writer.restart()])
        cursors.clear()
        work()
      }),
    )
  const configure = async () => (await configuration.configure()).rebuild
  const repair = new Repair({ path, log, withoutWorkers, configure })
  if (repair.isMarked) repair.setAside()
  await writer.call('open', undefined).catch((error: unknown) => {
    if (!repair.isMarked) throw error
    repair.setAside()
    return writer.call('open', undefined)
  })
  startup.hasBegun = true
  return { writer, readers, cursors, repair, configuration }
}

/** Settings of the indices: those that were requested last, and those of the documents that are searched (`current`). */
class Configuration {
  current: readonly IndexSettings[] = []
  readonly #writer: IndexWorkers<WriterCalls>
  readonly #languages: readonly string[]
  #latest: readonly IndexSettings[] = []

  constructor(writer: IndexWorkers<WriterCalls>, languages: readonly string[]) {
    this.#writer = writer
    this.#languages = languages
  }

  /** Configures the indices. Without settings the last ones are applied again. */
  async configure(
    settings = this.#latest,
    refill: readonly IndexName[] = [],
  ): Promise<ConfigureResult> {
    this.#latest = settings
    const payload = { settings, languages: this.#languages, refill }
    const result = await this.#writer.call('configure', payload)
    this.current = result.current
    return result
  }

  /** Makes the filled generation of an index the searched one. */
  async finish(index: IndexName): Promise<void> {
    this.current = await this.#writer.call('finish', index)
  }
}

/** Changes per transaction. */
const maxChanges = 200
/** Size of the write-ahead log at which readers are paused for a complete checkpoint. */
const maxWalBytes = 64 * 1024 * 1024

/** Makes the function that writes batches in one transaction and returns the error of each. */
function committer({ writer, readers }: EngineParts, countChange: () => void) {
  return async (batches: readonly Batch[]) => {
    const { errors, walBytes } = await writer.call('write', batches).finally(countChange)
    if (walBytes > maxWalBytes) {
      // After a failed checkpoint, which the worker has logged, a later batch starts the next one.
      const checkpoint = readers.exclusive(() => writer.call('checkpoint', undefined))
      await Promise.allSettled([checkpoint])
    }
    return errors.map((error) => error && indexUnavailable('a batch could not be written', error))
  }
}

/** Calls that read; `search`, `facetValues`, `get` and `openCursor` reject for incomplete indices (`Repair`). */
function readingCalls({ readers, repair, cursors }: EngineParts) {
  return {
    search: async (request, signal) => {
      repair.requireComplete(request.indices)
      return readers.call('search', request, signal)
    },
    facetValues: async (index, facet, signal) => {
      repair.requireComplete([index])
      return readers.call('facetValues', { index, facet }, signal)
    },
    get: async (index, id, signal, most) => {
      repair.requireComplete([index])
      return readers.call('get', { index, id, maxEntries: most }, signal)
    },
    similarTokens: (tokens, signal) => readers.call('similarTokens', tokens, signal),
    tokensBeginning: (beginning, indices, signal) =>
      readers.call('tokensBeginning', { beginning, indices }, signal),
    wordForms: (terms, signal) => readers.call('wordForms', terms, signal),
    vectorsOf: async (index, ids, signal) => {
      repair.requireComplete([index])
      return readers.call('vectorsOf', { index, ids }, signal)
    },
    missingIds: (index, ids) => readers.call('missingIds', { index, ids }),
    openCursor: async (request, signal) => {
      repair.requireComplete(request.indices)
      return cursors.open(request, signal)
    },
    readPage: (cursor, options, signal) => cursors.page(cursor, options, signal),
  } satisfies Partial<SearchIndex>
}

async function close({ writer, readers }: EngineParts): Promise<void> {
  await readers.close()
  if (writer.isRunning) await writer.call('close', undefined)
  await writer.close()
}
