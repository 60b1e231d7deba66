/** The integrity conditions of SKOS (SKOS Reference, W3C 2009), looked for in the sorted lines of a vocabulary. */

import { hash } from 'node:crypto'
import { rdf, skos } from '../rdf/namespaces.ts'

/** S9, S13, S14, S27, S37 and S46 of the SKOS Reference. */
export const conditions = {
  S9: 'a concept scheme is no concept',
  S13: 'preferred, alternative and hidden labels differ',
  S14: 'one preferred label per language',
  S27: 'what is related is not broader',
  S37: 'a collection is neither concept nor concept scheme',
  S46: 'an exact match is neither broader, narrower nor related match',
} as const

type Condition = keyof typeof conditions

/** How often a condition is broken, and by what: the first few, each with the subject's IRI and what is wrong. */
export type Finding = {
  readonly condition: Condition
  readonly count: number
  readonly examples: readonly { readonly resource: string; readonly detail: string }[]
}

const mostExamples = 5

class Findings {
  readonly #found = new Map<Condition, { count: number; examples: Finding['examples'][number][] }>()

  tell(condition: Condition, resource: string, detail: string): void {
    const known = this.#found.get(condition) ?? { count: 0, examples: [] }
    known.count += 1
    if (known.examples.length < mostExamples) known.examples.push({ resource, detail })
    this.#found.set(condition, known)
  }

  get all(): Finding[] {
    return Object.keys(conditions).flatMap((name) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the record's type
      const condition = name as Condition
      const found = this.#found.get(condition)
      return found ? [{ condition, ...found }] : []
    })
  }
}

function checkTypes({ resource, types }: SubjectFacts, findings: Findings): void {
  if (types.has('ConceptScheme') && types.has('Concept')) {
    findings.tell('S9', resource, 'it is a concept scheme and a concept')
  }
  if (!types.has('Collection') && !types.has('OrderedCollection')) return
  for (const other of ['Concept', 'ConceptScheme']) {
    if (types.has(other)) findings.tell('S37', resource, `it is a collection and a ${other}`)
  }
}

const kinds = [
  ['prefLabel', 'altLabel'],
  ['prefLabel', 'hiddenLabel'],
  ['altLabel', 'hiddenLabel'],
] as const

function checkLabels({ resource, labels }: SubjectFacts, findings: Findings): void {
  for (const [one, other] of kinds) {
    for (const label of labels[one]) {
      if (labels[other].has(label)) {
        findings.tell('S13', resource, `${label} is its ${one} and its ${other}`)
      }
    }
  }
  const perLanguage = Map.groupBy(labels.prefLabel, (label) =>
    label.slice(label.lastIndexOf('"') + 1).toLowerCase(),
  )
  for (const [language, some] of perLanguage) {
    if (some.length > 1) {
      findings.tell(
        'S14',
        resource,
        `${some.length} preferred labels ${language || 'without language'}`,
      )
    }
  }
}

function checkMatches({ resource, links }: SubjectFacts, findings: Findings): void {
  for (const other of links.exactMatch) {
    // Narrower is broader from the other side, and exact is exact from both (S43, S44).
    for (const kind of ['broadMatch', 'narrowMatch', 'relatedMatch'] as const) {
      if (links[kind].has(other))
        findings.tell('S46', resource, `${other} is exactMatch and ${kind}`)
    }
  }
}

function checkRelated({ resource, links }: SubjectFacts, hierarchy: Hierarchy, findings: Findings) {
  for (const other of links.related) {
    // Said from both sides it is one fault.
    if (other < resource && hierarchy.isRelated(other, resource)) continue
    if (hierarchy.isBroader(resource, other)) {
      findings.tell('S27', resource, `${other} is related and broader`)
    } else if (hierarchy.isBroader(other, resource)) {
      findings.tell('S27', resource, `${other} is related and narrower`)
    }
  }
}

