/** The embedded search engine: one file, one writer thread, a few reader threads, nothing to install. */

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { officialLanguages } from '../text/language.ts'
import { defaultCursorLimits, type CursorLimits } from './cursors/registry.ts'
import { Configuration } from './embedded/configuration.ts'
import { EmbeddedCursors } from './embedded/cursors.ts'
import { DocumentCounts } from './embedded/documents.ts'
import { Mending } from './embedded/mending.ts'
import { openThreads } from './embedded/opening.ts'
import { batchOf } from './embedded/threads/batches.ts'
import { unlessGivenUp } from './embedded/threads/giving-up.ts'
import type { Readers } from './embedded/threads/readers.ts'
import { WriteQueue } from './embedded/threads/write-queue.ts'
import type { SearchIndex } from './search-index.ts'

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
 * Good to about a million records. A file that cannot be read is set aside and replaced by an empty one: `configure` then
 * asks for a rebuild.
 */
export async function embeddedIndex(options: EmbeddedOptions): Promise<SearchIndex> {
  const { directory, log } = options
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const isNew = !existsSync(join(directory, 'index.db'))
  const { writer, readers, cursors, mending, configuration } = await opened(options)
  const [process, state] = [randomUUID(), { changes: 0 }]
  const changed = () => void state.changes++
  const stateOf = () => `${process}.${state.changes}`
  // Not a reader, whose thread and columns are 20 MB and more: nobody needs one before the first search.
  const counts = new DocumentCounts(() => writer.call('documents', undefined).answer)
  const queue = new WriteQueue(writer, (work) => readers.pausedFor(work), changed)
  return {
    configure: async (settings, anew) => {
      const rebuild = await configuration.configure(settings, anew)
      changed()
      if (rebuild.length > 0 && !isNew) log.warn({ indices: rebuild }, 'index.unfilled')
      return { rebuild }
    },
    finish: async (index) => {
      await configuration.finish(index)
      mending.filled(index)
      changed()
    },
    onLost: (tell) => mending.onLost(tell),
    missing: (index, ids) => readers.run('missing', { index, ids }),
    current: () => configuration.current,
    ...writes(queue, cursors),
    ...reads(readers, mending),
    open: async (request, signal) => {
      mending.need(request.indices)
      return cursors.open(request, signal)
    },
    page: (cursor, wish, signal) => cursors.page(cursor, wish, signal),
    state: stateOf,
    // By the writer, which is there anyway: whether index and store are the same is looked at without anybody searching.
    entries: (index, after, limit, signal) =>
      unlessGivenUp(writer.call('entries', { index, after, limit }).answer, signal),
    worn: () => writer.call('worn', undefined).answer,
    newest: () => writer.call('newest', undefined).answer,
    health: async () => ({ documents: await counts.at(stateOf()) }),
    close: async () => {
      cursors.close()
      await queue.close()
      await readers.close()
      if (writer.running) await writer.call('close', undefined).answer
    },
  }
}

/** What changes documents; cursors that nobody reads any more go with it. */
function writes(queue: WriteQueue, cursors: EmbeddedCursors): Pick<SearchIndex, 'write'> {
  return {
    write: async (changes, signal) => {
      await queue.write(batchOf(changes), signal)
      cursors.sweep()
    },
  }
}

/** What answers of indices that are whole. */
function reads(readers: Readers, mending: Mending): Pick<SearchIndex, 'search' | 'values' | 'get'> {
  return {
    search: async (request, signal) => {
      mending.need(request.indices)
      return readers.run('search', request, signal)
    },
    values: async (index, facet, signal) => {
      mending.need([index])
      return readers.run('values', { index, facet }, signal)
    },
    get: async (index, id, signal) => {
      mending.need([index])
      return readers.run('get', { index, id }, signal)
    },
  }
}

/** The parts of the engine, each knowing of what happens to the others. */
async function opened(options: EmbeddedOptions) {
  const { log, languages = officialLanguages, cursors: limits = defaultCursorLimits } = options
  const { now = () => performance.now() } = options
  const lives: { cursors?: EmbeddedCursors; mending?: Mending } = {}
  const told = {
    ended: () => lives.cursors?.lose(),
    damaged: () => lives.mending?.begin(),
  }
  const { writer, readers, setAside } = await openThreads({ ...options, told })
  const configuration = new Configuration(writer, languages)
  const configure = () => configuration.configure()
  const cursors = new EmbeddedCursors({ writer, readers, limits, now })
  const mending = new Mending({ writer, readers, log, setAside, configure })
  Object.assign(lives, { cursors, mending })
  return { writer, readers, cursors, mending, configuration }
}
