/** Texts in several languages: out of a graph, and as one line in the language that a reader asks for. */

import type { Term } from '@rdfjs/types'

/** Language tag in lower case → text; `''` for a text without language. */
export type LocalizedTexts = Readonly<Record<string, string>>

/** Characters of one text. */
const longest = 2000

/** At most so many UTF-16 units, well formed: what is kept of a text from a source. */
export const cutText = (text: string, most = longest): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`

/** By language tag in lower case; texts that are blank are none. */
export function textsOf(terms: Iterable<Term>): LocalizedTexts {
  const texts: Record<string, string> = {}
  for (const term of terms) {
    if (term.termType !== 'Literal' || term.value.trim() === '') continue
    const tag = term.language.toLowerCase()
    if (!Object.hasOwn(texts, tag)) texts[tag] = cutText(term.value.trim())
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

/** A text in the language that was found for a reader. */
export type LocalText = {
  readonly text: string
  /** Tag of its language (BCP 47); absent when it is unknown. */
  readonly language?: string
}

/** Looks for the wanted language, then the main ones of the source, English, any; without a text it is the id. */
export function localText(
  texts: LocalizedTexts,
  options: { readonly locale: string; readonly languages: readonly string[]; readonly id: string },
): LocalText {
  const tags = Object.keys(texts).filter((tag) => line(texts[tag] ?? '') !== '')
  for (const wanted of [options.locale, ...options.languages, 'en']) {
    const tag = matching(tags, wanted)
    if (tag !== undefined) return textIn(texts, tag)
  }
  const [any] = tags.sort()
  return any === undefined ? { text: line(options.id) } : textIn(texts, any)
}

/** The same tag, else one of the same language: `de` for `de-CH` and the other way round (RFC 4647 3.4). */
function matching(tags: readonly string[], wanted: string): string | undefined {
  const primary = (tag: string) => tag.toLowerCase().split('-')[0]
  const exact = tags.find((tag) => tag.toLowerCase() === wanted.toLowerCase())
  return exact ?? tags.filter((tag) => primary(tag) === primary(wanted)).sort()[0]
}

function textIn(texts: LocalizedTexts, tag: string): LocalText {
  const text = line(texts[tag] ?? '')
  return /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i.test(tag) ? { text, language: tag } : { text }
}

// oxlint-disable-next-line no-control-regex -- they are what is taken out
const invisible = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g

/** One line without control characters, well formed (a lone surrogate is no text). */
export const line = (text: string): string =>
  text.toWellFormed().replace(invisible, ' ').replace(/ {2,}/g, ' ').trim()
