/**
 * A run while it is active in this process; receives the reports of its segments. Counts are in memory; items are buffered
 * and written in batches, in one transaction with the counts.
 */

import { Failure } from '../../errors.ts'
import { withItem, withPage, withRequest } from './run-report.ts'
import { itemKey, type RunTables, type StoredRun } from './run-tables.ts'
import {
  countNames,
  type RunCounts,
  hasEnded,
  type ItemState,
  type Run,
  type RunChange,
  type RunItem,
  type ItemReport,
  type RunSink,
  type RunStatus,
  type RunTally,
  type StoredProblem,
  storedProblem,
} from './run.ts'

/** Dependencies of live runs. */
export type LiveRunContext = {
  readonly tables: RunTables
  readonly now: () => number
  /** Removes registered secrets from a text. */
  readonly redact: (text: string) => string
  /** Items whose source text is stored; of dry runs always all. */
  readonly keepSource: 'failed' | 'none' | 'all'
  /** Notifies followers of runs. */
  readonly notify: () => void
}

/** Lease of a run in ms, after which another process may take it over. */
export const leaseMs = 60_000

/** Number of buffered items, and of the characters of their excerpts, from which on they are written. */
const mostBuffered = 1000
const mostBufferedCharacters = 4 * 2 ** 20

/** An active run, its counts and unwritten items. */
export class LiveRun {
  readonly sink: RunSink
  readonly #context: LiveRunContext
  readonly #stored: StoredRun
  /** Serial of the earlier run if it had failed items; `unchanged` records that failed there are stored as items. */
  readonly #failedRunSerial: number | undefined
  readonly #counts: Record<keyof RunCounts, number>
  /** Redacts and truncates an item (`itemCleaner`). */
  readonly #clean: (item: RunItem) => RunItem
  #run: Run
  #tally: RunTally
  /** Outcome that a segment has reported; applies unless `changeState` gives one. */
  #outcome: RunChange = { status: 'finished' }
  #items: RunItem[] = []
  #characters = 0
  #changed = false
  #lastReportMs: number
  #lastPage: number | undefined

  constructor(context: LiveRunContext, stored: StoredRun, failedRunSerial: number | undefined) {
    this.#context = context
    this.#stored = stored
    this.#failedRunSerial = failedRunSerial
    this.#run = stored.run
    this.#counts = { ...stored.run.counts }
    this.#tally = stored.tally
    // The items of a dry run are its only result.
    this.#clean = itemCleaner(context.redact, stored.start.dryRun ? 'all' : context.keepSource)
    this.#lastReportMs = context.now()
    this.sink = this.#newSink()
  }

