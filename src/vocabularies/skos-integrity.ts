/**
 * Checks the integrity conditions of SKOS (SKOS Reference, W3C 2009) on the sorted lines of a vocabulary: one that is being
 * written, for the findings of the write, or a stored one, for the console. Each subject is checked when its lines have been
 * read; only the links between concepts are kept in memory, for S27.
 */

import { rdf, skos } from '../rdf/namespaces.ts'
import { keysOf } from '../text/records.ts'

/** Number of an integrity condition in the SKOS Reference → its rule. */
export const conditions = {
  S9: 'a concept scheme is no concept',
  S13: 'preferred, alternative and hidden labels differ',
  S14: 'one preferred label per language',
  S27: 'what is related is not broader',
  S37: 'a collection is neither concept nor concept scheme',
  S46: 'an exact match is neither broader, narrower nor related match',
} as const

type Condition = keyof typeof conditions

/** Integrity condition that a vocabulary breaks, with the number of faults and the first five: IRI of the subject and fault. */
export type BrokenCondition = {
  readonly condition: Condition
  readonly count: number
  readonly examples: readonly { readonly resource: string; readonly detail: string }[]
}

/** Adds a fault of the current subject. */
type Report = (condition: Condition, detail: string) => void

/**
 * Local name of a SKOS property, or `type` → its values: literals as in N-Triples, IRIs without brackets, local names of classes.
 */
type Facts = ReadonlyMap<string, ReadonlySet<string>>

const maxExamples = 5
const namespace = skos('').value
const type = rdf('type').value
const noValues: ReadonlySet<string> = new Set()

function checkTypes(facts: Facts, report: Report): void {
  const types = facts.get('type') ?? noValues
  if (types.has('ConceptScheme') && types.has('Concept'))
    report('S9', 'it is a concept scheme and a concept')
  if (!types.has('Collection') && !types.has('OrderedCollection')) return
  for (const other of ['Concept', 'ConceptScheme'])
    if (types.has(other)) report('S37', `it is a collection and a ${other}`)
}

const labelPairs = [
  ['prefLabel', 'altLabel'],
  ['prefLabel', 'hiddenLabel'],
  ['altLabel', 'hiddenLabel'],
] as const

function checkLabels(facts: Facts, report: Report): void {
  for (const [labelKind, otherKind] of labelPairs)
    for (const label of facts.get(labelKind) ?? noValues)
      if (facts.get(otherKind)?.has(label))
        report('S13', `${label} is its ${labelKind} and its ${otherKind}`)
  const perLanguage = Map.groupBy(facts.get('prefLabel') ?? noValues, (label) =>
    label.slice(label.lastIndexOf('"') + 1).toLowerCase(),
  )
  for (const [language, { length }] of perLanguage)
    if (length > 1) report('S14', `${length} preferred labels ${language || 'without language'}`)
}

function checkMatches(facts: Facts, report: Report): void {
  // `broadMatch` is the inverse of `narrowMatch`, and `exactMatch` is symmetric (S43, S44).
  for (const other of facts.get('exactMatch') ?? noValues)
    for (const kind of ['broadMatch', 'narrowMatch', 'relatedMatch'])
      if (facts.get(kind)?.has(other)) report('S46', `${other} is exactMatch and ${kind}`)
}

/** Most steps upwards, and most concepts that are visited from one; both also end cycles. */
const [maxSteps, maxConcepts] = [32, 2000]
/** Most links in memory; further links are not checked. */
const maxLinks = 8_000_000

/** Links between concepts: broader and related. */
class Hierarchy {
  readonly related = new Map<string, Set<string>>()
  readonly #broader = new Map<string, Set<string>>()
  #links = 0

  add(resource: string, facts: Facts): void {
    for (const kind of ['broader', 'broaderTransitive'])
      for (const other of facts.get(kind) ?? noValues) this.#link(this.#broader, resource, other)
    for (const kind of ['narrower', 'narrowerTransitive'])
      for (const other of facts.get(kind) ?? noValues) this.#link(this.#broader, other, resource)
    for (const other of facts.get('related') ?? noValues) this.#link(this.related, resource, other)
  }

  #link(links: Map<string, Set<string>>, from: string, to: string): void {
    if (++this.#links > maxLinks) return
    const targets = links.get(from)
    if (targets) targets.add(to)
    else links.set(from, new Set([to]))
  }

