/** The nodes of metrics of the usual shape: trees of blank nodes below what was measured, named by what stays when it is measured again. */

import { hash } from 'node:crypto'
import type { BlankNode } from '@rdfjs/types'

/** Statements are written as they will be stored: predicate and object, without the end of the line. */
export class MeasuredNode {
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
export class MeasuredNodes {
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
export function sortedOnce(texts: string[]): readonly string[] {
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
