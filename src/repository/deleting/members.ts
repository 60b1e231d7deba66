/**
 * What a catalogue may contain, as deletion and restore see it: datasets, and resources of the types that the profile declares.
 * Both are a graph of their own, a link on their catalogue and, the latter, facts in the system graph.
 */

import { toLine } from '../../rdf/lines.ts'
import { ctl, dcat } from '../../rdf/namespaces.ts'
import type { Names } from '../../rdf/names.ts'
import { namedNode, quad } from '../../rdf/terms.ts'
import type { GraphChange } from '../../store/graph-store.ts'
import { factLine, markLine, systemChange, type Mark } from '../../store/marks.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { datasetLock } from '../writing/dataset-ids.ts'
import { rowsInBatches, unknownCatalogue, type StoreAndNames } from '../writing/find-datasets.ts'
import type { Remains, Tombstone } from './tombstones.ts'

/** A dataset or a resource of a declared type, as far as its removal and its return need to know it. */
export type Member = {
  readonly kind: 'dataset' | 'resource'
  /** The platform's id; of a resource of a declared type `{type}/{id}`, as in its tombstone. */
  readonly id: string
  /** Id of its catalogue, `''` for what is in none. */
  readonly catalogue: string
  /** Of a dataset; absent when direct writers have left it without a record. */
  readonly originalId?: string
  /** Of a resource of a declared type: the hash of what was sent. */
  readonly hash?: string
}

/** What the platform keeps about a resource of a declared type. */
export type ResourceFacts = Member & { readonly kind: 'resource'; readonly hash: string }

type KindAndId = Pick<Tombstone, 'kind' | 'id'>

/** The IRI that is the name of the graph of a resource. */
export function resourceIri(names: Names, { kind, id }: KindAndId): string {
  if (kind !== 'resource') return names[kind](id)
  const [type = '', own = ''] = id.split('/')
  return names.resource(type, own)
}

/** The locks of some members; a dataset without record has none. */
export const memberLocks = (
  names: Names,
  members: readonly (KindAndId & Partial<Member>)[],
): string[] =>
  members.flatMap((member) => {
    if (member.kind === 'resource') return [`resource ${resourceIri(names, member)}`]
    return member.originalId === undefined ? [] : [datasetLock(member.originalId)]
  })

/** A line of the catalogue's graph, as stores hold it. */
const linkLine = (graph: string, property: string, object: string): string =>
  toLine(quad(namedNode(graph), dcat(property), namedNode(object)))

/** The lines by which a catalogue links a dataset and its record. */
export function linkLines(names: Names, { catalogue, id }: Pick<Member, 'catalogue' | 'id'>) {
  const graph = names.catalogue(catalogue)
  return [
    linkLine(graph, 'dataset', names.dataset(id)),
    linkLine(graph, 'record', names.record(id)),
  ]
}

/** The change by which a catalogue gains or loses its links to a member; none for what is in no catalogue. */
export function linkChange(names: Names, member: Member, change: 'add' | 'remove'): GraphChange[] {
  const { kind, id, catalogue } = member
  if (catalogue === '') return []
  const graph = names.catalogue(catalogue)
  const [type = '', own = ''] = id.split('/')
  const lines =
    kind === 'dataset'
      ? linkLines(names, member)
      : [linkLine(graph, 'record', names.resourceRecord(type, own))]
  return [{ graph, [change]: lines }]
}

/** The lines of the system graph about a member: none for datasets, whose record says it all. */
export function memberFacts(names: Names, member: Member): string[] {
  const { kind, id, catalogue, hash } = member
  if (kind === 'dataset') return []
  const iri = resourceIri(names, member)
  const [type = ''] = id.split('/')
  return [
    ...(hash === undefined
      ? []
      : [factLine(iri, 'resourceType', type), factLine(iri, 'hash', hash)]),
    ...(catalogue === '' ? [] : [memberLine(names, iri, catalogue)]),
  ]
}

/** The line that says in which catalogue a resource of a declared type is. */
export const memberLine = (names: Names, iri: string, catalogue: string): string =>
  factLine(iri, 'catalogue', { iri: names.catalogue(catalogue) })

/** The atomic group that takes a member away, a dataset together with its metrics; without a mark the index is not told. */
export function removalOf(names: Names, member: Member, mark?: Mark): GraphChange[] {
  const { kind, id } = member
  const add = mark ? [markLine('pending', mark)] : []
  const remove = memberFacts(names, member)
  return [
    { graph: resourceIri(names, member), drop: true },
    ...(kind === 'dataset' ? [{ graph: names.metrics(id), drop: true as const }] : []),
    ...linkChange(names, member, 'remove'),
    ...(add.length + remove.length > 0 ? [systemChange({ add, remove })] : []),
  ]
}

/** The atomic group that brings a member back byte for byte. */
export const restorationOf = (
  names: Names,
  member: Member & Pick<Remains, 'content' | 'metrics'>,
  mark: Mark,
): GraphChange[] => [
  { graph: mark.resource, content: member.content, before: '' },
  ...(member.metrics === '' ? [] : [{ graph: names.metrics(member.id), content: member.metrics }]),
  ...linkChange(names, member, 'add'),
  systemChange({ add: [markLine('pending', mark), ...memberFacts(names, member)] }),
]

const factsQuery = loadQuery('resource-facts')
const presentQuery = loadQuery('present-resources')

/** The resources of declared types among some IRIs, by IRI, as the system graph knows them; what is not there is an absent key. */
export async function resourceFacts(
  { store, names }: StoreAndNames,
  iris: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ResourceFacts>> {
  const rows = await store.select(bind(factsQuery, { resource: iris.map(namedNode) }), signal)
  const found = new Map<string, ResourceFacts>()
  for (const [iri, own] of Map.groupBy(rows, ({ resource }) => resource?.value ?? '')) {
    const value = (name: string) =>
      own.find(({ property }) => property?.value === ctl(name).value)?.['value']?.value
    const [typed, hash] = [names.typedIdOf(iri), value('hash')]
    if (!typed || value('resourceType') === undefined || hash === undefined) continue
    const catalogue = names.idOf('catalogue', value('catalogue') ?? '') ?? ''
    found.set(iri, { kind: 'resource', id: `${typed.type}/${typed.id}`, catalogue, hash })
  }
  return found
}

/** Those of some resources that the store holds. */
export async function present<T extends KindAndId>(
  context: StoreAndNames,
  resources: readonly T[],
  signal: AbortSignal,
): Promise<ReadonlySet<T>> {
  const iriOf = (one: T) => resourceIri(context.names, one)
  const query = (batch: readonly T[]) =>
    bind(presentQuery, { resource: batch.map((one) => namedNode(iriOf(one))) })
  const rows = await rowsInBatches(context, query, resources, signal)
  const found = new Set(rows.map(({ resource }) => resource?.value))
  return new Set(resources.filter((one) => found.has(iriOf(one))))
}

/** Whether the store holds a resource. */
export const isPresent = async (
  context: StoreAndNames,
  name: KindAndId,
  signal: AbortSignal,
): Promise<boolean> => (await present(context, [name], signal)).size > 0

/** Fails with `unknown-catalogue`. */
export async function demandCatalogue(
  context: StoreAndNames,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  if (!(await isPresent(context, { kind: 'catalogue', id }, signal))) throw unknownCatalogue(id)
}
