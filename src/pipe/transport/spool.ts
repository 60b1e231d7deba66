/** Returned messages that wait on disk for their reader, so that whoever brings them is never asked to come again. */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../errors.ts'
import { Channel } from '../../workers/channel.ts'

type Budget = { used: number; readonly most: number }
type Entry = { readonly path: string; size: number; readonly isWritten: Promise<boolean> }

/** Opens spools with a folder each in `directory`; they share one bound in bytes. */
export function spools(options: { readonly directory: string; readonly bytes: number }) {
  const budget: Budget = { used: 0, most: options.bytes }
  let last = 0
  return (): ReturnSpool => new ReturnSpool(join(options.directory, String((last += 1))), budget)
}

/** One file for each text, read in the order in which they came. */
export class ReturnSpool implements AsyncIterable<string> {
  readonly #folder: string
  readonly #budget: Budget
  readonly #waiting = new Channel<Entry>({ items: Infinity })
  readonly #unread = new Set<Entry>()
  #ready: Promise<unknown> | undefined
  #last = 0

  constructor(folder: string, budget: Budget) {
    this.#folder = folder
    this.#budget = budget
  }

  /** Nothing waits, nothing is being written, and the reader has asked for more. */
  get isEmpty(): boolean {
    return this.#unread.size === 0
  }

  /** Resolves when the text is on disk; throws `spool-full`. */
  async put(text: string): Promise<void> {
    const size = Buffer.byteLength(text)
    if (this.#budget.used + size > this.#budget.most) throw full()
    this.#budget.used += size
    const path = join(this.#folder, String((this.#last += 1)))
    const writing = this.#write(path, text)
    const isWritten = writing.then(
      () => true,
      () => false,
    )
    const entry = { path, size, isWritten }
    this.#unread.add(entry)
    this.#waiting.put(entry)
    await writing.catch((error: unknown) => {
      const isFull =
        error instanceof Error && 'code' in error && /ENOSPC|EDQUOT/.test(String(error.code))
      throw isFull ? full(error) : error
    })
  }

  /** Ends the reading; what waits is deleted. */
  async close(): Promise<void> {
    this.#waiting.cancel()
    const left = [...this.#unread]
    for (const entry of left) this.#free(entry)
    await Promise.all(left.map(({ isWritten }) => isWritten))
    await rm(this.#folder, { recursive: true, force: true })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for await (const entry of this.#waiting) {
      if (await entry.isWritten) {
        const text = await readFile(entry.path, 'utf8')
        await rm(entry.path, { force: true })
        this.#free(entry)
        yield text
      } else this.#free(entry)
      this.#unread.delete(entry)
    }
  }

  async #write(path: string, text: string): Promise<void> {
    this.#ready ??= mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await this.#ready
    await writeFile(path, text, { mode: 0o600 })
  }

  #free(entry: Entry): void {
    this.#budget.used -= entry.size
    entry.size = 0
  }
}

const full = (cause?: unknown): Failure =>
  new Failure('spool-full', 'there is no room for another returned message', { cause })
