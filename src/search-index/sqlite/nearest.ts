/** Records whose vectors are nearest to that of a query, among the candidates by their sketches. */

import { closenessOf, fusedScore, nearestCount } from '../fusion.ts'
import type { Meaning } from '../search-index.ts'
import { add, has, membersOf } from './bitmap.ts'
import { vectorOf } from '../vectors.ts'
import type { GenerationView, MatchedPart } from './view.ts'

type Nearest = { readonly view: GenerationView; readonly n: number; readonly similarity: number }

/** The nearest records of some sets, nearest first, with the cosine as similarity. */
function nearestOf(
  sets: readonly MatchedPart[],
  vector: Int8Array,
  check: () => void,
): readonly Nearest[] {
  const length = lengthOf(vector)
  if (length === 0) return []
  const found = sets.flatMap(({ view, set }) => {
    view.sketches.refresh(check)
    check()
    const numbers = view.sketches.candidates(vector, set, nearestCount, view.ids.positions())
    const read = view.sql(`SELECT v FROM ${view.tables.vec} WHERE n = ?`)
    return Array.from(numbers).flatMap((n): readonly Nearest[] => {
      // A vector that was removed still has a sketch.
      const blob = read.get(n)?.['v']
      if (!(blob instanceof Uint8Array) || blob.length !== vector.length) return []
      const other = vectorOf(blob)
      return [{ view, n, similarity: dotProduct(vector, other) / (length * lengthOf(other)) }]
    })
  })
  return found.sort((a, b) => b.similarity - a.similarity).slice(0, nearestCount)
}

/**
 * Adds the nearest records of `filtered`, the records that meet the filter, to the matched ones. `undefined` if there are no vectors to
 * compare.
 */
export function joinNearest(
  parts: readonly MatchedPart[],
  filtered: readonly MatchedPart[],
  { vector, most }: Meaning,
  check: () => void,
): readonly MatchedPart[] | undefined {
  const nearest = nearestOf(filtered, vector, check)
  if (nearest.length === 0) return undefined
  const closeness = closenessOf(nearest.map(({ similarity }) => similarity))
  return parts.map(({ view, set }) => {
    const related = nearest
      .slice(0, most)
      .flatMap((one) => (one.view === view && !has(set, one.n) ? [one.n] : []))
    for (const n of related) add(set, n)
    const ofView = nearest.flatMap((one, i) =>
      one.view === view ? [[one.n, closeness[i] ?? 0] as const] : [],
    )
    return { view, set, closeness: new Map(ofView), related: new Set(related) }
  })
}

/**
 * Scores by words and meaning of the records of all parts, by number. `scores`: those by words of each part; `titlesIn`: numbers of
 * the records whose title is the whole query.
 */
export function fusedScores(
  parts: readonly MatchedPart[],
  scores: readonly (Float32Array | undefined)[],
  weight: number,
  titlesIn: (view: GenerationView) => Iterable<number>,
): readonly Float32Array[] {
  const members = parts.map(({ set }) => membersOf(set))
  let highest = 0
  for (const [i, numbers] of members.entries())
    for (const n of numbers) highest = Math.max(highest, scores[i]?.[n] ?? 0)
  return parts.map(({ view, closeness }, i) => {
    const fused = new Float32Array(view.columns.size)
    const titles = new Set(titlesIn(view))
    for (const n of members[i] ?? [])
      fused[n] = fusedScore(weight, {
        score: scores[i]?.[n] ?? 0,
        highest,
        closeness: closeness?.get(n) ?? 0,
        isWholeTitle: titles.has(n),
      })
    return fused
  })
}

function dotProduct(a: Int8Array, b: Int8Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

const lengthOf = (vector: Int8Array): number => Math.sqrt(dotProduct(vector, vector))
