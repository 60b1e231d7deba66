/** Writes edits as one operation, because a request of several is not atomic on Virtuoso. */

import type { Edit } from '../remote/dialect.ts'
import { integers, spelledValueOf, xsdName } from '../remote/spelled-values.ts'

/** Most triples of one `GRAPH` block; measured: 4,900 are accepted, 5,000 are "memory exhausted". */
const maxLinesPerBlock = 4000

type Lines = Pick<Edit, 'graph'> & { readonly lines: Iterable<string> }

/** Writes `GRAPH` blocks; many lines become several blocks. An empty block would be a syntax error. */
function blocks(parts: readonly Lines[]): string {
  return parts
    .flatMap(({ graph, lines }) => {
      const allLines = [...lines]
      const count = Math.ceil(allLines.length / maxLinesPerBlock)
      return Array.from({ length: count }, (_, at) => {
        const blockLines = allLines.slice(at * maxLinesPerBlock, (at + 1) * maxLinesPerBlock)
        return `GRAPH <${graph}> {\n${blockLines.join('\n')}\n}\n`
      })
    })
    .join('')
}

/** Lines of a kind by graph, without graphs that have none. */
const partsOf = (edits: readonly Edit[], kind: 'remove' | 'add'): Lines[] =>
  edits.flatMap((edit) => (edit[kind].size === 0 ? [] : { graph: edit.graph, lines: edit[kind] }))

/** `INSERT DATA` of the lines of any graphs. */
export const insertText = (parts: readonly Lines[]): string => `INSERT DATA {\n${blocks(parts)}}`

/** Numbers of cleared graphs, removed and added lines, and the length of the latter. */
type Amount = {
  readonly clears: number
  readonly removes: number
  readonly adds: number
  readonly length: number
}

function amountOf(edits: readonly Edit[]): Amount {
  let [clears, removes, adds, length] = [0, 0, 0, 0]
  for (const edit of edits) {
    clears += edit.clear ? 1 : 0
    removes += edit.remove.size
    adds += edit.add.size
    for (const line of edit.add) length += line.length
  }
  return { clears, removes, adds, length }
}

/**
 * Most removed and most added lines of one `DELETE … INSERT …`, whose compile time grows faster than their number; above them a staged
 * write is faster.
 */
const maxModified = 20

/** Most lines beside cleared graphs, because they are evaluated again for every cleared triple; and most cleared graphs. */
const maxBesideClear = 20
const maxClears = 10

/** Most lines and UTF-16 units of one `INSERT DATA`. */
const maxInsert = { lines: 30_000, length: 4 * 2 ** 20 }

function insertPart(edits: readonly Edit[]): string {
  const inserts = blocks(partsOf(edits, 'add'))
  return inserts === '' ? '' : `INSERT {\n${inserts}}\n`
}

/** Datatypes whose values a `DELETE` template finds. */
const numericTypes = new Set([...integers, ...'decimal float double boolean'.split(' ')])
const dateTypes = new Set('date dateTime gYear gYearMonth'.split(' '))

/** Datatypes of XML Schema whose values a template finds through a function, with any characters. */
const textTypes = new Set('string anyURI hexBinary base64Binary'.split(' '))

/**
 * Form of a line in the template of a `DELETE` over several graphs. A literal is only found there when it is plain or has a native
 * datatype; for others the operation reports success and deletes nothing, unless a function looks the literal up. `undefined` = no
 * form works: some numbers are changed, and some datatypes are refused.
 */
function templateFormOf(line: string): 'plain' | 'function' | undefined {
  const value = spelledValueOf(line)
  if (!value) return 'plain'
  const name = xsdName(value.datatype)
  if (value.language !== '' || name === undefined || textTypes.has(name)) return 'function'
  // The smallest integer becomes a decimal there.
  if (dateTypes.has(name) || (numericTypes.has(name) && value.lexical.length < 19)) return 'plain'
  return undefined
}

/** Whether a template can find a line. */
const isNameable = (line: string): boolean => templateFormOf(line) !== undefined

function withFunction(line: string): string {
  if (templateFormOf(line) !== 'function') return line
  const at = line.indexOf('"')
  return `${line.slice(0, at)}\`sql:RDF_OBJ_OF_LONG(${line.slice(at, -2)})\` .`
}

/** Blocks of removed lines for a template. A template with one graph (`isAlone`) finds every literal. */
function removedBlocks(edits: readonly Edit[], isAlone = false): string {
  const parts = partsOf(edits, 'remove')
  return blocks(
    isAlone
      ? parts
      : parts.map(({ graph, lines }) => ({ graph, lines: Array.from(lines, withFunction) })),
  )
}

const everyLine = (
  edits: readonly Edit[],
  kind: 'remove' | 'add',
  test: (line: string) => boolean,
) => edits.every((edit) => [...edit[kind]].every(test))

/** Operation that clears graphs and adds and removes lines. `OPTIONAL` gives a solution when there is nothing to clear, `UNION {}` none. */
function clearing(edits: readonly Edit[]): string {
  const graphs = edits.flatMap(({ clear, graph }) => (clear ? `<${graph}>` : []))
  return (
    `DELETE {\nGRAPH ?g { ?s ?p ?o }\n${removedBlocks(edits)}}\n` +
    insertPart(edits) +
    `WHERE { VALUES ?g { ${graphs.join(' ')} } OPTIONAL { GRAPH ?g { ?s ?p ?o } } }`
  )
}

/**
 * Edits as one operation; `undefined` when they are too many or have lines that a template cannot name (`isNameable`). Removed
 * and added lines must differ by value, because Virtuoso keeps neither of two equal ones.
 */
export function singleUpdateText(edits: readonly Edit[]): string | undefined {
  const { clears, removes, adds, length } = amountOf(edits)
  if (clears + removes === 0) {
    const fits = adds <= maxInsert.lines && length <= maxInsert.length
    return fits ? insertText(partsOf(edits, 'add')) : undefined
  }
  if (!everyLine(edits, 'add', isNameable)) return undefined
  if (clears > 0) {
    if (!everyLine(edits, 'remove', isNameable)) return undefined
    return clears <= maxClears && removes + adds <= maxBesideClear ? clearing(edits) : undefined
  }
  const [onlyPart, ...others] = partsOf(edits, 'remove')
  // `DELETE DATA` of two blocks reports success and deletes nothing.
  if (adds === 0 && onlyPart && others.length === 0 && removes <= maxLinesPerBlock) {
    return `DELETE DATA {\n${blocks([onlyPart])}}`
  }
  if (Math.max(removes, adds) > maxModified || !everyLine(edits, 'remove', isNameable))
    return undefined
  const isAlone = new Set(edits.map(({ graph }) => graph)).size === 1
  return `DELETE {\n${removedBlocks(edits, isAlone)}}\n${insertPart(edits)}WHERE {}`
}
