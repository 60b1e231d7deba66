/**
 * Receives the body of a PUT of a vocabulary: checks it while it arrives, and names its blank nodes, so that it can be compared
 * and stored. All lines are held in memory.
 */

import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { canonicalLabels } from '../../rdf/canonical.ts'
import { toLine } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { rdf, skos } from '../../rdf/namespaces.ts'
import { skolemise, unskolemise } from '../../rdf/skolem.ts'
import { blankNode, quad } from '../../rdf/terms.ts'

/** Most triples with blank nodes (about a kilobyte each), which are compared together, and characters of all other lines. */
const maxCompared = 100_000
const maxCharacters = 2 ** 28

/** A vocabulary as it will be stored. */
export type VocabularyContent = {
  /** IRI of its concept scheme, which is also that of its graph. */
  readonly scheme: string
  /** SHA-256 of the canonical form. */
  readonly hash: string
  /** Sorted lines without blank nodes, line ends and duplicates. */
  readonly lines: readonly string[]
}

type IntakeOptions = {
  readonly names: Names
  /** Handle of the vocabulary, the base of its relative IRIs. */
  readonly resource: string
  /** Steps that canonical labels may take; absent = the default. */
  readonly work?: number
}

/**
 * Reads all batches. Fails with `invalid-content` for a subject that is another resource of the platform, `missing-class`,
 * `too-complex`, `too-large`, and as the batches do.
 */
export async function vocabularyContent(
  batches: AsyncIterable<readonly Quad[]>,
  { names, resource, work }: IntakeOptions,
): Promise<VocabularyContent> {
  const { genidPrefix: prefix } = names
  // Lines of the triples without blank nodes, which are ground in the words of RDF, and the other triples.
  const groundLines: string[] = []
  const blankQuads: Quad[] = []
  const schemes = new SchemeCount()
  /** Prefixes of the skolem IRIs of the body: a stored vocabulary that is sent back has them in place of blank nodes. */
  const genids = new Set<string>()
  const isReplaced = (iri: string) => {
    genids.add(iri.slice(0, iri.indexOf('/', prefix.length) + 1))
    return true
  }
  let length = 0
  for await (const quads of batches) {
    for (const q of unskolemise(quads, { prefix, isReplaced })) {
      const { subject, object } = q
      if (subject.termType === 'NamedNode' && isForeign(names, subject.value, resource))
        throw foreignSubject(subject.value)
      schemes.add(q)
      if (isBlank(subject) || isBlank(object)) {
        blankQuads.push(q)
        continue
      }
      const line = toLine(q)
      groundLines.push(line)
      length += line.length + 1
    }
    requireSize(length, blankQuads.length)
    await setImmediate()
  }
  const scheme = schemes.scheme()
  const genid = names.genid(scheme)
  const allowedGenids = [genid, names.genid(resource)]
  for (const usedGenid of genids)
    if (!allowedGenids.includes(usedGenid)) throw foreignSubject(usedGenid)
  const { stored, hashed } = await nameBlankNodes(blankQuads, genid, work)
  const digest = createHash('sha256')
  for (const line of sorted([...groundLines, ...hashed])) digest.update(`${line}\n`)
  return { scheme, hash: digest.digest('hex'), lines: sorted([...groundLines, ...stored]) }
}

/** Fails with `too-large` or `too-complex`; called after each batch, so that a body cannot fill the memory. */
function requireSize(characters: number, compared: number): void {
  if (characters > maxCharacters)
    throw new Failure(
      'too-large',
      `a vocabulary may have at most ${maxCharacters} characters as N-Triples`,
    )
  if (compared > maxCompared)
    throw new Failure(
      'too-complex',
      `a vocabulary may have at most ${maxCompared} triples with blank nodes; give the nodes IRIs`,
    )
}

/** Tells whether an IRI is one of the platform, but neither the handle `resource` of this vocabulary nor below `{resource}#`. */
export const isForeign = (names: Names, iri: string, resource: string): boolean =>
  names.owns(iri) && iri !== resource && !iri.startsWith(`${resource}#`)

const [type, inScheme, schemeClass] = [
  rdf('type').value,
  skos('inScheme').value,
  skos('ConceptScheme').value,
]

/** Named concept schemes of a body, and how many concepts are in each. */
class SchemeCount {
  readonly #schemes = new Set<string>()
  readonly #members = new Map<string, number>()

  add({ subject, predicate, object }: Quad): void {
    const isTyped = predicate.value === type && object.value === schemeClass
    if (isTyped && subject.termType === 'NamedNode') this.#schemes.add(subject.value)
    if (predicate.value === inScheme && object.termType === 'NamedNode')
      this.#members.set(object.value, (this.#members.get(object.value) ?? 0) + 1)
  }

  /**
   * Returns the only `skos:ConceptScheme`; of several the one with most concepts, then the smallest IRI; without one the only
   * `skos:inScheme` value. Fails with `missing-class`.
   */
  scheme(): string {
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

/** Sorts by UTF-16 code unit and drops duplicates, as the store does, so that both can be compared line by line. */
const sorted = (lines: readonly string[]): string[] => [...new Set(lines)].sort()

const foreignSubject = (iri: string) =>
  new Failure(
    'invalid-content',
    `a vocabulary may not describe ${iri}, which is a resource of the platform`,
  )

const isBlank = (term: Term) => term.termType === 'BlankNode'

/**
 * Returns lines without ends: as they are stored, and as they are hashed, which differ in the names of blank nodes. Canonical
 * labels depend only on the triples with blank nodes; so the hash over these lines and the others equals that of `canonicalise`
 * over the whole graph.
 */
async function nameBlankNodes(quads: readonly Quad[], genid: string, work: number | undefined) {
  if (quads.length === 0) return { stored: [], hashed: [] }
  const labels = await canonicalLabels(quads, { work })
  const labelled = <T extends Term>(term: T) =>
    isBlank(term) ? blankNode(labels.get(term.value) ?? '') : term
  const renamed = quads.map(({ subject, predicate, object }) =>
    quad(labelled(subject), predicate, labelled(object)),
  )
  return { stored: skolemise(quads, { genid, labels }).map(toLine), hashed: renamed.map(toLine) }
}
