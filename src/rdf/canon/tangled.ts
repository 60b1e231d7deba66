/** Labels for the blank nodes that no path names: shared ones, those in circles, and what leads to them. */
import { createHash, hash } from 'node:crypto'
import type { Quad, Quad_Object, Quad_Subject } from '@rdfjs/types'
import { canonize } from 'rdf-canonize'
import { Failure } from '../../errors.ts'
import { blankNode, literal, namedNode, quad } from '../terms.ts'
import type { Blank } from './blank-nodes.ts'

const sha = (text: string) => hash('sha256', text, 'hex')

const tooComplex = (work: number) =>
  new Failure(
    'too-complex',
    `the blank nodes of this graph are tied too closely to be told apart in ${work} steps ` +
      '(limit "canonicalWork" of PLATFORM_LIMITS)',
  )

/**
 * Labels each node: by what stands around it where that is unlike every other node, otherwise by RDFC-1.0 (W3C RDF
 * Dataset Canonicalization). Below them hang only trees, whose content hashes are known. Throws `too-complex` when
 * more than `work` steps would be needed.
 */
export async function labelTangled(nodes: readonly Blank[], work: number): Promise<void> {
  const alike = new Map<string, Blank[]>()
  for (const node of nodes) {
    const around = surroundings(node)
    const known = alike.get(around)
    if (known) known.push(node)
    else alike.set(around, [node])
  }
  const ties: Blank[] = []
  for (const [around, members] of alike) {
    const [only] = members
    if (members.length > 1) ties.push(...members)
    else if (only) only.label = sha(`tangled ${around}`).slice(0, 16)
  }
  if (ties.length === 0) return
  const ids = await rdfc(nodes, work)
  for (const node of ties) node.label = sha(`tied ${ids.get(node.name)}`).slice(0, 16)
}

/** The first-degree hash of RDFC-1.0, 4.6, with trees below replaced by their content. */
function surroundings(node: Blank): string {
  const other = (term: Blank) =>
    term.content === '' ? (term === node ? '_:a' : '_:z') : `_:${term.content}`
  const lines = [
    ...node.says.map(({ predicate, object }) => {
      return `> ${predicate} ${typeof object === 'string' ? object : other(object)}`
    }),
    ...node.pointedAt.map(({ predicate, subject }) => {
      return `< ${typeof subject === 'string' ? subject : other(subject)} ${predicate}`
    }),
  ]
  return sha(lines.sort().join('\n'))
}

/** What one digest costs grows with the number of nodes, because identifier issuers are copied. */
const nodesPerStep = 64

async function rdfc(nodes: readonly Blank[], work: number): Promise<ReadonlyMap<string, string>> {
  const cost = 1 + nodes.length / nodesPerStep
  if (nodes.length * cost > work) throw tooComplex(work)
  const ids = new Map<string, string>()
  let left = work
  const createMessageDigest = () => {
    left -= cost
    if (left < 0) throw tooComplex(work)
    const digest = createHash('sha256')
    return {
      update: (text: string) => void digest.update(text),
      digest: () => digest.digest('hex'),
    }
  }
  await canonize(tangledQuads(nodes), {
    algorithm: 'RDFC-1.0',
    canonicalIdMap: ids,
    createMessageDigest,
    maxDeepIterations: work,
  })
  return ids
}

/** The triples around the nodes. Ground terms only need to be equal when they were, so their text stands for them. */
function tangledQuads(nodes: readonly Blank[]): Quad[] {
  const found: Quad[] = []
  for (const node of nodes) {
    const subject = blankNode(node.name)
    for (const { predicate, object } of node.says) {
      found.push(quad(subject, namedNode(predicate), objectOf(object)))
    }
    for (const { predicate, subject: parent } of node.pointedAt) {
      if (typeof parent !== 'string') continue
      const iri: Quad_Subject = namedNode(parent)
      found.push(quad(iri, namedNode(predicate), subject))
    }
  }
  return found
}

function objectOf(object: Blank | string): Quad_Object {
  if (typeof object === 'string') return literal(object)
  return object.content === '' ? blankNode(object.name) : literal(`_:${object.content}`)
}
