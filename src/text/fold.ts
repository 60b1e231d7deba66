/** Folds texts for comparison: spellings of a word that differ in case or accents become equal. */

const replacements: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
}

const unchanged = /^[\x20-\x40\x5b-\x7f]*$/
const ascii = /^[\x20-\x7f]*$/
/** Accents of Latin and Greek letters; marks of other scripts (Indic vowels, Thai tones, kana voicing) carry meaning. */
const accents = /([\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu
const points = /[\u0591-\u05c7\u064b-\u065f\u0670]/g
const letters = /[ßæœøđðþłħıς]/g

/**
 * Folds a text: lower case, NFKD, without accents of Latin and Greek letters, Hebrew points and Arabic vowel marks, NFC; letters
 * without a decomposition are replaced (`ß` → `ss`). `ä` becomes `a`. Idempotent.
 */
export function fold(text: string): string {
  if (unchanged.test(text)) return text
  if (ascii.test(text)) return text.toLowerCase()
  const folded = pass(text)
  // A compatibility form may decompose into capitals: the second pass makes folding twice the same as folding once.
  return unchanged.test(folded) ? folded : pass(folded)
}

function pass(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .toLowerCase()
    .replace(accents, '$1')
    .replace(points, '')
    .normalize('NFC')
    .replace(letters, (letter) => replacements[letter] ?? letter)
}
