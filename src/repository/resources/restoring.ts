/** Brings deleted resources of declared types back, byte for byte: one that a client names, or those of a catalogue. */

import { Failure } from '../../errors.ts'
import type { Change } from '../../store/graph-store.ts'
import { markLine, systemChange, type Mark } from '../../store/marks.ts'
import type { Deletions } from '../deleting/deletions.ts'
import { present } from '../deleting/keeping/doubts.ts'
import type { RemovingDeps } from '../deleting/removing.ts'
import type { Doubt, Remains } from '../deleting/tombstones.ts'
import type { Outcome, RepositoryDeps } from '../deps.ts'
import { unknownCatalogue } from '../writing/find-dataset.ts'
import { landChanges, landEach } from '../writing/landing.ts'
import { factLines } from './facts.ts'
import { recordLink, tombstoneId } from './removing.ts'

/** The atomic step that brings one resource back. */
function restoration(
  { names, versions }: Pick<RepositoryDeps, 'names' | 'versions'>,
  { id, catalogue: home, content, hash = '' }: Remains,
): { readonly changes: readonly Change[]; readonly mark: Mark } {
  const [type = '', own = ''] = id.split('/')
  const mark = { resource: names.resource(type, own), version: versions.next() }
  const catalogue = home === '' ? undefined : home
  const facts = { type, hash, ...(catalogue !== undefined && { catalogue }) }
  return {
    mark,
    changes: [
      { graph: mark.resource, content, before: '' },
      ...recordLink(names, { iri: mark.resource, catalogue }, 'add'),
      systemChange({
        add: [...factLines(names, mark.resource, facts), markLine('pending', mark)],
      }),
    ],
  }
}

/**
 * The caller holds the lock. `undefined` without a tombstone; fails with `already-exists` when the id is in use, and with
 * `conflict` when the catalogue is gone.
 */
export async function restoreResource(
  deps: RemovingDeps & { readonly deletions: Deletions },
  iri: string,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const id = tombstoneId(deps.names, iri) ?? ''
  if ((await present(deps, [{ kind: 'resource', id } as const], signal)).size > 0)
    throw new Failure('already-exists', `"${id}" is in use again, nothing can be restored to it`)
  const remains = deps.tombstones.remains('resource', id)
  if (!remains) return undefined
  const { catalogue, hash = '' } = remains
  const isGone = deps.deletions.watch(catalogue)
  if (catalogue !== '') await demandHome(deps, catalogue, signal)
  const { changes, mark } = restoration(deps, remains)
  // Asked in the same turn as the write, as a PUT does.
  if (isGone()) throw unknownCatalogue(catalogue)
  await landChanges(deps, changes, [mark])
  deps.tombstones.forget('resource', [id])
  const outcome = { kind: 'created', iri, hash, modified: undefined, mark } as const
  return catalogue === '' ? outcome : { ...outcome, catalogue }
}

async function demandHome(
  deps: RemovingDeps,
  catalogue: string,
  signal: AbortSignal,
): Promise<void> {
  if (await isThere(deps, catalogue, signal)) return
  throw new Failure('conflict', `the catalogue "${catalogue}" is gone: restore or create it first`)
}

const isThere = async (deps: RemovingDeps, id: string, signal: AbortSignal) =>
  (await present(deps, [{ kind: 'catalogue', id } as const], signal)).size > 0

/**
 * Brings back what went with a catalogue that has come back; the caller holds the locks. Fails with `unknown-catalogue` when
 * it is not there. What is there already keeps no tombstone.
 */
export async function restoreMembers(
  deps: RemovingDeps,
  {
    catalogue,
    taken,
  }: { readonly catalogue: string; readonly taken: readonly (Remains & Doubt)[] },
  signal: AbortSignal,
): Promise<void> {
  const standing = taken.filter(({ serial }) => deps.tombstones.stands(serial))
  if (standing.length === 0) return
  if (!(await isThere(deps, catalogue, signal))) throw unknownCatalogue(catalogue)
  const there = await present(deps, standing, signal)
  deps.tombstones.discard([...there].map(({ serial }) => serial))
  const back = standing
    .filter((one) => !there.has(one))
    .map((one) => {
      const { changes, mark } = restoration(deps, one)
      return { id: one.id, changes, marks: [mark] }
    })
  const failures = await landEach(deps, back)
  deps.tombstones.forget(
    'resource',
    back.flatMap(({ id }, at) => (failures[at] === undefined ? [id] : [])),
  )
  const failure = failures.find((one) => one !== undefined)
  if (failure !== undefined) throw failure
}
