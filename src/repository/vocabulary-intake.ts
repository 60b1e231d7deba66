/** Takes a vocabulary in while it arrives: of any size, in bounded memory, ready to be compared and stored. */

import { createHash, hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import { canonicalise } from '../rdf/canonical.ts'
import { toLine } from '../rdf/lines.ts'
import type { Names } from '../rdf/names.ts'
import { rdf, skos } from '../rdf/namespaces.ts'
import { skolemise, unskolemise } from '../rdf/skolem.ts'
import { blankNode, namedNode, quad } from '../rdf/terms.ts'
import { LineSpool } from '../store/line-spool.ts'
import { openScratch, type Scratch } from '../store/line-spool.ts'

// Finds the concept scheme that a vocabulary body is about, while the body goes by.

/** Schemes that are kept in mind; a body with more is no vocabulary. */
const most = 100_000

const [type, inScheme] = [rdf('type').value, skos('inScheme').value]
const schemeClass = skos('ConceptScheme').value

type SchemeFinder = {
  readonly take: (quad: Quad) => void
  /**
   * The single `skos:ConceptScheme`; several → the one that most concepts are in; none → the one common `skos:inScheme` value.
   * Fails with `missing-class`.
   */
  readonly found: () => string
}

function schemeFinder(): SchemeFinder {
  const typed = new Set<string>()
  const members = new Map<string, number>()
  const take = ({ subject, predicate, object }: Quad) => {
    if (predicate.value === type) {
      if (object.value === schemeClass && subject.termType === 'NamedNode') typed.add(subject.value)
    } else if (predicate.value === inScheme && object.termType === 'NamedNode') {
      members.set(object.value, (members.get(object.value) ?? 0) + 1)
    }
    if (typed.size + members.size > most) {
      throw new Failure('too-complex', `the body names more than ${most} concept schemes`)
    }
  }
  const found = () => {
    const candidates = typed.size > 0 ? [...typed] : [...members.keys()]
    const [first, second] = candidates.sort(
      (a, b) => (members.get(b) ?? 0) - (members.get(a) ?? 0) || (a < b ? -1 : 1),
    )
    if (first === undefined || (typed.size === 0 && second !== undefined)) {
      throw new Failure(
        'missing-class',
        'the body describes no skos:ConceptScheme, and its concepts share no single skos:inScheme',
      )
    }
    return first
  }
  return { take, found }
}

type IntakeOptions = {
  readonly names: Names
  /** Handle of the vocabulary, the base of its relative IRIs. */
  readonly resource: string
  /** Folder for what does not fit into memory. */
  readonly directory: string
  /** Triples with blank nodes up to which these get canonical labels. */
  readonly canonical: number
  /** Steps that these labels may take; the usual when absent. */
  readonly work?: number | undefined
}

/** A vocabulary as it will be stored. */
export type Intake = {
  readonly scheme: string
  /** SHA-256: of the canonical form, or where nodes are named by the document, of the stored lines. */
  readonly hash: string
  readonly triples: number
  /** Sorted ground lines without doubles, as often as wanted. */
  readonly chunks: () => Generator<string>
  readonly close: () => void
}

/** Whether an IRI is of the platform's own and not below this vocabulary's handle, against which a body is resolved. */
export const isForeign = (names: Names, iri: string, resource: string): boolean =>
  names.owns(iri) && iri !== resource && !iri.startsWith(`${resource}#`)

/** Others are given a turn behind so many lines. */
const linesPerTurn = 4000

class Reception {
  readonly #options: IntakeOptions
  readonly #finder = schemeFinder()
  readonly spool: LineSpool
  /** What the skolem IRIs of the body begin with. */
  readonly #genids = new Set<string>()
  #blank: Quad[] = []
  #name: ((quad: Quad) => Quad) | undefined

  constructor(options: IntakeOptions) {
    this.#options = options
    this.spool = new LineSpool(options.directory)
  }

  take(quads: readonly Quad[]): void {
    const { genidPrefix: prefix } = this.#options.names
    const which = (iri: string) => {
      this.#genids.add(iri.slice(0, iri.indexOf('/', prefix.length) + 1))
      // Only two names can be its own.
      if (this.#genids.size > 2) throw foreign(iri)
      return true
    }
    // What was read as it is stored has IRIs in the place of its blank nodes.
    for (const quad of unskolemise(quads, { prefix, which })) {
      this.#check(quad)
      this.#finder.take(quad)
      if (!hasBlankNodes(quad)) this.spool.add(toLine(quad))
      else if (this.#name) this.spool.add(toLine(this.#name(quad)))
      else this.#hold(quad)
    }
  }

  scheme(): string {
    return this.#finder.found()
  }

  named(scheme: string): Promise<Named> {
    const { names, resource, work } = this.#options
    const own = [names.genid(scheme), names.genid(resource)]
    for (const genid of this.#genids) if (!own.includes(genid)) throw foreign(genid)
    return canonicallyNamed(this.#blank, names.genid(scheme), work)
  }

  #check({ subject }: Quad): void {
    const { names, resource } = this.#options
    if (subject.termType !== 'NamedNode' || !isForeign(names, subject.value, resource)) return
    throw foreign(subject.value)
  }

  #hold(quad: Quad): void {
    this.#blank.push(quad)
    if (this.#blank.length <= this.#options.canonical) return
    const { names, resource } = this.#options
    const name = nameByDocument(names.genid(resource))
    for (const one of this.#blank) this.spool.add(toLine(name(one)))
    this.#blank = []
    this.#name = name
  }
}

const foreign = (iri: string) =>
  new Failure(
    'invalid-content',
    `a vocabulary may not describe ${iri}, which is a resource of the platform`,
  )

/** Lets other lines pass at their place in an order. */
function weaving(others: readonly string[], pass: (line: string) => void) {
  let at = 0
  const before = (line: string | undefined) => {
    for (let other = others[at]; other !== undefined; other = others[at]) {
      if (line !== undefined && other >= line) return
      pass(other)
      at += 1
    }
  }
  return {
    line: (line: string) => {
      before(line)
      pass(line)
    },
    end: () => before(undefined),
  }
}

const bufferSize = 64 * 1024

/** Collects lines, so that what takes them is not asked for each. */
function buffered(take: (lines: string) => void) {
  let waiting = ''
  return {
    line: (line: string) => {
      waiting += `${line}\n`
      if (waiting.length < bufferSize) return
      take(waiting)
      waiting = ''
    },
    end: () => take(waiting),
  }
}

async function finished(
  spool: LineSpool,
  { stored, hashed }: Named,
  text: Text,
): Promise<{ readonly hash: string; readonly triples: number }> {
  const digest = createHash('sha256')
  const [disk, sum] = [buffered(text.append), buffered((lines) => void digest.update(lines))]
  const [kept, told] = [weaving(stored, disk.line), weaving(hashed, sum.line)]
  let triples = stored.length
  for (const line of spool.sorted()) {
    kept.line(line)
    told.line(line)
    triples += 1
    if (triples % linesPerTurn === 0) await setImmediate()
  }
  for (const one of [kept, told, disk, sum]) one.end()
  return { hash: digest.digest('hex'), triples }
}

/**
 * Reads all of it; the caller closes what it gets. `Failure` invalid-content for a subject that is another resource of the
 * platform, missing-class, too-complex, and what the batches throw.
 */
export async function takeIn(
  batches: AsyncIterable<readonly Quad[]>,
  options: IntakeOptions,
): Promise<Intake> {
  const reception = new Reception(options)
  const { spool } = reception
  try {
    for await (const quads of batches) {
      reception.take(quads)
      await setImmediate()
    }
    const scheme = reception.scheme()
    const named = await reception.named(scheme)
    const text = spool.runs === 0 ? memoryText() : openScratch(options.directory)
    const { hash, triples } = await finished(spool, named, text)
    return { scheme, hash, triples, chunks: () => text.chunks(), close: text.close }
  } finally {
    spool.close()
  }
}

// The blank nodes of a vocabulary, under names that the same vocabulary gets again.

const isBlank = (term: Term) => term.termType === 'BlankNode'

const hasBlankNodes = ({ subject, object }: Quad): boolean => isBlank(subject) || isBlank(object)

/** Lines without ends, sorted: what is stored, and what is hashed, which differ in the names of blank nodes. */
type Named = { readonly stored: readonly string[]; readonly hashed: readonly string[] }

const sortedLines = (quads: readonly Quad[]) => [...new Set(quads.map(toLine))].sort()

/**
 * Canonical labels. They are a function of the triples with blank nodes alone, because ground triples of a graph have no part
 * in them: the hash over these lines and the ground ones is the one of `canonicalise` over the whole graph.
 */
async function canonicallyNamed(
  quads: readonly Quad[],
  genid: string,
  work: number | undefined,
): Promise<Named> {
  const { labels } = await canonicalise(quads, { work })
  const labelled = (term: Quad['subject'] | Quad['object']) =>
    isBlank(term) ? blankNode(labels.get(term.value) ?? '') : term
  const renamed = quads.map(({ subject, predicate, object }) => {
    const about = labelled(subject)
    return quad(about.termType === 'Literal' ? subject : about, predicate, labelled(object))
  })
  return { stored: sortedLines(skolemise(quads, { genid, labels })), hashed: sortedLines(renamed) }
}

/** Readers put a mark of the parse in front of a label; what follows is a function of the document. */
const parseMark = /^p\d+_/

/**
 * Names by the document, for vocabularies with too many blank nodes to compare: 24 hex digits of SHA-256 over the label that
 * the node has there, or over how many came before it without one. The same document gives the same names; another document
 * of the same graph gives others.
 */
function nameByDocument(genid: string): (one: Quad) => Quad {
  const named = <T extends Term>(term: T) =>
    isBlank(term)
      ? namedNode(genid + hash('sha256', term.value.replace(parseMark, ''), 'hex').slice(0, 24))
      : term
  return ({ subject, predicate, object }) => quad(named(subject), predicate, named(object))
}

// A text of lines that is written once and read often: on disk, or in memory where it is small.

type Text = Pick<Scratch, 'append' | 'chunks' | 'close'>

function memoryText(): Text {
  const parts: string[] = []
  return {
    append: (lines) => {
      if (lines !== '') parts.push(lines)
    },
    *chunks() {
      yield* parts
    },
    close: () => {
      parts.length = 0
    },
  }
}
