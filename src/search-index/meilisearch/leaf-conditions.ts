/** What a leaf of the query tree asks of a document, in the fields and buckets where it is looked for. */

import { otherBucket } from '../../text/language.ts'
import { idField, reaches, reachOf } from '../field-reach.ts'
import type { IndexSettings } from '../index-settings.ts'
import type { Leaf } from '../query-tree.ts'
import { literalPrefix } from '../wildcard.ts'
import { hasPairs, pairCode, pairsOf, tokensOf } from './attributes.ts'
import { and, type Condition, is, none, or, quoted } from './condition.ts'
import { type Dictionary, isDirect, patternOf } from './term-lookup.ts'

/** Matches when it matches in one of the places. A phrase may match a little too much: see `isLoose`. */
export function leafCondition(
  leaf: Leaf,
  places: readonly Place[],
  dictionary: Dictionary,
): Condition {
  return or(places.map((place) => inPlace(leaf, place, dictionary)))
}

/** Whether documents that fulfil the condition of a leaf have to be looked at again. */
export const isLoose = (leaf: Leaf, places: readonly Place[]): boolean =>
  leaf.kind === 'phrase' &&
  (leaf.tokens.length > 2 ||
    (leaf.tokens.length === 2 && places.some(({ field }) => !hasPairs(field))))

function inPlace(leaf: Leaf, place: Place, dictionary: Dictionary): Condition {
  const isHere = (token: string) => dictionary.isIn(place.bucket, token)
  switch (leaf.kind) {
    case 'exact':
      return among(place, [leaf.token].filter(isHere))
    case 'term': {
      const variants = dictionary.related(place.bucket, leaf.token)
      return among(place, [leaf.token, ...variants].filter(isHere))
    }
    case 'phrase':
      return leaf.tokens.length > 0 && leaf.tokens.every(isHere) ? phrase(leaf.tokens, place) : none
    case 'wild':
    case 'prefix': {
      const pattern = patternOf(leaf) ?? ''
      if (!isDirect(pattern)) return among(place, dictionary.expanded(pattern).filter(isHere))
      const prefix = literalPrefix(pattern)
      return dictionary.begins(place.bucket, prefix)
        ? is(`${nameOf(place)} STARTS WITH ${quoted(prefix)}`)
        : none
    }
    default:
      return leaf satisfies never
  }
}

const nameOf = ({ field, bucket }: Place) => tokensOf(field, bucket)

function among(place: Place, tokens: readonly string[]): Condition {
  if (tokens.length === 0) return none
  return is(`${nameOf(place)} IN [${tokens.map(quoted).join(', ')}]`)
}

/** All neighbours are there, or at least all words: in which order, and whether in one value, is not said. */
function phrase(tokens: readonly string[], place: Place): Condition {
  if (tokens.length === 1 || !hasPairs(place.field)) {
    return and([...new Set(tokens)].map((token) => among(place, [token])))
  }
  const pairs = tokens.slice(1).map((token, i) => pairCode(tokens[i] ?? '', token))
  const name = pairsOf(place.field, place.bucket)
  return and([...new Set(pairs)].map((pair) => is(`${name} = ${quoted(pair)}`)))
}

export type Place = { readonly field: string; readonly bucket: string }

/** The places that field names of a request reach; all when there are no names. The id lies in the bucket of no language. */
export function placesOf(
  names: readonly string[] | undefined,
  { texts }: Pick<IndexSettings, 'texts'>,
  languages: readonly string[],
): readonly Place[] {
  const fields = [...new Set(texts.map((text) => text.name))].filter((name) => name !== idField)
  const reach = names?.flatMap((name) => reachOf(name, fields, languages))
  const all = fields.flatMap((field) =>
    [...languages, otherBucket].map((bucket): Place => ({ field, bucket })),
  )
  return [{ field: idField, bucket: otherBucket }, ...all].filter(({ field, bucket }) =>
    reaches(reach, field, bucket),
  )
}
