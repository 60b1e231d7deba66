/**
 * Deletes catalogues: first the catalogue's own content goes and its deletion is noted in the store, then its members follow,
 * batch by batch in the background. A deletion that a process has left half done is taken on by the next one.
 */

import { Failure } from '../../errors.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { Row } from '../../store/graph-store.ts'
import { fact, systemChange, type Mark } from '../../store/marks.ts'
import { paged } from '../../store/queries.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { timestamp } from '../content/catalogue-record.ts'
import type { Precondition, WriteContext } from '../context.ts'
import { catalogueMarks } from '../writing/catalogue-marks.ts'
import { originalIdsOf, unknownCatalogue } from '../writing/find-datasets.ts'
import { landOne } from '../writing/write-batch.ts'
import { catalogueJobs, type CatalogueJob, type JobDeps } from './catalogue-jobs.ts'
import { memberLine, memberLocks, resourceFacts, resourceLock, type Member } from './members.ts'
import { removeMembers, type Removal } from './removing.ts'

const oneQuery = loadQuery('catalogue-deletion')
const allQuery = loadQuery('deletions')
const sizeQuery = loadQuery('catalogue-size')
const datasetsQuery = loadQuery('linked-datasets')
const resourcesQuery = loadQuery('resource-members')

/** Unfinished deletions read at a start, and members whose locks are held together. */
const mostDeletions = 5000
const page = 100

/** A catalogue that is being deleted; `version` tells this deletion from others of the same catalogue. */
type CatalogueDeletion = { readonly id: string; readonly version: number; readonly at: Date }

export type CatalogueRemoval = {
  /** The removal of its members. */
  readonly job: CatalogueJob
  /** Absent when somebody else had begun the deletion. */
  readonly mark?: Mark
}

type RemovalRequest = {
  readonly id: string
  /** Absent when there is no such catalogue. */
  readonly hash: string | undefined
  readonly precondition: Precondition
  /** Whether the catalogue is being restored. */
  readonly isReturning: boolean
}

