/**
 * Canonical form of a graph: labels of blank nodes, and a hash, that do not depend on the order and labels of the input. Writes
 * compare the hash with the stored one, and stores get skolem IRIs with the labels.
 */

import { createHash, hash } from 'node:crypto'
import type { Quad, Quad_Object, Quad_Subject, Term } from '@rdfjs/types'
import { canonize } from 'rdf-canonize'
import { Failure } from '../errors.ts'
import { quoteIri, fromLines, LineSet, lineWriter, termText } from './lines.ts'
import { nextTurn, yielding } from '../workers/event-loop.ts'
import { blankNode, literal, namedNode, quad } from './terms.ts'

/** `hash`: SHA-256 in hex. `labels`: label in the input → canonical label of 16 hex digits; duplicates get `-2`, `-3` …. */
type Canonical = { readonly hash: string; readonly labels: ReadonlyMap<string, string> }

/**
 * Limits for one graph: steps of RDFC-1.0 (default 200,000, about a second on one core), and blank nodes (default: any number).
 */
export type CanonicalBounds = {
  readonly work?: number
  readonly blankNodes?: number
}

const defaultWork = 200_000

/** Statements between two checks whether to yield. A graph with more blank nodes than this also yields between the phases. */
const stepsPerYield = 1000

/**
 * Labels every blank node and hashes the graph (named graphs are merged, duplicates dropped). Two graphs get the same hash if and
 * only if they are isomorphic, up to collisions of SHA-256.
 *
 * A blank node that exactly one triple points to, if the same holds for all nodes below it, is named by its path: the label or
 * IRI of its parent, the predicate, and the hash of its content, nested nodes first. This depends on the graph alone, not on
 * order and labels of the input. Two nodes with the same name have the same parent and equal subtrees, so it does not matter
 * which one becomes `-2`. Nodes without a parent count as children of a fixed root. All other nodes (`labelCyclic`) need real
 * canonicalisation, whose work is bounded. A label of the first kind depends only on what is above and below its node, so changes
 * elsewhere do not affect it; of the others, one with a unique neighbourhood depends on that, tied ones on all of these nodes.
 *
 * Throws `too-complex`.
 */
export async function canonicalise(
  quads: readonly Quad[],
  bounds: CanonicalBounds = {},
): Promise<Canonical> {
  const lines = new LineSet()
  const quadsByLine = await blankQuads(quads, (q) => lines.add(q))
  const nodes = await labelledNodes(quadsByLine, bounds)
  return { hash: hashOf(lines, quadsByLine.values(), nodes), labels: labelsOf(nodes) }
}

/** The labels of `canonicalise`, without the hash, which takes as long. Throws `too-complex`. */
export async function canonicalLabels(
  quads: readonly Quad[],
  bounds: CanonicalBounds = {},
): Promise<Canonical['labels']> {
  return labelsOf(await labelledNodes(await blankQuads(quads), bounds))
}

/** Hash of `canonicalise` for a graph as distinct lines of `toLines`. Lines without blank nodes are not parsed. */
export async function canonicalHash(text: string): Promise<string> {
  const groundLines = new LineSet()
  const blankLines: string[] = []
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at) + 1
    const line = text.slice(at, end)
    if (mayHoldBlank(line)) blankLines.push(line)
    else groundLines.addLine(line)
    at = end
  }
  const quads = fromLines(blankLines.join(''))
  // A line of `toLines` is what its triple is written as.
  const quadsByLine = new Map(quads.map((q, at) => [blankLines[at] ?? '', q]))
  return hashOf(groundLines, quads, await labelledNodes(quadsByLine))
}

const holdsBlank = ({ subject, object }: Quad) =>
  subject.termType === 'BlankNode' || object.termType === 'BlankNode'

/** Whether a line with its end may contain a blank node; also true for some literals. */
const mayHoldBlank = (line: string) =>
  line.startsWith('_:') || line.startsWith('_:', line.lastIndexOf(' ', line.length - 4) + 1)

/** Distinct triples with a blank node, by their lines; the others are passed to `onGround`. */
async function blankQuads(
  quads: readonly Quad[],
  onGround: (quad: Quad) => void = () => undefined,
): Promise<ReadonlyMap<string, Quad>> {
  const quadsByLine = new Map<string, Quad>()
  const line = lineWriter()
  const turn = yielding(() => performance.now())
  for (const [at, q] of quads.entries()) {
    if (holdsBlank(q)) quadsByLine.set(line(q), q)
    else onGround(q)
    if (at % stepsPerYield === stepsPerYield - 1) await turn()
  }
  return quadsByLine
}

