/**
 * Deletes and restores catalogues (`DELETE /catalogues/{id}`, `POST …/restore`): the content at once, the members by a job. A
 * deletion is noted in the store and a restore in its tombstone, so that the next process resumes unfinished work.
 *
 *   exists → (beginDeletion) deleting → (job, all members removed) deleted
 *   deleted → (beginRestore) restoring → (job, all members restored) exists
 */

import { Failure } from '../../errors.ts'
import type { Job, JobKind, JobRun } from '../../jobs/job.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { Row } from '../../store/graph-store.ts'
import { factLine, systemChange, type Mark } from '../../store/marks.ts'
import { bind, loadQuery, paged } from '../../store/queries.ts'
import { timestamp } from '../content/catalogue-record.ts'
import type { RepositoryContext, WriteOutcome } from '../repository-context.ts'
import { catalogueMarks } from '../writing/catalogue-marks.ts'
import { unknownCatalogue } from '../writing/find-datasets.ts'
import { commitChanges } from '../writing/write-batch.ts'
import { removeAllMembers } from './member-removal.ts'
import { isPresent } from './members.ts'
import { restoreMembers } from './removal.ts'

const deletionQuery = loadQuery('catalogue-deletion')
const deletionsQuery = loadQuery('deletions')
const sizeQuery = loadQuery('catalogue-size')

/** Most unfinished deletions that a round of `resumeDeletions` reads. */
const maxDeletions = 5000

// A job has only the id of the catalogue and the progress; the members are read from the store or from the tombstones.

const deletionKind = 'delete-catalogue'
const restoreKind = 'restore-catalogue'

/** Settings of each kind: four catalogues at once; a failed job is repeated after 0.2 to 10 seconds. */
const jobSettings = {
  atOnce: 4,
  isCancellable: false,
  retry: { firstMs: 200, longestMs: 10_000 },
} as const

/** Kinds of jobs that delete and restore the members of a catalogue; neither can be cancelled. */
export const catalogueJobKinds = (context: RepositoryContext): readonly JobKind[] => [
  { ...jobSettings, kind: deletionKind, run: (job, run) => runDeletion(context, job, run) },
  { ...jobSettings, kind: restoreKind, run: (job, run) => runRestore(context, job, run) },
]

const keyOf = (catalogue: string) => `catalogue ${catalogue}`

const catalogueOf = ({ key }: Job): string => key.slice(keyOf('').length)

/** Submits a job; `of` is the number of members. */
const submitJob = (
  { jobs }: RepositoryContext,
  kind: string,
  { catalogue, of, createdBy }: { catalogue: string; of: number; createdBy: string },
): Job =>
  jobs.submit({ kind, key: keyOf(catalogue), payload: null, createdBy, progress: { done: 0, of } })

/** `createdBy` of jobs that resume a deletion or restore that is noted and has no job. */
const startupCreator = 'start'

/** Number of members of a catalogue that its job has still to delete or restore; 0 when the job has ended or is unknown. */
export const remainingOf = (job: Job | undefined): number =>
  job && job.endedAt === undefined
    ? Math.max(0, (job.progress?.of ?? 0) - (job.progress?.done ?? 0))
    : 0

/** Active job that restores a catalogue. */
export const activeRestore = ({ jobs }: RepositoryContext, id: string): Job | undefined =>
  jobs.active(restoreKind, keyOf(id))

/** Returns a function that adds members to the progress of a job. From the second attempt on, the members are counted anew. */
async function memberCounter(
  job: Job,
  { progress }: JobRun,
  countRemaining: () => Promise<number> | number,
): Promise<(members: number) => void> {
  let done = 0
  const of = job.attempts > 1 ? await countRemaining() : (job.progress?.of ?? 0)
  progress({ done, of })
  return (members) => {
    done += members
    progress({ done, of })
  }
}

/** Deletion of a catalogue, begun `at`; `version` is that of its mark, and is in the tombstones of all that it removes. */
type CatalogueDeletion = { readonly id: string; readonly version: number; readonly at: Date }

/** Job that removes the members of a catalogue, and the mark of the removal; no mark when the deletion was begun earlier. */
export type CatalogueRemoval = { readonly job: Job; readonly mark?: Mark }

