/** One record on its way to DCAT-AP: what is said of the dataset and its parts, and what was mended or left out. */

import type { BlankNode, NamedNode, Quad } from '@rdfjs/types'
import type { Finding } from '../../pipe/message.ts'
import { toLines } from '../../rdf/lines.ts'
import { dcat, dct, rdf } from '../../rdf/namespaces.ts'
import { blankNode, namedNode } from '../../rdf/terms.ts'
import type { FoundRecord } from '../importers/found.ts'
import { isUsableIri } from './addresses.ts'
import type { RecordOptions } from './record-options.ts'
import { type Draft, Subject } from './subject.ts'

/** How the record stands among others: the text and the findings are the draft's own. */
type RecordNames = Pick<FoundRecord, 'sourceId' | 'aliases' | 'hashed' | 'sourceUrl'>

/** More would tell nobody anything. */
const maxFindings = 50
const longestDetail = 300

export class MappedRecord implements Draft {
  readonly dataset: Subject
  readonly options: RecordOptions
  readonly #quads: Quad[] = []
  readonly #findings = new Map<string, Finding>()
  readonly #taken = new Set<string>()
  #labels = 0

  constructor(options: RecordOptions) {
    this.options = options
    const { iri, fallbackIri } = options
    this.dataset = this.subject(dcat('Dataset'), isUsableIri(iri) ? iri : fallbackIri)
  }

  /** A node of its own: with the IRI when that is one and nothing else in the record has it, else a blank node. */
  subject(type: NamedNode | undefined, iri?: unknown): Subject {
    const subject = new Subject(this, this.#nodeFor(iri))
    if (type) subject.add(rdf('type'), type)
    return subject
  }

  #nodeFor(iri: unknown): NamedNode | BlankNode {
    if (!isUsableIri(iri) || this.#taken.has(iri)) return blankNode(`b${(this.#labels += 1)}`)
    this.#taken.add(iri)
    return namedNode(iri)
  }

  write(quad: Quad): void {
    this.#quads.push(quad)
  }

  /** Notes what was mended or left out, once per sentence. */
  note(slug: Finding['slug'], detail: string): void {
    if (this.#findings.size >= maxFindings) return
    const told = detail.toWellFormed().slice(0, longestDetail)
    this.#findings.set(`${slug} ${told}`, { slug, detail: told })
  }

  get findings(): readonly Finding[] {
    return [...this.#findings.values()]
  }

  /** The triples; parts of which nothing but their type is known are left out. */
  quads(): readonly Quad[] {
    let kept: readonly Quad[] = this.#quads
    for (;;) {
      const silent = silentParts(kept)
      if (silent.size === 0) return kept
      kept = kept.filter(
        ({ subject, object }) => !silent.has(subject.value) && !isSilent(silent, object),
      )
    }
  }

  #isTitled(): boolean {
    const [{ term }, title] = [this.dataset, dct('title')]
    return this.#quads.some(
      ({ subject, predicate }) => subject.equals(term) && predicate.equals(title),
    )
  }

  /** The record as N-Triples, sorted: the same text for the same input. */
  found(names: RecordNames): FoundRecord {
    const text = toLines(this.quads())
    const findings = this.#isTitled() ? this.findings : [untitled, ...this.findings]
    return { kind: 'record', mediaType: 'application/n-triples', text, findings, ...names }
  }
}

const untitled: Finding = { slug: 'no-title', detail: 'The record has no title.' }

const isSilent = (silent: ReadonlySet<string>, object: Quad['object']) =>
  object.termType === 'BlankNode' && silent.has(object.value)

function silentParts(quads: readonly Quad[]): ReadonlySet<string> {
  const blank = new Set<string>()
  const speaking = new Set<string>()
  const type = rdf('type')
  for (const { subject, predicate } of quads) {
    if (subject.termType !== 'BlankNode') continue
    blank.add(subject.value)
    if (!predicate.equals(type)) speaking.add(subject.value)
  }
  return blank.difference(speaking)
}
