/** A command line cut into its words, and words put together again. */

import { WrongCommand } from '../command.ts'

/** Characters of one line. */
export const longestLine = 10_000

/**
 * Words are separated by blanks. Quotes of both kinds group, a backslash between double quotes takes the next quote or
 * backslash as it is. A word that begins with `{` is a JSON object and stays as it stands. Throws `WrongCommand`.
 */
export function wordsOf(line: string): readonly string[] {
  if (line.length > longestLine)
    throw new WrongCommand(`the line is longer than ${longestLine} characters`)
  const words: string[] = []
  let at = nextWord(line, 0)
  while (at < line.length) {
    const word = line[at] === '{' ? jsonWord(line, at) : plainWord(line, at)
    words.push(word.text)
    at = nextWord(line, word.end)
  }
  return words
}

/** A word as `wordsOf` reads it back. */
export const quoted = (word: string): string =>
  /^[^\s"'{\\]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, '\\$&')}"`

type Word = { readonly text: string; readonly end: number }

const isBlank = (char: string | undefined) => char !== undefined && /\s/.test(char)

function nextWord(line: string, from: number): number {
  let at = from
  while (isBlank(line[at])) at++
  return at
}

function plainWord(line: string, from: number): Word {
  let text = ''
  let at = from
  while (at < line.length && !isBlank(line[at])) {
    const char = line[at]
    if (char === '"' || char === "'") {
      const part = quotedPart(line, at)
      text += part.text
      at = part.end
    } else {
      text += char
      at++
    }
  }
  return { text, end: at }
}

function quotedPart(line: string, from: number): Word {
  const quote = line[from]
  let text = ''
  for (let at = from + 1; at < line.length; at++) {
    const char = line[at]
    if (char === quote) return { text, end: at + 1 }
    const next = line[at + 1]
    const escapes = quote === '"' && char === '\\' && (next === '"' || next === '\\')
    text += escapes ? next : char
    if (escapes) at++
  }
  throw new WrongCommand(`the quote ${quote} at character ${from + 1} is not closed`)
}

/** Up to the bracket that closes the first one; brackets inside of strings do not count. */
function jsonWord(line: string, from: number): Word {
  let depth = 0
  let inText = false
  for (let at = from; at < line.length; at++) {
    const char = line[at]
    if (inText && char === '\\') at++
    else if (char === '"') inText = !inText
    else if (!inText && char === '{') depth++
    else if (!inText && char === '}') depth--
    if (depth === 0) return { text: line.slice(from, at + 1), end: at + 1 }
  }
  throw new WrongCommand(`the object that begins at character ${from + 1} is not closed`)
}
