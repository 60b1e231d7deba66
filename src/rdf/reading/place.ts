/** Finds the line and column of something inside a text; only ever needed on the way to an error. */
import type { Place } from './options.ts'

/** The place of a UTF-16 offset. */
export function placeAt(text: string, offset: number): Place & { line: number; column: number } {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}

/** The place of the first occurrence; `{}` when it does not occur as it stands. */
export function placeOf(text: string, wanted: string): Place {
  const offset = wanted === '' ? -1 : text.indexOf(wanted)
  return offset < 0 ? {} : placeAt(text, offset)
}

/** The column of a text within one line; `{ line }` alone when it is not there. */
export function placeInLine(text: string, line: number, wanted: string): Place {
  const column = (text.split('\n', line)[line - 1] ?? '').indexOf(wanted)
  return wanted === '' || column < 0 ? { line } : { line, column: column + 1 }
}
