/**
 * Maintenance of the indices for the console and for schedules, as jobs: project again, fill again, compare with the store.
 * Fragmented indices are filled again without a request.
 */

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
  /** Records of all indices. */
  readonly records: () => readonly RecordSource[]
  readonly projector: Pick<Projector, 'projectAgain' | 'isPending'>
  readonly engine: Pick<EngineStart, 'startRefill' | 'rebuilding' | 'filled'>
  readonly jobs: JobRunner
  readonly log: Log
  readonly pause: Pause
}

type Progress = (done: number, total?: number) => void

/** Milliseconds between two checks of the progress of a filling, and between two checks for fragmented indices. */
const [pollMs, checkMs] = [250, 120_000]

/** Key of jobs on indices, whatever their kind: one of them runs at a time. */
const indexKey = 'indices'

/** Job of this file; by default with the key of indices and requested by an operator. */
type IndexJob = Pick<JobRequest, 'kind' | 'payload' | 'merge'> & {
  readonly key?: string
  readonly createdBy?: string
}

/** Merges indices into the payload of a waiting job. */
const withIndices = (added: readonly string[]) => (payload: Json) => [
  ...new Set([...listed(payload).map(String), ...added]),
]

/**
 * Creates the jobs on the indices. Each call of `projectAgain`, `refill` and `reconcile` submits one, or joins a waiting one, and
 * waits for its result; its signal ends only the waiting. Numbers are records.
 */
export function indexMaintenance(context: MaintenanceContext) {
  const { store, index, profile, engine, jobs, log, pause } = context
  const registrations = kindsOf(context).map((kind) => jobs.register(kind))
  const submit = ({ key = indexKey, createdBy = 'console', ...job }: IndexJob) =>
    jobs.submit({ ...job, key, createdBy })
  const result = async (job: IndexJob, progress: Progress, signal: AbortSignal) => {
    signal.throwIfAborted()
    const report = ({ done, of }: JobProgress) => progress(done, of)
    return memberFields(await jobs.resultOf(submit(job).id, signal, report))
  }
  const checkIndices = async () => {
    if (engine.rebuilding()?.length !== 0) return
    const names = (await index.fragmented?.()) ?? []
    if (names.length === 0) return
    log.info({ indices: names }, 'index.fragmented')
    submit({ kind: 'reindex', payload: names, merge: withIndices(names), createdBy: 'schedule' })
  }
  const checkLoop = backgroundLoop('index.refill-failed', checkMs, checkIndices, { log, pause })
  return {
    /** Projects catalogues with all their members again; an empty list = everything. Throws `unknown-catalogue`. */
    projectAgain: async (
      catalogues: readonly string[],
      progress: Progress,
      signal: AbortSignal,
    ) => {
      const key = `records of ${catalogues.toSorted().join(' ') || 'all catalogues'}`
      const job = { kind: 'project-catalogues', key, payload: catalogues }
      return Number((await result(job, progress, signal))['records'])
    },
    /**
     * Fills indices again while the old documents are served; an empty list = all. Throws `invalid-parameter` for an unknown
     * name, and `conflict` while any is being filled or the engine has not been reached.
     */
    refill: async (names: readonly string[], progress: Progress, signal: AbortSignal) => {
      const payload = chosenIndices(profile, names)
      requireComplete(engine)
      const job = { kind: 'reindex', payload, merge: withIndices(payload) }
      return Number((await result(job, progress, signal))['records'])
    },
    /** Time of the oldest write that is not indexed yet, in milliseconds since 1970; `undefined` when there is none. */
    oldestPending: async (signal: AbortSignal) => {
      const [mark] = await readMarks(store, 1, signal)
      // Versions are timestamps in microseconds.
      return mark && mark.version / 1000
    },
    /** Compares store and index. Throws `conflict` while an index is being filled or the engine has not been reached. */
    reconcile: async (options: ReconcileOptions, signal: AbortSignal): Promise<Drift> => {
      requireComplete(engine)
      const { dryRun, createdBy, progress } = options
      const job = { kind: dryRun ? 'compare' : 'reconcile', payload: null, createdBy }
      return driftIn(await result(job, progress, signal))
    },
    stop: async () => {
      await checkLoop.stop()
      await Promise.all(registrations.map((registration) => registration.stop()))
    },
  }
}

/** Throws `conflict` while an index is being filled or the engine has not been reached. */
function requireComplete(engine: MaintenanceContext['engine']): void {
  if (engine.rebuilding()?.length !== 0)
    throw new Failure('conflict', 'an index is being filled; try again when it is whole')
}

