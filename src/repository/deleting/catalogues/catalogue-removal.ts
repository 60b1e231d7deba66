/** The first step of deleting a catalogue: its content goes and its deletion stands in the store; its datasets follow. */

import { Failure } from '../../../errors.ts'
import { fromLines } from '../../../rdf/lines.ts'
import { fact, systemChange, type Mark } from '../../../store/marks.ts'
import { catalogueMarks } from '../../writing/catalogue-marks.ts'
import { landChanges } from '../../writing/landing.ts'
import type { Job } from './background.ts'
import { deletionFacts, sizeOf } from './cascade.ts'
import type { Cascades } from './cascades.ts'
import type { Deletions } from '../deletions.ts'
import type { RemovingDeps } from '../removing.ts'
import type { Returns } from './returns.ts'
import { unknownCatalogue } from '../../writing/find-dataset.ts'

export type CatalogueRemoval = {
  /** The removal of its datasets. */
  readonly job: Job
  /** Absent when somebody else had begun the deletion. */
  readonly mark?: Mark
}

export type CatalogueRemovalDeps = RemovingDeps & {
  readonly deletions: Deletions
  readonly cascades: Cascades
  readonly returns: Returns
}

export type Asked = {
  readonly id: string
  /** Absent when there is no such catalogue. */
  readonly hash: string | undefined
  /** Throws when the stored hash is not what the client expects. */
  readonly precondition: (hash: string | undefined) => void
}

/**
 * The caller holds the lock of the catalogue. Fails with `unknown-catalogue`, and with `conflict` while the catalogue is being
 * restored.
 */
export async function removeCatalogue(
  deps: CatalogueRemovalDeps,
  { id, hash, precondition }: Asked,
  signal: AbortSignal,
): Promise<CatalogueRemoval> {
  if (hash === undefined) {
    const job = await deps.cascades.of(id, signal)
    if (job) return { job }
    throw unknownCatalogue(id)
  }
  precondition(hash)
  if (deps.returns.of(id))
    throw new Failure('conflict', `the catalogue "${id}" is being restored; try again later`)
  return deps.deletions.during(id, () => begin(deps, { id, hash }, signal))
}

async function begin(
  deps: CatalogueRemovalDeps,
  { id, hash }: { readonly id: string; readonly hash: string },
  signal: AbortSignal,
): Promise<CatalogueRemoval> {
  const { store, names, tombstones } = deps
  const iri = names.catalogue(id)
  const datasets = await sizeOf(deps, id, signal)
  const content = (await store.read(iri, { links: false }, signal)) ?? ''
  const turn = { iri, before: fromLines(content), after: [] }
  const { mark, marks, lines, cascades } = catalogueMarks(deps, turn)
  const at = deps.now()
  const deletion = { id, version: mark.version, at }
  const remains = { kind: 'catalogue', id, catalogue: id, originalId: id, content } as const
  const kept = tombstones.keep([{ ...remains, metrics: '', hash, deletion: mark.version }], at)
  const system = systemChange({
    add: [...lines, ...deletionFacts(names, deletion)],
    remove: [fact(iri, 'hash', hash)],
  })
  try {
    await landChanges(deps, [{ graph: iri, content: '', before: content }, system], marks)
  } catch (error) {
    kept.end([])
    throw error
  }
  kept.end([id])
  if (cascades) deps.cascaded()
  return { mark, job: deps.cascades.begin(deletion, datasets) }
}

/** Refuses what cannot be done while the datasets of a catalogue are being removed. Throws `conflict`. */
export async function demandNotDeleting(
  { cascades }: Pick<CatalogueRemovalDeps, 'cascades'>,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const job = await cascades.of(id, signal)
  if (!job) return
  const detail = `the catalogue "${id}" is being deleted, ${job.remaining()} datasets remain; try again when it is done`
  throw new Failure('conflict', detail)
}
