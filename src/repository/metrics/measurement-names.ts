/**
 * Names for the blank nodes of metrics: trees below what was measured, each node named by where it is and by what stays when it
 * is measured again. So another measuring changes times and values alone, and costs no canonical form of the whole graph.
 */

import { hash } from 'node:crypto'
import type { Quad } from '@rdfjs/types'
import { predicateText, termText } from '../../rdf/lines.ts'
import { dqv, prov } from '../../rdf/namespaces.ts'

/** What another measuring says anew. It is no part of a name. */
const fleeting: ReadonlySet<string> = new Set([prov('generatedAtTime').value, dqv('value').value])

type MetricsNode = {
  /** What points to it: an IRI or the label of another node. */
  readonly above: string
  readonly isBelowNode: boolean
  /** The predicate that points to it, as text. */
  readonly by: string
  /** Predicates and objects of what another measuring would say again, and of what it would say anew. */
  readonly stays: string[]
  readonly passes: string[]
  readonly below: string[]
}

/**
 * Label in the input → name, unique in the graph and the same for the same graph, whatever its order and labels. `undefined` when
 * the shape does not tell the nodes apart: one has no place, or two, or is in a circle, or two are alike but for what passes.
 */
export function measurementNames(quads: readonly Quad[]): ReadonlyMap<string, string> | undefined {
  const nodes = treesOf(quads)
  if (!nodes) return undefined
  const names = new Map<string, string>()
  const taken = new Map<string, MetricsNode[]>()
  const sums = new Map<string, string>()
  const waiting = [...nodes].filter(([, { isBelowNode }]) => !isBelowNode).map(([label]) => label)
  // The list grows while it is walked: what is below a node is named by it.
  for (const label of waiting) {
    const node = nodes.get(label)
    if (!node) return undefined
    const above = node.isBelowNode ? `_:${names.get(node.above)}` : node.above
    const name = sha(`${above} ${node.by}\n${contentOf(node, nodes, sums)}`).slice(0, 16)
    const twins = taken.get(name) ?? []
    if (twins.some((twin) => !areTwins(twin, node))) return undefined
    names.set(label, twins.length > 0 ? `${name}-${twins.length}` : name)
    taken.set(name, [...twins, node])
    waiting.push(...node.below)
  }
  return names.size === nodes.size ? names : undefined
}

/** The blank nodes with what is said of them; `undefined` when one has no place or two. */
function treesOf(quads: readonly Quad[]): ReadonlyMap<string, MetricsNode> | undefined {
  const nodes = new Map<string, MetricsNode>()
  for (const { subject, predicate, object } of quads) {
    if (object.termType !== 'BlankNode') continue
    if (nodes.has(object.value)) return undefined
    const isBelowNode = subject.termType === 'BlankNode'
    const by = predicateText(predicate.value)
    const place = { above: subject.value, isBelowNode, by }
    nodes.set(object.value, { ...place, stays: [], passes: [], below: [] })
  }
  for (const { subject, predicate, object } of quads) {
    if (subject.termType !== 'BlankNode') continue
    const node = nodes.get(subject.value)
    if (!node) return undefined
    if (object.termType === 'BlankNode') node.below.push(object.value)
    else {
      const said = `${predicateText(predicate.value)} ${termText(object)}`
      if (fleeting.has(predicate.value)) node.passes.push(said)
      else node.stays.push(said)
    }
  }
  return nodes
}

const sha = (text: string) => hash('sha256', text, 'hex')

/** What stays of a node, those below it by the sum of theirs. A circle is never reached from an IRI. */
function contentOf(
  { stays, below }: MetricsNode,
  nodes: ReadonlyMap<string, MetricsNode>,
  sums: Map<string, string>,
): string {
  const lines = below.map((label) => {
    const node = nodes.get(label)
    const sum = sums.get(label) ?? (node ? sha(contentOf(node, nodes, sums)) : '')
    sums.set(label, sum)
    return `${node?.by} _:${sum}`
  })
  return [...stays.sort(), ...lines.sort()].join('\n')
}

/** Nodes of one name that may change places: leaves that say the same. */
const areTwins = (one: MetricsNode, other: MetricsNode): boolean =>
  one.below.length + other.below.length === 0 &&
  one.passes.sort().join('\n') === other.passes.sort().join('\n')
