/** Edits as the text of one SPARQL Update request (SPARQL 1.1 Update, 3.1). */

import { prefixOf } from '../graph-lines.ts'
import type { Edit } from './dialect.ts'
import { linkPredicates } from './reading.ts'
import { xsdName, spelledValue } from './spelled-values.ts'

// `\\u0022` is a backslash and letters to N-Triples, but a store that decodes \uXXXX before it parses (SPARQL 1.1, 19.2)
// would find a quotation mark there: the letter goes as an escape.
const armed = (line: string) =>
  /\\\\[uU]/.test(line)
    ? line.replace(/\\\\([uU])|\\[^]/g, (pair, letter?: string) =>
        letter === undefined ? pair : `\\\\\\u00${letter === 'u' ? '75' : '55'}`,
      )
    : line

const block = (graph: string, lines: Iterable<string>) =>
  `GRAPH <${graph}> {\n${Array.from(lines, armed).join('\n')}\n}\n`

/**
 * Decimals are deleted by subject and predicate: a store may hold a scale that it does not print, and then finds no triple
 * by the form that it gave. Everything else that has the two is among the lines that come in again.
 */
const isVague = (line: string) => {
  const value = spelledValue(line)
  if (!value || xsdName(value.datatype) !== 'decimal') return false
  return !linkPredicates.some((predicate) => value.head.includes(`> <${predicate}> "`))
}

/** The operation that deletes by subject and predicate, `prefix`. */
const vagueText = (graph: string, prefix: string): string =>
  `DELETE WHERE { GRAPH <${graph}> { ${prefix}?o } }`

function deletions({ graph, clear, remove }: Edit): string[] {
  if (clear) return [`DROP SILENT GRAPH <${graph}>`]
  const vague = new Set([...remove].filter(isVague).map(prefixOf))
  return [...vague].map((prefix) => vagueText(graph, prefix))
}

/** One request: graphs that go, lines that go, lines that come, so that each kind is one operation. */
export function updateText(edits: readonly Edit[]): string {
  const parts = edits.flatMap(deletions)
  const removed = edits.filter(({ clear, remove }) => !clear && remove.size > 0)
  if (removed.length > 0) {
    parts.push(`DELETE DATA {\n${removed.map((edit) => block(edit.graph, edit.remove)).join('')}}`)
  }
  const added = edits.filter(({ add }) => add.size > 0)
  if (added.length > 0) {
    parts.push(`INSERT DATA {\n${added.map((edit) => block(edit.graph, edit.add)).join('')}}`)
  }
  return parts.join(' ;\n')
}
