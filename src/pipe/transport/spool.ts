/** Texts that wait on disk for one reader, so that whoever brings them is never asked to come again. */

import { conditionVariable } from '../../workers/condition.ts'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../errors.ts'

export type Spool = AsyncIterable<string> & {
  /** Resolves when the text is on disk; throws `spool-full`. */
  put(text: string): Promise<void>
  /** Nothing waits, nothing is being written, and the reader has asked for more. */
  readonly isEmpty: boolean
  /** Ends the reading; what waits is deleted. */
  close(): Promise<void>
}

export type SpoolOptions = {
  /** Each spool has a folder of its own in it. */
  readonly directory: string
  /** Of all spools together. */
  readonly bytes: number
}

type Budget = { used: number; readonly most: number }

/** Opens spools that share one bound. */
export function spools({ directory, bytes }: SpoolOptions): () => Spool {
  const budget: Budget = { used: 0, most: bytes }
  let last = 0
  return () => spool(join(directory, String((last += 1))), budget)
}

type Waiting = {
  readonly path: string
  readonly size: number
  /** Whether it is on disk. */
  readonly written: Promise<boolean>
}

/** One file for each text, in the order in which they came. */
function spool(folder: string, budget: Budget): Spool {
  const waiting: Waiting[] = []
  const changed = conditionVariable()
  const state = { last: 0, isReading: false, isClosed: false }
  const write = writerIn(folder)
  return {
    async put(text) {
      const size = Buffer.byteLength(text)
      if (budget.used + size > budget.most) throw full()
      budget.used += size
      const path = join(folder, String((state.last += 1)))
      const writing = write(path, text)
      const written = writing.then(
        () => true,
        () => false,
      )
      waiting.push({ path, size, written })
      changed.notify()
      await writing.catch((error: unknown) => {
        throw isFullDisk(error) ? full(error) : error
      })
    },
    get isEmpty() {
      return waiting.length === 0 && !state.isReading
    },
    async close() {
      state.isClosed = true
      changed.notify()
      const left = waiting.splice(0)
      for (const { size } of left) budget.used -= size
      await Promise.all(left.map(({ written }) => written))
      await rm(folder, { recursive: true, force: true })
    },
    async *[Symbol.asyncIterator]() {
      while (!state.isClosed) {
        const first = waiting.shift()
        if (first) {
          state.isReading = true
          const text = await taken(first)
          budget.used -= first.size
          if (text !== undefined) yield text
          state.isReading = false
          changed.notify()
        } else await changed.next()
      }
    },
  }
}

/** Writes into the folder, which is made when the first text comes. */
function writerIn(folder: string): (path: string, text: string) => Promise<void> {
  let ready: Promise<unknown> | undefined
  return async (path, text) => {
    ready ??= mkdir(folder, { recursive: true, mode: 0o700 })
    await ready
    await writeFile(path, text, { mode: 0o600 })
  }
}

/** The text, which is not there any more; `undefined` for one that could not be written. */
async function taken({ path, written }: Waiting): Promise<string | undefined> {
  if (!(await written)) return undefined
  const text = await readFile(path, 'utf8')
  await rm(path, { force: true })
  return text
}

const isFullDisk = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

const full = (cause?: unknown): Failure =>
  new Failure('spool-full', 'there is no room for another returned message', { cause })
