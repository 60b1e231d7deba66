/** Sorts any number of lines in bounded memory: runs that were sorted in memory lie on disk and are merged when read. */

import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** UTF-16 units that are sorted in memory, and bytes that are read of a run at once while merging. */
const runSize = 8 * 1024 * 1024
const runChunk = 64 * 1024

export class LineSpool {
  readonly #directory: string
  readonly #runSize: number
  readonly #runs: Scratch[] = []
  #lines: string[] = []
  #length = 0

  /** Uses files in `directory` only when one run does not hold all. */
  constructor(directory: string, size = runSize) {
    this.#directory = directory
    this.#runSize = size
  }

  /** How many runs lie on disk. */
  get runs(): number {
    return this.#runs.length
  }

  /** A line without its end; it may come again. */
  add(line: string): void {
    this.#lines.push(line)
    this.#length += line.length
    if (this.#length >= this.#runSize) this.#flush()
  }

  /** All lines in order, each once; from the beginning at every call. */
  sorted(): Generator<string> {
    const rest = this.#lines.sort()
    return merged([...this.#runs.map((run) => linesOf(run.chunks(runChunk))), rest])
  }

  close(): void {
    this.#lines = []
    for (const run of this.#runs) run.close()
    this.#runs.length = 0
  }

  #flush(): void {
    const run = openScratch(this.#directory)
    this.#runs.push(run)
    let last: string | undefined
    for (const line of this.#lines.sort()) {
      if (line !== last) run.append(`${line}\n`)
      last = line
    }
    this.#lines = []
    this.#length = 0
  }
}

// Sorted sequences of lines put together into one, in the order of UTF-16 code units, like `Array.sort` of strings.

type Head = { line: string; readonly rest: Iterator<string> }

/** Puts the smallest line on top again after the top has changed: a binary heap. */
function sift(heap: Head[]): void {
  const top = heap[0]
  if (!top) return
  for (let at = 0; ;) {
    let least = 2 * at + 1
    let child = heap[least]
    if (!child) break
    const other = heap[least + 1]
    if (other && other.line < child.line) {
      child = other
      least += 1
    }
    if (child.line >= top.line) break
    heap[at] = child
    heap[least] = top
    at = least
  }
}

/** The lines of all sources in order, each once. Every source is sorted; a line may stand in several. */
function* merged(sources: readonly Iterable<string>[]): Generator<string> {
  const heads = sources.flatMap((source): Head[] => {
    const rest = source[Symbol.iterator]()
    const first = rest.next()
    return first.done === true ? [] : [{ line: first.value, rest }]
  })
  // A sorted array is a heap.
  const heap = heads.sort((a, b) => (a.line < b.line ? -1 : 1))
  let last: string | undefined
  for (let top = heap[0]; top; top = heap[0]) {
    if (top.line !== last) yield (last = top.line)
    const next = top.rest.next()
    if (next.done === true) {
      const end = heap.pop()
      if (end && end !== top) heap[0] = end
    } else top.line = next.value
    sift(heap)
  }
}

/** The lines of chunks, without their ends. */
function* linesOf(chunks: Iterable<string>): Generator<string> {
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf('\n', at)
      yield chunk.slice(at, end)
      at = end + 1
    }
  }
}

/** The same for chunks that come one after the other. */
export async function* linesFrom(chunks: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  for await (const chunk of chunks) {
    const lines = chunk.split('\n')
    lines.pop()
    yield lines
  }
}

// Text on disk for the time of one piece of work: written from front to back, read as often as wanted.

export type Scratch = {
  /** Whole lines, each with its end. */
  readonly append: (lines: string) => void
  /** Chunks of whole lines, from the beginning at every call. Nothing may be appended while they are read. */
  readonly chunks: (bytes?: number) => Generator<string>
  /** UTF-8 bytes appended so far. */
  readonly bytes: () => number
  readonly close: () => void
}

const lineEnd = 0x0a
const writeSize = 256 * 1024
const usualChunk = 128 * 1024

/** The pieces of a file, cut behind line ends; a longer line is a piece of its own. */
function* pieces(file: number, size: number): Generator<string> {
  let held = Buffer.alloc(0)
  for (let at = 0; ;) {
    const buffer = Buffer.allocUnsafe(size)
    const read = readSync(file, buffer, 0, size, at)
    if (read === 0) break
    at += read
    const all =
      held.length === 0 ? buffer.subarray(0, read) : Buffer.concat([held, buffer.subarray(0, read)])
    const end = all.lastIndexOf(lineEnd) + 1
    held = all.subarray(end)
    if (end > 0) yield all.toString('utf8', 0, end)
  }
}

function writeAll(file: number, text: string): number {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
  return bytes.length
}

/**
 * Opens an empty one in `directory`, which is made when absent. It has no name there for longer than a moment, so that it is
 * gone with the process, however that ends. Throws the system's error when the disk is full.
 */
export function openScratch(directory: string): Scratch {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, `scratch-${randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  let waiting = ''
  let written = 0
  const flush = () => {
    if (waiting === '') return
    written += writeAll(file, waiting)
    waiting = ''
  }
  return {
    append: (lines) => {
      waiting += lines
      if (waiting.length >= writeSize) flush()
    },
    *chunks(bytes = usualChunk) {
      flush()
      yield* pieces(file, bytes)
    },
    bytes: () => {
      flush()
      return written
    },
    close: () => closeSync(file),
  }
}