/** Chunks of whole N-Triples lines in our own spelling, those of one subject together. */
type Chunks = AsyncIterable<string> | Iterable<string>

/**
 * What is broken, in the order of `conditions`; nothing is a reason to refuse. Reads the lines once, and a second time when
 * there is something related and something broader. Memory: numbers for each broader and related link, and one subject.
 * Explicit statements and the inverses of SKOS are regarded, not other entailments.
 */
export async function integrity(lines: () => Chunks): Promise<readonly Finding[]> {
  const findings = new Findings()
  const hierarchy = new Hierarchy()
  for await (const facts of factsOf(lines())) {
    checkTypes(facts, findings)
    checkLabels(facts, findings)
    checkMatches(facts, findings)
    hierarchy.take(facts)
  }
  if (!hierarchy.close()) return findings.all
  for await (const facts of factsOf(lines())) checkRelated(facts, hierarchy, findings)
  return findings.all
}

/** `S13 2, S14 1`; empty when nothing is broken. */
export const summaryOf = (findings: readonly Finding[]): string =>
  findings.map(({ condition, count }) => `${condition} ${count}`).join(', ')

// Which concept is broader than which, over any number of steps: as numbers, because a vocabulary may be large.

/** The first 52 bits of SHA-256: a number that JavaScript holds exactly. Of a million IRIs two are alike once in 10,000 times. */
const iriNumber = (iri: string): number =>
  Number.parseInt(hash('sha256', iri, 'hex').slice(0, 13), 16)

/** Links that are kept, 16 bytes each; of what is beyond nothing is known. */
const most = 8_000_000

/** Pairs of numbers, found by the first once they are sorted. */
class Pairs {
  #values = new Float64Array(1024)
  #sorted: Float64Array | undefined
  #order: Uint32Array = new Uint32Array()
  length = 0

  add(from: number, to: number): void {
    if (this.length >= most) return
    if (2 * this.length === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[2 * this.length] = from
    this.#values[2 * this.length + 1] = to
    this.length += 1
  }

  close(): void {
    const values = this.#values
    this.#order = new Uint32Array(this.length).map((_, at) => at)
    this.#order.sort((one, other) => (values[2 * one] ?? 0) - (values[2 * other] ?? 0))
    this.#sorted = Float64Array.from(this.#order, (at) => values[2 * at] ?? 0)
  }

  *of(from: number): Generator<number> {
    const sorted = this.#sorted ?? new Float64Array()
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sorted[middle] ?? 0) < from) low = middle + 1
      else high = middle
    }
    for (let at = low; sorted[at] === from; at += 1) {
      yield this.#values[2 * (this.#order[at] ?? 0) + 1] ?? 0
    }
  }
}

/** Steps upwards, and concepts that are looked at above one: cycles end there too. */
const [deepest, widest] = [32, 2000]

class Hierarchy {
  readonly #broader = new Pairs()
  readonly #related = new Pairs()

  take({ resource, links }: SubjectFacts): void {
    const { broader, broaderTransitive, narrower, narrowerTransitive, related } = links
    const size = broader.size + broaderTransitive.size + narrower.size + narrowerTransitive.size
    if (size + related.size === 0) return
    const own = iriNumber(resource)
    for (const some of [broader, broaderTransitive]) {
      for (const other of some) this.#broader.add(own, iriNumber(other))
    }
    for (const some of [narrower, narrowerTransitive]) {
      for (const other of some) this.#broader.add(iriNumber(other), own)
    }
    for (const other of related) this.#related.add(own, iriNumber(other))
  }

