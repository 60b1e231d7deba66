/** Text on disk for the time of one piece of work: written from front to back, read as often as wanted. */

import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

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
