/** Removes all members of a catalogue: its datasets, and its resources of declared types. */

import { namedNode } from '../../rdf/terms.ts'
import { systemChange } from '../../store/marks.ts'
import { bind, loadQuery, paged } from '../../store/queries.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { originalIdsOf } from '../writing/find-datasets.ts'
import { commitChanges } from '../writing/write-batch.ts'
import { memberLine, memberLocks, resourceFacts, type Member } from './members.ts'
import { removeMembers, type Removal } from './removal.ts'

const memberQueries = {
  dataset: loadQuery('linked-datasets'),
  resource: loadQuery('resource-members'),
}

/** Most members that are locked and removed together. */
const batchSize = 100

/** Members of one kind with these IRIs but foreign datasets; takes resources with incomplete facts out of the catalogue. */
async function membersOf(
  context: RepositoryContext,
  { catalogue, kind }: Pick<MemberRemoval, 'catalogue' | 'kind'>,
  iris: readonly string[],
  signal: AbortSignal,
): Promise<readonly Member[]> {
  const { names } = context
  if (kind === 'dataset') {
    const ids = iris.flatMap((iri) => names.idOf('dataset', iri) ?? [])
    const origins = await originalIdsOf(context, ids, signal)
    return ids.map((id) => ({ kind, id, catalogue, originalId: origins.get(id) }))
  }
  const facts = await resourceFacts(context, iris, signal)
  // Incomplete facts of direct writers must not prevent the deletion of the catalogue.
  const irisWithoutFacts = iris.filter((iri) => !facts.has(iri))
  const remove = irisWithoutFacts.map((iri) => memberLine(names, iri, catalogue))
  if (irisWithoutFacts.length > 0)
    await commitChanges(context, { changes: [systemChange({ remove })], marks: [] })
  return [...facts.values()]
}

/** Removal of the members of one kind. */
type MemberRemoval = Removal & {
  readonly catalogue: string
  readonly kind: Member['kind']
  /** Called with the number of removed members. */
  readonly addDone: (members: number) => void
}

/** Removes the members of one kind; returns the first failure of a member, if any. Rejects when the store is unavailable. */
export async function removeAllMembers(
  context: RepositoryContext,
  removal: MemberRemoval,
  signal: AbortSignal,
): Promise<unknown> {
  const { store, names, locks } = context
  const { catalogue, kind } = removal
  const query = bind(memberQueries[kind], { catalogue: namedNode(names.catalogue(catalogue)) })
  // Number of links that remain: to foreign datasets, and to members that could not be removed.
  let remaining = 0
  let failure: unknown
  for (;;) {
    signal.throwIfAborted()
    const page = paged(query, { limit: batchSize, offset: remaining })
    const linkedIris = async () =>
      (await store.select(page, signal)).flatMap((row) => row['resource']?.value ?? [])
    const iris = await linkedIris()
    if (iris.length === 0) return failure
    const members = await membersOf(context, removal, iris, signal)
    // Members are read again under their locks, because a write of one of them may have been in progress: it may be in another
    // catalogue now.
    const remove = async () => {
      const linked = new Set(await linkedIris())
      const stillLinked = iris.filter((iri) => linked.has(iri))
      const present = await membersOf(context, removal, stillLinked, signal)
      const results = await removeMembers(context, present, removal, signal)
      return { results, linkCount: stillLinked.length }
    }
    const { results, linkCount } = await locks.run(memberLocks(names, members), remove, signal)
    const failed = results.flatMap((result) => ('failure' in result ? [result.failure] : []))
    failure ??= failed[0]
    const removed = results.length - failed.length
    remaining += kind === 'dataset' ? linkCount - removed : failed.length
    removal.addDone(removed)
  }
}
