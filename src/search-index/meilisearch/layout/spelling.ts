/** Spellings that survive Meilisearch: names of attributes, keys of documents, and texts whose order is kept. */

import { hash } from 'node:crypto'

/** Every byte but letters and digits as `_` and two hex digits: fit for an attribute, an index and a filter. */
export const spelled = (name: string): string => escaped(name, /[^A-Za-z0-9]/gu)

const longestKey = 400

/** The primary key of a document; a long id has one of its own, and so has none at all. */
export function keyOf(id: string): string {
  if (id === '') return '_'
  const key = escaped(id, /[^A-Za-z0-9-]/gu)
  return key.length > longestKey ? `_h${hash('sha256', id, 'hex')}` : key
}

const escaped = (text: string, what: RegExp): string =>
  text.replace(what, (char) =>
    [...Buffer.from(char)].map((byte) => `_${byte.toString(16).padStart(2, '0')}`).join(''),
  )

/** Bytes of a string that Meilisearch compares; what is behind them is cut off. */
const comparedBytes = 468

/**
 * Lower-case ASCII that is ordered as the code points of `text` are: Meilisearch compares what it has folded to lower case
 * and decomposed, which would change the order of the text itself. An end that it would not see becomes a hash.
 */
export function ordered(text: string): string {
  const whole = text.replace(/[^0-9a-z]/gu, orderedChar)
  if (whole.length <= comparedBytes) return whole
  return whole.slice(0, comparedBytes - 24) + hash('sha256', text, 'hex').slice(0, 24)
}

/** `!` is before the digits, `@` between digits and letters, `~` behind the letters. */
function orderedChar(char: string): string {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x30) return `!${code.toString(16).padStart(2, '0')}`
  if (code < 0x61) return `@${code.toString(16)}`
  return `~${code.toString(36).padStart(4, '0')}`
}
