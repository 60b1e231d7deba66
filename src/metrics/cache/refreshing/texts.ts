/** Texts and languages of others, as they are kept: short, by language, the first of each. */

import type { Term } from '@rdfjs/types'
import type { Texts } from '../figures.ts'

/** Characters of one text. */
const longest = 2000

export const cut = (text: string, most = longest): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`

/** By language tag in lower case; texts that are blank are none. */
export function textsOf(terms: Iterable<Term>): Texts {
  const texts: Record<string, string> = {}
  for (const term of terms) {
    if (term.termType !== 'Literal' || term.value.trim() === '') continue
    const tag = term.language.toLowerCase()
    if (!Object.hasOwn(texts, tag)) texts[tag] = cut(term.value.trim())
  }
  return texts
}

/** Tags of languages that are given as concepts of a language table or as tags; what is no language is left out. */
export function languagesOf(terms: Iterable<Term>): readonly string[] {
  const tags = new Set<string>()
  for (const { value } of terms) {
    const tag = tagOf(/[^/#]*$/.exec(value.trim().replace(/\/$/, ''))?.[0] ?? '')
    if (tag !== undefined) tags.add(tag)
  }
  return [...tags]
}

/** `DEU` and `deu` are `de`; RFC 5646 has one tag for them. */
function tagOf(code: string): string | undefined {
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(code)) return undefined
  try {
    return Intl.getCanonicalLocales(code)[0]
  } catch (cause) {
    if (cause instanceof RangeError) return undefined
    throw cause
  }
}
