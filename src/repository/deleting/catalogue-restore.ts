/** Restores deleted catalogues: the catalogue in one step, then the members that went with it, batch by batch in the background. */

import { Failure } from '../../errors.ts'
import { fromLines } from '../../rdf/lines.ts'
import { fact, systemChange } from '../../store/marks.ts'
import type { WriteContext, WriteOutcome } from '../context.ts'
import { catalogueMarks } from '../writing/catalogue-marks.ts'
import { unknownCatalogue } from '../writing/find-datasets.ts'
import { landOne } from '../writing/write-batch.ts'
import { catalogueJobs, type CatalogueJob, type JobDeps } from './catalogue-jobs.ts'
import { restoreMembers } from './restoring.ts'
import { isPresent } from './tombstone-upkeep.ts'
import type { StoredRemains } from './tombstones.ts'

/** What became of the catalogue itself, and the work on its members. */
export type CatalogueRestore = { readonly outcome: WriteOutcome; readonly job: CatalogueJob }

export type CatalogueRestores = {
  /**
   * The caller holds the lock of the catalogue and has seen that no deletion is at work on it. Fails with `already-exists`
   * when the id is in use again and with `unknown-catalogue` when there is no tombstone.
   */
  begin(id: string, signal: AbortSignal): Promise<CatalogueRestore>
  isAtWork(id: string): boolean
  /** Takes on what an earlier process left. */
  resume(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

export function catalogueRestores(deps: WriteContext & JobDeps): CatalogueRestores {
  const { names, tombstones, locks } = deps
  const jobs = catalogueJobs('return', deps)
  const isThere = (id: string, signal: AbortSignal) =>
    isPresent(deps, { kind: 'catalogue', id }, signal)

  const start = (id: string, deletion: number) =>
    jobs.start({
      catalogue: id,
      size: tombstones.size(deletion),
      work: async (done, signal) => {
        try {
          await restoreTaken(deps, { id, deletion }, done, signal)
          tombstones.forget('catalogue', [id])
        } catch (error) {
          // A direct writer has removed the catalogue; everything stays restorable.
          if (!(error instanceof Failure) || error.kind !== 'unknown-catalogue') throw error
          tombstones.returning(id, false)
        }
      },
    })

  const takeOn = async (id: string, signal: AbortSignal) => {
    if (jobs.of(id)) return
    const { deletion } = tombstones.remains('catalogue', id) ?? {}
    if (deletion !== undefined && (await isThere(id, signal))) start(id, deletion)
    else tombstones.returning(id, false)
  }

  return {
    isAtWork: (id) => jobs.of(id) !== undefined,
    begin: async (id, signal) => {
      const known = jobs.of(id)
      const remains = tombstones.remains('catalogue', id)
      if (known && remains) return { job: known, outcome: created(names.catalogue(id), remains) }
      if (await isThere(id, signal))
        throw new Failure('already-exists', `the id "${id}" is in use again`)
      if (remains?.deletion === undefined) throw unknownCatalogue(id)
      const outcome = await restoreItself(deps, remains)
      return { outcome, job: start(id, remains.deletion) }
    },
    resume: async (signal) => {
      for (const id of tombstones.returns())
        await locks.run(`catalogue ${id}`, () => takeOn(id, signal), signal)
    },
    stop: () => jobs.stop(),
  }
}

const created = (iri: string, remains: StoredRemains<'catalogue'>): WriteOutcome => {
  const { catalogue, hash = '' } = remains
  return { kind: 'created', iri, catalogue, hash, modified: undefined }
}

async function restoreItself(
  deps: WriteContext,
  remains: StoredRemains<'catalogue'>,
): Promise<WriteOutcome> {
  const { id, content, hash } = remains
  const iri = deps.names.catalogue(id)
  deps.tombstones.returning(id, true)
  const states = { iri, before: [], after: fromLines(content) }
  const { mark, marks, lines, cascades } = catalogueMarks(deps, states)
  const add = [...lines, ...(hash === undefined ? [] : [fact(iri, 'hash', hash)])]
  const changes = [{ graph: iri, content }, systemChange({ add })]
  const result = { ...created(iri, remains), mark }
  await landOne(deps, { result, group: { changes, marks } })
  if (cascades) deps.cascaded()
  return result
}

/**
 * Throws when the store is away; done again, it goes on. Fails with `unknown-catalogue` when the catalogue is not there. What
 * cannot come back, because its id at the origin is in use again, keeps its tombstone. `done` counts members.
 */
async function restoreTaken(
  deps: WriteContext,
  { id, deletion }: { readonly id: string; readonly deletion: number },
  done: (members: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let serial = 0; ;) {
    signal.throwIfAborted()
    const page = deps.tombstones.taken({ deletion, serial })
    const last = page.at(-1)
    if (!last) return
    const results = await restoreMembers(deps, { catalogue: id, remains: page }, signal)
    for (const one of results) if ('failure' in one) throw one.failure
    done(page.length)
    serial = last.serial
  }
}
