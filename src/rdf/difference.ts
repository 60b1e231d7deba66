/**
 * Difference of two graphs and the merge of two changes of one graph. Blank nodes are matched by their path and structure, so
 * that graphs whose labels differ can be compared; the work is bounded as that of the canonical form.
 */

import type { NamedNode, Quad, Quad_Subject, Term } from '@rdfjs/types'
import { canonicalLabels, type CanonicalBounds } from './canonical.ts'
import { termText, toLine } from './lines.ts'
import { keyOf } from './read.ts'
import { labelOf } from './skolem.ts'
import { blankNode, quad } from './terms.ts'

/** Statements that lead from one graph to another; blank nodes have the labels of the first, new ones labels of their own. */
export type Difference = { readonly removed: readonly Quad[]; readonly added: readonly Quad[] }

/** Statements by their line. */
type Lines = ReadonlyMap<string, Quad>

/** Statements of a graph by their line; repeated ones once. */
export const linesOf = (quads: Iterable<Quad>): Lines =>
  new Map(Iterator.from(quads).map((q) => [toLine(q), q]))

const without = (lines: Lines, other: Lines): Quad[] =>
  [...lines].flatMap(([line, q]) => (other.has(line) ? [] : [q]))

/** Finds the difference that leads from `base` to `graph`; empty if they are isomorphic. Throws `too-complex`. */
export async function difference(
  base: readonly Quad[],
  graph: readonly Quad[],
  bounds?: CanonicalBounds,
): Promise<Difference> {
  const [from, to] = [linesOf(base), linesOf(await relabelled(base, graph, bounds))]
  return { removed: without(from, to), added: without(to, from) }
}

/**
 * Subject and property (of texts also the language) whose values two changes of a graph set differently; or a node that one of them
 * removed and the other changed, with all that it has: its subject and property are those that lead to it.
 */
type Conflict = {
  readonly subject: Quad_Subject
  readonly predicate: NamedNode
  /** Language tag in lower case; `''` for values without one. */
  readonly language: string
  /** Statements in each graph. */
  readonly base: readonly Quad[]
  readonly current: readonly Quad[]
  readonly mine: readonly Quad[]
}

/** Result of a merge: `graph` has the labels of `base`, and the values of `current` where there are conflicts. */
type Merged = {
  readonly graph: readonly Quad[]
  readonly conflicts: readonly Conflict[]
  /** Change from `base` to `current`. */
  readonly theirs: Difference
  /** Change from `base` to `mine`. */
  readonly own: Difference
}

type MergeOptions = {
  /** Whether a property has one value, of texts one in each language; by default where no graph has more than one. */
  readonly isSingle?: (predicate: string) => boolean | undefined
  readonly bounds?: CanonicalBounds
}

/**
 * Merges the changes from `base` to `current` and from `base` to `mine`, by unit: node and property, of texts also the language.
 * What one side changed is taken; where both changed a property of many values, both additions and both removals are. A single
 * value that both set differently, and a change of a node that the other side removed, are conflicts. Throws `too-complex`.
 */
export async function merge(
  base: readonly Quad[],
  current: readonly Quad[],
  mine: readonly Quad[],
  { isSingle = () => undefined, bounds }: MergeOptions = {},
): Promise<Merged> {
  const [before, now] = [linesOf(base), linesOf(await relabelled(base, current, bounds))]
  const draft = linesOf(await relabelled(base, mine, bounds))
  const theirs = { removed: without(before, now), added: without(now, before) }
  const own = { removed: without(before, draft), added: without(draft, before) }
  const nodes = contestedNodes([before, now, draft], theirs, own)
  const conflicts = nodes.map((node) => nodeConflict(node, [before, now, draft]))
  const apart = linesOf(conflicts.flatMap((one) => [...one.base, ...one.current, ...one.mine]))
  const [from, to, wanted] = [before, now, draft].map((lines) => unitsOf(without(lines, apart)))
  const result = new Map(now)
  for (const key of new Set([...(from?.keys() ?? []), ...(wanted?.keys() ?? [])])) {
    const [b, c, m] = [from, to, wanted].map((units) => units?.get(key) ?? noLines)
    if (!b || !c || !m || isEqual(b, m) || isEqual(c, m)) continue
    const [first] = [...b.values(), ...m.values()]
    const isSingleValue = (predicate: string) =>
      isSingle(predicate) ?? [b, c, m].every(({ size }) => size <= 1)
    if (first && !isEqual(b, c) && isSingleValue(first.predicate.value)) {
      conflicts.push(conflictOf(first, languageOf(first), [b, c, m]))
      continue
    }
    for (const q of without(b, m)) result.delete(toLine(q))
    for (const q of without(m, b)) result.set(toLine(q), q)
  }
  return { graph: [...result.values()], conflicts, theirs, own }
}

const noLines: Lines = new Map()