type Nodes = ReadonlyMap<string, BlankNodeInfo>

/** Labels the blank nodes of distinct triples. */
async function labelledNodes(
  quadsByLine: ReadonlyMap<string, Quad>,
  { work = defaultWork, blankNodes: maxBlankNodes = Infinity }: CanonicalBounds = {},
): Promise<Nodes> {
  const nodes = blankNodes([...quadsByLine.values()])
  if (nodes.size > maxBlankNodes) throw tooMany(nodes.size, maxBlankNodes)
  const isLarge = nodes.size > stepsPerYield
  if (isLarge) await nextTurn()
  const trees = measureTrees(nodes.values())
  if (isLarge) await nextTurn()
  const cyclicNodes = [...nodes.values()].filter(({ content }) => content === '')
  if (cyclicNodes.length > 0) await labelCyclic(cyclicNodes, work)
  nameTrees(trees, cyclicNodes)
  if (isLarge) await nextTurn()
  return nodes
}

const labelsOf = (nodes: Nodes): Canonical['labels'] =>
  new Map([...nodes].map(([name, node]) => [name, node.label]))

/** SHA-256 of the lines of all triples; those of `quads`, which have blank nodes, with the labels. */
function hashOf(lines: LineSet, quads: Iterable<Quad>, nodes: Nodes): string {
  for (const q of quads) lines.add(labelledQuad(q, nodes))
  return hash('sha256', lines.text(), 'hex')
}

const tooMany = (count: number, max: number) =>
  new Failure(
    'too-complex',
    `${count} blank nodes, at most ${max} are allowed (limit "blankNodes" of PLATFORM_LIMITS)`,
  )

/** Computes content hashes from the leaves up, without recursion; returns the nodes in that order. */
function measureTrees(nodes: Iterable<BlankNodeInfo>): BlankNodeInfo[] {
  const order = [...nodes].filter((node) => node.pendingChildren === 0 && node.incoming.length <= 1)
  // The list grows during iteration: a parent is added after all its children.
  for (const node of order) {
    const lines = node.outgoing.map(({ predicate, object }) => {
      return `${predicate} ${typeof object === 'string' ? object : `_:${object.content}`}`
    })
    node.content = hash('sha256', lines.sort().join('\n'), 'hex')
    const parent = node.incoming[0]?.subject
    if (parent === undefined || typeof parent === 'string') continue
    parent.pendingChildren -= 1
    if (parent.pendingChildren === 0 && parent.incoming.length <= 1) order.push(parent)
  }
  return order
}

/** Assigns labels from the roots down. */
function nameTrees(trees: readonly BlankNodeInfo[], cyclicNodes: readonly BlankNodeInfo[]): void {
  const labelCounts = new Map(cyclicNodes.map(({ label }) => [label, 1]))
  for (let index = trees.length - 1; index >= 0; index -= 1) {
    const node = trees[index]
    if (!node) continue
    const [parent] = node.incoming
    const path = parent ? `${nameOf(parent.subject)} ${parent.predicate}` : 'root'
    const label = hash('sha256', `${path} ${node.content}`, 'hex').slice(0, 16)
    const count = (labelCounts.get(label) ?? 0) + 1
    labelCounts.set(label, count)
    node.label = count === 1 ? label : `${label}-${count}`
  }
}

const nameOf = (subject: BlankNodeInfo | string) =>
  typeof subject === 'string' ? subject : `_:${subject.label}`

function labelledQuad({ subject, predicate, object }: Quad, nodes: Nodes): Quad {
  const rename = <T extends Term>(term: T) =>
    term.termType === 'BlankNode' ? blankNode(nodes.get(term.value)?.label ?? '') : term
  return quad(rename(subject), predicate, rename(object))
}

// Structure of the blank nodes of a graph: their statements and the statements about them.

/** A statement of a blank node. `object` is another blank node, or any other term as N-Triples. */
type OutgoingTriple = { readonly predicate: string; readonly object: BlankNodeInfo | string }
/** A statement whose object is a blank node. `subject` is another blank node, or an IRI as N-Triples. */
type IncomingTriple = { readonly predicate: string; readonly subject: BlankNodeInfo | string }

/** Blank node of a graph, with its statements and what is computed about it. */
class BlankNodeInfo {
  readonly name: string
  readonly outgoing: OutgoingTriple[] = []
  readonly incoming: IncomingTriple[] = []
  /** Number of its statements with a blank object whose content hash is not computed yet. */
  pendingChildren = 0
  /** SHA-256 of its content, including nested nodes; `''` if it or a node below needs canonicalisation. */
  content = ''
  /** Canonical label; `''` until assigned. */
  label = ''
  constructor(name: string) {
    this.name = name
  }
}

