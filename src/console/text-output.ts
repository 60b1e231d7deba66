/** Formats the answers of commands: columns, progress, runs, triggers. */

import {
  countNames,
  type Run,
  type RunItem,
  type RunNote,
  type RunReport,
  type StoredProblem,
} from '../pipe/runs/run.ts'
import type { CommandContext } from './command.ts'
import type { ConsoleTrigger, ReportProgress } from './console-parts.ts'

/** Most characters to which a column is padded. */
const widest = 60

/** Formats rows as lines; a column is as wide as its widest cell, at most 60 characters. Longer cells are not cut. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [index, cell] of row.entries())
      widths[index] = Math.min(widest, Math.max(widths[index] ?? 0, cell.length))
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Formats a number with a comma between thousands: `12,345`. */
export const number = (value: number): string => value.toLocaleString('en')

const instant = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? '–' : `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

/** Formats a number with its noun: `3 datasets`, `1 dataset`. */
export const amount = (count: number, singular: string, plural = `${singular}s`): string =>
  `${number(count)} ${count === 1 ? singular : plural}`

// Progress.

/** Characters of a progress bar; `page/shell.js` recognises it by them. */
const width = 30

/** Progress bar `[#####.....] 50 %  5 of 10`; without a total an empty bar and the number. */
export function progressBar(done: number, total: number | undefined): string {
  if (total === undefined || total <= 0) return `[${'-'.repeat(width)}] ${number(done)}`
  const share = Math.min(1, done / total)
  const filled = Math.floor(share * width)
  const percent = String(Math.floor(share * 100)).padStart(3)
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${percent} %  ${number(done)} of ${number(total)}`
}

/** Makes a listener that reports progress as a bar. */
export const bar =
  (progress: CommandContext['progress']): ReportProgress =>
  (done, total) =>
    progress(progressBar(done, total))

// Runs, items and triggers.

/** Counts of a run other than zero: `created 3, updated 10`. */
export function countsText({ counts }: Pick<Run, 'counts'>): string {
  const names = countNames.filter((name) => counts[name] > 0)
  return names.map((name) => `${name} ${number(counts[name])}`).join(', ') || 'nothing met'
}

/** Status and outcome of a run: `finished (complete)`. */
export const stateText = ({ status, outcome }: Run): string =>
  outcome === undefined ? status : `${status} (${outcome})`

/** Row of a run: id, pipe, starter, start, state and counts. */
export const runRow = (run: Run): readonly string[] => [
  run.id,
  run.pipe,
  run.trigger === undefined ? run.startedBy : `trigger ${run.trigger}`,
  (run.startTime ?? run.created).replace(/\.\d+Z$/, 'Z'),
  stateText(run),
  countsText(run),
]

/** Line about the progress of a run: bar, status and counts. */
export const progressOf = (run: Run): string =>
  `${progressBar(processedOf(run), run.progress.total)}  ${run.status}, ${countsText(run)}`

/** Number of records with an outcome. */
const processedOf = ({ counts }: Run): number =>
  counts.created +
  counts.updated +
  counts.unchanged +
  counts.skipped +
  counts.failed +
  counts.refused +
  counts.duplicate

/** Line of a problem: `export-refused: no title`. */
export const problemLine = ({ type, title, detail }: StoredProblem): string =>
  `${type.slice(type.lastIndexOf(':') + 1)}: ${detail ?? title}`

/** Line of an item: id, stage, state and reason. */
export const runItemLine = (item: RunItem): string => {
  const name = item.originalId ?? item.sourceId ?? item.platformId ?? '–'
  const why = item.problem ? problemLine(item.problem) : (item.note ?? '')
  return [name, item.stage, item.state, why].join('  ').trimEnd()
}

/** Lines of an item of a dry run with removed and added statements. */
export const changeLines = (item: RunItem): readonly string[] => [
  runItemLine(item),
  ...(item.difference?.gone ?? []).map((text) => `  - ${text}`),
  ...(item.difference?.come ?? []).map((text) => `  + ${text}`),
]

/** Lines of a report: problems and findings by kind with examples, and statuses by host. */
export const reportLines = ({ problems, findings, requests }: RunReport): readonly string[] => [
  ...Object.entries({ ...problems, ...findings }).flatMap(([slug, { count, examples }]) => [
    `${slug}: ${count}`,
    ...examples.map(({ id, detail }) => `  ${id ?? '–'} ${detail ?? ''}`),
  ]),
  ...Object.entries(requests).map(([host, statuses]) => {
    const statusCounts = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
    return `${host}  ${statusCounts.join(', ')}`
  }),
]

/** Lines of a run without its items. */
export const runLines = (run: Run): readonly string[] => [
  `run        ${run.id}`,
  `pipe       ${run.pipe}`,
  `catalogue  ${run.catalogue ?? '–'}`,
  `started    ${run.startTime ?? '–'} by ${run.startedBy}${run.trigger === undefined ? '' : ` ${run.trigger}`}`,
  `ended      ${run.endTime ?? '–'}`,
  `state      ${stateText(run)}`,
  `counts     ${countsText(run)}`,
  `pages      ${number(run.progress.pages)}`,
  ...run.segments.map(
    ({ name, segmentNumber, processed }) =>
      `segment    ${segmentNumber} ${name}${processed ? ', done' : ''}`,
  ),
  ...(run.problem ? [`problem    ${problemLine(run.problem)}`] : []),
  ...(run.problem?.errors ?? []).map(({ detail }) => `           ${detail}`),
  ...(run.notes ?? []).map(noteLine),
]

const actionTexts = {
  confirm: 'removals confirmed',
  keep: 'records kept',
  restore: 'records restored',
} as const

/** Line of a decision about a run after its end. */
const noteLine = ({ action, time, ...counts }: RunNote): string => {
  const failed = counts.failed === 0 ? '' : `, ${number(counts.failed)} failed`
  return `note       ${time} ${number(counts.done)} ${actionTexts[action]}${failed}`
}

/** Row of a trigger: pipe, id, status, timing, next and last firing. */
export const triggerRow = (pipe: string, trigger: ConsoleTrigger): readonly string[] => [
  pipe,
  trigger.id,
  trigger.status,
  timingOf(trigger),
  trigger.problem ?? `next ${trigger.status === 'enabled' ? instant(trigger.next) : '–'}`,
  `last ${instant(trigger.last)}`,
]

function timingOf({ timing }: ConsoleTrigger): string {
  if (timing.kind === 'interval') return `every ${timing.value} ${timing.unit.toLowerCase()}`
  if (timing.kind === 'cron')
    return `cron ${timing.expression}${timing.timeZone === undefined ? '' : ` ${timing.timeZone}`}`
  return `at ${timing.times.length} specific times`
}
