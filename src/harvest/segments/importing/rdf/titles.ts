/** The title of a record, and what stands in for one that is missing. */
import type { Literal } from '@rdfjs/types'
import { endedLines, fromLines, termText } from '../../../../rdf/lines.ts'
import { dct, rdfs } from '../../../../rdf/namespaces.ts'
import type { Finding } from '../../../../pipe/message.ts'

/** Titles of a node (N-Triples text) in N-Triples lines that say something. */
export const titlesIn = (lines: string, term: string): readonly Literal[] =>
  spoken(lines, `${term} ${termText(dct('title'))} `)

/**
 * Sorted N-Triples about a dataset: `rdfs:label` is its title where it has none. Finding `no-title` says which of both
 * it was.
 */
export function titled(
  { body }: { readonly body: string },
  term: string,
): { readonly text: string; readonly findings: readonly Finding[] } {
  if (titlesIn(body, term).length > 0) return { text: body, findings: [] }
  const [first, ...others] = spoken(body, `${term} ${termText(rdfs('label'))} `)
  if (!first) return { text: body, findings: [finding('The record has no title.')] }
  const titles = [first, ...others].map(
    (label) => `${term} ${termText(dct('title'))} ${termText(label)} .`,
  )
  const all = new Set([...body.split('\n').filter((line) => line !== ''), ...titles])
  const detail = `rdfs:label stands in for the title: ${first.value}`
  return { text: endedLines([...all].sort()), findings: [finding(detail)] }
}

const finding = (detail: string): Finding => ({ slug: 'no-title', detail })

/** Literals behind a subject and a predicate that are not blank. */
function spoken(lines: string, start: string): readonly Literal[] {
  if (!lines.includes(start)) return []
  const wanted = lines.split('\n').filter((line) => line.startsWith(start))
  return fromLines(`${wanted.join('\n')}\n`).flatMap(({ object }) =>
    object.termType === 'Literal' && object.value.trim() !== '' ? [object] : [],
  )
}
