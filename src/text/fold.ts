/** Folding: the form in which two spellings of one word are equal, whatever their case and accents. */

const special: Readonly<Record<string, string>> = {
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

const plain = /^[\x20-\x40\x5b-\x7f]*$/
const ascii = /^[\x20-\x7f]*$/
/** Only where a mark is an accent: Indic vowels, Thai tones and kana voicing are marks too, and carry meaning. */
const accents = /([\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu
const points = /[\u0591-\u05c7\u064b-\u065f\u0670]/g
const letters = /[ßæœøđðþłħıς]/g

/**
 * Lower case, NFKD, accents of Latin and Greek letters, Hebrew points and Arabic vowel marks dropped, NFC, and the letters
 * that have no decomposition spelled out (`ß` → `ss`). `ä` becomes `a`. Idempotent.
 */
export function fold(text: string): string {
  if (plain.test(text)) return text
  if (ascii.test(text)) return text.toLowerCase()
  const once = pass(text)
  // A compatibility form may decompose into capitals: the second pass makes folding twice the same as folding once.
  return plain.test(once) ? once : pass(once)
}

function pass(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .toLowerCase()
    .replace(accents, '$1')
    .replace(points, '')
    .normalize('NFC')
    .replace(letters, (letter) => special[letter] ?? letter)
}
