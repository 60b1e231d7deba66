/** An index file that turns out to be broken: it is set aside, and where that happens while it is in use, filled again. */

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '../../log.ts'
import { asideMark, setAside as moveAside } from '../../sqlite.ts'
import type { IndexName } from '../index-settings.ts'
import { unavailable } from './index-workers.ts'

type RepairContext = {
  readonly path: string
  readonly log: Log
  /** Ends all workers, does the work while none runs, and forgets what was read from the file. */
  readonly withoutWorkers: (work: () => void) => Promise<void>
  /** Makes the indices anew and answers which of them are to be filled. */
  readonly configure: () => Promise<readonly IndexName[]>
}

/**
 * Indices whose file was damaged: they are not searched until they are complete again, because half of an answer looks like a whole one.
 */
export class Repair {
  readonly #context: RepairContext
  /** A file beside the index says that it was found damaged; whoever opens it next sets it aside. */
  readonly #mark: string
  readonly #listeners: ((lost: readonly IndexName[]) => void)[] = []
  #lost = new Set<IndexName>()
  /** The file is broken or being replaced. */
  #isBroken = false
  #isRunning = false

  constructor(context: RepairContext) {
    this.#context = context
    this.#mark = join(dirname(context.path), 'index.damaged')
  }

  get isMarked(): boolean {
    return existsSync(this.#mark)
  }

  /** Notes the damage. While the index is in use it begins to repair it; where that fails, the next who meets it begins again. */
  damaged(isInUse: boolean): void {
    writeFileSync(this.#mark, '')
    if (!isInUse) return
    this.#isBroken = true
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#repair()
  }

  /** Moves the file away. One is kept for those who want to know why it broke, in the place of an older one. */
  setAside(): void {
    const { path, log } = this.#context
    try {
      const folder = dirname(path)
      for (const name of readdirSync(folder).filter((one) => one.includes(asideMark)))
        rmSync(join(folder, name), { recursive: true, force: true })
      const kept = moveAside(path)
      rmSync(this.#mark, { force: true })
      log.error({ file: path, kept }, 'index.set-aside')
    } catch (error) {
      throw unavailable('its broken file cannot be moved away', error)
    }
  }

  onLost(listener: (lost: readonly IndexName[]) => void): void {
    this.#listeners.push(listener)
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
    const { withoutWorkers, log, configure } = this.#context
    log.error('index.damaged')
    try {
      await withoutWorkers(() => this.setAside())
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
