/** Takes a vocabulary in while it arrives: checked, its blank nodes named, ready to be compared and stored. It is held in memory. */

import { createHash, hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { canonicalise } from '../../rdf/canonical.ts'
import { toLine } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { rdf, skos } from '../../rdf/namespaces.ts'
import { skolemise, unskolemise } from '../../rdf/skolem.ts'
import { blankNode, namedNode, quad } from '../../rdf/terms.ts'

/** Triples with blank nodes that are compared to be named, and characters of all lines. */
const mostCompared = 50_000
const mostCharacters = 2 ** 28
/** Schemes that are counted; a body with more is no vocabulary. */
const mostSchemes = 100_000

/** A vocabulary as it will be stored. */
export type VocabularyIntake = {
  readonly scheme: string
  /** SHA-256: of the canonical form, or where nodes are named by the document, of the stored lines. */
  readonly hash: string
  /** Sorted ground lines without ends and doubles. */
  readonly lines: readonly string[]
}

type IntakeOptions = {
  readonly names: Names
  /** Handle of the vocabulary, the base of its relative IRIs. */
  readonly resource: string
  /** Steps that canonical labels may take; the usual when absent. */
  readonly work?: number | undefined
}

/**
 * Reads all of it. Fails with `invalid-content` for a subject that is another resource of the platform, `missing-class`,
 * `too-complex`, `too-large`, and as the batches do.
 */
export async function takeIn(
  batches: AsyncIterable<readonly Quad[]>,
  options: IntakeOptions,
): Promise<VocabularyIntake> {
  const reception = new Reception(options)
  for await (const quads of batches) {
    reception.take(quads)
    await setImmediate()
  }
  return reception.intake()
}

/** Whether an IRI is of the platform's own and not below this vocabulary's handle, against which a body is resolved. */
export const isForeign = (names: Names, iri: string, resource: string): boolean =>
  names.owns(iri) && iri !== resource && !iri.startsWith(`${resource}#`)

const [type, inScheme, schemeClass] = [
  rdf('type').value,
  skos('inScheme').value,
  skos('ConceptScheme').value,
]

class Reception {
  readonly #options: IntakeOptions
  /** Named concept schemes, and how many concepts are in each. */
  readonly #schemes = new Set<string>()
  readonly #members = new Map<string, number>()
  readonly #lines: string[] = []
  #length = 0
  /** What the skolem IRIs of the body begin with. */
  readonly #genids = new Set<string>()
  #blank: Quad[] = []
  #name: ((quad: Quad) => Quad) | undefined

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  take(quads: readonly Quad[]): void {
    const { names, resource } = this.#options
    const { genidPrefix: prefix } = names
    const which = (iri: string) => {
      this.#genids.add(iri.slice(0, iri.indexOf('/', prefix.length) + 1))
      // Only two names can be its own.
      if (this.#genids.size > 2) throw foreign(iri)
      return true
    }
    // What was read as it is stored has IRIs in the place of its blank nodes.
    for (const one of unskolemise(quads, { prefix, which })) {
      const { subject } = one
      if (subject.termType === 'NamedNode' && isForeign(names, subject.value, resource))
        throw foreign(subject.value)
      this.#countSchemes(one)
      if (!isBlank(subject) && !isBlank(one.object)) this.#add(one)
      else if (this.#name) this.#add(this.#name(one))
      else this.#hold(one)
    }
  }

  async intake(): Promise<VocabularyIntake> {
    const { names, resource, work } = this.#options
    const scheme = this.#scheme()
    const genid = names.genid(scheme)
    const own = [genid, names.genid(resource)]
    for (const given of this.#genids) if (!own.includes(given)) throw foreign(given)
    const { stored, hashed } = await canonicallyNamed(this.#blank, genid, work)
    const lines = sorted([...this.#lines, ...stored])
    const digest = createHash('sha256')
    for (const line of hashed.length === 0 ? lines : sorted([...this.#lines, ...hashed]))
      digest.update(`${line}\n`)
    return { scheme, hash: digest.digest('hex'), lines }
  }

  #add(one: Quad): void {
    const line = toLine(one)
    this.#length += line.length + 1
    if (this.#length > mostCharacters)
      throw new Failure('too-large', `a vocabulary may have ${mostCharacters} characters`)
    this.#lines.push(line)
  }

  #hold(one: Quad): void {
    this.#blank.push(one)
    if (this.#blank.length <= mostCompared) return
    const { names, resource } = this.#options
    this.#name = nameByDocument(names.genid(resource))
    for (const held of this.#blank) this.#add(this.#name(held))
    this.#blank = []
  }

  #countSchemes({ subject, predicate, object }: Quad): void {
    const isTyped = predicate.value === type && object.value === schemeClass
    if (isTyped && subject.termType === 'NamedNode') this.#schemes.add(subject.value)
    if (predicate.value === inScheme && object.termType === 'NamedNode')
      this.#members.set(object.value, (this.#members.get(object.value) ?? 0) + 1)
    if (this.#schemes.size + this.#members.size > mostSchemes)
      throw new Failure('too-complex', `the body names more than ${mostSchemes} concept schemes`)
  }

  /**
   * The single `skos:ConceptScheme`; several → the one that most concepts are in; none → the one common `skos:inScheme` value.
   * Fails with `missing-class`.
   */
  #scheme(): string {
    const members = (scheme: string) => this.#members.get(scheme) ?? 0
    const isTyped = this.#schemes.size > 0
    const candidates = [...(isTyped ? this.#schemes : this.#members.keys())]
    const [first, second] = candidates.sort((a, b) => members(b) - members(a) || (a < b ? -1 : 1))
    if (first !== undefined && (isTyped || second === undefined)) return first
    throw new Failure(
      'missing-class',
      'the body describes no skos:ConceptScheme, and its concepts share no single skos:inScheme',
    )
  }
}

const sorted = (lines: readonly string[]): string[] => [...new Set(lines)].sort()

const foreign = (iri: string) =>
  new Failure(
    'invalid-content',
    `a vocabulary may not describe ${iri}, which is a resource of the platform`,
  )

const isBlank = (term: Term) => term.termType === 'BlankNode'

/** Lines without ends: what is stored, and what is hashed, which differ in the names of blank nodes. */
type NamedLines = { readonly stored: readonly string[]; readonly hashed: readonly string[] }

/**
 * Canonical labels. They are a function of the triples with blank nodes alone, because ground triples of a graph have no part
 * in them: the hash over these lines and the ground ones is the one of `canonicalise` over the whole graph.
 */
async function canonicallyNamed(
  quads: readonly Quad[],
  genid: string,
  work: number | undefined,
): Promise<NamedLines> {
  if (quads.length === 0) return { stored: [], hashed: [] }
  const { labels } = await canonicalise(quads, { work })
  const labelled = (term: Quad['subject'] | Quad['object']) =>
    isBlank(term) ? blankNode(labels.get(term.value) ?? '') : term
  const renamed = quads.map(({ subject, predicate, object }) => {
    const about = labelled(subject)
    return quad(about.termType === 'Literal' ? subject : about, predicate, labelled(object))
  })
  return { stored: skolemise(quads, { genid, labels }).map(toLine), hashed: renamed.map(toLine) }
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
