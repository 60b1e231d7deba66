/** What the lines of one subject say that the integrity conditions of SKOS are about. */

import { rdf, skos } from '../rdf/namespaces.ts'

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

export type SubjectFacts = {
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
export async function* factsOf(
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
