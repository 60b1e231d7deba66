/**
 * Deletes and restores catalogues: first the catalogue's own content goes or comes and that is noted, then its members follow,
 * batch by batch in the background. What a process has left half done is taken on by the next one.
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
import { originalIdsOf, unknownCatalogue } from '../writing/find-datasets.ts'
import { commitChanges } from '../writing/write-batch.ts'
import { isPresent, memberLine, memberLocks, resourceFacts, type Member } from './members.ts'
import { removeMembers, restoreMembers, type Removal } from './removal.ts'

const oneQuery = loadQuery('catalogue-deletion')
const allQuery = loadQuery('deletions')
const sizeQuery = loadQuery('catalogue-size')
const memberQueries = {
  dataset: loadQuery('linked-datasets'),
  resource: loadQuery('resource-members'),
}

/** Unfinished deletions read at a start, and members whose locks are held together. */
const mostDeletions = 5000
const page = 100

// The jobs: the store and the tombstones say what is to be done, a job says which catalogue and how far it is.

const deletionKind = 'delete-catalogue'
const restoreKind = 'restore-catalogue'

/** Settings of both kinds: a few catalogues at once, and attempts until the store is there. */
const jobSettings = {
  atOnce: 4,
  isCancellable: false,
  retry: { firstMs: 200, longestMs: 10_000 },
} as const

