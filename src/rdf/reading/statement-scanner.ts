/** Reads N-Triples without making terms: a line that stands there as we would write it is checked and taken as it is. */
import { isIri } from '../iri.ts'
import { DOT, GREATER, LESS, QUOTE, SPACE, UNDERSCORE } from './characters.ts'
import { type CheckedTerms, labelPrefix, needsTag, plainLabel } from './checked-terms.ts'
import { scanChecked } from './line-scanner.ts'
import { type Statement, statementOf } from './statements.ts'

/** Objects on which the pattern below is tried, in UTF-16 units. */
const shortLiteral = 100_000

// No character that we would write otherwise, and a tag or datatype as the checked terms take them.
const literal =
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  /^"[^"\\\u0000-\u001f\u007f-\u009f\ufffe\uffff]*"(?:@[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*|\^\^<([^<>]*)>)?$/
/** `xsd:string` would be left out by us, and some datatypes need a tag: the checked terms have their say. */
const isPlain = (datatype: string): boolean =>
  datatype !== 'http://www.w3.org/2001/XMLSchema#string' && !needsTag(datatype)

/** Predicates and datatypes that were found good; a document that makes them up must not fill the memory. */
const mostKnown = 10_000

class StatementScanner {
  readonly text: string
  readonly terms: CheckedTerms
  /** Of these the length in bytes need not be counted. */
  readonly #shortIri: number
  readonly #shortLiteral: number
  readonly #known = new Set<string>()
  /** At first what no line begins with. */
  #subject = '\n'
  #subjectText = ''

  constructor(text: string, terms: CheckedTerms) {
    this.text = text
    this.terms = terms
    this.#shortIri = terms.limits.iriBytes / 3
    this.#shortLiteral = Math.min(shortLiteral, terms.limits.literalBytes / 3)
  }

  /** `undefined` for a line that says it otherwise, or says something else. */
  line(at: number, end: number): Statement | undefined {
    const { text } = this
    if (text.charCodeAt(end - 1) !== DOT || text.charCodeAt(end - 2) !== SPACE) return undefined
    const subjectEnd = this.#subjectEnd(at)
    if (subjectEnd === undefined) return undefined
    const predicateEnd = text.indexOf('> ', subjectEnd)
    if (text.charCodeAt(subjectEnd + 1) !== LESS || predicateEnd < 0) return undefined
    const predicate = text.slice(subjectEnd + 2, predicateEnd)
    const start = predicateEnd + 2
    if (start > end - 2 || !this.#isGood(predicate)) return undefined
    const raw = text.slice(start, end - 2)
    const object = this.#object(raw)
    if (object === undefined) return undefined
    const subject = this.#subjectText
    const isAsItStands = object === raw && subject === this.#subject
    const line = isAsItStands ? text.slice(at, end + 1) : `${subject} <${predicate}> ${object} .\n`
    return { subject, predicate, object, graph: '', line }
  }

  /** Where the blank behind the subject stands. Most lines are about the subject of the one before. */
  #subjectEnd(at: number): number | undefined {
    const { text } = this
    const same = at + this.#subject.length
    if (text.charCodeAt(same) === SPACE && text.startsWith(this.#subject, at)) return same
    const end = text.indexOf(' ', at)
    const raw = text.slice(at, end)
    const node = end < 0 ? undefined : this.#node(raw)
    if (node === undefined) return undefined
    this.#subject = raw
    this.#subjectText = node
    return end
  }

  #object(raw: string): string | undefined {
    if (raw.charCodeAt(0) !== QUOTE) return this.#node(raw)
    const match = raw.length < this.#shortLiteral ? literal.exec(raw) : null
    if (!match) return undefined
    const [, datatype] = match
    return datatype === undefined || (isPlain(datatype) && this.#isGood(datatype)) ? raw : undefined
  }

  #node(raw: string): string | undefined {
    if (raw.charCodeAt(0) === UNDERSCORE && raw.startsWith('_:')) {
      const label = raw.slice(2)
      return plainLabel.test(label) ? `_:${this.terms.prefix}${labelPrefix}${label}` : undefined
    }
    const last = raw.length - 1
    if (raw.charCodeAt(0) !== LESS || raw.charCodeAt(last) !== GREATER) return undefined
    return last < this.#shortIri && isIri(raw.slice(1, last)) ? raw : undefined
  }

  #isGood(iri: string): boolean {
    if (this.#known.has(iri)) return true
    if (iri.length > this.#shortIri || !isIri(iri)) return false
    if (this.#known.size < mostKnown) this.#known.add(iri)
    return true
  }
}

/**
 * The triples of whole lines, every term checked as `scanChecked` does, in the same spelling as if they had been made into
 * terms and written again; `undefined` when the parser has to have its say.
 */
export function scanStatements(text: string, terms: CheckedTerms): Statement[] | undefined {
  if (!text.isWellFormed()) return undefined
  const scanner = new StatementScanner(text, terms)
  const found: Statement[] = []
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at)
    if (end < 0) return undefined
    const quick = scanner.line(at, end)
    if (quick) found.push(quick)
    else {
      const quads = scanChecked(text.slice(at, end + 1), terms, false)
      if (!quads) return undefined
      for (const quad of quads) found.push(statementOf(quad))
    }
    at = end + 1
  }
  return found
}