/** Writes a tombstone, removes the content but not the links to members, notes the deletion in the store, and submits the job. */
export function beginDeletion(
  context: RepositoryContext,
  request: { readonly id: string; readonly hash: string; readonly createdBy: string },
  signal: AbortSignal,
): Promise<CatalogueRemoval> {
  const { store, names, tombstones } = context
  const { id, hash, createdBy } = request
  const iri = names.catalogue(id)
  const work = async () => {
    const of = await catalogueSize(context, id, signal)
    const content = (await store.read(iri, { links: false }, signal)) ?? ''
    const states = { iri, before: fromLines(content), after: [] }
    const { mark, marks, lines, cascades } = catalogueMarks(context, states)
    const deletion = { id, version: mark.version, at: context.now() }
    const deleted = { kind: 'catalogue', id, catalogue: id, originalId: id, content } as const
    const tombstone = { ...deleted, metrics: '', hash, deletion: mark.version }
    const tombstoneWrite = tombstones.write([tombstone], deletion.at)
    const add = [...lines, ...deletionFacts(names, deletion)]
    const system = systemChange({ add, remove: [factLine(iri, 'hash', hash)] })
    const changes = [{ graph: iri, content: '', before: content }, system]
    let removedIds: string[] = []
    try {
      await commitChanges(context, { changes, marks })
      removedIds = [id]
    } finally {
      tombstoneWrite.end(removedIds)
    }
    if (cascades) context.onCascadeMark()
    return { mark, job: submitJob(context, deletionKind, { catalogue: id, of, createdBy }) }
  }
  return context.deletions.during(id, work)
}

/** Job that removes the members of a catalogue and drops its graph; does nothing without a deletion in the store. */
async function runDeletion(context: RepositoryContext, job: Job, run: JobRun): Promise<void> {
  const id = catalogueOf(job)
  const deletion = await storedDeletion(context, id, run.signal)
  if (!deletion) return
  const addDone = await memberCounter(job, run, () => catalogueSize(context, id, run.signal))
  await context.deletions.during(id, () => emptyAndDrop(context, deletion, addDone, run.signal))
}

/** Deletion of a catalogue that the store notes; `undefined` without one. */
async function storedDeletion(
  { store, names }: RepositoryContext,
  id: string,
  signal: AbortSignal,
): Promise<CatalogueDeletion | undefined> {
  const catalogue = namedNode(names.catalogue(id))
  const [row] = await store.select(bind(deletionQuery, { catalogue }), signal)
  return row && deletionIn({ ...row, catalogue }, names)
}

/** Active job of a deletion, or a new one when the store notes a deletion; `undefined` without either. */
export async function activeDeletion(
  context: RepositoryContext,
  id: string,
  signal: AbortSignal,
): Promise<Job | undefined> {
  const active = () => context.jobs.active(deletionKind, keyOf(id))
  const isNoted = !active() && (await storedDeletion(context, id, signal)) !== undefined
  return active() ?? (isNoted ? submitDeletion(context, id, signal) : undefined)
}

/** Submits the job of a deletion that the store notes, unless it is active. */
async function submitDeletion(
  context: RepositoryContext,
  id: string,
  signal: AbortSignal,
): Promise<Job> {
  const of = await catalogueSize(context, id, signal)
  return (
    context.jobs.active(deletionKind, keyOf(id)) ??
    submitJob(context, deletionKind, { catalogue: id, of, createdBy: startupCreator })
  )
}

/** Rejects with `conflict` while the members of a catalogue are being removed. */
export async function requireNoDeletion(
  context: RepositoryContext,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const job = await activeDeletion(context, id, signal)
  if (!job) return
  const detail = `the catalogue "${id}" is being deleted, ${remainingOf(job)} datasets remain; try again when it is done`
  throw new Failure('conflict', detail)
}

/** Submits jobs for deletions that the store notes and that have no job, for example because the data directory is new. */
export async function resumeDeletions(
  context: RepositoryContext,
  signal: AbortSignal,
): Promise<void> {
  const { store, names, jobs, log } = context
  const rows = await store.select(paged(bind(deletionsQuery, {}), { limit: maxDeletions }), signal)
  for (const { id } of rows.flatMap((row) => deletionIn(row, names) ?? [])) {
    if (jobs.active(deletionKind, keyOf(id))) continue
    log.info({ catalogue: id }, 'deletion.resumed')
    await submitDeletion(context, id, signal)
  }
}

/** Deletion of a row; `undefined` when the facts are incomplete, which only programs that write directly into the store leave. */
function deletionIn(row: Row, names: Names): CatalogueDeletion | undefined {
  const id = names.idOf('catalogue', row['catalogue']?.value ?? '')
  const { version, time } = row
  if (id === undefined || !version || !time) return undefined
  return { id, version: Number(version.value), at: new Date(time.value) }
}

/** Facts of the system graph that note a deletion until its end. */
const deletionFacts = (names: Names, { id, version, at }: CatalogueDeletion): string[] => [
  factLine(names.catalogue(id), 'deleting', String(version)),
  factLine(names.catalogue(id), 'deletedAt', timestamp(at)),
]

/** Number of datasets that a catalogue links, plus resources of declared types in it. */
async function catalogueSize(
  { store, names }: RepositoryContext,
  id: string,
  signal: AbortSignal,
): Promise<number> {
  const catalogue = namedNode(names.catalogue(id))
  const [row] = await store.select(bind(sizeQuery, { catalogue }), signal)
  return Number(row?.['size']?.value ?? 0)
}

