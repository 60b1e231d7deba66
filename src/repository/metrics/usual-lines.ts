/** Metrics of the shape that our own segments give them, as the lines that are stored (W3C DQV). */

import type { Quad, Term } from '@rdfjs/types'
import { bracketed, termText } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { dqv, rdf } from '../../rdf/namespaces.ts'
import { MeasuredNodes, type MeasuredNode } from './measured-nodes.ts'
import type { Measured } from './metrics-content.ts'

const type = rdf('type').value
const metadata = dqv('QualityMetadata').value
const has = dqv('hasQualityMetadata').value
const measures = dqv('hasQualityMeasurement').value
const annotates = dqv('hasQualityAnnotation').value
/** The misspelling occurs in the wild. */
const targets: ReadonlySet<string> = new Set([dqv('computedOn').value, dqv('computeOn').value])

/**
 * Sorted lines, skolemised, of a graph that is nothing but metadata about what may be measured; `undefined` for every other
 * one, also for what is not allowed: the longer way tells why. The same for the same graph, whatever its order and labels.
 */
export function usualLines(
  quads: readonly Quad[],
  measured: Measured,
  names: Names,
): string | undefined {
  const self = metadataOf(quads)
  if (self === undefined || measured.resources.has(self)) return undefined
  const reading = new Reading(self, measured)
  if (!quads.every((one) => reading.take(one))) return undefined
  return reading.lines(names.genid(measured.iri))
}

/** The IRI of the only metadata node. */
function metadataOf(quads: readonly Quad[]): string | undefined {
  let found: string | undefined
  for (const { subject, predicate, object } of quads) {
    if (predicate.value !== type || object.value !== metadata) continue
    if (subject.termType !== 'NamedNode' || found !== undefined) return undefined
    found = subject.value
  }
  return found
}

class Reading {
  readonly #self: string
  readonly #measured: Measured
  readonly #nodes = new MeasuredNodes()
  readonly #texts = new Map<Term, string>()
  /** Subjects with a name, as they are written, and what they say of what has one. */
  readonly #named = new Map<string, string[]>()
  #isAny = false

  constructor(self: string, measured: Measured) {
    this.#self = self
    this.#measured = measured
  }

  /** False for what is not of the shape. */
  take(one: Quad): boolean {
    const { subject, predicate, object, graph } = one
    if (graph.termType !== 'DefaultGraph') return false
    if (subject.termType === 'BlankNode') return this.#ofNode(one)
    if (subject.termType !== 'NamedNode') return false
    if (subject.value === this.#self) {
      return object.termType !== 'BlankNode' && this.#say(this.#measured.iri, one)
    }
    if (!this.#measured.resources.has(subject.value)) return false
    if (predicate.value === has) return object.value === this.#self && this.#say(subject.value, one)
    const isLink = predicate.value === measures || predicate.value === annotates
    if (!isLink || object.termType !== 'BlankNode') return false
    this.#isAny = true
    return this.#nodes.place(object, subject.value, predicate.value) !== undefined
  }

  #ofNode({ subject, predicate, object }: Quad): boolean {
    if (subject.termType !== 'BlankNode') return false
    const node = this.#nodes.of(subject)
    if (object.termType === 'BlankNode') {
      const below = this.#nodes.place(object, node, predicate.value)
      if (below && below !== node) node.say(predicate.value, below)
      return below !== undefined && below !== node && predicate.value !== measures
    }
    if (targets.has(predicate.value) && !this.#measured.resources.has(object.value)) return false
    if (object.value === this.#self) return false
    node.say(predicate.value, this.#text(object))
    return true
  }

  #say(subject: string, { predicate, object }: Quad): true {
    const said = this.#named.get(subject) ?? []
    this.#named.set(subject, said)
    const isSelf = object.termType === 'NamedNode' && object.value === this.#self
    const text = isSelf ? bracketed(this.#measured.iri) : this.#text(object)
    said.push(`${bracketed(predicate.value)} ${text} .`)
    return true
  }

  /** The same few terms stand in nearly every line. */
  #text(term: Term): string {
    let text = this.#texts.get(term)
    if (text === undefined) this.#texts.set(term, (text = termText(term)))
    return text
  }

  lines(genid: string): string | undefined {
    if (!this.#isAny || !this.#nodes.name()) return undefined
    const subjects = new Map([...this.#named].map(([iri, said]) => [`${bracketed(iri)} `, said]))
    for (const node of this.#nodes.all()) {
      subjects.set(`<${genid}${node.label}> `, saidBy(node, genid))
      if (typeof node.above !== 'string') continue
      const above = `${bracketed(node.above)} `
      const said = subjects.get(above) ?? []
      subjects.set(above, said)
      said.push(`${bracketed(node.by)} <${genid}${node.label}> .`)
    }
    // Sorted by subject and then each by itself is sorted: no subject is the beginning of another one.
    let text = ''
    for (const subject of [...subjects.keys()].sort()) {
      for (const said of new Set(subjects.get(subject)?.sort())) text += `${subject}${said}\n`
    }
    return text
  }
}

const saidBy = ({ stays, passes }: MeasuredNode, genid: string): string[] =>
  [...stays, ...passes].map(
    ({ predicate, object }) =>
      `${bracketed(predicate)} ${typeof object === 'string' ? object : `<${genid}${object.label}>`} .`,
  )