  current(): Run {
    return { ...this.#run, counts: { ...this.#counts } }
  }

  /** Time of the last report, ms since 1970. */
  get lastReportAt(): number {
    return this.#lastReportMs
  }

  /** Changes the state and writes it. Throws `conflict` for a transition that does not exist. */
  changeState(change: RunChange): Run {
    const before = this.#run
    checkTransition(before, change.status)
    this.#run = this.#nextState(change, timeOf(this.#markChanged()))
    try {
      this.#write()
    } catch (error) {
      this.#run = before
      throw error
    }
    return this.current()
  }

  /** Records that everything up to the cursor was written. */
  checkpoint(cursor: string): void {
    if (!hasEnded(this.#run)) this.#write(cursor)
  }

  /** Writes buffered items and counts. */
  flush(): void {
    if (this.#changed && !hasEnded(this.#run)) this.#write()
  }

  #write(cursor?: string): void {
    const { tables, now } = this.#context
    const { serial, owner } = this.#stored
    tables.transaction(() => {
      const run = this.current()
      const tally = this.#tally
      // The write has no effect if another process has taken over the run.
      const lease = now() + leaseMs
      if (!tables.update({ ...this.#stored, run, tally, lease }, owner)) return
      tables.addItems(serial, this.#items)
      const { counts, progress } = run
      if (cursor !== undefined) tables.checkpoint(serial, { cursor, counts, progress, tally })
    })
    this.#items = []
    this.#characters = 0
    this.#changed = false
  }

  /** Marks the run as changed and alive, and notifies followers; returns the time. */
  #markChanged(): number {
    this.#lastReportMs = this.#context.now()
    this.#changed = true
    this.#context.notify()
    return this.#lastReportMs
  }

  #newSink(): RunSink {
    // Reports after the end of the run are dropped.
    const whileActive = (work: (timeMs: number) => void): void => {
      if (!hasEnded(this.#run)) work(this.#markChanged())
    }
    return {
      item: (item) => whileActive((timeMs) => this.#report(item, timeMs)),
      finding: (finding, about = {}) =>
        whileActive((timeMs) => {
          // A finding has no item. `import` is that of all segments here; only the findings of the entry are counted.
          const item = {
            ...about,
            stage: 'import',
            state: 'unchanged',
            time: timeOf(timeMs),
          } as const
          this.#counts.findings += 1
          this.#tally = withItem(this.#tally, this.#clean({ ...item, findings: [finding] }))
        }),
      total: (total) => whileActive(() => this.#progress({ total })),
      offered: (count = 1) => whileActive(() => void (this.#counts.offered += count)),
      adopted: (count) => whileActive(() => void (this.#counts.adopted += count)),
      page: ({ bytes = 0, millis }) =>
        whileActive((timeMs) => {
          const { pages, bytes: bytesBefore } = this.#run.progress
          this.#progress({ pages: pages + 1, bytes: bytesBefore + bytes, lastPage: timeOf(timeMs) })
          const pageMs = millis ?? timeMs - (this.#lastPage ?? timeMs)
          this.#tally = withPage(this.#tally, { number: pages + 1, millis: pageMs, bytes })
          this.#lastPage = timeMs
        }),
      request: ({ host, status }) =>
        whileActive(() => void (this.#tally = withRequest(this.#tally, host, String(status)))),
      alive: () => void (this.#lastReportMs = this.#context.now()),
      processed: (number) =>
        whileActive(() => {
          const segments = this.#run.segments.map((segment) =>
            segment.segmentNumber === number ? { ...segment, processed: true } : segment,
          )
          this.#run = { ...this.#run, segments }
        }),
      outcome: (outcome, error) =>
        whileActive(() => {
          const problem = error && storedProblem(error)
          this.#outcome = { status: 'finished', outcome, problem }
        }),
    }
  }

  #progress(changes: Partial<Run['progress']>): void {
    this.#run = { ...this.#run, progress: { ...this.#run.progress, ...changes } }
  }

  #report(item: ItemReport, timeMs: number): void {
    const { state, findings = [] } = item
    this.#progress({ lastItem: timeOf(timeMs) })
    if (this.#isRepeat(item)) return
    if (isCounted(state)) this.#counts[state] += 1
    const isStored = state !== 'unchanged' || this.#has(item, this.#failedRunSerial, 'failed')
    if (!isStored && findings.length === 0) return
    const cleaned = this.#clean({ ...item, time: timeOf(timeMs) })
    this.#counts.findings += findings.length
    this.#tally = withItem(this.#tally, cleaned)
    if (!isStored) return
    this.#items.push(cleaned)
    this.#characters += cleaned.excerpt?.length ?? 0
    if (this.#items.length >= mostBuffered || this.#characters >= mostBufferedCharacters)
      this.#write()
  }

  /** Whether the run, before it was resumed, had already counted this record as written. */
  #isRepeat(item: ItemReport): boolean {
    const { resumptions, serial } = this.#stored
    const isRepeatableState = item.state === 'unchanged' || item.state === 'updated'
    return resumptions > 0 && isRepeatableState && this.#has(item, serial, 'written')
  }

  #has(item: ItemReport, serial: number | undefined, outcome: 'failed' | 'written') {
    const key = itemKey(item)
    if (serial === undefined || key === undefined) return false
    return this.#context.tables.has(serial, key, outcome)
  }

  #nextState({ status, outcome, problem }: RunChange, time: string): Run {
    const run = this.#run
    if (status === 'running') return { ...run, status, startTime: run.startTime ?? time }
    const isFinished = status === 'finished'
    const cause = problem ?? (isFinished ? this.#outcome.problem : undefined)
    const reportedOutcome = outcome ?? this.#outcome.outcome ?? 'incomplete'
    return {
      ...run,
      status,
      endTime: time,
      ...(isFinished && { outcome: this.#stored.start.dryRun ? 'dry-run' : reportedOutcome }),
      problem: cause ? cleanProblem(cause, this.#context.redact) : null,
    }
  }
}

/** Formats a time in ms since 1970 as ISO 8601. */
export const timeOf = (timeMs: number): string => new Date(timeMs).toISOString()

const isCounted = (state: ItemState): state is Exclude<ItemState, 'restored'> =>
  countNames.some((name) => name === state)

const transitions: Readonly<Partial<Record<RunStatus, readonly RunStatus[]>>> = {
  waiting: ['running', 'failed', 'cancelled', 'interrupted'],
  running: ['finished', 'failed', 'cancelled', 'timed-out', 'interrupted'],
}

/**
 * Throws `conflict` for a transition that does not exist. An ended run can only become `waiting`, which resumes it; one that
 * finished can do so only with the outcome `incomplete`.
 */
export function checkTransition(run: Run, to: RunStatus): void {
  if (!(transitions[run.status] ?? ['waiting']).includes(to)) {
    throw new Failure('conflict', `a run that is ${run.status} cannot become ${to}`)
  }
  if (to === 'waiting' && run.status === 'finished' && run.outcome !== 'incomplete') {
    throw new Failure('conflict', `a run that finished ${run.outcome} has nothing to resume`)
  }
}

/** Maximum characters of an excerpt and of other texts, and maximum number of findings of an item. */
const longestExcerpt = 65_536
const longestText = 2048
const mostFindings = 20
/** Maximum characters of excerpts per run and resumption, so that a broken source cannot fill the disk. */
const mostExcerpts = 64 * 2 ** 20

/**
 * Returns a function that redacts secrets in items and truncates their texts; excerpts that exceed the limit per run are left
 * out. Ids are never truncated, because retries look items up by them.
 */
function itemCleaner(
  redact: LiveRunContext['redact'],
  keep: LiveRunContext['keepSource'],
): (item: RunItem) => RunItem {
  let remaining = mostExcerpts
  const text = (value: string) => redact(value).slice(0, longestText)
  return ({ excerpt, ...item }) => {
    const { sourceUrl, title, note, problem, findings, difference } = item
    const faultPlace = problem?.errors?.find(({ line }) => line !== undefined)
    const isWanted = keep === 'all' || (keep === 'failed' && item.state === 'failed')
    const source = isWanted && excerpt ? redact(excerpt).slice(0, longestExcerpt) : ''
    const fits = source !== '' && source.length <= remaining
    if (fits) remaining -= source.length
    return {
      ...item,
      sourceUrl: sourceUrl && text(sourceUrl),
      title: title && text(title),
      line: item.line ?? faultPlace?.line,
      note: note && text(note),
      problem: problem && cleanProblem(problem, redact),
      findings: findings?.slice(0, mostFindings).map((finding) => ({
        ...finding,
        detail: text(finding.detail),
        value: finding.value && text(finding.value),
      })),
      difference: difference && {
        gone: difference.gone.map(text),
        come: difference.come.map(text),
      },
      excerpt: fits ? source : undefined,
    }
  }
}

const cleanProblem = (problem: StoredProblem, redact: LiveRunContext['redact']): StoredProblem => ({
  ...problem,
  detail: problem.detail && redact(problem.detail).slice(0, longestText),
  errors: problem.errors?.map((complaint) => ({ ...complaint, detail: redact(complaint.detail) })),
})