/** Removes all members, then drops the catalogue. Rejects when some members remain; may be repeated. */
async function emptyAndDrop(
  context: RepositoryContext,
  deletion: CatalogueDeletion,
  addDone: (members: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { id: catalogue, at, version } = deletion
  const removal = { catalogue, at, deletion: version, addDone }
  const failures = [
    await removeAllMembers(context, { ...removal, kind: 'dataset' }, signal),
    await removeAllMembers(context, { ...removal, kind: 'resource' }, signal),
  ]
  const failure = failures.find((reason) => reason !== undefined)
  if (failure !== undefined) throw failure
  const drop = { graph: context.names.catalogue(catalogue), drop: true } as const
  const facts = systemChange({ remove: deletionFacts(context.names, deletion) })
  await commitChanges(context, { changes: [drop, facts], marks: [] })
}

/** Outcome for the catalogue itself, and the job that restores its members. */
export type CatalogueRestore = { readonly outcome: WriteOutcome; readonly job: Job }

/**
 * Restores a catalogue and submits the job for its members, or returns the active job. The caller holds its lock and knows that
 * it is not being deleted. Rejects with `already-exists` when the id is in use again, `unknown-catalogue` without a tombstone.
 */
export async function beginRestore(
  context: RepositoryContext,
  { id, createdBy }: { readonly id: string; readonly createdBy: string },
  signal: AbortSignal,
): Promise<CatalogueRestore> {
  const { tombstones } = context
  const iri = context.names.catalogue(id)
  const job = activeRestore(context, id)
  const deleted = tombstones.contentOf('catalogue', id)
  const outcome = { kind: 'created', iri, catalogue: id, hash: deleted?.hash ?? '' } as const
  if (job && deleted) return { job, outcome }
  if (await isPresent(context, { kind: 'catalogue', id }, signal))
    throw new Failure('already-exists', `the id "${id}" is in use again`)
  if (deleted?.deletion === undefined) throw unknownCatalogue(id)
  tombstones.setRestoring(id, true)
  const { content, hash } = deleted
  const states = { iri, before: [], after: fromLines(content) }
  const { mark, marks, lines, cascades } = catalogueMarks(context, states)
  const add = [...lines, ...(hash === undefined ? [] : [factLine(iri, 'hash', hash)])]
  await commitChanges(context, { changes: [{ graph: iri, content }, systemChange({ add })], marks })
  if (cascades) context.onCascadeMark()
  const of = tombstones.memberCount(deleted.deletion)
  const submitted = submitJob(context, restoreKind, { catalogue: id, of, createdBy })
  return { outcome: { ...outcome, mark }, job: submitted }
}

/** Job that restores the members of a catalogue; deletes its tombstone last, so that the work is resumed after a crash. */
async function runRestore(context: RepositoryContext, job: Job, run: JobRun): Promise<void> {
  const { tombstones } = context
  const id = catalogueOf(job)
  const { deletion } = tombstones.contentOf('catalogue', id) ?? {}
  if (deletion === undefined) return
  const addDone = await memberCounter(job, run, () => tombstones.memberCount(deletion))
  try {
    await restoreAllMembers(context, { id, deletion }, addDone, run.signal)
    tombstones.forget('catalogue', [id])
  } catch (error) {
    // A direct writer has removed the catalogue; it can be restored again.
    if (!(error instanceof Failure) || error.kind !== 'unknown-catalogue') throw error
    tombstones.setRestoring(id, false)
  }
}

/** Submits jobs for restores that were begun and have no job; gives up those without catalogue or tombstone. */
export async function resumeRestores(
  context: RepositoryContext,
  signal: AbortSignal,
): Promise<void> {
  const { tombstones, locks } = context
  const resume = async (id: string) => {
    if (activeRestore(context, id)) return
    const { deletion } = tombstones.contentOf('catalogue', id) ?? {}
    if (deletion !== undefined && (await isPresent(context, { kind: 'catalogue', id }, signal))) {
      const of = tombstones.memberCount(deletion)
      submitJob(context, restoreKind, { catalogue: id, of, createdBy: startupCreator })
    } else tombstones.setRestoring(id, false)
  }
  for (const id of tombstones.restoring())
    await locks.run([`catalogue ${id}`], () => resume(id), signal)
}

/**
 * Restores all members; may be repeated. Members whose original id is in use again keep their tombstone. Calls `addDone` with
 * numbers of members. Rejects with the first failure of a member, `unknown-catalogue`, and when the store is unavailable.
 */
async function restoreAllMembers(
  context: RepositoryContext,
  { id, deletion }: { readonly id: string; readonly deletion: number },
  addDone: (members: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let serial = 0; ;) {
    signal.throwIfAborted()
    const members = context.tombstones.membersOf({ deletion, serial })
    const last = members.at(-1)
    if (!last) return
    const results = await restoreMembers(context, id, members, signal)
    for (const result of results) if ('failure' in result) throw result.failure
    addDone(members.length)
    serial = last.serial
  }
}
