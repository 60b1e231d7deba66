/**
 * Messages that foreign segments return to runs of this process. A return place is an address, identified by a token, at which
 * one step of a run waits; the spool on disk stores messages until the step reads them.
 */

import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../errors.ts'
import { Channel } from '../../workers/channel.ts'
import { SingleFlight } from '../../workers/single-flight.ts'
import type { Payload, Pipe } from '../document.ts'
import { targetSegment, returnedPayload } from './envelope.ts'

/** Receiver of messages for one segment of a run. */
export type ReturnPlace = {
  /** Stores a message; resolves when it is durable. Throws `spool-full`, or `invalid-parameter` for a malformed list. */
  readonly take: (payload: Payload) => Promise<void>
  /** Reports a message that was refused. */
  readonly onRefused: (failure: Failure) => void
  /** Reports a message that came after the run stopped waiting. */
  readonly onLate: (payload: Payload) => void
}

/** An open place. Over HTTP `token` identifies it; over a broker, the run id and segment in the message. */
type Entry = {
  readonly token: string
  readonly runId: string
  readonly segmentNumber: number
  readonly place: ReturnPlace
  /** Time in ms until which late messages are accepted; absent while the place is open. */
  closesAt?: number
}

/** Return places. A closed one accepts late messages over HTTP for `lateMs`, which it only reports. */
export class ReturnPlaces {
  readonly #entries = new Map<string, Entry>()
  readonly #now: () => number
  readonly #lateMs: number

  constructor(now: () => number, lateMs: number) {
    this.#now = now
    this.#lateMs = lateMs
  }

  /** Opens a place; the returned function closes it. */
  open(entry: Entry): () => void {
    this.#entries.set(entry.token, entry)
    return () => void (entry.closesAt = this.#now() + this.#lateMs)
  }

  /** Finds the place of a token, open or closed; removes old ones. Throws `not-found`. */
  find(token: string): Entry {
    for (const { token, closesAt = Infinity } of this.#entries.values()) {
      if (closesAt < this.#now()) this.#entries.delete(token)
    }
    const entry = this.#entries.get(token)
    if (!entry) throw new Failure('not-found', 'no run waits for a message here')
    const { place, closesAt } = entry
    if (closesAt === undefined) return entry
    return { ...entry, place: { ...place, take: async (payload) => place.onLate(payload) } }
  }

  /** Delivers a message from a broker to the run that waits for it. Throws `gone` if none does, and as `ReturnPlace.take`. */
  async take(message: Pipe): Promise<void> {
    const target = targetSegment(message)
    const entry = this.#entries
      .values()
      .find(
        ({ runId, segmentNumber, closesAt }) =>
          runId === message.header.runId &&
          segmentNumber === target?.header.segmentNumber &&
          closesAt === undefined,
      )
    if (!target || !entry) throw new Failure('gone', 'no run waits for this message')
    await entry.place.take(returnedPayload(message, target))
  }
}

/**
 * Creates a random token of 43 characters `A-Za-z0-9_-` for use in a path. It permits only returning the output of one
 * segment of one run.
 */
export const returnToken = (): string => randomBytes(32).toString('base64url')

type Budget = { used: number; readonly most: number }

/** Returns a factory of spools, each with its own folder in `directory`; they share one limit in bytes. */
export function spoolFactory(options: { readonly directory: string; readonly bytes: number }) {
  const budget: Budget = { used: 0, most: options.bytes }
  let lastNumber = 0
  return (): ReturnSpool =>
    new ReturnSpool(join(options.directory, String((lastNumber += 1))), budget)
}

/** Queue of texts on disk with one file per text, read in order. */
export class ReturnSpool implements AsyncIterable<string> {
  readonly #folder: string
  readonly #budget: Budget
  readonly #waiting = new Channel<{ readonly path: string; readonly size: number }>({
    items: Infinity,
  })
  readonly #made = new SingleFlight<'folder', unknown>({ keepMs: Infinity })
  #writing: Promise<unknown> | undefined
  #lastNumber = 0
  /** Number of texts that are not yet processed, and bytes of those that are stored or being written. */
  #unread = 0
  #bytes = 0

  constructor(folder: string, budget: Budget) {
    this.#folder = folder
    this.#budget = budget
  }

  /** Whether nothing is stored or being written and the reader waits for more. */
  get isEmpty(): boolean {
    return this.#unread === 0
  }

  /** Stores a text; resolves when it is on disk. Throws `spool-full`. */
  async put(text: string): Promise<void> {
    const size = Buffer.byteLength(text)
    if (this.#budget.used + size > this.#budget.most) throw spoolFull()
    this.#count(size)
    this.#unread += 1
    const path = join(this.#folder, String((this.#lastNumber += 1)))
    const made = this.#made.get('folder', () =>
      mkdir(this.#folder, { recursive: true, mode: 0o700 }),
    )
    const written = Promise.all([made, this.#writing]).then(() =>
      writeFile(path, text, { mode: 0o600 }),
    )
    this.#writing = written.catch(() => undefined)
    try {
      await written
      this.#waiting.put({ path, size })
    } catch (error) {
      this.#count(-size)
      this.#unread -= 1
      const isFull =
        error instanceof Error && 'code' in error && /ENOSPC|EDQUOT/.test(String(error.code))
      throw isFull ? spoolFull(error) : error
    }
  }

  /** Ends the reader and deletes unread texts. */
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

  /** Updates the byte counts. A write may end after `close`, so the count never becomes negative. */
  #count(bytes: number): void {
    const change = Math.max(bytes, -this.#bytes)
    this.#bytes += change
    this.#budget.used += change
  }
}

const spoolFull = (cause?: unknown): Failure =>
  new Failure('spool-full', 'there is no room for the message (segmentSpoolBytes)', { cause })
