/** Removes members of catalogues: their tombstones are durable first, then the store loses them, then the tombstones count. */

import type { Mark } from '../../store/marks.ts'
import type { WriteContext } from '../context.ts'
import { landBatch, type WriteResult } from '../writing/write-batch.ts'
import { memberIri, removalOf, type Member } from './members.ts'
import type { MemberRemains } from './tombstones.ts'

export type Removal = {
  readonly at: Date
  /** The version of the deletion of the whole catalogue, if that is why. */
  readonly deletion?: number | undefined
  /** Searches go on finding what is gone. */
  readonly keepIndex?: boolean | undefined
}

/** Members that are read at once, and characters of contents that are kept in memory before they are removed. */
const slice = 10
const mostCharacters = 8 * 2 ** 20

/**
 * Each member is an atomic step of its own; the caller holds their locks. A failure means that nobody knows: the member may be
 * gone, and then `resolveDoubts` settles its tombstone.
 */
export async function removeMembers(
  deps: WriteContext,
  members: readonly Member[],
  removal: Removal,
  signal: AbortSignal,
): Promise<readonly WriteResult<Mark>[]> {
  const results: WriteResult<Mark>[] = []
  let waiting: MemberRemains[] = []
  for (let start = 0; start < members.length; start += slice) {
    const part = members.slice(start, start + slice)
    waiting.push(...(await remainsOf(deps, part, removal, signal)))
    const size = waiting.reduce((sum, { content }) => sum + content.length, 0)
    if (size < mostCharacters && start + slice < members.length) continue
    results.push(...(await removeAll(deps, waiting, removal)))
    waiting = []
  }
  return results
}

/** The members as they are stored; one that is linked and not there has an empty content. */
async function remainsOf(
  { store, names }: WriteContext,
  members: readonly Member[],
  { deletion }: Removal,
  signal: AbortSignal,
): Promise<readonly MemberRemains[]> {
  const metricsOf = ({ kind, id }: Member) => (kind === 'dataset' ? [names.metrics(id)] : [])
  const graphs = members.flatMap((member) => [memberIri(names, member), ...metricsOf(member)])
  const texts = await store.readAll(graphs, {}, signal)
  return members.map((member) => ({
    ...member,
    originalId: member.originalId,
    content: texts.get(memberIri(names, member)) ?? '',
    metrics: metricsOf(member).map((graph) => texts.get(graph) ?? '')[0] ?? '',
    ...(deletion !== undefined && { deletion }),
  }))
}

async function removeAll(
  deps: WriteContext,
  remains: readonly MemberRemains[],
  { at, keepIndex = false }: Removal,
): Promise<readonly WriteResult<Mark>[]> {
  const { names, versions, tombstones } = deps
  const planned = remains.map((one) => {
    const mark = { resource: memberIri(names, one), version: versions.next() }
    const changes = removalOf(names, one, keepIndex ? undefined : mark)
    return { result: mark, group: { changes, marks: keepIndex ? [] : [mark] } }
  })
  const kept = tombstones.keep(
    remains.filter(({ content }) => content !== ''),
    at,
  )
  const results = await landBatch(deps, planned)
  const isGone = (_: MemberRemains, place: number) => 'result' in (results[place] ?? {})
  kept.end(remains.filter(isGone).map(({ id }) => id))
  return results
}