  /** To be called when all is taken; false when nothing can be broader and related at the same time. */
  close(): boolean {
    if (this.#broader.length === 0 || this.#related.length === 0) return false
    this.#broader.close()
    this.#related.close()
    return true
  }

  isRelated(one: string, other: string): boolean {
    const wanted = iriNumber(other)
    for (const found of this.#related.of(iriNumber(one))) if (found === wanted) return true
    return false
  }

  /** Whether `other` is broader than `one`, over at most 32 steps. */
  isBroader(one: string, other: string): boolean {
    const wanted = iriNumber(other)
    const seen = new Set<number>()
    let level = [iriNumber(one)]
    for (let depth = 0; depth < deepest && level.length > 0; depth += 1) {
      const above: number[] = []
      for (const concept of level) {
        for (const broader of this.#broader.of(concept)) {
          if (broader === wanted) return true
          if (seen.has(broader) || seen.size >= widest) continue
          seen.add(broader)
          above.push(broader)
        }
      }
      level = above
    }
    return false
  }
}

// What the lines of one subject say that the integrity conditions of SKOS are about.

const labelKinds = ['prefLabel', 'altLabel', 'hiddenLabel'] as const
const linkKinds = [
  'broader',
  'broaderTransitive',
  'narrower',
  'narrowerTransitive',
  'related',
  'exactMatch',
  'broadMatch',
  'narrowMatch',
  'relatedMatch',
] as const

type LabelKind = (typeof labelKinds)[number]
type LinkKind = (typeof linkKinds)[number]

type SubjectFacts = {
  /** IRI, or the label of a blank node with its `_:`. */
  readonly resource: string
  /** Local names of its classes in SKOS. */
  readonly types: ReadonlySet<string>
  /** Literals as they are written: `"a"@en`. */
  readonly labels: Readonly<Record<LabelKind, ReadonlySet<string>>>
  /** IRIs. */
  readonly links: Readonly<Record<LinkKind, ReadonlySet<string>>>
}

const namespace = skos('').value
const type = rdf('type').value

const isLabel = (name: string): name is LabelKind => labelKinds.some((kind) => kind === name)
const isLink = (name: string): name is LinkKind => linkKinds.some((kind) => kind === name)

class Facts implements SubjectFacts {
  readonly resource: string
  readonly types = new Set<string>()
  readonly labels = {
    prefLabel: new Set<string>(),
    altLabel: new Set<string>(),
    hiddenLabel: new Set<string>(),
  }
  readonly links: Readonly<Record<LinkKind, Set<string>>> = {
    broader: new Set(),
    broaderTransitive: new Set(),
    narrower: new Set(),
    narrowerTransitive: new Set(),
    related: new Set(),
    exactMatch: new Set(),
    broadMatch: new Set(),
    narrowMatch: new Set(),
    relatedMatch: new Set(),
  }

  constructor(subject: string) {
    this.resource = named(subject)
  }

  take(predicate: string, object: string): void {
    if (predicate === type) {
      const name = named(object)
      if (name.startsWith(namespace)) this.types.add(name.slice(namespace.length))
      return
    }
    if (!predicate.startsWith(namespace)) return
    const name = predicate.slice(namespace.length)
    if (isLabel(name) && object.startsWith('"')) this.labels[name].add(object)
    else if (isLink(name) && !object.startsWith('"')) this.links[name].add(named(object))
  }
}

/** A node without its brackets. */
const named = (term: string) => (term.startsWith('<') ? term.slice(1, -1) : term)

/** The facts of every subject that is in SKOS at all; lines of one subject stand together. */
async function* factsOf(
  chunks: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<SubjectFacts> {
  let subject = ''
  let facts: Facts | undefined
  for await (const chunk of chunks) {
    for (const line of chunk.split('\n')) {
      const end = line.indexOf(' ')
      if (end < 0) continue
      const about = line.slice(0, end)
      if (about !== subject) {
        if (facts) yield facts
        facts = undefined
        subject = about
      }
      const next = line.indexOf(' ', end + 1)
      const predicate = line.slice(end + 2, next - 1)
      if (predicate !== type && !predicate.startsWith(namespace)) continue
      facts ??= new Facts(subject)
      facts.take(predicate, line.slice(next + 1, -2))
    }
  }
  if (facts) yield facts
}
