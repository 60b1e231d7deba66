/** Canonical form of a graph: blank node labels and a hash that do not depend on the order and labels of the input. */

import { createHash, hash } from 'node:crypto'
import type { Quad, Quad_Object, Quad_Subject, Term } from '@rdfjs/types'
import { canonize } from 'rdf-canonize'
import { Failure } from '../errors.ts'
import { quoteIri, joinLines, fromLines, lineWriter, termText, toLine } from './lines.ts'
import { nextTurn, yielding } from '../workers/event-loop.ts'
import { blankNode, literal, namedNode, quad } from './terms.ts'

/** `hash`: SHA-256 in hex. `labels`: label in the input → canonical label of 16 hex digits; duplicates get `-2`, `-3` …. */
type Canonical = { readonly hash: string; readonly labels: ReadonlyMap<string, string> }

/** Limits for one graph. `work` counts steps of the slow algorithm; 200,000 take about a second on one core. */
export type CanonicalBounds = {
  readonly work?: number
  readonly blankNodes?: number
}

const usualWork = 200_000

/** Number of statements or blank nodes between two checks whether to yield to the event loop. */
const stepsPerYield = 1000

/**
 * Labels every blank node and hashes the graph (named graphs are merged, duplicates dropped). Two graphs get the same hash if
 * and only if they are isomorphic, up to collisions of SHA-256.
 *
 * A blank node that exactly one triple points to, if the same holds for all nodes below it, is named by its path: the label
 * or IRI of its parent, the predicate, and the hash of its content, nested nodes first. This depends on the graph alone, not
 * on order and labels of the input. Two nodes with the same name have the same parent and equal subtrees, so it does not
 * matter which one becomes `-2`. Nodes without a parent count as children of a fixed root. All other nodes (`labelCyclic`)
 * need real canonicalisation, whose work is bounded. A label depends only on what is above and below its node, so changes
 * elsewhere do not affect it.
 *
 * Throws `too-complex`.
 */
export async function canonicalise(
  quads: readonly Quad[],
  bounds: CanonicalBounds = {},
): Promise<Canonical> {
  const ground = new Set<string>()
  const ambiguous = new Map<string, Quad>()
  const line = lineWriter()
  const turn = yielding(() => performance.now())
  for (const [at, one] of quads.entries()) {
    if (holdsBlank(one)) ambiguous.set(line(one), one)
    else ground.add(line(one))
    if (at % stepsPerYield === stepsPerYield - 1) await turn()
  }
  return canonicalOf([...ground], ambiguous, bounds)
}

/** Hash of sorted N-Triples without duplicates, as written by `toLines`. Lines without blank nodes are not parsed. */
export async function canonicalHash(text: string): Promise<string> {
  const ground: string[] = []
  const blank: string[] = []
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end)
    ;(mayHoldBlank(line) ? blank : ground).push(line)
    at = end + 1
  }
  const quads = blank.length === 0 ? [] : fromLines(`${blank.join('\n')}\n`)
  return (await canonicalOf(ground, new Map(quads.map((one) => [toLine(one), one])))).hash
}

const holdsBlank = ({ subject, object }: Quad) =>
  subject.termType === 'BlankNode' || object.termType === 'BlankNode'

/** Whether a line may contain a blank node; also true for some literals. */
const mayHoldBlank = (line: string) =>
  line.startsWith('_:') || line.startsWith('_:', line.lastIndexOf(' ', line.length - 3) + 1)

async function canonicalOf(
  ground: string[],
  tied: ReadonlyMap<string, Quad>,
  { work = usualWork, blankNodes: most = Infinity }: CanonicalBounds = {},
): Promise<Canonical> {
  const nodes = blankNodes([...tied.values()])
  if (nodes.size > most) throw tooMany(nodes.size, most)
  if (nodes.size === 0) return { hash: hashOf([...ground, ...tied.keys()]), labels: new Map() }
  const isLarge = nodes.size > stepsPerYield
  if (isLarge) await nextTurn()
  const trees = measureTrees(nodes.values())
  if (isLarge) await nextTurn()
  const cyclicNodes = [...nodes.values()].filter(({ content }) => content === '')
  if (cyclicNodes.length > 0) await labelCyclic(cyclicNodes, work)
  nameTrees(trees, cyclicNodes)
  if (isLarge) await nextTurn()
  const lines = [...tied].map(([line, one]) => labelMap(line, one, nodes))
  return {
    hash: hashOf([...ground, ...lines]),
    labels: new Map([...nodes].map(([name, node]) => [name, node.label])),
  }
}

const tooMany = (given: number, most: number) =>
  new Failure(
    'too-complex',
    `${given} blank nodes, at most ${most} are allowed (limit "blankNodes" of PLATFORM_LIMITS)`,
  )

const hashOf = (lines: string[]) => hash('sha256', joinLines(lines.sort()), 'hex')

