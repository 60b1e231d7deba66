/**
 * What foreign segments give back to runs of this process: the places where runs wait for it, the tokens that open them, and
 * the spool on disk where it waits for its reader, so that whoever brings it is never asked to come again.
 */

import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../errors.ts'
import { Channel } from '../../workers/channel.ts'
import type { Payload, Pipe } from '../document.ts'
import { ownSegment, returnedIn } from './envelope.ts'

/** Where one run waits for what is to go to one of its segments. */
export type ReturnPlace = {
  /** Resolves when the message is safe. Throws `spool-full`, `invalid-parameter` for a list that is none. */
  readonly take: (payload: Payload) => Promise<void>
  /** A message came that cannot be taken. */
  readonly refused: (failure: Failure) => void
  /** A message came when nobody waited for it any more. */
  readonly late: (payload: Payload) => void
}

/** `token` opens the place over HTTP; over a broker a message is for the segment of the run that it names. */
type Entry = {
  readonly token: string
  readonly runId: string
  readonly segmentNumber: number
  readonly place: ReturnPlace
  until?: number
}

/** For a while after its end (`lateMs`) a place still takes what is late, to report it. */
export class ReturnPlaces {
  readonly #entries = new Map<string, Entry>()
  readonly #now: () => number
  readonly #lateMs: number

  constructor(now: () => number, lateMs: number) {
    this.#now = now
    this.#lateMs = lateMs
  }

  /** Waits for what comes for this segment of the run; the function ends that. */
  open(entry: Entry): () => void {
    this.#entries.set(entry.token, entry)
    return () => void (entry.until = this.#now() + this.#lateMs)
  }

  /** Who waits at the place that the token opens. Throws `not-found`. */
  at(token: string): Entry {
    for (const { token, until = Infinity } of this.#entries.values()) {
      if (until < this.#now()) this.#entries.delete(token)
    }
    const entry = this.#entries.get(token)
    if (!entry) throw new Failure('not-found', 'no run waits for a message here')
    const { place, until } = entry
    if (until === undefined) return entry
    return { ...entry, place: { ...place, take: async (payload) => place.late(payload) } }
  }

  /** Hands the message to the run that waits for it; throws `gone` when none does. */
  async take(message: Pipe): Promise<void> {
    const own = ownSegment(message)
    const entry = this.#entries
      .values()
      .find(
        ({ runId, segmentNumber, until }) =>
          runId === message.header.runId &&
          segmentNumber === own?.header.segmentNumber &&
          until === undefined,
      )
    if (!own || !entry) throw new Failure('gone', 'no run waits for this message')
    await entry.place.take(returnedIn(message, own))
  }
}

/**
 * A token of 43 characters, all of them `A-Za-z0-9_-`, because it stands in a path: whoever has it may hand in the output for
 * one segment of one run, and nothing else.
 */
export const returnToken = (): string => randomBytes(32).toString('base64url')

type Budget = { used: number; readonly most: number }

/** Opens spools with a folder each in `directory`; they share one bound in bytes. */
export function spools(options: { readonly directory: string; readonly bytes: number }) {
  const budget: Budget = { used: 0, most: options.bytes }
  let last = 0
  return (): ReturnSpool => new ReturnSpool(join(options.directory, String((last += 1))), budget)
}

/** One file for each text, written one after the other and read in the order in which they came. */
export class ReturnSpool implements AsyncIterable<string> {
  readonly #folder: string
  readonly #budget: Budget
  readonly #waiting = new Channel<{ readonly path: string; readonly size: number }>({
    items: Infinity,
  })
  #writing: Promise<unknown> | undefined
  #last = 0
  /** Texts that are not read, and the bytes of those that are written. */
  #unread = 0
  #bytes = 0

  constructor(folder: string, budget: Budget) {
    this.#folder = folder
    this.#budget = budget
  }

  /** Nothing waits, nothing is being written, and the reader has asked for more. */
  get isEmpty(): boolean {
    return this.#unread === 0
  }

  /** Resolves when the text is on disk; throws `spool-full`. */
  async put(text: string): Promise<void> {
    const size = Buffer.byteLength(text)
    if (this.#budget.used + size > this.#budget.most) throw full()
    this.#count(size)
    this.#unread += 1
    const path = join(this.#folder, String((this.#last += 1)))
    const before = this.#writing ?? mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const written = before.then(() => writeFile(path, text, { mode: 0o600 }))
    this.#writing = written.catch(() => undefined)
    try {
      await written
      this.#waiting.put({ path, size })
    } catch (error) {
      this.#count(-size)
      this.#unread -= 1
      const isFull =
        error instanceof Error && 'code' in error && /ENOSPC|EDQUOT/.test(String(error.code))
      throw isFull ? full(error) : error
    }
  }

  /** Ends the reading; what waits is deleted. */
  async close(): Promise<void> {
    this.#waiting.cancel()
    await this.#writing
    this.#count(-this.#bytes)
    await rm(this.#folder, { recursive: true, force: true })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for await (const { path, size } of this.#waiting) {
      const text = await readFile(path, 'utf8')
      await rm(path, { force: true })
      this.#count(-size)
      yield text
      this.#unread -= 1
    }
  }

  /** Never gives back more than it holds: what is being written may end after `close`. */
  #count(bytes: number): void {
    const more = Math.max(bytes, -this.#bytes)
    this.#bytes += more
    this.#budget.used += more
  }
}

const full = (cause?: unknown): Failure =>
  new Failure('spool-full', 'there is no room for the message (segmentSpoolBytes)', { cause })
