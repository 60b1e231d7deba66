/** Repair of a damaged index file: it is moved away, and if that happens while the process runs, its indices are filled again. */

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '../../log.ts'
import { asideMark, setAside as moveAside } from '../../sqlite.ts'
import type { IndexName } from '../index-settings.ts'
import { indexUnavailable } from './index-workers.ts'

type RepairContext = {
  readonly path: string
  readonly log: Log
  /** Terminates all workers, runs `work` while none runs, and drops what was read from the file. */
  readonly withoutWorkers: (work: () => void) => Promise<void>
  /** Creates the indices in a new file and returns those to fill. */
  readonly configure: () => Promise<readonly IndexName[]>
}

/**
 * Detects that the index file was damaged and replaces it. Searches are refused until the indices are complete again, and so they
 * are where the file had another layout, because incomplete answers would look complete.
 */
export class Repair {
  readonly #context: RepairContext
  /** Path of a file that marks the index as damaged, so that the next start of the process moves it away. */
  readonly #markPath: string
  readonly #listeners: ((lost: readonly IndexName[]) => void)[] = []
  #lost = new Set<IndexName>()
  /** Whether the file is damaged or being replaced. */
  #isBroken = false
  #isRunning = false

  constructor(context: RepairContext) {
    this.#context = context
    this.#markPath = join(dirname(context.path), 'index.damaged')
  }

  /** Whether the index file was found damaged and is still in place. */
  get isMarked(): boolean {
    return existsSync(this.#markPath)
  }

  /** Marks the index as damaged and, if it is in use, starts the repair. After a failed repair the next report starts it again. */
  noteDamage(isInUse: boolean): void {
    writeFileSync(this.#markPath, '')
    if (!isInUse) return
    this.#isBroken = true
    if (this.#isRunning) return
    this.#isRunning = true
    const { log } = this.#context
    this.#repair().catch((error: unknown) => log.error({ err: error }, 'index.repair-failed'))
  }

  /** Renames the index file. One damaged file is kept for analysis; older ones are removed. */
  setAside(): void {
    const { path, log } = this.#context
    try {
      const folder = dirname(path)
      for (const name of readdirSync(folder).filter((name) => name.includes(asideMark)))
        rmSync(join(folder, name), { recursive: true, force: true })
      const kept = moveAside(path)
      rmSync(this.#markPath, { force: true })
      log.error({ file: path, kept }, 'index.set-aside')
    } catch (error) {
      throw indexUnavailable('its broken file cannot be moved away', error)
    }
  }

  /** Registers a listener that is called with the indices to fill after a repair. */
  onDataLost(listener: (lost: readonly IndexName[]) => void): void {
    this.#listeners.push(listener)
  }

  /** Throws `engine-unavailable` while one of the indices is incomplete. */
  requireComplete(indices: readonly IndexName[]): void {
    if (this.#isBroken || indices.some((index) => this.#lost.has(index)))
      throw indexUnavailable('it is being filled again')
  }

  /** Marks indices as incomplete. */
  setIncomplete(indices: readonly IndexName[]): void {
    for (const index of indices) this.#lost.add(index)
  }

  /** Marks an index as complete. */
  setComplete(index: IndexName): void {
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
      log.error({ err: error }, 'index.repair-failed')
    } finally {
      this.#isRunning = false
    }
  }
}
