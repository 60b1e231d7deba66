/** What open cursors still need: versions that die after they were opened, and generations that are swapped away. */

import type { DatabaseSync } from 'node:sqlite'
import { tablesOf } from '../tables.ts'
import { readGenerations } from './generations.ts'

type Hold = {
  /** Generation that lived → its last death: those before it are in no snapshot that is taken later. */
  readonly deaths: ReadonlyMap<number, number>
  /** Generations after this one may be in a snapshot too. */
  readonly newest: number
}

/** In memory only: when the process or the writer dies, the cursors die with it. */
export class Holds {
  readonly #db: DatabaseSync
  readonly #holds = new Map<number, Hold>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Holds whatever a snapshot that is taken from now on can contain. */
  take(id: number): void {
    const all = readGenerations(this.#db)
    const living = all.filter(({ state }) => state !== 'old')
    this.#holds.set(id, {
      deaths: new Map(living.map(({ generation }) => [generation, this.#lastDeath(generation)])),
      newest: Math.max(0, ...all.map(({ generation }) => generation)),
    })
  }

  release(ids: readonly number[]): void {
    for (const id of ids) this.#holds.delete(id)
  }

  /** The last death of a generation that nobody needs the version of any more. */
  lastDeath(generation: number): number {
    const limits = [...this.#holds.values()].map(
      ({ deaths, newest }) => deaths.get(generation) ?? (generation > newest ? 0 : Infinity),
    )
    return Math.min(Infinity, ...limits)
  }

  isHeld(generation: number): boolean {
    return this.lastDeath(generation) < Infinity
  }

  #lastDeath(generation: number): number {
    const { dead } = tablesOf(generation)
    return Number(this.#db.prepare(`SELECT max(seq) AS seq FROM ${dead}`).get()?.['seq'] ?? 0)
  }
}
