/** Opening the index file and the threads that work on it. */

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import type { Log } from '../../log.ts'
import { asideMark, setAside as moveAside } from '../../sqlite.ts'
import type { ReaderCalls, WriterCalls } from './threads/messages.ts'
import { Readers } from './threads/readers.ts'
import { Thread, unavailable } from './threads/thread.ts'

type Opening = {
  readonly directory: string
  readonly log: Log
  readonly readers?: number
  readonly searchMs?: number
  readonly wildcardTerms?: number
  /** The writer has ended; the file was found damaged. */
  readonly told: { readonly ended: () => void; readonly damaged: () => void }
}

/** The file is open when the writer has answered; a damaged one is set aside once. */
export async function openThreads({ directory, log, told, ...options }: Opening) {
  const [path, mark] = [join(directory, 'index.db'), join(directory, 'index.damaged')]
  const { wildcardTerms = 1_000 } = options
  const damaged = () => {
    writeFileSync(mark, '')
    told.damaged()
  }
  const common = { path, log, wildcardTerms, damaged }
  const entry = (name: string) => new URL(`${name}/worker.ts`, import.meta.url)
  if (existsSync(mark)) setAside(path, mark, log)
  const writer = new Thread<WriterCalls>({
    ...common,
    name: 'writer',
    // Two hundred documents at most are parsed, written and forgotten.
    nurseryMb: 6,
    entry: entry('writing'),
    ended: told.ended,
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
  return { writer, readers, setAside: () => setAside(path, mark, log) }
}

/** One broken file is kept for those who want to know why; an older one makes room for it. */
function setAside(path: string, mark: string, log: Log): void {
  try {
    const folder = dirname(path)
    for (const name of readdirSync(folder).filter((one) => one.includes(asideMark)))
      rmSync(join(folder, name), { recursive: true, force: true })
    const kept = moveAside(path)
    rmSync(mark, { force: true })
    log.error({ file: path, kept }, 'index.set-aside')
  } catch (error) {
    throw unavailable('its broken file cannot be moved away', error)
  }
}
