/** What was put right while a document was read, told with the record that it belongs to. */
import type { Finding } from '../../../../pipe/message.ts'
import { foaf, vcard } from '../../../../rdf/namespaces.ts'
import type { Repair } from '../../../../rdf/parse.ts'
import type { Statement } from '../../../../rdf/reading/statements.ts'

export type RepairBook = {
  readonly note: (repair: Repair) => void
  /** The document held bytes that are no text. */
  readonly broken: () => void
  /** Repairs whose outcome stands in the N-Triples of a record. */
  readonly of: (lines: string) => readonly Finding[]
  /** Statements that could not be repaired and were left out: how many, and the first of them. */
  readonly dropped: () => { readonly count: number; readonly first: readonly string[] }
}

/** A document whose every IRI is broken must not fill the memory with their names. */
const mostNoted = 100_000
const mostDropped = 100
const mostPerRecord = 20

export function repairBook(): RepairBook {
  const made = new Map<string, string>()
  const dropped: string[] = []
  let droppedCount = 0
  let isBroken = false
  return {
    note: ({ kind, from, to, line }) => {
      if (to === undefined) {
        droppedCount += 1
        const place = line === undefined ? '' : `line ${line}: `
        if (dropped.length < mostDropped) dropped.push(`${place}${kind} ${shortened(from)}`)
      } else if (made.size < mostNoted) made.set(to, from)
    },
    broken: () => {
      isBroken = true
    },
    of: (lines) => [
      ...(isBroken && lines.includes('\uFFFD') ? [unreadable] : []),
      ...(made.size === 0 ? [] : repairsIn(lines, made)),
    ],
    dropped: () => ({ count: droppedCount, first: dropped }),
  }
}

const mailPredicates = new Set([vcard('hasEmail').value, foaf('mbox').value])
const mailAddress = /^[^\s/?#@<>:]+@[^\s/?#@<>:]+\.[^\s/?#@<>:]+$/

/**
 * Puts right `vcard:hasEmail <a@city.example>`: without a scheme it is a relative reference, and reading made an address
 * beside the document of it.
 */
export function mailRepair(baseIri: string, book: RepairBook): (statement: Statement) => Statement {
  const beside = `<${baseIri.replace(/[?#].*$/s, '').replace(/[^/]*$/, '')}`
  return (statement) => {
    const { predicate, object } = statement
    if (!mailPredicates.has(predicate) || !object.startsWith(beside)) return statement
    const from = object.slice(beside.length, -1)
    if (!mailAddress.test(from)) return statement
    const to = `mailto:${from}`
    book.note({ kind: 'iri', from, to })
    const mended = `<${to}>`
    // The object stands at the end, and nowhere else.
    const line = statement.line.slice(0, statement.line.lastIndexOf(object)) + `${mended} .\n`
    return { ...statement, object: mended, line }
  }
}

const unreadable: Finding = {
  slug: 'invalid-text',
  detail: 'the source held bytes that are no text; they became U+FFFD',
}

function repairsIn(lines: string, made: ReadonlyMap<string, string>): Finding[] {
  const found = new Map<string, Finding>()
  for (const [, iri, tag] of lines.matchAll(/<([^>\n]*)>|"@([A-Za-z0-9-]+)/g)) {
    const to = iri ?? tag ?? ''
    const from = made.get(to)
    if (from === undefined || found.has(to)) continue
    const detail = `${shortened(from)} became ${shortened(to)}`
    found.set(to, { slug: 'repaired-iri', detail })
    if (found.size === mostPerRecord) break
  }
  return [...found.values()]
}

const shortened = (text: string) => (text.length > 300 ? `${text.slice(0, 299)}…` : text)