const isEqual = (one: Lines, other: Lines) =>
  one.size === other.size && one.keys().every((line) => other.has(line))

/** Language of a statement's value in lower case, `''` without one. */
const languageOf = ({ object }: Quad) =>
  object.termType === 'Literal' ? object.language.toLowerCase() : ''

/** Statements of a graph by unit. */
function unitsOf(quads: readonly Quad[]): ReadonlyMap<string, Lines> {
  const unitOf = (q: Quad) => `${termText(q.subject)} ${q.predicate.value} ${languageOf(q)}`
  const units = Map.groupBy(quads, unitOf)
  return new Map([...units].map(([unit, statements]) => [unit, linesOf(statements)]))
}

function conflictOf(first: Quad, language: string, values: readonly Lines[]): Conflict {
  const [base = [], current = [], mine = []] = values.map((lines) => [...lines.values()])
  const { subject, predicate } = first
  if (predicate.termType !== 'NamedNode') throw new Error('a predicate is an IRI')
  return { subject, predicate, language, base, current, mine }
}

// Nodes that one side removed and the other changed.

/** Base, current and own graph. */
type Sides = readonly [base: Lines, current: Lines, mine: Lines]

/** Removed node with those below it that went with it, and a statement that the other side changed. */
type Contested = {
  readonly root: string
  readonly nodes: ReadonlySet<string>
  readonly changed: Quad
}

const subjectsOf = (lines: Lines) =>
  new Set(Iterator.from(lines.values()).map(({ subject }) => keyOf(subject)))

const objectOf = ({ object }: Quad) => (object.termType === 'Literal' ? '' : keyOf(object))

function contestedNodes(
  [base, current, mine]: Sides,
  theirs: Difference,
  own: Difference,
): readonly Contested[] {
  const known = subjectsOf(base)
  const parents = Map.groupBy(base.values(), objectOf)
  const sides = [
    { gone: subjectsOf(current), kept: mine, change: own },
    { gone: subjectsOf(mine), kept: current, change: theirs },
  ]
  const found = new Map<string, Contested>()
  for (const { gone, kept, change } of sides) {
    const left = subjectsOf(kept)
    const changes = Map.groupBy([...change.removed, ...change.added], (q) => keyOf(q.subject))
    for (const [key, [changed]] of changes) {
      if (!changed || !known.has(key) || !left.has(key) || gone.has(key)) continue
      const root = rootOf(key, parents, (node) => known.has(node) && !gone.has(node))
      if (found.has(root)) continue
      const isBelow = (node: string) => !gone.has(node) && (known.has(node) || left.has(node))
      found.set(root, { root, nodes: below(root, [base, kept], isBelow), changed })
    }
  }
  return [...found.values()]
}

/** Topmost node above a node, as far as they meet a condition; `parents` are statements by their objects. */
function rootOf(
  key: string,
  parents: ReadonlyMap<string, readonly Quad[]>,
  isRemoved: (node: string) => boolean,
): string {
  const seen = new Set([key])
  // The set grows while it is iterated: each root is the parent of the one before.
  for (const root of seen) {
    const above = (parents.get(root) ?? []).map(({ subject }) => keyOf(subject))
    const parent = above.find((node) => isRemoved(node) && !seen.has(node))
    if (parent === undefined) return root
    seen.add(parent)
  }
  return key
}

/** A node and all below it that meet a condition. */
function below(root: string, graphs: readonly Lines[], isBelow: (node: string) => boolean) {
  const nodes = new Set([root])
  const statements = graphs.flatMap((lines) => [...lines.values()])
  const bySubject = Map.groupBy(statements, ({ subject }) => keyOf(subject))
  // The set grows while it is iterated.
  for (const node of nodes)
    for (const child of (bySubject.get(node) ?? []).map(objectOf))
      if (child !== '' && isBelow(child)) nodes.add(child)
  return nodes
}

/** Conflict about a node: its statements in each graph, and those that lead to it. */
function nodeConflict({ root, nodes, changed }: Contested, sides: Sides): Conflict {
  const isAbout = (q: Quad) => objectOf(q) === root || nodes.has(keyOf(q.subject))
  const values = sides.map((lines) => linesOf(lines.values().filter(isAbout)))
  const link = sides[0].values().find((q) => objectOf(q) === root && !nodes.has(keyOf(q.subject)))
  return conflictOf(link ?? changed, '', values)
}

// Matching of blank nodes.

/** Blank nodes below a node by predicate; `''` is the parent of nodes that nothing points to. */
type Children = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>

/** Blank nodes of a graph: canonical labels, children and facts (statements without blank nodes) by their labels. */
type Nodes = {
  readonly labels: ReadonlyMap<string, string>
  readonly children: Children
  readonly facts: ReadonlyMap<string, ReadonlySet<string>>
}

