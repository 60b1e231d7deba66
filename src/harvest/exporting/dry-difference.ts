/** What a record would change about the one that is stored, whatever the nodes of either are called. */

import type { Quad, Term } from '@rdfjs/types'
import type { Difference } from '../../pipe/runs/run.ts'
import { termText } from '../../rdf/lines.ts'
import { dcat, dct, rdf, spdx } from '../../rdf/namespaces.ts'

const most = 50
const longest = 500

/**
 * Statements that go and that come, as `predicate object`, at most fifty of each. Nodes that have statements of their own are
 * not compared by their names, because the repository gives them others; its own record about the dataset is left out.
 */
export function differenceOf(stored: readonly Quad[], sent: readonly Quad[]): Difference {
  const [before, after] = [counted(stored), counted(sent)]
  return { gone: surplus(before, after), come: surplus(after, before) }
}

/**
 * What is stored, without the identifiers that a repository like ours notes of distributions that came without one: their
 * IRI, title or access address in what is sent.
 */
export function withoutNotes(stored: readonly Quad[], sent: readonly Quad[]): readonly Quad[] {
  const distributions = ofType(sent, dcat('Distribution').value)
  const identifier = dct('identifier')
  const [noted, own] = [new Set<string>(distributions), new Set<string>()]
  for (const { subject, predicate, object } of sent) {
    if (!distributions.has(subject.value)) continue
    if (predicate.equals(identifier)) own.add(object.value)
    if (keys.some((key) => predicate.equals(key))) noted.add(object.value)
  }
  const theirs = ofType(stored, dcat('Distribution').value)
  return stored.filter(
    ({ subject, predicate, object }) =>
      !predicate.equals(identifier) ||
      !theirs.has(subject.value) ||
      own.has(object.value) ||
      !noted.has(object.value),
  )
}

const keys = [dct('title'), dcat('accessURL')]

type Counted = ReadonlyMap<string, number>

function counted(quads: readonly Quad[]): Counted {
  const subjects = new Set(quads.map(({ subject }) => subject.value))
  const records = ofType(quads, dcat('CatalogRecord').value)
  const sums = quads.flatMap(({ subject, predicate, object }) =>
    records.has(subject.value) && predicate.equals(spdx('checksum')) ? [object.value] : [],
  )
  const left = new Set([...records, ...sums])
  const counts = new Map<string, number>()
  for (const { subject, predicate, object } of quads) {
    if (left.has(subject.value) || subjects.has(object.value)) continue
    const text = `<${predicate.value}> ${shortened(object)}`
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return counts
}

const ofType = (quads: readonly Quad[], type: string): ReadonlySet<string> =>
  new Set(
    quads.flatMap(({ subject, predicate, object }) =>
      predicate.equals(rdf('type')) && object.value === type ? [subject.value] : [],
    ),
  )

function shortened(object: Term): string {
  if (object.termType === 'BlankNode') return '[]'
  const text = termText(object)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

function surplus(here: Counted, there: Counted): readonly string[] {
  const found: string[] = []
  for (const [text, count] of here) {
    const more = count - (there.get(text) ?? 0)
    for (let n = 0; n < more && found.length < most; n += 1) found.push(text)
  }
  return found.sort()
}
