/** All hits of a search at one moment, as numbers of versions in their order. */

import { z } from 'zod'
import type { CursorRequest } from '../search-index.ts'
import type { Answer } from '../search-index.ts'
import { textOf } from './condition.ts'
import { attributeOf, isRanked } from './sort-attributes.ts'
import { amongNumbers } from './match-condition.ts'
import { fetched, type Part, type Reading } from './documents.ts'
import { found, type Tools } from './search-answer.ts'
import { versionRow, type Past, type Version } from './replaced-versions.ts'

export type Snapshot = {
  readonly count: number
  readonly bytes: number
  readonly numbers: Uint32Array
  /** Which index each is of, as a place in `parts`. */
  readonly of: Uint8Array
  readonly parts: readonly Part[]
  readonly scores?: Float64Array
  /** What it is sorted by first, per place in `parts`; absent for texts and scores. */
  readonly sortedBy: readonly (string | undefined)[]
}

type Span = { readonly start: number; readonly end: number }

const numberRow = z.object({ n: z.number() })

/** More than there are. */
const allHits = 1_000_000_000

export async function snapshotOf(
  request: Omit<CursorRequest, 'client' | 'note'>,
  tools: Tools,
  signal?: AbortSignal,
): Promise<{ readonly snapshot: Snapshot } & Pick<Answer, 'facets' | 'shortened'>> {
  const window = { offset: 0, limit: allHits, row: numberRow }
  const answer = await found(request, window, tools, signal)
  const { hits, parts, keys, facets, shortened } = answer
  const numbers = Uint32Array.from(hits, ({ hit }) => hit.n)
  const of = Uint8Array.from(hits, ({ part }) => parts.indexOf(part))
  const ranked = isRanked(keys)
  const scores = ranked ? Float64Array.from(hits, ({ score }) => score) : undefined
  const [key] = keys
  const snapshot = {
    count: numbers.length,
    bytes: numbers.byteLength + of.byteLength + (scores?.byteLength ?? 0),
    numbers,
    of,
    parts,
    ...(scores && { scores }),
    sortedBy: parts.map((part) => {
      const isNumber = key && !ranked && !part.settings.orders.some((name) => begins(key.by, name))
      return isNumber ? attributeOf(key, part) : undefined
    }),
  }
  return { snapshot, ...(facets && { facets }), ...(shortened && { shortened }) }
}

/** `title.de` sorts by `title`. */
const begins = (by: string, name: string) => by === name || by.startsWith(`${name}.`)

/** Numbers of the versions that an index held. */
export const numbersOf = ({ numbers, of, parts }: Snapshot, uid: string): readonly number[] =>
  [...numbers].filter((_, place) => parts[of[place] ?? 0]?.uid === uid)

type Shown = {
  readonly version: Version
  readonly part: Part
  readonly score: number
  /** What it is sorted by. */
  readonly value: number | undefined
}

/** The versions of a page; what is nowhere any more is left out. */
export async function versionsOf(
  snapshot: Snapshot,
  { start, end }: Span,
  { reading, past }: { readonly reading: Reading; readonly past: Past },
  signal?: AbortSignal,
): Promise<readonly Shown[]> {
  const { numbers, of, parts, scores, sortedBy } = snapshot
  const places = Array.from({ length: end - start }, (_, i) => start + i)
  const live = new Map<number, Version>()
  for (const [at, part] of parts.entries()) {
    const own = places.filter((place) => of[place] === at).map((place) => numbers[place] ?? 0)
    if (own.length === 0) continue
    const sorted = sortedBy[at]
    const what = {
      filter: textOf(amongNumbers(own)),
      row: versionRow,
      more: sorted === undefined ? [] : [sorted],
      limit: own.length,
    }
    const { results } = await fetched(reading, part.uid, what, signal)
    for (const version of results) live.set(version.n, version)
  }
  // Looked for second: what was replaced meanwhile was copied before.
  return places.flatMap((place) => {
    const n = numbers[place] ?? 0
    const at = of[place] ?? 0
    const [version, part] = [live.get(n) ?? past.version(n), parts[at]]
    if (!version || !part) return []
    const value = version[sortedBy[at] ?? '']
    const score = scores?.[place] ?? 0
    const sortValue = scores ? score : typeof value === 'number' ? value : undefined
    return [{ version, part, score, value: sortValue }]
  })
}
