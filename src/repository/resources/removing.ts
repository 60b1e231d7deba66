/** Takes resources of declared types away: one that a client names, or all that are in a catalogue. */

import { toLine } from '../../rdf/lines.ts'
import { dcat } from '../../rdf/namespaces.ts'
import type { Names } from '../../rdf/names.ts'
import { namedNode, quad } from '../../rdf/terms.ts'
import type { Change } from '../../store/change.ts'
import { markLine, systemChange, type Mark } from '../../store/marks.ts'
import { paged } from '../../store/protocol/paged.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { RepositoryDeps } from '../deps.ts'
import { landEach } from '../writing/landing.ts'
import { factLines, memberLine, resourceFacts, type ResourceFacts } from './facts.ts'

const membersQuery = loadQuery('resource-members')

/** Resources whose locks are held together. */
const page = 100

/** The lock that all writes to one resource take. */
export const resourceLock = (iri: string): string => `resource ${iri}`

/** The changes that take one resource away. */
export function resourceRemoval(names: Names, facts: ResourceFacts, mark: Mark): Change[] {
  const { resource } = mark
  return [
    { graph: resource, drop: true },
    ...recordLink(names, { iri: resource, catalogue: facts.catalogue }, 'remove'),
    systemChange({ add: [markLine('pending', mark)], remove: factLines(names, resource, facts) }),
  ]
}

/** The change by which a catalogue gains or loses the link to the record of a resource; none without a catalogue. */
export function recordLink(
  names: Names,
  { iri, catalogue }: { readonly iri: string; readonly catalogue: string | undefined },
  change: 'add' | 'remove',
): Change[] {
  const typed = names.typedIdOf(iri)
  if (catalogue === undefined || !typed) return []
  const graph = names.catalogue(catalogue)
  const record = names.resourceRecord(typed.type, typed.id)
  return [{ graph, [change]: [toLine(quad(namedNode(graph), dcat('record'), namedNode(record)))] }]
}

/**
 * Removes all that are in a catalogue which is going; `gone` counts them. Throws when the store is away; done again, it goes
 * on.
 */
export async function removeMembers(
  deps: RepositoryDeps,
  catalogue: string,
  gone: (resources: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { store, names } = deps
  const query = bind(membersQuery, { catalogue: namedNode(names.catalogue(catalogue)) })
  for (;;) {
    signal.throwIfAborted()
    const rows = await store.select(paged(query, { limit: page }), signal)
    const iris = rows.flatMap((row) => row['resource']?.value ?? [])
    if (iris.length === 0) return
    const remove = () => removeAll(deps, { catalogue, iris }, signal)
    await deps.locks.runAll(iris.map(resourceLock), remove, signal)
    gone(iris.length)
  }
}

async function removeAll(
  deps: RepositoryDeps,
  { catalogue, iris }: { readonly catalogue: string; readonly iris: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const { names, versions } = deps
  const known = await resourceFacts(deps, iris, signal)
  const groups = iris.map((iri) => {
    const mark = { resource: iri, version: versions.next() }
    const facts = known.get(iri)
    // What direct writers have left of a resource must not keep the catalogue for ever.
    const rest = systemChange({ remove: [memberLine(names, iri, catalogue)] })
    return { changes: facts ? resourceRemoval(names, facts, mark) : [rest], marks: [mark] }
  })
  const failures = await landEach(deps, groups)
  const failure = failures.find((one) => one !== undefined)
  if (failure !== undefined) throw failure
}
