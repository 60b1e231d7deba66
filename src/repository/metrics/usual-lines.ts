/** Metrics of the shape that our own segments give them, as the lines that are stored (W3C DQV). */

import { hash } from 'node:crypto'
import type { BlankNode, Quad, Term } from '@rdfjs/types'
import { bracketed, predicateText, termText } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { computedOn, dqv, prov, rdf } from '../../rdf/namespaces.ts'

// The nodes of metrics of the usual shape: trees of blank nodes below what was measured, named by what stays when it
// is measured again.

/** Statements are written as they will be stored: predicate and object, without the end of the line. */
class MeasuredNode {
  /** What points to it, and by which predicate: an IRI or another node. */
  above: string | MeasuredNode | undefined
  by = ''
  /** What another measuring would say again. */
  readonly stays: string[] = []
  /** What it would say anew: times and values. They are not a part of the name, so that nothing else differs then. */
  readonly passes: string[] = []
  readonly below: MeasuredNode[] = []
  /** Unique in its graph; `''` until it is named. */
  label = ''
  /** What its IRI ends in, the bracket behind it included. */
  end = ''
}

/** The nodes of a graph by their label in the input. */
class MeasuredNodes {
  readonly #known = new Map<string, MeasuredNode>()
  #latest: { readonly term: BlankNode; readonly node: MeasuredNode } | undefined

  /** Triples about one node mostly stand together, with one term for it. */
  of(term: BlankNode): MeasuredNode {
    if (this.#latest?.term === term) return this.#latest.node
    let node = this.#known.get(term.value)
    if (!node) this.#known.set(term.value, (node = new MeasuredNode()))
    this.#latest = { term, node }
    return node
  }

  /** Says where a node hangs; false when it hangs somewhere already. */
  place(term: BlankNode, above: string | MeasuredNode, by: string): boolean {
    const node = this.of(term)
    if (node.above !== undefined || node === above) return false
    node.above = above
    node.by = by
    if (typeof above !== 'string') above.below.push(node)
    return true
  }

  all(): Iterable<MeasuredNode> {
    return this.#known.values()
  }

  /**
   * Names every node; false when the shape does not tell them apart: one has no place, or a circle, or two are alike but for
   * what passes.
   */
  name(): boolean {
    const taken = new Map<string, MeasuredNode[]>()
    const sums = new Map<MeasuredNode, string>()
    const waiting = [...this.#known.values()].filter(({ above }) => typeof above === 'string')
    // The list grows while it is walked: what hangs below a node is named by it.
    for (const node of waiting) {
      const above = typeof node.above === 'string' ? node.above : `_:${node.above?.label}`
      const label = sha(`${above} ${node.by}\n${contentOf(node, sums)}`).slice(0, 16)
      const twins = taken.get(label)
      if (twins?.some((twin) => !areTwins(twin, node))) return false
      if (twins) twins.push(node)
      else taken.set(label, [node])
      node.label = twins ? `${label}-${twins.length}` : label
      node.end = `${node.label}>`
      waiting.push(...node.below)
    }
    return waiting.length === this.#known.size
  }
}

const sha = (text: string) => hash('sha256', text, 'hex')

/** What stays of a node, those below it by the sum of theirs. Sorts what it says. */
function contentOf({ stays, below }: MeasuredNode, sums: Map<MeasuredNode, string>): string {
  sortedOnce(stays)
  if (below.length === 0) return stays.join('\n')
  const lines = below.map((node) => `${node.by} _:${sumOf(node, sums)}`)
  return `${stays.join('\n')}\n${lines.sort().join('\n')}`
}

function sumOf(node: MeasuredNode, sums: Map<MeasuredNode, string>): string {
  let sum = sums.get(node)
  if (sum === undefined) sums.set(node, (sum = sha(contentOf(node, sums))))
  return sum
}

/** Nodes of one name that may change places: leaves that say the same. */
const areTwins = (one: MeasuredNode, other: MeasuredNode): boolean =>
  one.below.length + other.below.length === 0 &&
  sortedOnce(one.passes).join('\n') === sortedOnce(other.passes).join('\n')

/** Sorts texts where they are and takes doubles out; most are in order when they come, and looking is cheaper than sorting. */
function sortedOnce(texts: string[]): readonly string[] {
  if (isAscending(texts)) return texts
  texts.sort()
  if (!isAscending(texts)) {
    const once = [...new Set(texts)]
    texts.length = 0
    for (const text of once) texts.push(text)
  }
  return texts
}

function isAscending(texts: readonly string[]): boolean {
  let last: string | undefined
  for (const text of texts) {
    if (last !== undefined && text <= last) return false
    last = text
  }
  return true
}

const type = rdf('type').value
const metadata = dqv('QualityMetadata').value
const has = dqv('hasQualityMetadata').value
const measures = dqv('hasQualityMeasurement').value
const annotates = dqv('hasQualityAnnotation').value

/** What another measuring says anew. */
const fleeting: ReadonlySet<string> = new Set([prov('generatedAtTime').value, dqv('value').value])

/** What the metrics graph is named, and what may be measured in it: the dataset and its distributions. */
export type MeasurableResources = { readonly iri: string; readonly resources: ReadonlySet<string> }

/**
 * Sorted lines, skolemised, of a graph that is nothing but metadata about what may be measured; `undefined` for every other
 * one, also for what is not allowed: the longer way tells why. The same for the same graph, whatever its order and labels.
 */
export function usualLines(
  quads: readonly Quad[],
  measured: MeasurableResources,
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
  readonly #measured: MeasurableResources
  readonly #nodes = new MeasuredNodes()
  /** Predicate → object → both as text. */
  readonly #texts = new Map<string, Map<Term, string>>()
  /** What is said of those that have a name. */
  readonly #named = new Map<string, string[]>()
  #isAny = false

  constructor(self: string, measured: MeasurableResources) {
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
