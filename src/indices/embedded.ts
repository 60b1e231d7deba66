/** The embedded search engine: one file, one writer thread, a few reader threads, nothing to install. */

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { officialLanguages } from '../text/language.ts'
import { defaultCursorLimits, type CursorLimits } from './cursors/registry.ts'
import { EmbeddedCursors } from './embedded/cursors.ts'
import { DocumentCounts } from './embedded/documents.ts'
import type { ReaderCalls, WriterCalls } from './embedded/threads/messages.ts'
import { Readers } from './embedded/threads/readers.ts'
import { Thread, unavailable } from './embedded/threads/thread.ts'
import { WriteQueue } from './embedded/threads/write-queue.ts'
import type { SearchIndex } from './search-index.ts'
import type { IndexSettings } from './settings.ts'

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
  const { directory, log, languages = officialLanguages } = options
  mkdirSync(directory, { recursive: true })
  const path = join(directory, 'index.db')
  const isNew = !existsSync(path)
  const { cursors: limits = defaultCursorLimits, now = () => performance.now() } = options
  const lives = { cursors: undefined as EmbeddedCursors | undefined }
  const { writer, readers } = await openThreads(options, path, () => lives.cursors?.lose())
  const cursors = new EmbeddedCursors({ writer, readers, limits, now })
  const [process, state] = [randomUUID(), { changes: 0 }]
  const changed = () => void state.changes++
  const stateOf = () => `${process}.${state.changes}`
  const counts = new DocumentCounts(readers)
  const queue = new WriteQueue(writer, (work) => readers.pausedFor(work), changed)
  let current: readonly IndexSettings[] = []
  return {
    configure: async (settings) => {
      const configured = await writer.call('configure', { settings, languages }).answer
      current = configured.current
      changed()
      const { rebuild } = configured
      if (rebuild.length > 0 && !isNew) log.warn({ indices: rebuild }, 'index.unfilled')
      return { rebuild }
    },
    finish: async (index) => {
      current = await writer.call('finish', index).answer
      changed()
    },
    missing: (index, ids) => readers.run('missing', { index, ids }),
    current: () => current,
    write: async (changes, signal) => {
      await queue.write(changes, signal)
      cursors.sweep()
    },
    search: (request, signal) => readers.run('search', request, signal),
    open: (request, signal) => cursors.open(request, signal),
    page: (cursor, wish, signal) => cursors.page(cursor, wish, signal),
    values: (index, facet, signal) => readers.run('values', { index, facet }, signal),
    state: stateOf,
    get: (index, id, signal) => readers.run('get', { index, id }, signal),
    entries: (index, after, limit, signal) =>
      readers.run('entries', { index, after, limit }, signal),
    newest: () => readers.run('newest', undefined),
    health: async () => ({ documents: await counts.at(stateOf()) }),
    close: async () => {
      cursors.close()
      await queue.close()
      await readers.close()
      if (writer.running) await writer.call('close', undefined).answer
    },
  }
}

/** The file is open when the writer has answered; a damaged one is set aside once. */
async function openThreads(
  { directory, log, ...options }: EmbeddedOptions,
  path: string,
  writerEnded: () => void,
) {
  const mark = join(directory, 'index.damaged')
  const { wildcardTerms = 1_000 } = options
  const common = { path, log, wildcardTerms, damaged: () => writeFileSync(mark, '') }
  const entry = (name: string) => new URL(`embedded/${name}/worker.ts`, import.meta.url)
  if (existsSync(mark)) setAside(path, mark, log)
  const writer = new Thread<WriterCalls>({
    ...common,
    name: 'writer',
    entry: entry('writing'),
    ended: writerEnded,
  })
  await writer.call('open', undefined).answer.catch((error: unknown) => {
    if (!existsSync(mark)) throw error
    setAside(path, mark, log)
    return writer.call('open', undefined).answer
  })
  const count = options.readers ?? Math.max(1, Math.min(2, availableParallelism() - 1))
  const reader = (_: unknown, i: number) =>
    new Thread<ReaderCalls>({ ...common, name: `reader ${i + 1}`, entry: entry('reading') })
  const readers = new Readers(Array.from({ length: count }, reader), options.searchMs ?? 10_000)
  return { writer, readers }
}

/** One broken file is kept for those who want to know why; an older one makes room for it. */
function setAside(path: string, mark: string, log: Log): void {
  try {
    const kept = `${path}.broken`
    rmSync(kept, { recursive: true, force: true })
    if (existsSync(path)) renameSync(path, kept)
    for (const end of ['-wal', '-shm']) rmSync(path + end, { recursive: true, force: true })
    rmSync(mark, { force: true })
    log.error({ file: path, kept }, 'index.set-aside')
  } catch (error) {
    throw unavailable('its broken file cannot be moved away', error)
  }
}