  /** Whether `other` is broader than `concept`, over at most 32 steps and 2,000 concepts. */
  isBroader(concept: string, other: string): boolean {
    const visited = new Set<string>()
    let level: ReadonlySet<string> = new Set([concept])
    for (let depth = 0; depth < maxSteps && level.size > 0; depth += 1) {
      const broaderConcepts = new Set(
        [...level].flatMap((concept) => [...(this.#broader.get(concept) ?? [])]),
      )
      if (broaderConcepts.has(other)) return true
      level = broaderConcepts.difference(visited)
      for (const concept of level) if (visited.size < maxConcepts) visited.add(concept)
      if (visited.size >= maxConcepts) return false
    }
    return false
  }
}

function checkRelated(hierarchy: Hierarchy, reporterOf: (resource: string) => Report): void {
  for (const [resource, related] of hierarchy.related)
    for (const other of related) {
      // A symmetric statement is one fault.
      if (other < resource && hierarchy.related.get(other)?.has(resource)) continue
      const report = reporterOf(resource)
      if (hierarchy.isBroader(resource, other)) report('S27', `${other} is related and broader`)
      else if (hierarchy.isBroader(other, resource))
        report('S27', `${other} is related and narrower`)
    }
}

/** Chunks of whole N-Triples lines as `toLine` writes them, those of one subject together. */
type Chunks = AsyncIterable<string> | Iterable<string>

/**
 * Returns the integrity conditions that a vocabulary breaks, in the order of `conditions`; none of them makes it invalid. Uses
 * explicit statements and their inverses in SKOS, but no other entailments.
 */
export async function checkIntegrity(lines: () => Chunks): Promise<readonly BrokenCondition[]> {
  const findings = new Map<
    Condition,
    { count: number; examples: BrokenCondition['examples'][number][] }
  >()
  const reporterOf =
    (resource: string): Report =>
    (condition, detail) => {
      const finding = findings.get(condition) ?? { count: 0, examples: [] }
      finding.count += 1
      if (finding.examples.length < maxExamples) finding.examples.push({ resource, detail })
      findings.set(condition, finding)
    }
  const hierarchy = new Hierarchy()
  for await (const { resource, facts } of subjectsIn(lines())) {
    const report = reporterOf(resource)
    checkTypes(facts, report)
    checkLabels(facts, report)
    checkMatches(facts, report)
    hierarchy.add(resource, facts)
  }
  checkRelated(hierarchy, reporterOf)
  return keysOf(conditions).flatMap((condition) => {
    const finding = findings.get(condition)
    return finding ? [{ condition, ...finding }] : []
  })
}

/** Summary such as `S13 2, S14 1`; empty without broken conditions. */
export const summaryOf = (findings: readonly BrokenCondition[]): string =>
  findings.map(({ condition, count }) => `${condition} ${count}`).join(', ')

/** Yields the SKOS statements of every subject that has some. */
async function* subjectsIn(chunks: Chunks) {
  let current = ''
  let facts = new Map<string, Set<string>>()
  for await (const chunk of chunks)
    for (const line of chunk.split('\n')) {
      const [subject = '', predicate = ''] = line.split(' ', 2)
      if (predicate === '') continue
      if (subject !== current) {
        if (facts.size > 0) yield { resource: withoutBrackets(current), facts }
        current = subject
        facts = new Map()
      }
      addFact(facts, predicate.slice(1, -1), line.slice(subject.length + predicate.length + 2, -2))
    }
  if (facts.size > 0) yield { resource: withoutBrackets(current), facts }
}

/** Adds a statement of SKOS; `object` is an N-Triples term. Ignores labels that are no literals, and links to literals. */
function addFact(facts: Map<string, Set<string>>, predicate: string, object: string): void {
  const value = withoutBrackets(object)
  const isType = predicate === type && value.startsWith(namespace)
  if (!isType && !predicate.startsWith(namespace)) return
  const name = isType ? 'type' : predicate.slice(namespace.length)
  if (name.endsWith('Label') !== value.startsWith('"')) return
  const values = facts.get(name) ?? new Set()
  facts.set(name, values.add(isType ? value.slice(namespace.length) : value))
}

const withoutBrackets = (term: string) => (term.startsWith('<') ? term.slice(1, -1) : term)
