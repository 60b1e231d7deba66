/** What an operator may have done to the indices: projected again, filled anew, compared with the store. */

import { Failure, shown } from '../errors.ts'
import type { Job, JobKind, JobProgress, JobRun } from '../jobs/job.ts'
import type { JobRequest, JobRunner } from '../jobs/job-runner.ts'
import type { Log } from '../log.ts'
import type { Profile } from '../profile/profile.ts'
import type { Names } from '../rdf/names.ts'
import { namedNode } from '../rdf/terms.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { GraphStore } from '../store/graph-store.ts'
import { bind, loadQuery } from '../store/queries.ts'
import { type Fields, type Json, listed, memberFields } from '../text/json.ts'
import { backgroundLoop } from '../workers/background-loop.ts'
import type { Pause } from '../workers/pause.ts'
import { indexNames } from './building/index-settings.ts'
import { catalogueMembers } from './cascades.ts'
import type { EngineStart } from './engine-start.ts'
import { projectResources } from './project-resources.ts'
import { type RecordSource, storedCatalogues } from './indexed-records.ts'
import { readMarks } from './queue.ts'
import type { Projector } from './projector.ts'
import { type Drift, reconcile, type ReconcileOptions } from './reconcile.ts'

type MaintenanceContext = {
  readonly store: GraphStore
  readonly index: SearchIndex
  readonly names: Names
  readonly profile: Profile
  /** Those of all indices. */
  readonly records: () => readonly RecordSource[]
  readonly projector: Pick<Projector, 'projectAgain' | 'isPending'>
  readonly engine: Pick<EngineStart, 'startRefill' | 'rebuilding' | 'filled'>
  readonly jobs: JobRunner
  readonly log: Log
  readonly pause: Pause
}

type Progress = (done: number, total?: number) => void

/** Milliseconds between two looks at how far the filling is, and whether replaced documents take too much memory. */
const [lookMs, fragmentedCheckMs] = [250, 120_000]

/** Works on the indices as a whole: one of these jobs runs at a time. */
const indexKey = 'indices'

/** A job of this file; by default it is on all indices and was asked for by an operator. */
type IndexJob = Pick<JobRequest, 'kind' | 'payload' | 'merge'> & {
  readonly key?: string
  readonly createdBy?: string | undefined
}

/** Indices of a job that waits, together with those of another one. */
const withIndices = (more: readonly string[]) => (waiting: Json) => [
  ...new Set([...listed(waiting).map(String), ...more]),
]

/** Jobs on the indices. Each call submits one and waits for its result; its signal ends the waiting only. Numbers are records. */
export function indexMaintenance(context: MaintenanceContext) {
  const { store, index, profile, engine, jobs, log, pause } = context
  const registrations = kindsOf(context).map((kind) => jobs.register(kind))
  const submit = ({ key = indexKey, createdBy = 'console', ...job }: IndexJob) =>
    jobs.submit({ ...job, key, createdBy })
  const result = async (job: IndexJob, progress: Progress, signal: AbortSignal) => {
    signal.throwIfAborted()
    const told = ({ done, of }: JobProgress) => progress(done, of)
    return memberFields(await jobs.resultOf(submit(job).id, signal, told))
  }
  const demandWhole = () => {
    if (engine.rebuilding()?.length !== 0)
      throw new Failure('conflict', 'an index is being filled; try again when it is whole')
  }
  const refillFragmented = async () => {
    if (engine.rebuilding()?.length !== 0) return
    const fragmented = (await index.fragmented?.()) ?? []
    if (fragmented.length === 0) return
    log.info({ indices: fragmented }, 'index.fragmented')
    submit({
      kind: 'reindex',
      payload: fragmented,
      merge: withIndices(fragmented),
      createdBy: 'schedule',
    })
  }
  const looking = backgroundLoop('index.refill-failed', fragmentedCheckMs, refillFragmented, {
    log,
    pause,
  })
  return {
    /** Projects catalogues with all that is in them again; none = everything. Throws `unknown-catalogue`. */
    again: async (catalogues: readonly string[], progress: Progress, signal: AbortSignal) => {
      const key = `records of ${catalogues.toSorted().join(' ') || 'all catalogues'}`
      const job = { kind: 'project-catalogues', key, payload: catalogues }
      return Number((await result(job, progress, signal))['records'])
    },
    /**
     * Fills indices anew beside what answers, and swaps them in; none = all. Throws `invalid-parameter` for a name that is none,
     * and `conflict` while any is being filled.
     */
    refill: async (given: readonly string[], progress: Progress, signal: AbortSignal) => {
      const payload = chosenIndices(profile, given)
      demandWhole()
      const job = { kind: 'reindex', payload, merge: withIndices(payload) }
      return Number((await result(job, progress, signal))['records'])
    },
    /** When the oldest write was made that is not indexed yet, milliseconds since 1970. */
    oldest: async (signal: AbortSignal) => {
      const [mark] = await readMarks(store, 1, signal)
      // Versions are microseconds of the clock.
      return mark && mark.version / 1000
    },
    /** Compares store and index. Throws `conflict` while an index is being filled. */
    reconcile: async (options: ReconcileOptions, signal: AbortSignal): Promise<Drift> => {
      demandWhole()
      const { dryRun, createdBy, progress } = options
      const job = { kind: dryRun ? 'compare' : 'reconcile', payload: null, createdBy }
      return driftIn(await result(job, progress, signal))
    },
    stop: async () => {
      await looking.stop()
      await Promise.all(registrations.map((registration) => registration.stop()))
    },
  }
}