/** Computes content hashes from the leaves up, without recursion; returns the nodes in that order. */
function measureTrees(nodes: Iterable<Blank>): Blank[] {
  const order = [...nodes].filter((node) => node.pending === 0 && node.pointedAt.length <= 1)
  // The list grows during iteration: a parent is added after all its children.
  for (const node of order) {
    const lines = node.says.map(({ predicate, object }) => {
      return `${predicate} ${typeof object === 'string' ? object : `_:${object.content}`}`
    })
    node.content = hash('sha256', lines.sort().join('\n'), 'hex')
    const parent = node.pointedAt[0]?.subject
    if (parent === undefined || typeof parent === 'string') continue
    parent.pending -= 1
    if (parent.pending === 0 && parent.pointedAt.length <= 1) order.push(parent)
  }
  return order
}

/** Assigns labels from the roots down. */
function nameTrees(trees: readonly Blank[], tangled: readonly Blank[]): void {
  const taken = new Map(tangled.map(({ label }) => [label, 1]))
  for (let index = trees.length - 1; index >= 0; index -= 1) {
    const node = trees[index]
    if (!node) continue
    const [parent] = node.pointedAt
    const path = parent ? `${nameOf(parent.subject)} ${parent.predicate}` : 'root'
    const label = hash('sha256', `${path} ${node.content}`, 'hex').slice(0, 16)
    const twins = (taken.get(label) ?? 0) + 1
    taken.set(label, twins)
    node.label = twins === 1 ? label : `${label}-${twins}`
  }
}

const nameOf = (subject: Blank | string) =>
  typeof subject === 'string' ? subject : `_:${subject.label}`

function labelMap(line: string, one: Quad, nodes: ReadonlyMap<string, Blank>): string {
  const { subject, predicate, object } = one
  if (!holdsBlank(one)) return line
  const rename = <T extends Term>(term: T) =>
    term.termType === 'BlankNode' ? blankNode(nodes.get(term.value)?.label ?? '') : term
  return toLine(quad(rename(subject), predicate, rename(object)))
}

// Structure of the blank nodes of a graph: their statements and the statements about them.

/** A statement of a blank node. `object` is another blank node, or any other term as N-Triples. */
type OutgoingTriple = { readonly predicate: string; readonly object: Blank | string }
/** A statement whose object is a blank node. `subject` is another blank node, or an IRI as N-Triples. */
type IncomingTriple = { readonly predicate: string; readonly subject: Blank | string }

class Blank {
  readonly name: string
  readonly says: OutgoingTriple[] = []
  readonly pointedAt: IncomingTriple[] = []
  /** Number of statements with blank nodes whose content hash is not computed yet. */
  pending = 0
  /** SHA-256 of its content, including nested nodes; `''` if it is no root of a tree. */
  content = ''
  /** Canonical label; `''` until assigned. */
  label = ''
  constructor(name: string) {
    this.name = name
  }
}

/** Blank nodes by their label in the input, from distinct triples. */
function blankNodes(quads: readonly Quad[]): Map<string, Blank> {
  const nodes = new Map<string, Blank>()
  const node = (term: Term): Blank | undefined => {
    if (term.termType !== 'BlankNode') return undefined
    let found = nodes.get(term.value)
    if (!found) nodes.set(term.value, (found = new Blank(term.value)))
    return found
  }
  for (const quad of quads) {
    const subject = node(quad.subject)
    const object = node(quad.object)
    if (!subject && !object) continue
    const predicate = quoteIri(quad.predicate.value)
    subject?.says.push({ predicate, object: object ?? termText(quad.object) })
    object?.pointedAt.push({ predicate, subject: subject ?? termText(quad.subject) })
    if (subject && object) subject.pending += 1
  }
  return nodes
}

// Labels for blank nodes that no path identifies: shared nodes, cycles, and nodes that lead to them.

const sha = (text: string) => hash('sha256', text, 'hex')

const tooComplex = (work: number) =>
  new Failure(
    'too-complex',
    `the blank nodes of this graph are tied too closely to be told apart in ${work} steps ` +
      '(limit "canonicalWork" of PLATFORM_LIMITS)',
  )

/**
 * Labels each node: by its neighbourhood if that is unique, otherwise by RDFC-1.0 (W3C RDF Dataset Canonicalization). Below
 * these nodes there are only trees, whose content hashes are known. Throws `too-complex` if more than `work` steps are
 * needed.
 */
async function labelCyclic(nodes: readonly Blank[], work: number): Promise<void> {
  const alike = new Map<string, Blank[]>()
  for (const node of nodes) {
    const around = neighbourhoodHash(node)
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

/** First-degree hash of RDFC-1.0, 4.6, with nested trees replaced by their content hash. */
function neighbourhoodHash(node: Blank): string {
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

/** Number of nodes by which a digest costs one more step, because identifier issuers are copied. */
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
  await canonize(cyclicQuads(nodes), {
    algorithm: 'RDFC-1.0',
    canonicalIdMap: ids,
    createMessageDigest,
    maxDeepIterations: work,
  })
  return ids
}

/** Triples of the nodes. Terms other than blank nodes are replaced by literals of their text, which is enough to compare them. */
function cyclicQuads(nodes: readonly Blank[]): Quad[] {
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
