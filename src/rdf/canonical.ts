/** The canonical form of a graph: labels for blank nodes and a hash, whatever order and labels it came with. */
import { hash } from 'node:crypto'
import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import { type Blank, blankNodes } from './canon/blank-nodes.ts'
import { labelTangled } from './canon/tangled.ts'
import { endedLines, fromLines, lineWriter, toLine } from './lines.ts'
import { blankNode, quad } from './terms.ts'

/** `hash`: SHA-256 as hex. `labels`: label in the input → canonical label, 16 hex digits, twins with `-2`, `-3` …. */
export type Canonical = { readonly hash: string; readonly labels: ReadonlyMap<string, string> }

/** What one graph may cost; `work` = steps of the slow path, of which 200,000 take about a second on one core. */
export type CanonicalBounds = {
  readonly work?: number | undefined
  readonly blankNodes?: number | undefined
}

const usualWork = 200_000

/**
 * Labels every blank node and hashes the graph (all graphs merged into one, doubles dropped). Two graphs get the same
 * hash if and only if they are isomorphic, up to collisions of SHA-256.
 *
 * A blank node that exactly one triple points to, and below which this holds too, is named by its path: the label or
 * IRI of its parent, the predicate, and the hash of all it says, nested nodes first. That is a function of the graph
 * alone, so order and labels of the input cannot show in it. Two nodes with the same name have the same parent and
 * equal subtrees: exchanging them changes nothing, hence it does not matter which one becomes `-2`. Nodes without
 * parent count as children of a fixed mark. The others (`canon/tangled.ts`) need real canonicalisation, whose work is
 * bounded. Labels depend on what is above and below a node only, so a change elsewhere leaves them alone.
 *
 * Throws `Failure('too-complex')`.
 */
export async function canonicalise(
  quads: readonly Quad[],
  bounds: CanonicalBounds = {},
): Promise<Canonical> {
  const ground = new Set<string>()
  const tied = new Map<string, Quad>()
  const line = lineWriter()
  for (const one of quads) {
    if (holdsBlank(one)) tied.set(line(one), one)
    else ground.add(line(one))
  }
  return canonicalOf([...ground], tied, bounds)
}

/** The hash alone, of N-Triples in our own spelling without doubles: no terms are made of ground triples. */
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

/** True also for some literals. */
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
  const trees = measureTrees(nodes.values())
  const tangled = [...nodes.values()].filter(({ content }) => content === '')
  if (tangled.length > 0) await labelTangled(tangled, work)
  nameTrees(trees, tangled)
  const lines = [...tied].map(([line, one]) => labelled(line, one, nodes))
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

const hashOf = (lines: string[]) => hash('sha256', endedLines(lines.sort()), 'hex')

/** Content hashes from the leaves up, without recursion; answers the nodes in that order. */
function measureTrees(nodes: Iterable<Blank>): Blank[] {
  const order = [...nodes].filter((node) => node.pending === 0 && node.pointedAt.length <= 1)
  // The list grows while it is walked: a parent joins once all below it is measured.
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

/** Labels from the roots down. */
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

function labelled(line: string, one: Quad, nodes: ReadonlyMap<string, Blank>): string {
  const { subject, predicate, object } = one
  if (!holdsBlank(one)) return line
  const rename = <T extends Term>(term: T) =>
    term.termType === 'BlankNode' ? blankNode(nodes.get(term.value)?.label ?? '') : term
  return toLine(quad(rename(subject), predicate, rename(object)))
}
