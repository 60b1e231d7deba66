/** Texts of others in the language that a reader wants, safe to stand in a line. */

import type { Texts } from '../../cache/figures.ts'

export type Spoken = {
  readonly text: string
  /** Tag of its language (BCP 47); absent when nobody says. */
  readonly language?: string
}

/** Looks for the wanted language, then the main ones of whoever speaks, English, any; without a text the id stands. */
export function spoken(
  texts: Texts,
  wish: { readonly locale: string; readonly languages: readonly string[]; readonly id: string },
): Spoken {
  const tags = Object.keys(texts).filter((tag) => line(texts[tag] ?? '') !== '')
  for (const wanted of [wish.locale, ...wish.languages, 'en']) {
    const tag = matching(tags, wanted)
    if (tag !== undefined) return said(texts, tag)
  }
  const [any] = tags.sort()
  return any === undefined ? { text: line(wish.id) } : said(texts, any)
}

/** The same tag, else one of the same language: `de` for `de-CH` and the other way round (RFC 4647 3.4). */
function matching(tags: readonly string[], wanted: string): string | undefined {
  const primary = (tag: string) => tag.toLowerCase().split('-')[0]
  const exact = tags.find((tag) => tag.toLowerCase() === wanted.toLowerCase())
  return exact ?? tags.filter((tag) => primary(tag) === primary(wanted)).sort()[0]
}

function said(texts: Texts, tag: string): Spoken {
  const text = line(texts[tag] ?? '')
  return /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i.test(tag) ? { text, language: tag } : { text }
}

// oxlint-disable-next-line no-control-regex -- they are what is taken out
const invisible = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g

/** One line without control characters, well formed (a lone surrogate is no text). */
export const line = (text: string): string =>
  text.toWellFormed().replace(invisible, ' ').replace(/ {2,}/g, ' ').trim()

/** At most so many characters as a reader counts them, roughly; what is cut off is marked. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text
  const points = Array.from(text)
  return points.length <= most
    ? text
    : `${points
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
}
