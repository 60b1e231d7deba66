/** The embedded search engine: one file, one writer thread, a few reader threads, nothing to install. Good to about a million records. */

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../../log.ts'
import { officialLanguages } from '../../text/language.ts'
import { backgroundLoop } from '../../workers/background-loop.ts'
import { pause } from '../../workers/pause.ts'
import { defaultCursorLimits, type CursorLimits } from '../cursors.ts'
import type { IndexName, IndexSettings } from '../index-settings.ts'
import type { SearchIndex } from '../search-index.ts'
import { writeQueue } from '../write-queue.ts'
import { Repair } from './damage.ts'
import { indexReaders, indexWriter, unavailable, type IndexWorkers } from './index-workers.ts'
import { SqliteCursors } from './sqlite-cursors.ts'
import { batchOf, type Batch, type ReaderCalls, type WriterCalls } from './worker-messages.ts'

export type EmbeddedOptions = {
  /** Holds `index.db`; made when it is not there. */
  readonly directory: string
  readonly log: Log
  /** Reader threads; by default one less than there are cores, at least 1 and at most 2. */
  readonly readers?: number
  /** Languages with a text bucket of their own; by default the official ones of the European Union. */
  readonly languages?: readonly string[]
  /** Milliseconds after which a search fails with `time-limit`. */
  readonly searchMs?: number
  /** Terms that one wildcard stands for at most. */
  readonly wildcardTerms?: number
  readonly cursors?: CursorLimits
  /** Milliseconds that never go back, for the life of cursors. */
  readonly now?: () => number
}

/**
 * Opens the file of a directory. One that cannot be read is set aside and replaced by an empty one: `configure` then asks for a
 * rebuild.
 */
export async function embeddedIndex(options: EmbeddedOptions): Promise<SearchIndex> {
  const { directory, log } = options
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const isNew = !existsSync(join(directory, 'index.db'))
  const parts = await opened(options)
  const { writer, cursors, repair, configuration } = parts
  const [process, state] = [randomUUID(), { changes: 0 }]
  const changed = () => void state.changes++
  const queue = writeQueue({ most: maxChanges, commit: committer(parts, changed) })
  const purging = backgroundLoop('cursor.purge-failed', purgeEveryMs, () => cursors.purge(), {
    log,
    pause,
  })
  return {
    configure: async (settings, anew) => {
      const rebuild = await configuration.configure(settings, anew)
      changed()
      cursors.purge()
      if (rebuild.length > 0 && !isNew) log.warn({ indices: rebuild }, 'index.rebuild-required')
      return { rebuild }
    },
    finish: async (index) => {
      await configuration.finish(index)
      repair.filled(index)
      changed()
      cursors.purge()
    },
    onLost: (listener) => repair.onLost(listener),
    current: () => configuration.current,
    write: (changes, signal) => queue.write(batchOf(changes), signal),
    ...searches(parts),
    state: () => `${process}.${state.changes}`,
    entries: (index, after, limit, signal) =>
      writer.call('entries', { index, after, limit }, signal),
    fragmented: () => writer.call('worn', undefined),
    newest: () => writer.call('newest', undefined),
    // By the writer: a reader takes 20 MB and more, and nobody needs one before the first search.
    health: async () => ({ documents: await writer.call('documents', undefined) }),
    close: async () => {
      await purging.stop()
      cursors.close()
      await queue.close()
      await close(parts)
    },
  }
}

const purgeEveryMs = 10_000

type Parts = {
  readonly writer: IndexWorkers<WriterCalls>
  readonly readers: IndexWorkers<ReaderCalls>
  readonly cursors: SqliteCursors
  readonly repair: Repair
  readonly configuration: Configuration
}

/** The parts of the engine; the file is open when the writer has answered. */
async function opened(options: EmbeddedOptions): Promise<Parts> {
  const { log, languages = officialLanguages, wildcardTerms = 1_000, searchMs } = options
  const { cursors: limits = defaultCursorLimits, now = () => performance.now() } = options
  const path = join(options.directory, 'index.db')
  const use = { hasBegun: false }
  const damaged = () => repair.damaged(use.hasBegun)
  const common = { path, wildcardTerms, log, damaged }
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
  const configure = () => configuration.configure()
  const repair = new Repair({ path, log, withoutWorkers, configure })
  if (repair.isMarked) repair.setAside()
  await writer.call('open', undefined).catch((error: unknown) => {
    if (!repair.isMarked) throw error
    repair.setAside()
    return writer.call('open', undefined)
  })
  use.hasBegun = true
  return { writer, readers, cursors, repair, configuration }
}

/** The settings of the indices: those that were asked for, and those that answers are given under. */
class Configuration {
  current: readonly IndexSettings[] = []
  readonly #writer: IndexWorkers<WriterCalls>
  readonly #languages: readonly string[]
  #latest: readonly IndexSettings[] = []

  constructor(writer: IndexWorkers<WriterCalls>, languages: readonly string[]) {
    this.#writer = writer
    this.#languages = languages
  }

  /** Which indices are to be filled; without settings those of the last time are made sure of. */
  async configure(
    settings = this.#latest,
    anew: readonly IndexName[] = [],
  ): Promise<readonly IndexName[]> {
    this.#latest = settings
    const payload = { settings, languages: this.#languages, anew }
    const { rebuild, current } = await this.#writer.call('configure', payload)
    this.current = current
    return rebuild
  }

  async finish(index: IndexName): Promise<void> {
    this.current = await this.#writer.call('finish', index)
  }
}

/** Changes per transaction. */
const maxChanges = 200
/** A log of this size is moved into the file while the readers pause. */
const maxWalBytes = 64 * 1024 * 1024

/** Writes batches in one transaction; answers the error of each. */
function committer({ writer, readers }: Parts, changed: () => void) {
  return async (batches: readonly Batch[]) => {
    const { errors, walBytes } = await writer.call('write', batches).finally(changed)
    if (walBytes > maxWalBytes) {
      // A log that could not be moved is moved after a later batch; the failure is already in the log.
      const moved = readers.exclusive(() => writer.call('checkpoint', undefined))
      await Promise.allSettled([moved])
    }
    return errors.map((error) => error && unavailable('a batch could not be written', error))
  }
}

/** Reading calls, which answer for complete indices only. */
function searches({ readers, repair, cursors }: Parts) {
  return {
    search: async (request, signal) => {
      repair.need(request.indices)
      return readers.call('search', request, signal)
    },
    values: async (index, facet, signal) => {
      repair.need([index])
      return readers.call('values', { index, facet }, signal)
    },
    get: async (index, id, signal, most) => {
      repair.need([index])
      return readers.call('get', { index, id, most }, signal)
    },
    near: (tokens, signal) => readers.call('near', tokens, signal),
    missing: (index, ids) => readers.call('missing', { index, ids }),
    open: async (request, signal) => {
      repair.need(request.indices)
      return cursors.open(request, signal)
    },
    page: (cursor, options, signal) => cursors.page(cursor, options, signal),
  } satisfies Partial<SearchIndex>
}

async function close({ writer, readers }: Parts): Promise<void> {
  await readers.close()
  if (writer.isRunning) await writer.call('close', undefined)
  await writer.close()
}
