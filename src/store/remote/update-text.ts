/** Writes edits as one SPARQL Update request (SPARQL 1.1 Update, 3.1). */

import { prefixOf } from '../graph-lines.ts'
import type { Edit } from './dialect.ts'
import { linkPredicates } from './reading.ts'
import { xsdName, spelledValueOf } from './spelled-values.ts'

// `\\u0022` is a backslash and letters to N-Triples, but a store that decodes \uXXXX before it parses (SPARQL 1.1, 19.2)
// would find a quotation mark there. So the letter is written as an escape.
const escapeUnicodeLetters = (line: string) =>
  /\\\\[uU]/.test(line)
    ? line.replace(/\\\\([uU])|\\[^]/g, (pair, letter?: string) =>
        letter === undefined ? pair : `\\\\\\u00${letter === 'u' ? '75' : '55'}`,
      )
    : line

const graphBlock = (graph: string, lines: Iterable<string>) =>
  `GRAPH <${graph}> {\n${Array.from(lines, escapeUnicodeLetters).join('\n')}\n}\n`

/**
 * Whether a line has a decimal, which is deleted by subject and predicate: a store may keep a scale that it does not print, and then
 * does not find the printed form. Other lines with the same two are added again.
 */
const isDecimalTriple = (line: string) => {
  const value = spelledValueOf(line)
  if (!value || xsdName(value.datatype) !== 'decimal') return false
  return !linkPredicates.some((predicate) => value.head.includes(`> <${predicate}> "`))
}

/** Operation that deletes by subject and predicate, `prefix`. */
const deleteByPrefixText = (graph: string, prefix: string): string =>
  `DELETE WHERE { GRAPH <${graph}> { ${prefix}?o } }`

function deletions({ graph, clear, remove }: Edit): string[] {
  if (clear) return [`DROP SILENT GRAPH <${graph}>`]
  const prefixes = new Set([...remove].filter(isDecimalTriple).map(prefixOf))
  return [...prefixes].map((prefix) => deleteByPrefixText(graph, prefix))
}

/**
 * Text of one request: an operation for each cleared graph and each prefix of decimals, one for removed and one for added lines.
 */
export function updateText(edits: readonly Edit[]): string {
  const parts = edits.flatMap(deletions)
  const removed = edits.filter(({ clear, remove }) => !clear && remove.size > 0)
  if (removed.length > 0) {
    parts.push(
      `DELETE DATA {\n${removed.map((edit) => graphBlock(edit.graph, edit.remove)).join('')}}`,
    )
  }
  const added = edits.filter(({ add }) => add.size > 0)
  if (added.length > 0) {
    parts.push(`INSERT DATA {\n${added.map((edit) => graphBlock(edit.graph, edit.add)).join('')}}`)
  }
  return parts.join(' ;\n')
}