async function nodesOf(quads: readonly Quad[], bounds?: CanonicalBounds): Promise<Nodes> {
  const labels = await canonicalLabels(quads, bounds)
  const children = new Map<string, Map<string, Set<string>>>()
  const facts = new Map([...labels.keys()].map((label) => [label, new Set<string>()]))
  const roots = new Set(labels.keys())
  const put = (parent: string, predicate: string, label: string) => {
    const below = children.get(parent) ?? new Map<string, Set<string>>()
    children.set(parent, below)
    below.set(predicate, (below.get(predicate) ?? new Set<string>()).add(label))
  }
  for (const { subject, predicate, object } of quads) {
    if (object.termType === 'BlankNode') {
      put(keyOf(subject), predicate.value, object.value)
      roots.delete(object.value)
    } else if (subject.termType === 'BlankNode')
      facts.get(subject.value)?.add(`${predicate.value} ${termText(object)}`)
  }
  for (const root of roots) put('', '', root)
  return { labels, children, facts }
}

/** Returns `graph` with the labels of `base` for nodes that both have, and labels by path and structure for the others. */
async function relabelled(
  base: readonly Quad[],
  graph: readonly Quad[],
  bounds?: CanonicalBounds,
): Promise<readonly Quad[]> {
  const isBlank = ({ termType }: Term) => termType === 'BlankNode'
  if (!graph.some(({ subject, object }) => isBlank(subject) || isBlank(object))) return graph
  const from = await nodesOf(base, bounds)
  const to = await nodesOf(graph, bounds)
  const names = matchedNodes(from, to)
  for (const [label, canonical] of to.labels) {
    let name = `n${labelOf(canonical)}`
    while (from.labels.has(name)) name += 'x'
    if (!names.has(label)) names.set(label, name)
  }
  const named = <T extends Term>(term: T) =>
    term.termType === 'BlankNode' ? blankNode(names.get(term.value) ?? term.value) : term
  return graph.map((q) => quad(named(q.subject), q.predicate, named(q.object)))
}

/** Label in `to` → label in `from`: nodes of equal path and content first, then from the roots down what resembles most. */
function matchedNodes(from: Nodes, to: Nodes): Map<string, string> {
  const matches = new Map<string, string>()
  const taken = new Set<string>()
  const match = (label: string, name: string) => {
    matches.set(label, name)
    taken.add(name)
  }
  const byCanonical = new Map([...from.labels].map(([label, canonical]) => [canonical, label]))
  for (const [label, canonical] of to.labels) {
    const name = byCanonical.get(canonical)
    if (name !== undefined) match(label, name)
  }
  const parents = [...to.children.keys()].filter((key) => !key.startsWith('_:'))
  const queue = parents.map((key) => ({ key, name: key }))
  for (const [label, name] of matches) queue.push({ key: `_:${label}`, name: `_:${name}` })
  // The list grows while it is iterated: the children of a matched node are compared, too.
  for (const { key, name } of queue)
    for (const [predicate, below] of to.children.get(key) ?? []) {
      const labels = [...below].filter((label) => !matches.has(label))
      const candidates = from.children.get(name)?.get(predicate) ?? []
      const names = [...candidates].filter((candidate) => !taken.has(candidate))
      for (const pair of resembling(labels, names, { from, to })) {
        match(pair.label, pair.name)
        queue.push({ key: `_:${pair.label}`, name: `_:${pair.name}` })
      }
    }
  return matches
}

type Pair = { readonly label: string; readonly name: string }

/** Most comparisons of nodes below one node; of more nodes only those with equal labels are matched. */
const maxComparisons = 10_000

/** Pairs siblings: equal labels first, then by the number of equal facts; two that are alone are a pair in any case. */
function resembling(
  labels: readonly string[],
  names: readonly string[],
  { from, to }: { readonly from: Nodes; readonly to: Nodes },
): Pair[] {
  const pairs = labels
    .filter((label) => names.includes(label))
    .map((label) => ({ label, name: label }))
  const paired = new Set(pairs.map(({ label }) => label))
  const [left, right] = [labels, names].map((all) => all.filter((one) => !paired.has(one)))
  if (!left || !right || left.length * right.length > maxComparisons) return pairs
  const scored = left.flatMap((label) =>
    right.map((name) => ({
      label,
      name,
      score: equalFacts(to.facts.get(label), from.facts.get(name)),
    })),
  )
  const isAlone = scored.length === 1
  const used = new Set<string>()
  for (const { label, name, score } of scored.sort((a, b) => b.score - a.score)) {
    if ((score === 0 && !isAlone) || used.has(`l ${label}`) || used.has(`n ${name}`)) continue
    used.add(`l ${label}`).add(`n ${name}`)
    pairs.push({ label, name })
  }
  return pairs
}

const equalFacts = (one: ReadonlySet<string> = new Set(), other: ReadonlySet<string> = new Set()) =>
  one.intersection(other).size