/** Blank nodes by their label in the input, from distinct triples. */
function blankNodes(quads: readonly Quad[]): Map<string, BlankNodeInfo> {
  const nodes = new Map<string, BlankNodeInfo>()
  const node = (term: Term): BlankNodeInfo | undefined => {
    if (term.termType !== 'BlankNode') return undefined
    let info = nodes.get(term.value)
    if (!info) nodes.set(term.value, (info = new BlankNodeInfo(term.value)))
    return info
  }
  for (const quad of quads) {
    const subject = node(quad.subject)
    const object = node(quad.object)
    if (!subject && !object) continue
    const predicate = quoteIri(quad.predicate.value)
    subject?.outgoing.push({ predicate, object: object ?? termText(quad.object) })
    object?.incoming.push({ predicate, subject: subject ?? termText(quad.subject) })
    if (subject && object) subject.pendingChildren += 1
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
 * Labels each node: by its neighbourhood if that is unique, otherwise by RDFC-1.0 (W3C RDF Dataset Canonicalization). Below these
 * nodes there are only trees, whose content hashes are known. Throws `too-complex` if more than `work` steps are needed.
 */
async function labelCyclic(nodes: readonly BlankNodeInfo[], work: number): Promise<void> {
  const nodesByHash = new Map<string, BlankNodeInfo[]>()
  for (const node of nodes) {
    const neighbourhood = neighbourhoodHash(node)
    const group = nodesByHash.get(neighbourhood)
    if (group) group.push(node)
    else nodesByHash.set(neighbourhood, [node])
  }
  const ambiguousNodes: BlankNodeInfo[] = []
  for (const [neighbourhood, members] of nodesByHash) {
    const [onlyNode] = members
    if (members.length > 1) ambiguousNodes.push(...members)
    else if (onlyNode) onlyNode.label = sha(`tangled ${neighbourhood}`).slice(0, 16)
  }
  if (ambiguousNodes.length === 0) return
  const ids = await rdfc(nodes, work)
  for (const node of ambiguousNodes) node.label = sha(`tied ${ids.get(node.name)}`).slice(0, 16)
}

/** First-degree hash of RDFC-1.0, 4.6, with nested trees replaced by their content hash. */
function neighbourhoodHash(node: BlankNodeInfo): string {
  const other = (term: BlankNodeInfo) =>
    term.content === '' ? (term === node ? '_:a' : '_:z') : `_:${term.content}`
  const lines = [
    ...node.outgoing.map(({ predicate, object }) => {
      return `> ${predicate} ${typeof object === 'string' ? object : other(object)}`
    }),
    ...node.incoming.map(({ predicate, subject }) => {
      return `< ${typeof subject === 'string' ? subject : other(subject)} ${predicate}`
    }),
  ]
  return sha(lines.sort().join('\n'))
}

/** Number of nodes by which a digest costs one more step, because identifier issuers are copied. */
const nodesPerStep = 64

async function rdfc(
  nodes: readonly BlankNodeInfo[],
  work: number,
): Promise<ReadonlyMap<string, string>> {
  const cost = 1 + nodes.length / nodesPerStep
  if (nodes.length * cost > work) throw tooComplex(work)
  const ids = new Map<string, string>()
  let remainingWork = work
  const createMessageDigest = () => {
    remainingWork -= cost
    if (remainingWork < 0) throw tooComplex(work)
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

/** Triples of the nodes. Trees below them and objects but blank nodes become literals, which is enough to compare them. */
function cyclicQuads(nodes: readonly BlankNodeInfo[]): Quad[] {
  const quads: Quad[] = []
  for (const node of nodes) {
    const subject = blankNode(node.name)
    for (const { predicate, object } of node.outgoing) {
      quads.push(quad(subject, namedNode(predicate), objectOf(object)))
    }
    for (const { predicate, subject: parent } of node.incoming) {
      if (typeof parent !== 'string') continue
      const iri: Quad_Subject = namedNode(parent)
      quads.push(quad(iri, namedNode(predicate), subject))
    }
  }
  return quads
}

function objectOf(object: BlankNodeInfo | string): Quad_Object {
  if (typeof object === 'string') return literal(object)
  return object.content === '' ? blankNode(object.name) : literal(`_:${object.content}`)
}
