/** An index file that turns out to be broken: it is set aside, and where that happens while it is in use, filled again. */

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '../../log.ts'
import { asideMark, setAside as moveAside } from '../../sqlite.ts'
import type { IndexName } from '../index-settings.ts'
import { unavailable, type IndexWorkers } from './index-workers.ts'
import type { ReaderCalls, WriterCalls } from './worker-messages.ts'

/** A mark beside the file says that it was found damaged; whoever opens it next sets it aside. */
export class DamagedFile {
  readonly #path: string
  readonly #mark: string
  readonly #log: Log

  constructor(path: string, log: Log) {
    this.#path = path
    this.#mark = join(dirname(path), 'index.damaged')
    this.#log = log
  }

  get isMarked(): boolean {
    return existsSync(this.#mark)
  }

  mark(): void {
    writeFileSync(this.#mark, '')
  }

  /** Moves the file away. One is kept for those who want to know why it broke; an older one makes room for it. */
  setAside(): void {
    try {
      const folder = dirname(this.#path)
      for (const name of readdirSync(folder).filter((one) => one.includes(asideMark)))
        rmSync(join(folder, name), { recursive: true, force: true })
      const kept = moveAside(this.#path)
      rmSync(this.#mark, { force: true })
      this.#log.error({ file: this.#path, kept }, 'index.set-aside')
    } catch (error) {
      throw unavailable('its broken file cannot be moved away', error)
    }
  }
}

type RepairContext = {
  readonly writer: IndexWorkers<WriterCalls>
  readonly readers: IndexWorkers<ReaderCalls>
  readonly log: Log
  readonly file: DamagedFile
  /** Makes the indices anew and answers which of them are to be filled. */
  readonly configure: () => Promise<readonly IndexName[]>
}

/** What is lost is not searched until it is whole again: half of an answer looks like a whole one. */
export class Repair {
  readonly #context: RepairContext
  readonly #listeners: ((lost: readonly IndexName[]) => void)[] = []
  #lost = new Set<IndexName>()
  /** The file is broken or being replaced. */
  #isBroken = false
  #isRunning = false

  constructor(context: RepairContext) {
    this.#context = context
  }

  onLost(listener: (lost: readonly IndexName[]) => void): void {
    this.#listeners.push(listener)
  }

  /** Begins, unless it has begun. Where it fails, the next one who meets the broken file begins it again. */
  begin(): void {
    this.#isBroken = true
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#repair()
  }

  /** Throws `engine-unavailable` while one of these is not whole. */
  need(indices: readonly IndexName[]): void {
    if (this.#isBroken || indices.some((index) => this.#lost.has(index)))
      throw unavailable('its file was damaged, and it is being filled again')
  }

  /** An index is whole again. */
  filled(index: IndexName): void {
    this.#lost.delete(index)
  }

  async #repair(): Promise<void> {
    const { writer, readers, log, file, configure } = this.#context
    log.error('index.damaged')
    try {
      await readers.exclusive(() =>
        writer.exclusive(async () => {
          await Promise.all([readers.restart(), writer.restart()])
          file.setAside()
        }),
      )
      const lost = await configure()
      this.#lost = new Set(lost)
      this.#isBroken = false
      log.warn({ indices: lost }, 'index.refilling')
      for (const listener of this.#listeners) listener(lost)
    } catch (error) {
      log.error({ err: error }, 'index.not-mended')
    } finally {
      this.#isRunning = false
    }
  }
}
