/** The integrity conditions of SKOS (SKOS Reference, W3C 2009), looked for in the sorted lines of a vocabulary. */

import { Hierarchy } from './hierarchy.ts'
import { factsOf, type SubjectFacts } from './subject-facts.ts'

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
export type Chunks = AsyncIterable<string> | Iterable<string>

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
