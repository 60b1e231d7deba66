/** What keeps writes in order: locks by name, and a look-out for deletions of the catalogue that is written to. */

import { Failure } from '../../errors.ts'
import { unlessAborted } from '../../workers/condition.ts'
import { unknownCatalogue } from './find-datasets.ts'

export type Locks = ReturnType<typeof locks>
export type Deletions = ReturnType<typeof deletions>

/** Serialises writes: what runs under one name runs one after the other, in the order of asking. */
export function locks() {
  const tails = new Map<string, Promise<void>>()

  /** Runs `work` once all earlier work under `name` has ended. A signal that fires while waiting gives `time-limit`. */
  const run = async <T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    const before = tails.get(name)
    const turn = Promise.withResolvers<void>()
    const tail = before ? before.then(() => turn.promise) : turn.promise
    tails.set(name, tail)
    try {
      if (before) await unlessAborted(before, signal).catch(tooLate)
      return await work()
    } finally {
      turn.resolve()
      if (tails.get(name) === tail) tails.delete(name)
    }
  }

  /** The same under many names at once; they are taken in order, so that two such works never wait for each other. */
  const runAll = <T>(
    names: readonly string[],
    work: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> =>
    [...new Set(names)]
      .sort()
      .reduceRight<() => Promise<T>>((inner, name) => () => run(name, inner, signal), work)()

  return { run, runAll }
}

function tooLate(): never {
  throw new Failure('time-limit', 'other writes to this resource took too long', { retryAfter: 1 })
}

/** Which catalogues are being deleted, so that nothing lands in one that goes or has gone meanwhile. */
export function deletions() {
  const running = new Map<string, number>()
  const counts = new Map<string, number>()
  const add = (to: Map<string, number>, catalogue: string, more: number) => {
    const sum = (to.get(catalogue) ?? 0) + more
    if (sum === 0) to.delete(catalogue)
    else to.set(catalogue, sum)
  }
  return {
    /** Runs work that deletes a catalogue; several such works may overlap. */
    during: async <T>(catalogue: string, work: () => Promise<T>): Promise<T> => {
      add(running, catalogue, 1)
      add(counts, catalogue, 1)
      try {
        return await work()
      } finally {
        add(running, catalogue, -1)
      }
    },
    /**
     * To be called before the catalogue is looked up. The check that it answers is made in the very turn of the write, so that
     * a deletion that starts later sees the write: `unknown-catalogue` when one runs or has run since.
     */
    watch: (catalogue: string) => {
      const before = counts.get(catalogue)
      return () => {
        if (running.has(catalogue) || counts.get(catalogue) !== before)
          throw unknownCatalogue(catalogue)
      }
    },
  }
}
