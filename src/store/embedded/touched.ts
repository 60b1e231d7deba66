/** Which graphs a SPARQL Update may touch, read from its syntax tree. */

import { Failure } from '../../errors.ts'
import { isNode, nodes, parseSparql, type Node } from '../protocol/parse-sparql.ts'
import type { Update } from './messages.ts'

type Reading = {
  /** `undefined` = any graph. `''` is the default graph. */
  readonly graphs: ReadonlySet<string> | undefined
  readonly adds: boolean
}

const refuse = (why: string) => new Failure('malformed-query', `The update is refused: ${why}.`)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Name of a graph position: an IRI, the default graph, or `undefined` for a variable or a whole class of graphs. */
function graphName(place: unknown): string | undefined {
  if (!isNode(place)) return ''
  if (place['termType'] === 'NamedNode') return String(place['value'])
  if (place['default'] === true) return ''
  return place['type'] === 'graph' && isNode(place['name']) ? graphName(place['name']) : undefined
}

function places(operation: Node): (string | undefined)[] {
  const blocks = [...listOf(operation['insert']), ...listOf(operation['delete'])]
  if (blocks.length > 0 || operation['updateType'] !== undefined) {
    const whole = graphName(operation['graph'])
    return blocks.map((block) =>
      isNode(block) && block['type'] === 'graph' ? graphName(block['name']) : whole,
    )
  }
  if (operation['type'] === 'load') throw refuse('LOAD is not offered')
  const ends = [operation['graph'], operation['source'], operation['destination']]
  return ends.filter((end) => end !== undefined).map(graphName)
}

function refuseBlankNodes(operation: Node): void {
  for (const node of nodes([operation['insert'], operation['delete']])) {
    if (node['termType'] === 'BlankNode') throw refuse('blank nodes cannot be stored, use IRIs')
  }
  for (const node of nodes(operation)) {
    if (node['type'] === 'service') throw refuse('SERVICE is not offered')
    if (String(node['operator']).toLowerCase() === 'bnode') {
      throw refuse('blank nodes cannot be stored, use IRIs')
    }
  }
}

/** Reads an update; `Failure` malformed-query for bad syntax, LOAD, SERVICE and whatever would store blank nodes. */
export function readUpdate(update: Update): Reading {
  const tree = parseSparql(update.text, update.baseIri)
  if (tree.type !== 'update') throw refuse('it is a query')
  const graphs = new Set<string>()
  let every = false
  let adds = false
  for (const operation of tree.updates) {
    const node: Node = { ...operation }
    refuseBlankNodes(node)
    for (const place of places(node)) {
      if (place === undefined) every = true
      else graphs.add(place)
    }
    const { type } = node
    adds ||=
      listOf(node['insert']).length > 0 || type === 'copy' || type === 'move' || type === 'add'
  }
  return { graphs: every ? undefined : graphs, adds }
}
