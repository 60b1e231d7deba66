/** Tokeniser of search: splits texts and queries into the same words, whatever the search engine. */

import { cutCodePoints } from './code-points.ts'
import { fold } from './fold.ts'

/** Version of the tokeniser. Increase it when a text gets other tokens or stems; indices of another version are rebuilt. */
export const tokeniserNumber = 2

/** Maximum number of code points of a token. */
const maxTokenLength = 64
const asciiRuns = /[A-Za-z0-9]+/g
/** Runs of letters, digits and marks; U+02BC is an apostrophe, although it is a letter for Unicode. */
export const wordPattern = /(?:(?!\u02bc)[\p{L}\p{N}\p{M}])+/gu
// A value without anything above U+007F needs neither normalisation nor segmentation.
const beyondAscii = /\P{ASCII}/u

/**
 * Returns the words of a text as written: maximal runs of letters, digits and marks of its NFKC form; runs in scripts without
 * spaces are split at ICU's word boundaries. All other characters are separators.
 */
export function words(text: string): readonly string[] {
  if (!beyondAscii.test(text)) return text.match(asciiRuns) ?? []
  return (normalised(text).match(wordPattern) ?? []).flatMap((run) => segment(run))
}

const thaiAm = /\u0e4d\u0e32/g
const laoAm = /\u0ecd\u0eb2/g

/** NFKC of a text without soft hyphens, and with the Thai and Lao vowel am as one character, as the dictionaries of ICU have it. */
export const normalised = (text: string): string =>
  text.normalize('NFKC').replaceAll('\u00ad', '').replace(thaiAm, '\u0e33').replace(laoAm, '\u0eb3')

/** Returns the token of a word: folded, at most 64 code points; `''` when folding leaves nothing. */
export function tokenOf(word: string): string {
  return cutCodePoints(fold(word), maxTokenLength)
}

/** Returns the tokens of a text in their order. */
export function tokens(text: string): string[] {
  return words(text)
    .map(tokenOf)
    .filter((token) => token !== '')
}

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** Splits a run of letters, digits and marks into words; a run in a script with spaces is one word. */
function segment(run: string): readonly string[] {
  if (!unspaced.test(run)) return [run]
  return Array.from(segmenter.segment(run), (part) => part.segment)
}

/** Version of ICU, whose word boundaries may change; an index stores the version that it was built with. */
export const icuVersion = process.versions['icu'] ?? 'none'