/** Kinds of jobs: `compare` is `reconcile` without repairs. After a crash they start again. */
function kindsOf(context: MaintenanceContext): readonly JobKind[] {
  const { index, projector, engine, log, pause } = context
  const submit = (resource: string) => projector.projectAgain(resource)
  const isPending = (resource: string) => projector.isPending(resource)
  const compare =
    (dryRun: boolean) =>
    async (_: Job, { progress, signal }: JobRun) => {
      requireComplete(engine)
      const comparison = { submit, pause, index, isPending, records: context.records() }
      const report: Progress = (done, of) => progress({ done, of })
      const drift = await reconcile(comparison, { dryRun, progress: report }, signal)
      log.info({ ...drift, dryRun }, 'reconcile.finished')
      return drift
    }
  return [
    {
      kind: 'project-catalogues',
      atOnce: 2,
      run: async ({ payload }, { progress, signal }) => {
        const { pages, total } = await resourcesToProject(
          context,
          listed(payload).map(String),
          signal,
        )
        const report = (done: number) => progress({ done, of: total })
        const options = { submit, pause, progress: report }
        return { records: await projectResources(pages, options, signal) }
      },
    },
    {
      kind: 'reindex',
      atOnce: 1,
      isCancellable: false,
      run: (...jobArguments) => refill(context, ...jobArguments),
    },
    { kind: 'reconcile', atOnce: 1, run: compare(false) },
    { kind: 'compare', atOnce: 1, run: compare(true) },
  ]
}

/** Starts filling indices, unless an earlier attempt has started it, and waits until all are complete. */
async function refill(
  { engine, profile, pause }: MaintenanceContext,
  { payload, attempts, progress: earlierProgress }: Job,
  { progress, signal }: JobRun,
): Promise<Json> {
  // After a crash the engine reports the indices in filling, and the start of the process continues.
  const isRunning = earlierProgress !== undefined || engine.rebuilding()?.length !== 0
  if (attempts === 1 || !isRunning)
    await engine.startRefill(chosenIndices(profile, listed(payload).map(String)))
  while (engine.rebuilding()?.length !== 0) {
    const sum = (key: 'done' | 'of') =>
      (engine.rebuilding() ?? []).reduce((total, state) => total + state[key], engine.filled())
    progress({ done: sum('done'), of: sum('of') })
    await pause(pollMs, signal)
    signal.throwIfAborted()
  }
  return { records: engine.filled() }
}

/** Reads the drift that a job has stored. */
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

/** Lists the resources to project again. Throws `unknown-catalogue`. */
const resourcesToProject = (
  context: MaintenanceContext,
  catalogues: readonly string[],
  signal: AbortSignal,
): Promise<ResourcePages> =>
  catalogues.length === 0
    ? allResources(context.records(), signal)
    : cataloguesWithMembers(context, catalogues, signal)

/** Returns the indices to fill; all when none is named. Throws `invalid-parameter`. */
function chosenIndices(profile: Profile, names: readonly string[]): readonly IndexName[] {
  const indices = indexNames(profile)
  const unknown = names.find((name) => !indices.some((index) => index === name))
  if (unknown === undefined)
    return indices.filter((name) => names.length === 0 || names.includes(name))
  const detail = `there is no index ${shown(unknown)}; the indices are ${indices.join(', ')}`
  throw new Failure('invalid-parameter', detail)
}

/** IRIs in pages, and their number, counted before the pages are read. */
type ResourcePages = {
  readonly pages: Parameters<typeof projectResources>[0]
  readonly total: number
}

/** Lists the records of all indices. */
async function allResources(
  records: readonly RecordSource[],
  signal: AbortSignal,
): Promise<ResourcePages> {
  const pages: (readonly string[])[] = []
  for (const { ids, resource } of records) pages.push((await ids(signal)).map(resource))
  return { pages, total: pages.reduce((sum, { length }) => sum + length, 0) }
}

const sizeQuery = loadQuery('catalogue-size')

/** Lists catalogues with their members. Throws `unknown-catalogue`. */
async function cataloguesWithMembers(
  { store, names }: Pick<MaintenanceContext, 'store' | 'names'>,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ResourcePages> {
  const storedIds = await storedCatalogues({ store, names }, signal)
  const missing = ids.find((id) => !storedIds.includes(id))
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
