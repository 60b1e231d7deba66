/** The nodes of metrics of the usual shape: trees of blank nodes below what was measured, named by what stays when it is measured again. */

import { hash } from 'node:crypto'
import type { BlankNode } from '@rdfjs/types'
import { dqv, prov } from '../../rdf/namespaces.ts'

/** What another measuring changes: not a part of a node's name, so that the next graph differs in nothing else. */
const fleeting: ReadonlySet<string> = new Set([prov('generatedAtTime').value, dqv('value').value])

/** Predicate and object of a triple; a node below stands for itself. */
type Says = { readonly predicate: string; readonly object: string | MeasuredNode }

export class MeasuredNode {
  /** What points to it, and by which predicate: an IRI or another node. */
  above: string | MeasuredNode | undefined
  by = ''
  readonly stays: Says[] = []
  readonly passes: Says[] = []
  /** Unique in its graph; `''` until it is named. */
  label = ''

  say(predicate: string, object: string | MeasuredNode): void {
    const said = fleeting.has(predicate) ? this.passes : this.stays
    said.push({ predicate, object })
  }
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

  /** Says where a node hangs; `undefined` when it hangs somewhere already. */
  place(term: BlankNode, above: string | MeasuredNode, by: string): MeasuredNode | undefined {
    const node = this.of(term)
    if (node.above !== undefined) return undefined
    node.above = above
    node.by = by
    return node
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
    let named = 0
    for (const node of waiting) {
      named += 1
      const above = typeof node.above === 'string' ? node.above : `_:${node.above?.label}`
      const label = sha(`${above} ${node.by}\n${contentOf(node, sums)}`).slice(0, 16)
      const twins = taken.get(label) ?? []
      taken.set(label, twins)
      if (twins.some((twin) => !isTwin(twin, node))) return false
      twins.push(node)
      node.label = twins.length === 1 ? label : `${label}-${twins.length}`
      for (const { object } of node.stays) if (typeof object !== 'string') waiting.push(object)
      for (const { object } of node.passes) if (typeof object !== 'string') return false
    }
    return named === this.#known.size
  }
}

const sha = (text: string) => hash('sha256', text, 'hex')

/** What stays of a node, those below it by the sum of theirs. */
function contentOf(node: MeasuredNode, sums: Map<MeasuredNode, string>): string {
  const lines = node.stays.map(({ predicate, object }) =>
    typeof object === 'string' ? `${predicate} ${object}` : `${predicate} _:${sumOf(object, sums)}`,
  )
  return [...new Set(lines)].sort().join('\n')
}

function sumOf(node: MeasuredNode, sums: Map<MeasuredNode, string>): string {
  let sum = sums.get(node)
  if (sum === undefined) sums.set(node, (sum = sha(contentOf(node, sums))))
  return sum
}

/** Nodes of one name that may change places: leaves that say the same. */
function isTwin(one: MeasuredNode, other: MeasuredNode): boolean {
  const isLeaf = ({ stays }: MeasuredNode) =>
    stays.every(({ object }) => typeof object === 'string')
  const passing = ({ passes }: MeasuredNode) =>
    passes
      .map(({ predicate, object }) => `${predicate} ${String(object)}`)
      .sort()
      .join('\n')
  return isLeaf(one) && isLeaf(other) && passing(one) === passing(other)
}
