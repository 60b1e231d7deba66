/** Brings deleted catalogues back: the catalogue in one step, then the datasets that went with it, batch by batch. */

import { Failure } from '../../../errors.ts'
import { fromLines } from '../../../rdf/lines.ts'
import { fact, systemChange } from '../../../store/marks.ts'
import type { Outcome, RepositoryDeps } from '../../deps.ts'
import { catalogueMarks } from '../../writing/catalogue-marks.ts'
import type { DatasetIds } from '../../writing/dataset-id.ts'
import { unknownCatalogue } from '../../writing/find-dataset.ts'
import { landChanges } from '../../writing/landing.ts'
import { background, type BackgroundDeps, type Job } from './background.ts'
import { present } from '../keeping/doubts.ts'
import { restoreTaken } from './returning.ts'
import type { Remains, Tombstones } from '../tombstones.ts'

export type ReturnsDeps = RepositoryDeps &
  BackgroundDeps & { readonly tombstones: Tombstones; readonly ids: DatasetIds }

/** `outcome` = what became of the catalogue itself. */
export type Return = { readonly outcome: Outcome; readonly job: Job }

export type Returns = {
  /**
   * The caller holds the lock of the catalogue and has seen that no deletion is at work on it. Fails with `already-exists`
   * when the id is in use again and with `unknown-catalogue` when there is no tombstone.
   */
  begin(id: string, signal: AbortSignal): Promise<Return>
  /** What is at work on a catalogue. */
  of(id: string): Job | undefined
  /** Takes on what an earlier process left. */
  resume(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

export function returns(deps: ReturnsDeps): Returns {
  const { names, tombstones, locks } = deps
  const jobs = background('return', deps)
  const isThere = async (id: string, signal: AbortSignal) =>
    (await present(deps, [{ kind: 'catalogue', id } as const], signal)).size > 0

  const start = (id: string, deletion: number) =>
    jobs.start({
      catalogue: id,
      datasets: tombstones.size(deletion),
      work: async (done, signal) => {
        try {
          await restoreTaken(deps, { id, deletion }, done, signal)
          tombstones.forget('catalogue', [id])
        } catch (error) {
          // Somebody has removed it behind the platform's back; everything stays restorable.
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
    of: (id) => jobs.of(id),
    begin: async (id, signal) => {
      const known = jobs.of(id)
      const remains = tombstones.remains('catalogue', id)
      if (known && remains) return { job: known, outcome: created(names.catalogue(id), remains) }
      if (await isThere(id, signal))
        throw new Failure('already-exists', `the id "${id}" is in use again`)
      if (remains?.deletion === undefined) throw unknownCatalogue(id)
      const outcome = await landCatalogue(deps, remains)
      return { outcome, job: start(id, remains.deletion) }
    },
    resume: async (signal) => {
      for (const id of tombstones.returns())
        await locks.run(`catalogue ${id}`, () => takeOn(id, signal), signal)
    },
    stop: () => jobs.stop(),
  }
}

const created = (iri: string, { catalogue, hash = '' }: Remains): Outcome => ({
  kind: 'created',
  iri,
  catalogue,
  hash,
  modified: undefined,
})

async function landCatalogue(deps: ReturnsDeps, remains: Remains): Promise<Outcome> {
  const { names, tombstones } = deps
  const { id, content, hash } = remains
  const iri = names.catalogue(id)
  tombstones.returning(id, true)
  const after = fromLines(content)
  const { mark, marks, lines, cascades } = catalogueMarks(deps, { iri, before: [], after })
  const add = [...lines, ...(hash === undefined ? [] : [fact(iri, 'hash', hash)])]
  await landChanges(deps, [{ graph: iri, content }, systemChange({ add })], marks)
  if (cascades) deps.cascaded()
  return { ...created(iri, remains), mark }
}