/** The kinds of jobs that delete and restore what is in a catalogue; both go to their end. */
export const catalogueJobKinds = (context: RepositoryContext): readonly JobKind[] => [
  { ...jobSettings, kind: deletionKind, run: (job, run) => deleteMembers(context, job, run) },
  { ...jobSettings, kind: restoreKind, run: (job, run) => restoreMembersOf(context, job, run) },
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

/** Who submits the jobs that an earlier process left. */
const atStart = 'start'

/** Number of members of a catalogue that its job has still to delete or restore; 0 when the job has ended or is unknown. */
export const remainingOf = (job: Job | undefined): number =>
  job && job.endedAt === undefined
    ? Math.max(0, (job.progress?.of ?? 0) - (job.progress?.done ?? 0))
    : 0

/** The job that restores a catalogue. */
export const restoreAtWork = ({ jobs }: RepositoryContext, id: string): Job | undefined =>
  jobs.active(restoreKind, keyOf(id))

/** Counts members of a job; `size` is how many there are, where an earlier attempt has done some of them. */
async function memberCounter(
  job: Job,
  { progress }: JobRun,
  size: () => Promise<number> | number,
): Promise<(members: number) => void> {
  let done = 0
  const of = job.attempts > 1 ? await size() : (job.progress?.of ?? 0)
  progress({ done, of })
  return (members) => {
    done += members
    progress({ done, of })
  }
}

/** A catalogue that is being deleted; `version` tells this deletion from others of the same catalogue. */
type CatalogueDeletion = { readonly id: string; readonly version: number; readonly at: Date }

/** The removal of the members of a catalogue; without a mark somebody else had begun it. */
export type CatalogueRemoval = { readonly job: Job; readonly mark?: Mark }

/** The content of a catalogue goes, with a tombstone, and its deletion is noted; its links stay for those who follow them. */
export function beginDeletion(
  context: RepositoryContext,
  {
    id,
    hash,
    createdBy,
  }: { readonly id: string; readonly hash: string; readonly createdBy: string },
  signal: AbortSignal,
): Promise<CatalogueRemoval> {
  const { store, names, tombstones } = context
  const iri = names.catalogue(id)
  const work = async () => {
    const size = await catalogueSize(context, id, signal)
    const content = (await store.read(iri, { links: false }, signal)) ?? ''
    const states = { iri, before: fromLines(content), after: [] }
    const { mark, marks, lines, cascades } = catalogueMarks(context, states)
    const deletion = { id, version: mark.version, at: context.now() }
    const remains = { kind: 'catalogue', id, catalogue: id, originalId: id, content } as const
    const stone = { ...remains, metrics: '', hash, deletion: mark.version }
    const kept = tombstones.keep([stone], deletion.at)
    const add = [...lines, ...deletionFacts(names, deletion)]
    const system = systemChange({ add, remove: [factLine(iri, 'hash', hash)] })
    const changes = [{ graph: iri, content: '', before: content }, system]
    let gone: string[] = []
    try {
      await commitChanges(context, { changes, marks })
      gone = [id]
    } finally {
      kept.end(gone)
    }
    if (cascades) context.onCascadeMark()
    const job = submitJob(context, deletionKind, { catalogue: id, of: size, createdBy })
    return { mark, job }
  }
  return context.deletions.during(id, work)
}

/** Empties a catalogue and then drops its graph; nothing is left to do where the store notes no deletion any more. */
async function deleteMembers(context: RepositoryContext, job: Job, run: JobRun): Promise<void> {
  const id = catalogueOf(job)
  const deletion = await notedDeletion(context, id, run.signal)
  if (!deletion) return
  const done = await memberCounter(job, run, () => catalogueSize(context, id, run.signal))
  await context.deletions.during(id, () => emptyAndDrop(context, deletion, done, run.signal))
}

/** The deletion that the store notes of a catalogue. */
async function notedDeletion(
  { store, names }: RepositoryContext,
  id: string,
  signal: AbortSignal,
): Promise<CatalogueDeletion | undefined> {
  const catalogue = namedNode(names.catalogue(id))
  const [row] = await store.select(bind(oneQuery, { catalogue }), signal)
  return row && deletionIn({ ...row, catalogue }, names)
}

/** The job of a deletion: the one that is at work, or a new one where the store notes a deletion. */
export async function deletionAtWork(
  context: RepositoryContext,
  id: string,
  signal: AbortSignal,
): Promise<Job | undefined> {
  const known = () => context.jobs.active(deletionKind, keyOf(id))
  const isNoted = !known() && (await notedDeletion(context, id, signal)) !== undefined
  return known() ?? (isNoted ? takeOn(context, id, signal) : undefined)
}

/** Submits the job of a deletion that the store notes. */
async function takeOn(context: RepositoryContext, id: string, signal: AbortSignal): Promise<Job> {
  const of = await catalogueSize(context, id, signal)
  return (
    context.jobs.active(deletionKind, keyOf(id)) ??
    submitJob(context, deletionKind, { catalogue: id, of, createdBy: atStart })
  )
}

/** Fails with `conflict` while the members of a catalogue are being removed. */
export async function demandNoDeletion(
  context: RepositoryContext,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const job = await deletionAtWork(context, id, signal)
  if (!job) return
  const detail = `the catalogue "${id}" is being deleted, ${remainingOf(job)} datasets remain; try again when it is done`
  throw new Failure('conflict', detail)
}

/** Submits jobs for the deletions that the store notes and that have none: of an earlier version, or of another data directory. */
export async function resumeDeletions(
  context: RepositoryContext,
  signal: AbortSignal,
): Promise<void> {
  const { store, names, jobs, log } = context
  const rows = await store.select(paged(bind(allQuery, {}), { limit: mostDeletions }), signal)
  for (const { id } of rows.flatMap((row) => deletionIn(row, names) ?? [])) {
    if (jobs.active(deletionKind, keyOf(id))) continue
    log.info({ catalogue: id }, 'deletion.resumed')
    await takeOn(context, id, signal)
  }
}

/** A noted deletion out of a row; `undefined` for facts that direct writers have left incomplete. */
function deletionIn(row: Row, names: Names): CatalogueDeletion | undefined {
  const id = names.idOf('catalogue', row['catalogue']?.value ?? '')
  const { version, time } = row
  if (id === undefined || !version || !time) return undefined
  return { id, version: Number(version.value), at: new Date(time.value) }
}

/** The facts of the system graph that note a deletion from its first step to its last. */
const deletionFacts = (names: Names, { id, version, at }: CatalogueDeletion): string[] => [
  factLine(names.catalogue(id), 'deleting', String(version)),
  factLine(names.catalogue(id), 'deletedAt', timestamp(at)),
]

/** How many datasets a catalogue still links, and how many resources of declared types are in it. */
export async function catalogueSize(
  { store, names }: RepositoryContext,
  id: string,
  signal: AbortSignal,
): Promise<number> {
  const catalogue = namedNode(names.catalogue(id))
  const [row] = await store.select(bind(sizeQuery, { catalogue }), signal)
  return Number(row?.['size']?.value ?? 0)
}

/** One pass over the members, then the end of the catalogue. Throws when some are left; done again, it goes on. */
async function emptyAndDrop(
  context: RepositoryContext,
  deletion: CatalogueDeletion,
  done: (members: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { id: catalogue, at, version } = deletion
  const emptying = { catalogue, at, deletion: version, done }
  const failures = [
    await removeAllOf(context, { ...emptying, kind: 'dataset' }, signal),
    await removeAllOf(context, { ...emptying, kind: 'resource' }, signal),
  ]
  const failure = failures.find((one) => one !== undefined)
  if (failure !== undefined) throw failure
  const drop = { graph: context.names.catalogue(catalogue), drop: true } as const
  const facts = systemChange({ remove: deletionFacts(context.names, deletion) })
  await commitChanges(context, { changes: [drop, facts], marks: [] })
}

/** The members of one kind among some IRIs. */
async function membersOf(
  context: RepositoryContext,
  { catalogue, kind }: Pick<Emptying, 'catalogue' | 'kind'>,
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
  // What direct writers have left of a resource must not keep the catalogue for ever.
  const rest = iris.filter((iri) => !facts.has(iri))
  const remove = rest.map((iri) => memberLine(names, iri, catalogue))
  if (rest.length > 0)
    await commitChanges(context, { changes: [systemChange({ remove })], marks: [] })
  return [...facts.values()]
}

/** A pass over the members of one kind of a catalogue. */
type Emptying = Removal & {
  readonly catalogue: string
  readonly kind: Member['kind']
  /** Counts members that are gone. */
  readonly done: (members: number) => void
}

/** One pass over the members of one kind; answers what kept some of them, if anything did. Throws when the store is away. */
export async function removeAllOf(
  context: RepositoryContext,
  emptying: Emptying,
  signal: AbortSignal,
): Promise<unknown> {
  const { store, names, locks } = context
  const { catalogue, kind } = emptying
  const query = bind(memberQueries[kind], { catalogue: namedNode(names.catalogue(catalogue)) })
  // Links that stay: to what is not a dataset of ours, and to what could not be removed this time.
  let passed = 0
  let failure: unknown
  for (;;) {
    signal.throwIfAborted()
    const rows = await store.select(paged(query, { limit: page, offset: passed }), signal)
    const iris = rows.flatMap((row) => row['resource']?.value ?? [])
    if (iris.length === 0) return failure
    const members = await membersOf(context, emptying, iris, signal)
    // Who writes one of these members at this moment comes to an end first.
    const remove = async () => {
      const present = await membersOf(context, emptying, iris, signal)
      return removeMembers(context, present, emptying, signal)
    }
    const results = await locks.run(memberLocks(names, members), remove, signal)
    const failed = results.flatMap((one) => ('failure' in one ? [one.failure] : []))
    failure ??= failed[0]
    const gone = results.length - failed.length
    passed += kind === 'dataset' ? iris.length - gone : failed.length
    emptying.done(gone)
  }
}

/** What became of the catalogue itself, and the work on its members. */
export type CatalogueRestore = { readonly outcome: WriteOutcome; readonly job: Job }

/**
 * Restores a catalogue and begins the work on what went with it. The caller holds the lock of the catalogue and has seen that no
 * deletion is at work on it. Fails with `already-exists` when the id is in use again and with `unknown-catalogue` when there is no
 * tombstone.
 */
export async function beginRestore(
  context: RepositoryContext,
  { id, createdBy }: { readonly id: string; readonly createdBy: string },
  signal: AbortSignal,
): Promise<CatalogueRestore> {
  const { tombstones } = context
  const iri = context.names.catalogue(id)
  const job = restoreAtWork(context, id)
  const remains = tombstones.remains('catalogue', id)
  const outcome = { kind: 'created', iri, catalogue: id, hash: remains?.hash ?? '' } as const
  if (job && remains) return { job, outcome }
  if (await isPresent(context, { kind: 'catalogue', id }, signal))
    throw new Failure('already-exists', `the id "${id}" is in use again`)
  if (remains?.deletion === undefined) throw unknownCatalogue(id)
  tombstones.returning(id, true)
  const { content, hash } = remains
  const states = { iri, before: [], after: fromLines(content) }
  const { mark, marks, lines, cascades } = catalogueMarks(context, states)
  const add = [...lines, ...(hash === undefined ? [] : [factLine(iri, 'hash', hash)])]
  await commitChanges(context, { changes: [{ graph: iri, content }, systemChange({ add })], marks })
  if (cascades) context.onCascadeMark()
  const of = tombstones.size(remains.deletion)
  const begun = submitJob(context, restoreKind, { catalogue: id, of, createdBy })
  return { outcome: { ...outcome, mark }, job: begun }
}

/** Brings back what was deleted with a catalogue; its own tombstone goes last, so that a crash leaves the work noted. */
async function restoreMembersOf(context: RepositoryContext, job: Job, run: JobRun): Promise<void> {
  const { tombstones } = context
  const id = catalogueOf(job)
  const { deletion } = tombstones.remains('catalogue', id) ?? {}
  if (deletion === undefined) return
  const done = await memberCounter(job, run, () => tombstones.size(deletion))
  try {
    await restoreTaken(context, { id, deletion }, done, run.signal)
    tombstones.forget('catalogue', [id])
  } catch (error) {
    // A direct writer has removed the catalogue; everything stays restorable.
    if (!(error instanceof Failure) || error.kind !== 'unknown-catalogue') throw error
    tombstones.returning(id, false)
  }
}

/** Submits jobs for the restores that an earlier process began and that have none. */
export async function resumeRestores(
  context: RepositoryContext,
  signal: AbortSignal,
): Promise<void> {
  const { tombstones, locks } = context
  const takeBack = async (id: string) => {
    if (restoreAtWork(context, id)) return
    const { deletion } = tombstones.remains('catalogue', id) ?? {}
    if (deletion !== undefined && (await isPresent(context, { kind: 'catalogue', id }, signal))) {
      const of = tombstones.size(deletion)
      submitJob(context, restoreKind, { catalogue: id, of, createdBy: atStart })
    } else tombstones.returning(id, false)
  }
  for (const id of tombstones.returns())
    await locks.run([`catalogue ${id}`], () => takeBack(id), signal)
}

/**
 * Throws when the store is away; done again, it goes on. Fails with `unknown-catalogue` when the catalogue is not there. What
 * cannot come back, because its id at the origin is in use again, keeps its tombstone. `done` counts members.
 */
async function restoreTaken(
  context: RepositoryContext,
  { id, deletion }: { readonly id: string; readonly deletion: number },
  done: (members: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let serial = 0; ;) {
    signal.throwIfAborted()
    const taken = context.tombstones.taken({ deletion, serial })
    const last = taken.at(-1)
    if (!last) return
    const results = await restoreMembers(context, id, taken, signal)
    for (const one of results) if ('failure' in one) throw one.failure
    done(taken.length)
    serial = last.serial
  }
}
