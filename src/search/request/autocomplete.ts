/** Searching while somebody types: each word begins a word of a title or label. */

import { Failure } from '../../errors.ts'
import type { QueryTree } from '../../search-index/query-tree.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'
import { cutCodePoints } from '../../text/code-points.ts'
import { tokens } from '../../text/tokens.ts'
import { withinLimit, type QueryLimits } from '../query/parser.ts'

type Beginnings = { readonly tree: QueryTree; readonly fields: readonly string[] }

/** Code points of a beginning: fewer say too little to be looked for, more are not looked at. */
const most = 20
const twoOrMore = /^..+$/su

/** Throws `field-not-configured` when none of the indices has a field for it, `query-too-complex`. */
export function beginningsOf(
  q: string,
  settings: readonly IndexSettings[],
  limits: QueryLimits,
): Beginnings {
  const texts = settings.flatMap((one) => one.texts.filter(({ autocomplete }) => autocomplete))
  const fields = [...new Set(texts.map(({ name }) => name))]
  if (settings.length > 0 && fields.length === 0) {
    const detail = `no field of ${settings.map(({ index }) => index).join(', ')} has autocomplete`
    throw new Failure('field-not-configured', detail, {
      errors: [{ parameter: 'autocomplete', detail }],
    })
  }
  withinLimit('queryCharacters', q.length, limits)
  const words = new Set(tokens(q).filter((token) => twoOrMore.test(token)))
  withinLimit('queryTerms', words.size, limits)
  const of = [...words].map((word): QueryTree => ({
    kind: 'prefix',
    token: cutCodePoints(word, most),
  }))
  const [first, second] = of
  const tree: QueryTree = second ? { kind: 'and', of } : (first ?? { kind: 'none' })
  return { tree, fields }
}
