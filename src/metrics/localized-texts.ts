/**
 * Titles and messages in several languages for figures and reports: read from a graph, and as one line in a reader's language.
 */

import type { Term } from '@rdfjs/types'

/** Language tag in lower case → text; `''` for a text without language. */
export type LocalizedTexts = Readonly<Record<string, string>>

/** Most UTF-16 units of one text. */
const maxTextLength = 2000

/** Cuts a text from a source to a number of UTF-16 units, well formed. */
export const cutText = (text: string, limit = maxTextLength): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).toWellFormed()}…`

/** Texts by language tag in lower case, the first of each language, cut at `maxTextLength`; blank texts are left out. */
export function textsOf(terms: Iterable<Term>): LocalizedTexts {
  const texts: Record<string, string> = {}
  for (const term of terms) {
    if (term.termType !== 'Literal' || term.value.trim() === '') continue
    const tag = term.language.toLowerCase()
    if (!Object.hasOwn(texts, tag)) texts[tag] = cutText(term.value.trim())
  }
  return texts
}

/** Tags of languages that are given as concepts of a language table or as tags; other values are left out. */
export function languagesOf(terms: Iterable<Term>): readonly string[] {
  const tags = new Set<string>()
  for (const { value } of terms) {
    const tag = tagOf(/[^/#]*$/.exec(value.trim().replace(/\/$/, ''))?.[0] ?? '')
    if (tag !== undefined) tags.add(tag)
  }
  return [...tags]
}

/** Canonical tag of a code (RFC 5646), such as `de` for `DEU` and `deu`; `undefined` for a text that is no code. */
function tagOf(code: string): string | undefined {
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(code)) return undefined
  try {
    return Intl.getCanonicalLocales(code)[0]
  } catch (cause) {
    if (cause instanceof RangeError) return undefined
    throw cause
  }
}

/** Text in the language that was chosen for a reader. */
export type LocalText = {
  readonly text: string
  /** Tag of its language (BCP 47); absent when it has none. */
  readonly language?: string
}

/**
 * Chooses a text: in the wanted language, else in those of the source, in English, in the first of all tags; without a text the
 * id.
 */
export function pickLocalText(
  texts: LocalizedTexts,
  options: { readonly locale: string; readonly languages: readonly string[]; readonly id: string },
): LocalText {
  const tags = Object.keys(texts).filter((tag) => oneLine(texts[tag] ?? '') !== '')
  for (const wanted of [options.locale, ...options.languages, 'en']) {
    const tag = matching(tags, wanted)
    if (tag !== undefined) return textIn(texts, tag)
  }
  const [firstTag] = tags.sort()
  return firstTag === undefined ? { text: oneLine(options.id) } : textIn(texts, firstTag)
}

/** Chooses an equal tag, else one of the same language: `de` for `de-CH` and the other way round (RFC 4647 3.4). */
function matching(tags: readonly string[], wanted: string): string | undefined {
  const primary = (tag: string) => tag.toLowerCase().split('-')[0]
  const exact = tags.find((tag) => tag.toLowerCase() === wanted.toLowerCase())
  return exact ?? tags.filter((tag) => primary(tag) === primary(wanted)).sort()[0]
}

function textIn(texts: LocalizedTexts, tag: string): LocalText {
  const text = oneLine(texts[tag] ?? '')
  return /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i.test(tag) ? { text, language: tag } : { text }
}

// oxlint-disable-next-line no-control-regex -- they are what is taken out
const invisible = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g

/** Text as one line without control characters, well formed. */
export const oneLine = (text: string): string =>
  text.toWellFormed().replace(invisible, ' ').replace(/ {2,}/g, ' ').trim()
