/** Looks up original ids for many writers at once: those who come alone are asked about with those who come beside them. */

import type { Names } from '../../rdf/names.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { findByOrigins, type Origin, type Sought } from './find-dataset.ts'
import { together } from './together.ts'

type Asked = Sought & { readonly catalogue: string }

/** What is known about each original id, in their order. Fails with `unknown-catalogue`. */
export type OriginLookup = (
  catalogue: string,
  sought: readonly Sought[],
  signal: AbortSignal,
) => Promise<readonly Origin[]>

export function originLookup(deps: {
  readonly store: GraphStore
  readonly names: Names
}): OriginLookup {
  /** Each catalogue by itself, because one that is not there fails only those who asked for it. */
  const find = async (asked: readonly Asked[]) => {
    const found = new Map<Asked, Origin | { readonly failure: unknown }>()
    const ask = async (catalogue: string, sought: readonly Asked[]) => {
      try {
        const origins = await findByOrigins(deps, catalogue, sought)
        for (const [at, origin] of origins.entries()) found.set(sought[at] ?? unasked(), origin)
      } catch (failure) {
        for (const one of sought) found.set(one, { failure })
      }
    }
    const groups = Map.groupBy(asked, ({ catalogue }) => catalogue)
    await Promise.all([...groups].map(([catalogue, sought]) => ask(catalogue, sought)))
    return asked.map((one) => found.get(one) ?? unasked())
  }
  const ask = together(find)

  return async (catalogue, sought, signal) => {
    const [one, ...more] = sought
    if (!one || more.length > 0) return findByOrigins(deps, catalogue, sought, signal)
    // It goes on for the others when this one leaves.
    const origin = await ask({ ...one, catalogue })
    signal.throwIfAborted()
    if ('failure' in origin) throw origin.failure
    return [origin]
  }
}

function unasked(): never {
  throw new Error('an answer for every question')
}
