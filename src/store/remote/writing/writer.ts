/** Lands groups of edits, as many in one request as the dialect takes: writers that wait for each other share a request. */

import { Failure } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Dialect, Door, Edit, Size } from '../dialect.ts'
import { isDoubtful } from '../refusal.ts'
import { sizeOf, sumOf, together } from './sums.ts'

type Group = PromiseWithResolvers<void> & {
  readonly edits: readonly Edit[]
  readonly size: Size
}

export type Writer = {
  /** Resolves when the group has landed, rejects when it has not or when that is not known (`isDoubtful`). */
  readonly land: (edits: readonly Edit[]) => Promise<void>
  /** Resolves when everything that was accepted has landed or failed; refuses from now on. */
  readonly close: () => Promise<void>
}

type Settings = { readonly dialect: Dialect; readonly door: Door; readonly log: Log }

export function writer({ dialect, door, log }: Settings): Writer {
  const waiting: Group[] = []
  let running = 0
  let closed: PromiseWithResolvers<void> | undefined

  /** The first groups that may share a request. */
  function take(): Group[] {
    const [first] = waiting
    if (!first) return []
    let size = first.size
    let count = 1
    for (; count < waiting.length; count += 1) {
      const more = waiting[count]
      if (!more) break
      size = together(size, more.size)
      if (!dialect.fits(size)) break
    }
    return waiting.splice(0, count)
  }

  const landOne = async (group: Group) => {
    try {
      await dialect.land(group.edits, door)
      group.resolve()
    } catch (error) {
      group.reject(error)
    }
  }

  async function landPack(pack: readonly Group[]): Promise<void> {
    try {
      await dialect.land(sumOf(pack.map(({ edits }) => edits)), door)
      for (const { resolve } of pack) resolve()
    } catch (error) {
      // Where nothing is known of the pack, asking for its groups one by one would only take as long as there are groups.
      if (isDoubtful(error)) for (const { reject } of pack) reject(error)
      else {
        log.warn({ error, groups: pack.length }, 'store.pack-refused')
        for (const group of pack) await landOne(group)
      }
    }
  }

  async function run(): Promise<void> {
    running += 1
    for (let pack = take(); pack.length > 0; pack = take()) {
      const [only] = pack
      await (pack.length === 1 && only ? landOne(only) : landPack(pack))
    }
    running -= 1
    if (running === 0) closed?.resolve()
  }

  // A step later, so that groups that come together go together.
  async function pump(): Promise<void> {
    await Promise.resolve()
    if (waiting.length > 0 && running < dialect.writers) await run()
  }

  return {
    land: (edits) => {
      if (closed) return Promise.reject(new Failure('store-unavailable', 'The store is closed.'))
      if (edits.length === 0) return Promise.resolve()
      const group = { ...Promise.withResolvers<void>(), edits, size: sizeOf(edits) }
      waiting.push(group)
      void pump()
      return group.promise
    },
    close: () => {
      closed ??= Promise.withResolvers<void>()
      if (running === 0 && waiting.length === 0) closed.resolve()
      return closed.promise
    },
  }
}
