/** One vocabulary with its lookups. */

import { compareCodePoints } from '../../text/code-points.ts'
import type { Concept } from './concept.ts'

export type Table = {
  readonly concepts: readonly Concept[]
  /** By IRI as it stands in the vocabulary. */
  readonly byIri: (iri: string) => Concept | undefined
  /** By code, any case. */
  readonly byCode: (code: string) => Concept | undefined
  /** By two-letter code, lower case. */
  readonly byAlpha2: (code: string) => Concept | undefined
}

/** Current concepts before deprecated ones, then by IRI: the first of several matches is the right one. */
export const preferred = (concepts: readonly Concept[]): readonly Concept[] =>
  [...concepts].sort(
    (a, b) => Number(a.deprecated) - Number(b.deprecated) || compareCodePoints(a.iri, b.iri),
  )

/** A map in which the first key wins. */
export function firstWins<T>(pairs: Iterable<readonly [string, T]>): ReadonlyMap<string, T> {
  const map = new Map<string, T>()
  for (const [key, value] of pairs) if (key !== '' && !map.has(key)) map.set(key, value)
  return map
}

/** A value that is made when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** Makes the lookups of a vocabulary; its maps are built when they are first needed. */
export function tableOf(given: readonly Concept[]): Table {
  const concepts = preferred(given)
  const iris = once(() => firstWins(concepts.map((concept) => [concept.iri, concept])))
  const codes = once(() =>
    firstWins(concepts.map((concept) => [concept.id.toLowerCase(), concept])),
  )
  const alpha2 = once(() =>
    firstWins(
      concepts.map((concept) => {
        const { iso_31661_alpha2: country, iso_6391_code: language } = concept.extensions
        return [country ?? language ?? '', concept]
      }),
    ),
  )
  return {
    concepts,
    byIri: (iri) => iris().get(iri),
    byCode: (code) => codes().get(code.toLowerCase()),
    byAlpha2: (code) => alpha2().get(code),
  }
}
