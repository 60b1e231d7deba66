/** What a store sends, in our own spelling of N-Triples: stores differ in white space, escapes and comments. */

import { fromLines, toLine } from '../../../rdf/lines.ts'

// Escapes that we would not write, and characters that we would escape; tabs between terms are among these.
// oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
const foreign = /\\[uU']|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufffe\uffff]/

/** One triple per line and a single space between terms, which is how all but one store write. */
const spaced = /^<[^ ]*> <[^ ]*> [<"_].* \.$/

const respelt = (line: string): string[] =>
  !foreign.test(line) && spaced.test(line) ? [line] : fromLines(`${line}\n`).map(toLine)

/** The lines of an answer, without line ends, doubles and comments, in the order in which they came. */
export function linesOf(text: string): Set<string> {
  const lines = text.split('\n')
  const kept = lines.filter((line) => line !== '' && !line.startsWith('#'))
  const quick = !foreign.test(text) && kept.every((line) => spaced.test(line))
  return new Set(quick ? kept : kept.flatMap(respelt))
}
