/** Edits as the text of one operation, because a request of several is not atomic on Virtuoso. */

import type { Edit } from '../remote/dialect.ts'
import { integers, spelledValue, xsdName } from '../remote/spelled-values.ts'

/** Triples of one `GRAPH` block that the compiler takes; measured: 4,900 are taken, 5,000 are "memory exhausted". */
const perBlock = 4000

type Lines = Pick<Edit, 'graph'> & { readonly lines: Iterable<string> }

/** `GRAPH` blocks; one of many lines becomes several. An empty block would be a syntax error. */
function blocks(parts: readonly Lines[]): string {
  return parts
    .flatMap(({ graph, lines }) => {
      const all = [...lines]
      const count = Math.ceil(all.length / perBlock)
      return Array.from({ length: count }, (_, at) => {
        const some = all.slice(at * perBlock, (at + 1) * perBlock)
        return `GRAPH <${graph}> {\n${some.join('\n')}\n}\n`
      })
    })
    .join('')
}

/** The lines of a kind by graph, without graphs that have none. */
const partsOf = (edits: readonly Edit[], kind: 'remove' | 'add'): Lines[] =>
  edits.flatMap((edit) => (edit[kind].size === 0 ? [] : { graph: edit.graph, lines: edit[kind] }))

/** What comes, of any graphs. */
export const insertText = (parts: readonly Lines[]): string => `INSERT DATA {\n${blocks(parts)}}`

/** How much of what is in some edits. */
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
 * Lines that go, and lines that come, in one `DELETE … INSERT …`. The time of its compiler grows faster than their number:
 * with more of them a staged write is faster.
 */
const perModify = 20

/** Lines beside a clearing: they are worked out again for every triple that is cleared. */
const besideClear = 20
const clearsAtOnce = 10

/** One `INSERT DATA`. */
const largestInsert = { lines: 30_000, length: 4 * 2 ** 20 }

function insertPart(edits: readonly Edit[]): string {
  const inserts = blocks(partsOf(edits, 'add'))
  return inserts === '' ? '' : `INSERT {\n${inserts}}\n`
}

/** Datatypes whose values a template can name. */
const native = new Set([...integers, ...'decimal float double boolean'.split(' ')])
const calendar = new Set('date dateTime gYear gYearMonth'.split(' '))

/** Datatypes of XML Schema whose values a template can name through a function, whatever their characters. */
const strings = new Set('string anyURI hexBinary base64Binary'.split(' '))

/**
 * How the template of a `DELETE` over several graphs can name a line. A literal as it stands is only found there when it is
 * plain or has a native datatype; for all others the operation reports success and deletes nothing, unless a function looks
 * the literal up. `undefined` = in no way: some numbers become others, and some datatypes are refused.
 */
function namingOf(line: string): 'plain' | 'function' | undefined {
  const value = spelledValue(line)
  if (!value) return 'plain'
  const name = xsdName(value.datatype)
  if (value.language !== '' || name === undefined || strings.has(name)) return 'function'
  // The smallest integer becomes a decimal there.
  if (calendar.has(name) || (native.has(name) && value.lexical.length < 19)) return 'plain'
  return undefined
}

/** Whether a line may stand in a template. */
const isNameable = (line: string): boolean => namingOf(line) !== undefined

function withFunction(line: string): string {
  if (namingOf(line) !== 'function') return line
  const at = line.indexOf('"')
  return `${line.slice(0, at)}\`sql:RDF_OBJ_OF_LONG(${line.slice(at, -2)})\` .`
}

/** Blocks of lines that go, for a template. One that names a single graph finds every literal by itself. */
function removedBlocks(edits: readonly Edit[], isAlone = false): string {
  const parts = partsOf(edits, 'remove')
  return blocks(
    isAlone
      ? parts
      : parts.map(({ graph, lines }) => ({ graph, lines: Array.from(lines, withFunction) })),
  )
}

const all = (edits: readonly Edit[], kind: 'remove' | 'add', test: (line: string) => boolean) =>
  edits.every((edit) => [...edit[kind]].every(test))

/** Clears graphs, and does the rest even when there is nothing to clear: `OPTIONAL` gives a solution then, `UNION {}` none. */
function clearing(edits: readonly Edit[]): string {
  const graphs = edits.flatMap(({ clear, graph }) => (clear ? `<${graph}>` : []))
  return (
    `DELETE {\nGRAPH ?g { ?s ?p ?o }\n${removedBlocks(edits)}}\n` +
    insertPart(edits) +
    `WHERE { VALUES ?g { ${graphs.join(' ')} } OPTIONAL { GRAPH ?g { ?s ?p ?o } } }`
  )
}

/**
 * The edits as one operation, `undefined` when they are too many for one. Lines that go and lines that come must differ by
 * value: of two that are equal Virtuoso keeps none.
 */
export function singleText(edits: readonly Edit[]): string | undefined {
  const { clears, removes, adds, length } = amountOf(edits)
  if (clears + removes === 0) {
    const fits = adds <= largestInsert.lines && length <= largestInsert.length
    return fits ? insertText(partsOf(edits, 'add')) : undefined
  }
  if (!all(edits, 'add', isNameable)) return undefined
  if (clears > 0) {
    if (!all(edits, 'remove', isNameable)) return undefined
    return clears <= clearsAtOnce && removes + adds <= besideClear ? clearing(edits) : undefined
  }
  const [only, ...more] = partsOf(edits, 'remove')
  // `DELETE DATA` of two blocks reports success and deletes nothing.
  if (adds === 0 && only && more.length === 0 && removes <= perBlock) {
    return `DELETE DATA {\n${blocks([only])}}`
  }
  if (Math.max(removes, adds) > perModify || !all(edits, 'remove', isNameable)) return undefined
  const isAlone = new Set(edits.map(({ graph }) => graph)).size === 1
  return `DELETE {\n${removedBlocks(edits, isAlone)}}\n${insertPart(edits)}WHERE {}`
}
