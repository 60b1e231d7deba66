/** Metrics of the shape that our own segments give them, as the lines that are stored (W3C DQV). */

import type { BlankNode, Quad, Term } from '@rdfjs/types'
import { bracketed, predicateText, termText } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { computedOn, dqv, prov, rdf } from '../../rdf/namespaces.ts'
import { MeasuredNodes, sortedOnce, type MeasuredNode } from './measured-nodes.ts'
import type { Measured } from './metrics-content.ts'

const type = rdf('type').value
const metadata = dqv('QualityMetadata').value
const has = dqv('hasQualityMetadata').value
const measures = dqv('hasQualityMeasurement').value
const annotates = dqv('hasQualityAnnotation').value

/** What another measuring says anew. */
const fleeting: ReadonlySet<string> = new Set([prov('generatedAtTime').value, dqv('value').value])

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
  /** Predicate → object → both as text. */
  readonly #texts = new Map<string, Map<Term, string>>()
  /** What is said of those that have a name. */
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
    if (subject.termType === 'BlankNode') return this.#ofNode(subject, one)
    if (subject.termType !== 'NamedNode') return false
    if (subject.value === this.#self) {
      return object.termType !== 'BlankNode' && this.#say(this.#measured.iri, one)
    }
    if (!this.#measured.resources.has(subject.value)) return false
    if (predicate.value === has) return object.value === this.#self && this.#say(subject.value, one)
    const isLink = predicate.value === measures || predicate.value === annotates
    if (!isLink || object.termType !== 'BlankNode') return false
    this.#isAny = true
    return this.#nodes.place(object, subject.value, predicateText(predicate.value))
  }

  #ofNode(subject: BlankNode, { predicate, object }: Quad): boolean {
    const node = this.#nodes.of(subject)
    const iri = predicate.value
    if (object.termType === 'BlankNode')
      return iri !== measures && this.#nodes.place(object, node, predicateText(iri))
    if (computedOn.includes(iri) && !this.#measured.resources.has(object.value)) return false
    if (object.value === this.#self) return false
    const said = fleeting.has(iri) ? node.passes : node.stays
    said.push(this.#text(iri, object))
    return true
  }

  #say(subject: string, { predicate, object }: Quad): true {
    const isSelf = object.termType === 'NamedNode' && object.value === this.#self
    const said = isSelf
      ? `${predicateText(predicate.value)} ${bracketed(this.#measured.iri)}`
      : this.#text(predicate.value, object)
    this.#of(subject).push(said)
    return true
  }

  #of(subject: string): string[] {
    let said = this.#named.get(subject)
    if (!said) this.#named.set(subject, (said = []))
    return said
  }

  /** The same few stand in nearly every line. */
  #text(predicate: string, object: Term): string {
    let texts = this.#texts.get(predicate)
    if (!texts) this.#texts.set(predicate, (texts = new Map()))
    let text = texts.get(object)
    if (text === undefined) {
      text = `${predicateText(predicate)} ${termText(object)}`
      texts.set(object, text)
    }
    return text
  }

  lines(genid: string): string | undefined {
    if (!this.#isAny || !this.#nodes.name()) return undefined
    const nodes = [...this.#nodes.all()].sort(byEnd)
    for (const { above, by, end } of nodes) {
      if (typeof above === 'string') this.#of(above).push(`${by} <${genid}${end}`)
    }
    // Sorted by subject and then each by itself is sorted: no subject is the beginning of another one, and those with the
    // same beginning stand together.
    const named = [...this.#named].map(([iri, said]) => [bracketed(iri), said] as const)
    const block = [`<${genid}`, undefined] as const
    const all: string[] = []
    for (const [subject, said] of [...named, block].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (said) write(all, subject, said)
      else writeNodes(all, nodes, genid)
    }
    return all.join('')
  }
}

function writeNodes(all: string[], nodes: readonly MeasuredNode[], genid: string): void {
  for (const { end, stays, passes, below } of nodes) {
    const links = below.map((node) => `${node.by} <${genid}${node.end}`)
    write(all, `<${genid}${end}`, stays.concat(passes, links))
  }
}

/** `-` of a twin comes before what ends a subject, as it does in the lines. */
const byEnd = ({ end: one }: MeasuredNode, { end: other }: MeasuredNode): number =>
  one < other ? -1 : 1

function write(all: string[], subject: string, said: string[]): void {
  for (const one of sortedOnce(said)) all.push(`${subject} ${one} .\n`)
}