export type CatalogueDeletions = {
  /**
   * The caller holds the lock of the catalogue. Fails with `unknown-catalogue`, and with `conflict` while the catalogue is
   * being restored.
   */
  remove(request: RemovalRequest, signal: AbortSignal): Promise<CatalogueRemoval>
  /** Fails with `conflict` while the members of a catalogue are being removed. */
  demandNone(id: string, signal: AbortSignal): Promise<void>
  /** Takes on what the store notes and nobody works on. */
  resume(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

export function catalogueDeletions(deps: WriteContext & JobDeps): CatalogueDeletions {
  const { store, names } = deps
  const jobs = catalogueJobs('deletion', deps)

  const begin = (deletion: CatalogueDeletion, size: number): CatalogueJob => {
    const work = (done: (members: number) => void, stop: AbortSignal) =>
      deps.deletions.during(deletion.id, () => emptyAndDrop(deps, deletion, done, stop))
    return jobs.start({ catalogue: deletion.id, size, work })
  }
  const takeOn = async (deletion: CatalogueDeletion, signal: AbortSignal): Promise<CatalogueJob> =>
    jobs.of(deletion.id) ?? begin(deletion, await catalogueSize(deps, deletion.id, signal))

  const jobOf = async (id: string, signal: AbortSignal): Promise<CatalogueJob | undefined> => {
    const catalogue = namedNode(names.catalogue(id))
    const [row] = await store.select(bind(oneQuery, { catalogue }), signal)
    const found = row && deletionIn({ ...row, catalogue }, names)
    return jobs.of(id) ?? (found && takeOn(found, signal))
  }

  return {
    remove: async ({ id, hash, precondition, isReturning }, signal) => {
      if (hash === undefined) {
        const job = await jobOf(id, signal)
        if (job) return { job }
        throw unknownCatalogue(id)
      }
      precondition(hash)
      if (isReturning)
        throw new Failure('conflict', `the catalogue "${id}" is being restored; try again later`)
      return deps.deletions.during(id, async () => {
        const size = await catalogueSize(deps, id, signal)
        const { deletion, mark } = await firstStep(deps, { id, hash }, signal)
        return { mark, job: begin(deletion, size) }
      })
    },
    demandNone: async (id, signal) => {
      const job = await jobOf(id, signal)
      if (!job) return
      const detail = `the catalogue "${id}" is being deleted, ${job.remaining()} datasets remain; try again when it is done`
      throw new Failure('conflict', detail)
    },
    resume: async (signal) => {
      const rows = await store.select(paged(bind(allQuery, {}), { limit: mostDeletions }), signal)
      for (const deletion of rows.flatMap((row) => deletionIn(row, names) ?? [])) {
        if (jobs.of(deletion.id)) continue
        deps.log.info({ catalogue: deletion.id }, 'deletion.resumed')
        await takeOn(deletion, signal)
      }
    },
    stop: () => jobs.stop(),
  }
}

function deletionIn(row: Row, names: Names): CatalogueDeletion | undefined {
  const id = names.idOf('catalogue', row['catalogue']?.value ?? '')
  const { version, time } = row
  if (id === undefined || !version || !time) return undefined
  return { id, version: Number(version.value), at: new Date(time.value) }
}

/** The facts of the system graph that note a deletion from its first step to its last. */
const deletionFacts = (names: Names, { id, version, at }: CatalogueDeletion): string[] => [
  fact(names.catalogue(id), 'deleting', String(version)),
  fact(names.catalogue(id), 'deletedAt', timestamp(at)),
]

/** How many datasets a catalogue still links, and how many resources of declared types are in it. */
export async function catalogueSize(
  { store, names }: Pick<WriteContext, 'store' | 'names'>,
  id: string,
  signal: AbortSignal,
): Promise<number> {
  const catalogue = namedNode(names.catalogue(id))
  const [row] = await store.select(bind(sizeQuery, { catalogue }), signal)
  return Number(row?.['size']?.value ?? 0)
}

/** The content of the catalogue goes, with a tombstone, and its deletion is noted; its links stay for those who follow them. */
async function firstStep(
  deps: WriteContext,
  { id, hash }: { readonly id: string; readonly hash: string },
  signal: AbortSignal,
): Promise<{ readonly deletion: CatalogueDeletion; readonly mark: Mark }> {
  const { store, names, tombstones } = deps
  const iri = names.catalogue(id)
  const content = (await store.read(iri, { links: false }, signal)) ?? ''
  const states = { iri, before: fromLines(content), after: [] }
  const { mark, marks, lines, cascades } = catalogueMarks(deps, states)
  const deletion = { id, version: mark.version, at: deps.now() }
  const remains = { kind: 'catalogue', id, catalogue: id, originalId: id, content } as const
  const stone = { ...remains, metrics: '', hash, deletion: mark.version }
  const kept = tombstones.keep([stone], deletion.at)
  const system = systemChange({
    add: [...lines, ...deletionFacts(names, deletion)],
    remove: [fact(iri, 'hash', hash)],
  })
  const changes = [{ graph: iri, content: '', before: content }, system]
  try {
    await landOne(deps, { result: undefined, group: { changes, marks } })
  } catch (error) {
    kept.end([])
    throw error
  }
  kept.end([id])
  if (cascades) deps.cascaded()
  return { deletion, mark }
}

/** One pass over the members, then the end of the catalogue. Throws when some are left; done again, it goes on. */
async function emptyAndDrop(
  deps: WriteContext,
  deletion: CatalogueDeletion,
  done: (members: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { id, at, version } = deletion
  const removal = { at, deletion: version }
  const failures = [
    await removeAllOf(deps, { id, removal, kind: datasetMembers, done }, signal),
    await removeAllOf(deps, { id, removal, kind: resourceMembers, done }, signal),
  ]
  const failure = failures.find((one) => one !== undefined)
  if (failure !== undefined) throw failure
  const drop = { graph: deps.names.catalogue(id), drop: true } as const
  const facts = systemChange({ remove: deletionFacts(deps.names, deletion) })
  await landOne(deps, { result: undefined, group: { changes: [drop, facts], marks: [] } })
}

/** Removes all datasets of a catalogue and keeps the catalogue; answers what kept some of them, if anything did. */
export const removeDatasetsOf = (
  deps: WriteContext,
  { id, removal, done }: Omit<Emptying, 'kind'>,
  signal: AbortSignal,
): Promise<unknown> => removeAllOf(deps, { id, removal, done, kind: datasetMembers }, signal)

/** How the members of one kind are found. */
type MemberKind = {
  readonly query: ReturnType<typeof loadQuery>
  readonly locks: (names: Names, members: readonly Member[], iris: readonly string[]) => string[]
  readonly membersOf: (
    deps: WriteContext,
    catalogue: string,
    iris: readonly string[],
    signal: AbortSignal,
  ) => Promise<readonly Member[]>
}

const datasetMembers: MemberKind = {
  query: datasetsQuery,
  locks: memberLocks,
  membersOf: async (deps, catalogue, iris, signal) => {
    const ids = iris.flatMap((iri) => deps.names.idOf('dataset', iri) ?? [])
    const origins = await originalIdsOf(deps, ids, signal)
    return ids.map((id) => ({ kind: 'dataset', id, catalogue, originalId: origins.get(id) }))
  },
}

const resourceMembers: MemberKind = {
  query: resourcesQuery,
  locks: (_names, _members, iris) => iris.map(resourceLock),
  membersOf: async (deps, catalogue, iris, signal) => {
    const facts = await resourceFacts(deps, iris, signal)
    // What direct writers have left of a resource must not keep the catalogue for ever.
    const rest = iris.filter((iri) => !facts.has(iri))
    const remove = rest.map((iri) => memberLine(deps.names, iri, catalogue))
    if (rest.length > 0)
      await landOne(deps, {
        result: undefined,
        group: { changes: [systemChange({ remove })], marks: [] },
      })
    return [...facts.values()]
  },
}

type Emptying = {
  /** Of the catalogue. */
  readonly id: string
  readonly removal: Removal
  /** Counts members that are gone. */
  readonly done: (members: number) => void
}

/** One pass over the members of one kind; answers what kept some of them, if anything did. Throws when the store is away. */
async function removeAllOf(
  deps: WriteContext,
  { id, removal, done, kind }: Emptying & { readonly kind: MemberKind },
  signal: AbortSignal,
): Promise<unknown> {
  const query = bind(kind.query, { catalogue: namedNode(deps.names.catalogue(id)) })
  // Links that stay: to what is not a dataset of ours, and to what could not be removed this time.
  let passed = 0
  let failure: unknown
  for (;;) {
    signal.throwIfAborted()
    const rows = await deps.store.select(paged(query, { limit: page, offset: passed }), signal)
    const iris = rows.flatMap((row) => row['resource']?.value ?? [])
    if (iris.length === 0) return failure
    const members = await kind.membersOf(deps, id, iris, signal)
    // Who writes one of these members at this moment comes to an end first.
    const remove = async () =>
      removeMembers(deps, await kind.membersOf(deps, id, iris, signal), removal, signal)
    const locks = kind.locks(deps.names, members, iris)
    const results = await deps.locks.runAll(locks, remove, signal)
    const failed = results.flatMap((one) => ('failure' in one ? [one.failure] : []))
    failure ??= failed[0]
    const gone = results.length - failed.length
    passed += kind === datasetMembers ? iris.length - gone : failed.length
    done(gone)
  }
}
