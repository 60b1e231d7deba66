/** Takes resources of declared types away: one that a client names, or all that are in a catalogue. */

import { toLine } from '../../rdf/lines.ts'
import { dcat } from '../../rdf/namespaces.ts'
import type { Names } from '../../rdf/names.ts'
import { namedNode, quad } from '../../rdf/terms.ts'
import type { Change } from '../../store/graph-store.ts'
import { markLine, systemChange, type Mark } from '../../store/marks.ts'
import { bind, loadQuery, paged } from '../../store/queries.ts'
import type { CatalogueDeletion } from '../deleting/deletions.ts'
import type { RemovingDeps } from '../deleting/removing.ts'
import type { Remains } from '../deleting/tombstones.ts'
import { landChanges, landEach } from '../writing/landing.ts'
import { factLines, memberLine, resourceFacts, type ResourceFacts } from './facts.ts'

const membersQuery = loadQuery('resource-members')

/** Resources whose locks are held together. */
const page = 100

/** The lock that all writes to one resource take. */
export const resourceLock = (iri: string): string => `resource ${iri}`

/** The changes that take one resource away. */
function removal(names: Names, facts: ResourceFacts, mark: Mark): Change[] {
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

/** A resource under the id of its tombstone; `undefined` for another IRI. */
export function tombstoneId(names: Names, iri: string): string | undefined {
  const typed = names.typedIdOf(iri)
  return typed && `${typed.type}/${typed.id}`
}

type Doomed = {
  /** IRI → facts. */
  readonly resources: ReadonlyMap<string, ResourceFacts>
  readonly at: Date
  /** The version of the deletion of the whole catalogue, if that is why. */
  readonly deletion?: number
}

/**
 * Each resource is an atomic step of its own, its tombstone durable before it; the caller holds their locks. Answers the
 * marks; throws the first failure when all have been tried.
 */
export async function removeResources(
  deps: RemovingDeps,
  doomed: Doomed,
  signal: AbortSignal,
): Promise<readonly Mark[]> {
  const { names, versions, tombstones } = deps
  const remains = await remainsOf(deps, doomed, signal)
  const groups = [...doomed.resources].map(([iri, facts]) => {
    const mark = { resource: iri, version: versions.next() }
    return { changes: removal(names, facts, mark), marks: [mark] }
  })
  const kept = tombstones.keep(
    remains.filter(({ content }) => content !== ''),
    doomed.at,
  )
  const failures = await landEach(deps, groups)
  const marks = groups.flatMap(({ marks: own }, at) => (failures[at] === undefined ? own : []))
  kept.end(marks.flatMap(({ resource }) => tombstoneId(names, resource) ?? []))
  const failure = failures.find((one) => one !== undefined)
  if (failure !== undefined) throw failure
  return marks
}

async function remainsOf(
  { store, names }: RemovingDeps,
  { resources, deletion }: Doomed,
  signal: AbortSignal,
): Promise<readonly Remains[]> {
  const texts = await store.readAll([...resources.keys()], {}, signal)
  return [...resources].flatMap(([iri, { catalogue = '', hash }]) => {
    const id = tombstoneId(names, iri)
    if (id === undefined) return []
    const content = texts.get(iri) ?? ''
    const what = { kind: 'resource', id, catalogue, originalId: undefined, hash } as const
    return { ...what, content, metrics: '', ...(deletion !== undefined && { deletion }) }
  })
}

/**
 * Removes all that are in a catalogue which is going; `gone` counts them. Throws when the store is away; done again, it goes
 * on.
 */
export async function removeMembers(
  deps: RemovingDeps,
  deletion: CatalogueDeletion,
  gone: (resources: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { store, names } = deps
  const query = bind(membersQuery, { catalogue: namedNode(names.catalogue(deletion.id)) })
  for (;;) {
    signal.throwIfAborted()
    const rows = await store.select(paged(query, { limit: page }), signal)
    const iris = rows.flatMap((row) => row['resource']?.value ?? [])
    if (iris.length === 0) return
    const remove = () => removePage(deps, { deletion, iris }, signal)
    await deps.locks.runAll(iris.map(resourceLock), remove, signal)
    gone(iris.length)
  }
}

async function removePage(
  deps: RemovingDeps,
  { deletion, iris }: { readonly deletion: CatalogueDeletion; readonly iris: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const { id, version, at } = deletion
  const resources = await resourceFacts(deps, iris, signal)
  await removeResources(deps, { resources, at, deletion: version }, signal)
  // What direct writers have left of a resource must not keep the catalogue for ever.
  const rest = iris.filter((iri) => !resources.has(iri))
  if (rest.length === 0) return
  const remove = rest.map((iri) => memberLine(deps.names, iri, id))
  await landChanges(deps, [systemChange({ remove })], [])
}
