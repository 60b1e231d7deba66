/** The tokeniser: the same words at indexing and at query time, on every engine. */

import { cutCodePoints } from './code-points.ts'
import { fold } from './fold.ts'

/** Grows whenever the same text would give other tokens or stems; an index built under another number is rebuilt. */
export const tokeniserNumber = 1

const longest = 64
const asciiRuns = /[A-Za-z0-9]+/g
const runs = /[\p{L}\p{N}\p{M}]+/gu
// A value without anything above U+007F needs neither normalisation nor segmentation.
const beyondAscii = /\P{ASCII}/u

/**
 * The words of a text as written: maximal runs of letters, digits and marks of its NFKC form, runs of scripts without
 * spaces cut at ICU's word borders. Everything else separates.
 */
export function words(text: string): readonly string[] {
  if (!beyondAscii.test(text)) return text.match(asciiRuns) ?? []
  return (text.normalize('NFKC').match(runs) ?? []).flatMap((run) => segment(run))
}

/** A word in the form that is compared: folded, at most 64 code points; `''` when nothing is left of it. */
export function tokenOf(word: string): string {
  return cutCodePoints(fold(word), longest)
}

/** The tokens of a text in their order. */
export function tokens(text: string): string[] {
  return words(text)
    .map(tokenOf)
    .filter((token) => token !== '')
}

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** The words of one run of letters, digits and marks; a run of a script with spaces is one word. */
function segment(run: string): readonly string[] {
  if (!unspaced.test(run)) return [run]
  return Array.from(segmenter.segment(run), (part) => part.segment)
}

/** Word borders come from ICU and may change with it: an index remembers under which version it was built. */
export const icuVersion = process.versions['icu'] ?? 'none'
