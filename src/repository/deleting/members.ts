/**
 * Members of catalogues for deletion and restore: datasets, and resources of declared types. Each has a graph, a link in its
 * catalogue and, if it is no dataset, facts in the system graph.
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
import type { DeletedContent, Tombstone } from './tombstones.ts'

/** Dataset or resource of a declared type, with the facts that its removal and restore need. */
export type Member = {
  readonly kind: 'dataset' | 'resource'
  /** Id of the platform; of a resource of a declared type `{type}/{id}`, as in its tombstone. */
  readonly id: string
  /** Id of its catalogue, `''` without one. */
  readonly catalogue: string
  /** Original id of a dataset; absent for a resource, and when direct writers have removed the record. */
  readonly originalId?: string
  /** Hash of the sent content of a resource of a declared type. */
  readonly hash?: string
}

/** Resource of a declared type, from its facts in the system graph. */
export type ResourceFacts = Member & { readonly kind: 'resource'; readonly hash: string }

type KindAndId = Pick<Tombstone, 'kind' | 'id'>

/** IRI of a resource, which is the name of its graph. */
export function resourceIri(names: Names, { kind, id }: KindAndId): string {
  if (kind !== 'resource') return names[kind](id)
  const [type = '', localId = ''] = id.split('/')
  return names.resource(type, localId)
}

/** Keys of the locks of members; a dataset without record has none. */
export const memberLocks = (
  names: Names,
  members: readonly (KindAndId & Partial<Member>)[],
): string[] =>
  members.flatMap((member) => {
    if (member.kind === 'resource') return [`resource ${resourceIri(names, member)}`]
    return member.originalId === undefined ? [] : [datasetLock(member.originalId)]
  })

/** Link of a catalogue, as a line of its graph. */
const linkLine = (graph: string, property: string, object: string): string =>
  toLine(quad(namedNode(graph), dcat(property), namedNode(object)))

/** Lines by which a catalogue links a dataset and its record. */
export function linkLines(names: Names, { catalogue, id }: Pick<Member, 'catalogue' | 'id'>) {
  const graph = names.catalogue(catalogue)
  return [
    linkLine(graph, 'dataset', names.dataset(id)),
    linkLine(graph, 'record', names.record(id)),
  ]
}

/** Change that adds or removes the links of a catalogue to a member; none without a catalogue. */
export function linkChange(names: Names, member: Member, change: 'add' | 'remove'): GraphChange[] {
  const { kind, id, catalogue } = member
  if (catalogue === '') return []
  const graph = names.catalogue(catalogue)
  const [type = '', localId = ''] = id.split('/')
  const lines =
    kind === 'dataset'
      ? linkLines(names, member)
      : [linkLine(graph, 'record', names.resourceRecord(type, localId))]
  return [{ graph, [change]: lines }]
}

/** Lines of the system graph about a member; none for datasets, whose record has the facts. */
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

/** Line of the system graph with the catalogue of a resource of a declared type. */
export const memberLine = (names: Names, iri: string, catalogue: string): string =>
  factLine(iri, 'catalogue', { iri: names.catalogue(catalogue) })

/** Changes that remove a member, a dataset together with its metrics; without a mark the index is not updated. */
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

/** Changes that restore a member byte for byte. */
export const restorationOf = (
  names: Names,
  member: Member & Pick<DeletedContent, 'content' | 'metrics'>,
  mark: Mark,
): GraphChange[] => [
  { graph: mark.resource, content: member.content, before: '' },
  ...(member.metrics === '' ? [] : [{ graph: names.metrics(member.id), content: member.metrics }]),
  ...linkChange(names, member, 'add'),
  systemChange({ add: [markLine('pending', mark), ...memberFacts(names, member)] }),
]

const factsQuery = loadQuery('resource-facts')
const presentQuery = loadQuery('present-resources')

/** Resources of declared types by IRI, from the system graph; others have no key. */
export async function resourceFacts(
  { store, names }: StoreAndNames,
  iris: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ResourceFacts>> {
  const rows = await store.select(bind(factsQuery, { resource: iris.map(namedNode) }), signal)
  const facts = new Map<string, ResourceFacts>()
  for (const [iri, group] of Map.groupBy(rows, ({ resource }) => resource?.value ?? '')) {
    const value = (name: string) =>
      group.find(({ property }) => property?.value === ctl(name).value)?.['value']?.value
    const [typed, hash] = [names.typedIdOf(iri), value('hash')]
    if (!typed || value('resourceType') === undefined || hash === undefined) continue
    const catalogue = names.idOf('catalogue', value('catalogue') ?? '') ?? ''
    facts.set(iri, { kind: 'resource', id: `${typed.type}/${typed.id}`, catalogue, hash })
  }
  return facts
}

/** Resources that exist in the store, of those given. */
export async function existingOf<T extends KindAndId>(
  context: StoreAndNames,
  resources: readonly T[],
  signal: AbortSignal,
): Promise<ReadonlySet<T>> {
  const iriOf = (resource: T) => resourceIri(context.names, resource)
  const query = (batch: readonly T[]) =>
    bind(presentQuery, { resource: batch.map((resource) => namedNode(iriOf(resource))) })
  const rows = await rowsInBatches(context, query, resources, signal)
  const presentIris = new Set(rows.map(({ resource }) => resource?.value))
  return new Set(resources.filter((resource) => presentIris.has(iriOf(resource))))
}

/** Whether a resource exists in the store. */
export const isPresent = async (
  context: StoreAndNames,
  resource: KindAndId,
  signal: AbortSignal,
): Promise<boolean> => (await existingOf(context, [resource], signal)).size > 0

/** Rejects with `unknown-catalogue` unless the catalogue exists. */
export async function requireCatalogue(
  context: StoreAndNames,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  if (!(await isPresent(context, { kind: 'catalogue', id }, signal))) throw unknownCatalogue(id)
}