/** The kinds of jobs: `compare` is `reconcile` without repairs. After a crash they begin anew. */
function kindsOf(context: MaintenanceContext): readonly JobKind[] {
  const { index, projector, engine, pause } = context
  const submit = (resource: string) => projector.projectAgain(resource)
  const isPending = (resource: string) => projector.isPending(resource)
  const compare =
    (dryRun: boolean) =>
    async (_: Job, { progress, signal }: JobRun) => {
      if (engine.rebuilding()?.length !== 0)
        throw new Failure('conflict', 'an index is being filled; try again when it is whole')
      const comparison = { submit, pause, index, isPending, records: context.records() }
      const told: Progress = (done, of) => progress({ done, ...(of !== undefined && { of }) })
      return reconcile(comparison, { dryRun, progress: told }, signal)
    }
  return [
    {
      kind: 'project-catalogues',
      atOnce: 2,
      run: async ({ payload }, { progress, signal }) => {
        const { pages, total: of } = await workOn(context, listed(payload).map(String), signal)
        const told = (done: number) => progress({ done, of })
        return { records: await projectResources(pages, { submit, pause, progress: told }, signal) }
      },
    },
    {
      kind: 'reindex',
      atOnce: 1,
      isCancellable: false,
      run: (...given) => refill(context, ...given),
    },
    { kind: 'reconcile', atOnce: 1, run: compare(false) },
    { kind: 'compare', atOnce: 1, run: compare(true) },
  ]
}

/** Begins to fill indices, unless an earlier attempt has begun, and waits until all of them are whole. */
async function refill(
  { engine, profile, pause }: MaintenanceContext,
  { payload, attempts, progress: before }: Job,
  { progress, signal }: JobRun,
): Promise<Json> {
  // After a crash the engine says that an index is being filled, and the start goes on with it.
  const isUnderWay = before !== undefined || engine.rebuilding()?.length !== 0
  if (attempts === 1 || !isUnderWay)
    await engine.startRefill(chosenIndices(profile, listed(payload).map(String)))
  while (engine.rebuilding()?.length !== 0) {
    const sum = (of: 'done' | 'of') =>
      (engine.rebuilding() ?? []).reduce((all, state) => all + state[of], engine.filled())
    progress({ done: sum('done'), of: sum('of') })
    await pause(lookMs, signal)
    signal.throwIfAborted()
  }
  return { records: engine.filled() }
}

/** Drift as a job has stored it. */
function driftIn(fields: Fields): Drift {
  const count = (name: keyof Drift) => Number(fields[name] ?? 0)
  return {
    compared: count('compared'),
    missing: count('missing'),
    stale: count('stale'),
    extra: count('extra'),
    repaired: count('repaired'),
  }
}

/** What is to be projected again. Throws `unknown-catalogue`. */
const workOn = (
  context: MaintenanceContext,
  catalogues: readonly string[],
  signal: AbortSignal,
): Promise<Work> =>
  catalogues.length === 0
    ? everything(context.records(), signal)
    : cataloguesWithMembers(context, catalogues, signal)

/** None given = all. Throws `invalid-parameter`. */
function chosenIndices(profile: Profile, given: readonly string[]): readonly IndexName[] {
  const all = indexNames(profile)
  const unknown = given.find((name) => !all.some((one) => one === name))
  if (unknown === undefined) return all.filter((name) => given.length === 0 || given.includes(name))
  const detail = `there is no index ${shown(unknown)}; the indices are ${all.join(', ')}`
  throw new Failure('invalid-parameter', detail)
}

/** IRIs in pages, and how many there are. */
type Work = { readonly pages: Parameters<typeof projectResources>[0]; readonly total: number }

/** Everything that any index is made of. */
async function everything(records: readonly RecordSource[], signal: AbortSignal): Promise<Work> {
  const pages: (readonly string[])[] = []
  for (const { ids, resource } of records) pages.push((await ids(signal)).map(resource))
  return { pages, total: pages.reduce((sum, { length }) => sum + length, 0) }
}

const sizeQuery = loadQuery('catalogue-size')

/** Catalogues with everything in them. Throws `unknown-catalogue`. */
async function cataloguesWithMembers(
  { store, names }: Pick<MaintenanceContext, 'store' | 'names'>,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Work> {
  const present = await storedCatalogues({ store, names }, signal)
  const missing = ids.find((id) => !present.includes(id))
  if (missing !== undefined)
    throw new Failure('unknown-catalogue', `there is no catalogue ${shown(missing)}`)
  const catalogues = [...new Set(ids)].map((id) => names.catalogue(id))
  let total = catalogues.length
  for (const catalogue of catalogues) {
    const [row] = await store.select(bind(sizeQuery, { catalogue: namedNode(catalogue) }), signal)
    total += Number(row?.['size']?.value ?? 0)
  }
  const pages = async function* () {
    for (const catalogue of catalogues) {
      yield [catalogue]
      yield* catalogueMembers(store, catalogue, signal)
    }
  }
  return { pages: pages(), total }
}
