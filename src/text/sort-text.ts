/**
 * Texts whose code points are in the order of the alphabet of a language, so that every search engine sorts by it:
 * `Åre, Ängelholm, Öland` in Swedish, and `1, 2, 10 wards`.
 */

import { fold } from './fold.ts'
import { indexedLanguages } from './language.ts'

/** Letters of two or three characters that are sorted as one, by language. */
const digraphs: Readonly<Partial<Record<string, string>>> = {
  cs: 'ch',
  sk: 'ch',
  hr: 'dž lj nj',
  bs: 'dž lj nj',
  hu: 'cs dz dzs gy ly ny sz ty zs',
  da: 'aa',
  nb: 'aa',
  nn: 'aa',
  no: 'aa',
  sq: 'dh gj ll nj rr sh th xh zh',
}

/**
 * Languages with an alphabet of their own, all others have that of English: making one takes some milliseconds, and texts of strangers
 * may have any tag.
 */
const withAlphabet: ReadonlySet<string> = new Set([
  ...indexedLanguages,
  ...'be bs ca cy fo gl is lb mk nb nn sq'.split(' '),
])

/** Languages that are sorted by the folded text, because their letters are not in an alphabet. */
const withoutAlphabet: ReadonlySet<string> = new Set(['ja', 'zh', 'yue', 'wuu'])

/** Before each number: after blanks, before letters. */
const numberSign = '!'
/**
 * Code point of the first letter of an alphabet: after blanks and numbers, before the letters of other scripts, and so low that most
 * Latin letters take one byte in UTF-8.
 */
const firstLetter = 0x23

const letter = /[\p{Ll}\p{Lo}]/u
const alphabetRanges = [
  [0x61, 0x24f],
  [0x370, 0x52f],
  [0x1e00, 0x1fff],
] as const

/** Character or digraph → its characters in sort texts. */
type Alphabet = { readonly letters: ReadonlyMap<string, string>; readonly pattern: RegExp }

const alphabets = new Map<string, Alphabet>()

/** Sort text of a text in a language (a tag as `de-CH`). Case and accents count only where they make another letter. */
export function sortText(text: string, language: string): string {
  const primary = language.toLowerCase().split('-')[0] ?? ''
  if (withoutAlphabet.has(primary)) return fold(text)
  const { letters, pattern } = alphabetOf(withAlphabet.has(primary) ? primary : 'en')
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .normalize('NFC')
      .replace(pattern, (part) => letters.get(part) ?? otherPart(part))
      // Not `trim`: one of the letters is a no-break space.
      .replace(/^ +| +$/g, '')
  )
}

/** Sort text of a run of digits, of another letter, or of anything else: a blank. */
function otherPart(part: string): string {
  if (/^\p{Nd}/u.test(part)) return numberText(part)
  if (/^\p{L}/u.test(part)) return fold(part)
  return /^\p{M}/u.test(part) ? '' : ' '
}

/** A number by value: the longer of two without leading zeros is greater. */
function numberText(digits: string): string {
  const value = digits.replace(/^0+/, '')
  return `${numberSign}${String.fromCodePoint('0'.charCodeAt(0) + Math.min(value.length, 200))}${value}`
}

function alphabetOf(language: string): Alphabet {
  const cached = alphabets.get(language)
  if (cached) return cached
  const alphabet = makeAlphabet(language)
  alphabets.set(language, alphabet)
  return alphabet
}

function makeAlphabet(language: string): Alphabet {
  const { compare } = new Intl.Collator(language, { sensitivity: 'base' })
  const ownDigraphs = digraphs[language]?.split(' ') ?? []
  const sorted = [...singleLetters(), ...ownDigraphs].sort(
    (a, b) => compare(a, b) || (a < b ? -1 : 1),
  )
  const codes = new Map<string, string>()
  let code = firstLetter - 1
  for (const [i, part] of sorted.entries()) {
    const previous = sorted[i - 1]
    if (previous === undefined || compare(previous, part) !== 0) code += 1
    codes.set(part, String.fromCodePoint(code))
  }
  // Some letters are sorted as two: `œ` as `oe`, `ß` as `ss`.
  for (const pair of ['ae', 'oe', 'ss', 'ij', 'th'])
    if (!codes.has(pair))
      for (const part of singleLetters())
        if (compare(part, pair) === 0)
          codes.set(part, Array.from(pair, (each) => codes.get(each) ?? '').join(''))
  const longestFirst = ownDigraphs.toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(
    [
      ...longestFirst,
      String.raw`\p{Nd}+`,
      String.raw`\p{L}`,
      String.raw`\p{M}+`,
      String.raw`[^\p{L}\p{M}\p{Nd}]+`,
    ].join('|'),
    'gu',
  )
  return { letters: codes, pattern }
}

/** Small letters of the Latin, Greek and Cyrillic scripts, as single characters in NFC. */
const singleLetters = (): readonly string[] =>
  alphabetRanges
    .flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i)),
    )
    .filter((part) => letter.test(part) && part.normalize('NFC') === part)
