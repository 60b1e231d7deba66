/** Runs, their items and triggers in words. */

import {
  countNames,
  type Run,
  type RunItem,
  type RunNote,
  type StoredProblem,
} from '../../pipe/runs/run.ts'
import type { ConsoleTrigger } from '../parts.ts'
import { bar } from './progress.ts'
import { instant, number } from './rows.ts'

/** `created 3, updated 10`; what is zero is left out. */
export function countsOf({ counts }: Pick<Run, 'counts'>): string {
  const said = countNames.filter((name) => counts[name] > 0)
  return said.map((name) => `${name} ${number(counts[name])}`).join(', ') || 'nothing met'
}

export const stateOf = ({ status, outcome }: Run): string =>
  outcome === undefined ? status : `${status} (${outcome})`

/** Id, pipe, who started it, since when, state and counts. */
export const runRow = (run: Run): readonly string[] => [
  run.id,
  run.pipe,
  run.trigger === undefined ? run.startedBy : `trigger ${run.trigger}`,
  (run.startTime ?? run.created).replace(/\.\d+Z$/, 'Z'),
  stateOf(run),
  countsOf(run),
]

export const progressOf = (run: Run): string =>
  `${bar(metOf(run), run.progress.total)}  ${run.status}, ${countsOf(run)}`

/** Records that are done with, whatever came of them. */
const metOf = ({ counts }: Run): number =>
  counts.created +
  counts.updated +
  counts.unchanged +
  counts.skipped +
  counts.failed +
  counts.refused +
  counts.duplicate

export const problemLine = ({ type, title, detail }: StoredProblem): string =>
  `${type.slice(type.lastIndexOf(':') + 1)}: ${detail ?? title}`

export const runItemRow = (item: RunItem): readonly string[] => [
  item.originalId ?? item.sourceId ?? item.platformId ?? '–',
  item.stage,
  item.state,
  item.problem ? problemLine(item.problem) : (item.note ?? ''),
]

/** Everything about a run but its items. */
export const runLines = (run: Run): readonly string[] => [
  `run        ${run.id}`,
  `pipe       ${run.pipe}`,
  `catalogue  ${run.catalogue ?? '–'}`,
  `started    ${run.startTime ?? '–'} by ${run.startedBy}${run.trigger === undefined ? '' : ` ${run.trigger}`}`,
  `ended      ${run.endTime ?? '–'}`,
  `state      ${stateOf(run)}`,
  `counts     ${countsOf(run)}`,
  `pages      ${number(run.progress.pages)}`,
  ...run.segments.map(
    ({ name, segmentNumber, processed }) =>
      `segment    ${segmentNumber} ${name}${processed ? ', done' : ''}`,
  ),
  ...(run.problem ? [`problem    ${problemLine(run.problem)}`] : []),
  ...(run.problem?.errors ?? []).map(({ detail }) => `           ${detail}`),
  ...(run.notes ?? []).map(noteLine),
]

const done = { confirm: 'removals confirmed', restore: 'records restored' } as const

const noteLine = ({ action, time, ...counts }: RunNote): string => {
  const failed = counts.failed === 0 ? '' : `, ${number(counts.failed)} failed`
  return `note       ${time} ${number(counts.done)} ${done[action]}${failed}`
}

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
