/** Sorts any number of lines in bounded memory: runs that were sorted in memory lie on disk and are merged when read. */

import { linesOf, merged } from './merging.ts'
import { openScratch, type Scratch } from './scratch.ts'

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
