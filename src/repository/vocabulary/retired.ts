/** The concepts that a new state of a vocabulary no longer has: records that use them must be found once more. */

import { rdf, skos } from '../../rdf/namespaces.ts'
import { fact } from '../../store/marks.ts'
import { linesFrom } from '../../store/line-spool.ts'

/** More are not listed; then every record that uses any concept counts. */
const mostRetired = 10_000

const type = `<${rdf('type').value}> <${skos('Concept').value}> .`
const memberships = [skos('inScheme').value, skos('topConceptOf').value].map((iri) => `<${iri}> <`)

/** The concept that a line tells to be one. */
function conceptOf(line: string): string | undefined {
  const at = line.indexOf(' ')
  const rest = line.slice(at + 1, at + 100)
  const tells = rest.startsWith(type) || memberships.some((start) => rest.startsWith(start))
  return tells && line.startsWith('<') ? line.slice(1, at - 1) : undefined
}

/** Concepts in the order of sorted lines, each once. */
async function* conceptsIn(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let last: string | undefined
  for await (const lines of linesFrom(chunks)) {
    for (const line of lines) {
      const concept = conceptOf(line)
      if (concept !== undefined && concept !== last) yield (last = concept)
    }
  }
}

// Sorted as the subjects of lines are: with what ends them.
const isBefore = (one: string, other: string) => `${one}>` < `${other}>`

/** Concepts of the old lines that the new ones have not; `all` when they are too many. Both are sorted. */
export async function retiredConcepts(
  before: AsyncIterable<string>,
  after: AsyncIterable<string>,
): Promise<readonly string[] | 'all'> {
  const retired: string[] = []
  const fresh = conceptsIn(after)
  let next = await fresh.next()
  for await (const concept of conceptsIn(before)) {
    while (next.done !== true && isBefore(next.value, concept)) next = await fresh.next()
    if (next.done !== true && next.value === concept) continue
    if (retired.push(concept) > mostRetired) return 'all'
  }
  return retired
}

/** Lines of the system graph that tell whoever projects records of them. */
export const retiredLines = (handle: string, retired: readonly string[] | 'all'): string[] =>
  retired === 'all'
    ? [fact(handle, 'retired', 'all')]
    : retired.map((concept) => fact(handle, 'retired', { iri: concept }))
