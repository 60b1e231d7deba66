/** What the system graph says of resources of declared types: that they are there, what was sent, where they belong. */

import type { Names } from '../../rdf/names.ts'
import { ctl } from '../../rdf/namespaces.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { fact } from '../../store/marks.ts'
import { bind, loadQuery } from '../../store/queries.ts'

const query = loadQuery('resource-facts')

export type ResourceFacts = {
  readonly type: string
  /** Of what was sent. */
  readonly hash: string
  /** Id of its catalogue; absent for what is in none. */
  readonly catalogue?: string
}

/** The facts of each of some resources by its IRI; one that is not there is an absent key. */
export async function resourceFacts(
  { store, names }: { readonly store: GraphStore; readonly names: Names },
  iris: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ResourceFacts>> {
  const rows = await store.select(bind(query, { resource: iris.map(namedNode) }), signal)
  const byResource = Map.groupBy(rows, ({ resource }) => resource?.value ?? '')
  const found = new Map<string, ResourceFacts>()
  for (const [iri, own] of byResource) {
    const value = (name: string) =>
      own.find(({ property }) => property?.value === ctl(name).value)?.['value']?.value
    const [type, hash] = [value('resourceType'), value('hash')]
    if (type === undefined || hash === undefined) continue
    const catalogue = names.idOf('catalogue', value('catalogue') ?? '')
    found.set(iri, { type, hash, ...(catalogue !== undefined && { catalogue }) })
  }
  return found
}

/** The lines of the system graph that say these facts of a resource. */
export const factLines = (
  names: Names,
  iri: string,
  { type, hash, catalogue }: ResourceFacts,
): string[] => [
  fact(iri, 'resourceType', type),
  fact(iri, 'hash', hash),
  ...(catalogue === undefined ? [] : [memberLine(names, iri, catalogue)]),
]

/** The line that says in which catalogue a resource is. */
export const memberLine = (names: Names, iri: string, catalogue: string): string =>
  fact(iri, 'catalogue', { iri: names.catalogue(catalogue) })
