/** Text by code points: comparing and cutting without tearing a surrogate pair apart. */

/**
 * Order by code point, which is also the order of the UTF-8 bytes and of SQLite's BINARY collation; JavaScript's own `<`
 * goes by UTF-16 units and puts U+10000 before U+FFFD.
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

/** Surrogates stand for code points above all others, so they move behind U+E000–U+FFFF. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** The first `count` code points. */
export function cutCodePoints(text: string, count: number): string {
  if (text.length <= count) return text
  let end = 0
  for (let taken = 0; taken < count && end < text.length; taken++) {
    const unit = text.charCodeAt(end)
    end += unit >= 0xd800 && unit < 0xdc00 && end + 1 < text.length ? 2 : 1
  }
  return text.slice(0, end)
}

/** Characters of a value in a list, on pages and in facets. */
const longestInList = 200

/** A text that fits into a list, with a sign where it is cut. */
export const shortText = (text: string, most = longestInList): string =>
  text.length > most ? `${cutCodePoints(text, most - 1)}…` : text
