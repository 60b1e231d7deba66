/** The deletions of catalogues that are at work: begun by a request, or found in the store when the process starts. */

import { namedNode } from '../../../rdf/terms.ts'
import { bind, loadQuery, paged } from '../../../store/queries.ts'
import type { Row } from '../../../store/graph-store.ts'
import { background, type BackgroundDeps, type Job } from './background.ts'
import { emptyCatalogue, sizeOf } from './cascade.ts'
import type { CatalogueDeletion, Deletions } from '../deletions.ts'
import type { RemovingDeps } from '../removing.ts'

const oneQuery = loadQuery('catalogue-deletion')
const allQuery = loadQuery('deletions')

/** Unfinished deletions read at a start; nobody deletes more catalogues at once. */
const most = 5000

export type CascadesDeps = RemovingDeps & BackgroundDeps & { readonly deletions: Deletions }

export type Cascades = {
  /** Removes the datasets of a catalogue whose own content has gone and whose deletion stands in the store. */
  begin(deletion: CatalogueDeletion, datasets: number): Job
  /** The deletion that is at work on a catalogue; one that another process had begun is taken on. */
  of(id: string, signal: AbortSignal): Promise<Job | undefined>
  /** Takes on what stands in the store and nobody works on: an earlier process left it, or its first step was in doubt. */
  resume(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

export function cascades(deps: CascadesDeps): Cascades {
  const { store, names } = deps
  const jobs = background('deletion', deps)

  const begin: Cascades['begin'] = (deletion, datasets) => {
    const { id } = deletion
    return jobs.start({
      catalogue: id,
      datasets,
      work: (done, stop) =>
        deps.deletions.during(id, () => emptyCatalogue(deps, deletion, done, stop)),
    })
  }

  const takeOn = async (deletion: CatalogueDeletion, signal: AbortSignal): Promise<Job> =>
    jobs.of(deletion.id) ?? begin(deletion, await sizeOf(deps, deletion.id, signal))

  const deletionOf = (row: Row): CatalogueDeletion | undefined => {
    const id = names.idOf('catalogue', row['catalogue']?.value ?? '')
    const { version, time } = row
    if (id === undefined || !version || !time) return undefined
    return { id, version: Number(version.value), at: new Date(time.value) }
  }

  return {
    begin,
    of: async (id, signal) => {
      const known = jobs.of(id)
      if (known) return known
      const catalogue = namedNode(names.catalogue(id))
      const [row] = await store.select(bind(oneQuery, { catalogue }), signal)
      const found = row && deletionOf({ ...row, catalogue })
      return found && takeOn(found, signal)
    },
    resume: async (signal) => {
      const rows = await store.select(paged(bind(allQuery, {}), { limit: most }), signal)
      const found = rows.flatMap((row) => deletionOf(row) ?? [])
      for (const deletion of found) {
        if (jobs.of(deletion.id)) continue
        deps.log.info({ catalogue: deletion.id }, 'deletion.resumed')
        await takeOn(deletion, signal)
      }
    },
    stop: () => jobs.stop(),
  }
}
