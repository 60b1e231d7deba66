/** Gauges of pipes in `/metrics`: their last runs, kept in memory, and the runs of now. */

import type { Metrics } from '../../http/metrics.ts'
import { reportNumber } from '../../workers/numbers.ts'
import type { PipeSources } from '../sources/pipe-sources.ts'
import type { Run } from './run.ts'
import type { Runs } from './run-history.ts'

type PipeParts = {
  readonly runs: Pick<Runs, 'list' | 'lastComplete'>
  readonly launcher: { load(): { readonly runs: number; readonly waiting: number } }
  readonly pipes: Pick<PipeSources, 'list'>
  readonly triggers: { isLeader(): boolean }
}

/** Last run of a pipe; `succeededAt` in seconds since 1970. */
type LastRun = {
  readonly succeededAt: number | undefined
  readonly seconds: number
  readonly hasFailed: boolean
  readonly held: number
  readonly counts: Run['counts']
}

/** Most names of pipes that have series of their own; the rest is summed up as `other`. */
const mostPipes = 200
/** Runs of a pipe that are searched for one that has ended. */
const mostRuns = 5

const recordWords = ['created', 'updated', 'unchanged', 'removed', 'failed'] as const

const sum = (...values: number[]) => values.reduce((total, value) => total + value, 0)

/** Gauges of one value per pipe: name, help, value, and how the values of `other` become one. */
const pipeGauges: readonly (readonly [
  name: string,
  help: string,
  read: (last: LastRun) => number | undefined,
  combine: (...values: number[]) => number,
])[] = [
  [
    'last_success_timestamp_seconds',
    'When the last complete run of a pipe ended, in seconds since 1970.',
    (last) => last.succeededAt,
    Math.min,
  ],
  [
    'last_run_failed',
    'Whether the last run of a pipe failed.',
    (last) => Number(last.hasFailed),
    Math.max,
  ],
  ['last_run_duration_seconds', 'Seconds of the last run.', (last) => last.seconds, Math.max],
  ['removals_held', 'Removals of the last run that wait for a person.', (last) => last.held, sum],
]

/** Adds the gauges; the returned function counts a run that has ended, and reads the last runs again. */
export function showPipes({ gauge }: Metrics, parts: PipeParts): (ended?: Run) => void {
  let last = new Map<string, LastRun[]>()
  for (const [name, help, read, combine] of pipeGauges) {
    const values = () =>
      [...last].flatMap(([pipe, runs]) => {
        const found = runs.flatMap((run) => read(run) ?? [])
        return found.length === 0 ? [] : [[pipe, combine(...found)] as const]
      })
    gauge(`cartulary_pipe_${name}`, help, values, 'pipe')
  }
  const records = () =>
    [...last].flatMap(([pipe, runs]) =>
      recordWords.map(
        (what) => [pipe, what, sum(...runs.map(({ counts }) => counts[what]))] as const,
      ),
    )
  const recordsHelp = 'Records of the last run of a pipe by what became of them.'
  gauge('cartulary_pipe_last_run_records', recordsHelp, records, 'pipe', 'what')
  const load = () => {
    const { runs, waiting } = parts.launcher.load()
    return [
      ['running', runs],
      ['waiting', waiting],
    ] as const
  }
  gauge('cartulary_runs', 'Runs of pipes now.', load, 'state')
  const leader = () => [['scheduler', Number(parts.triggers.isLeader())]] as const
  gauge('cartulary_leader', 'Whether this process fires the triggers.', leader, 'role')
  const recount = (ended?: Run) => {
    if (ended) reportRun(ended)
    const names = parts.pipes.list().map(({ pipe }) => pipe.header.name)
    last = new Map()
    for (const [at, name] of names.toSorted().entries()) {
      const run = lastRun(parts.runs, name)
      const label = at < mostPipes ? name : 'other'
      if (run) last.set(label, [...(last.get(label) ?? []), run])
    }
  }
  recount()
  return recount
}

/** Reports a run that has ended. */
function reportRun({ outcome, status, startTime = '', endTime = '' }: Run): void {
  reportNumber('cartulary_runs_total', [outcome ?? status])
  const seconds = (Date.parse(endTime) - Date.parse(startTime)) / 1000
  if (seconds >= 0) reportNumber('cartulary_run_duration_seconds', [], seconds)
}

/** Reads the last run of a pipe that has ended; `undefined` without one. */
function lastRun(runs: PipeParts['runs'], pipe: string): LastRun | undefined {
  const recent = runs.list({ pipe, offset: 0, limit: mostRuns })
  const run = recent.find(({ endTime }) => endTime !== undefined)
  if (!run) return undefined
  const { counts, status, problem, notes = [], startTime = '', endTime = '' } = run
  const isDecided = notes.some(({ action }) => action !== 'restore')
  const succeededAt = Date.parse(runs.lastComplete(pipe)?.endTime ?? '') / 1000
  return {
    succeededAt: Number.isNaN(succeededAt) ? undefined : succeededAt,
    seconds: Math.max(0, Date.parse(endTime) - Date.parse(startTime)) / 1000 || 0,
    hasFailed: status === 'failed' || status === 'timed-out' || problem !== null,
    held: isDecided ? 0 : counts.held,
    counts,
  }
}
