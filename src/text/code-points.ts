/** Compares and cuts texts by code points, so that no surrogate pair is split. */

/**
 * Compares texts by code point, which is also the order of UTF-8 bytes and of SQLite's BINARY collation; JavaScript's `<`
 * compares UTF-16 units and puts U+10000 before U+FFFD. Returns a negative number, 0 or a positive number.
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Returns a rank that puts surrogates, which encode the largest code points, behind U+E000–U+FFFF. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** Returns the first `count` code points of a text. */
export function cutCodePoints(text: string, count: number): string {
  if (text.length <= count) return text
  let end = 0
  for (let index = 0; index < count && end < text.length; index++) {
    const unit = text.charCodeAt(end)
    end += unit >= 0xd800 && unit < 0xdc00 && end + 1 < text.length ? 2 : 1
  }
  return text.slice(0, end)
}

/** Maximum length of a value in a list, on pages and in facets. */
const maxListedLength = 200

/** Shortens a text for a list; a shortened text ends in `…`. */
export const shortText = (text: string, limit = maxListedLength): string =>
  text.length > limit ? `${cutCodePoints(text, limit - 1)}…` : text
