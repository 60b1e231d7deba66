/** Result of the import command as lines for a terminal. */

import type { Repair } from '../../rdf/parse.ts'
import type { DatasetOutcome } from '../export/put-results.ts'
import type { ImportSummary } from './dump.ts'

const outcomeWords: Readonly<Record<DatasetOutcome, string>> = {
  created: 'created',
  updated: 'updated',
  unchanged: 'left as it is',
}

/** The summary as lines for a terminal. */
export function summaryText(summary: ImportSummary): string {
  const { created, updated, unchanged, failed, unsent, seconds, failures, repaired, repairs } =
    summary
  const sentCount = created + updated + unchanged + failed
  const rate = Math.round(sentCount / Math.max(seconds, 0.001))
  const counts = `${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`
  return [
    ...summary.catalogues.map(({ id, outcome }) => `catalogue ${id}: ${outcomeWords[outcome]}`),
    `${counts}${unsent > 0 ? `, ${unsent} not sent` : ''} (${seconds.toFixed(1)} s, ${rate} datasets/s)`,
    ...(repaired > 0 ? [`${repaired} repaired while reading:`] : []),
    ...repairs.map(repairLine),
    ...moreLine(repaired - repairs.length),
    ...failures.map(({ dataset, reason }) => `failed: ${dataset}: ${reason}`),
    ...moreLine(failed - failures.length),
    ...(summary.endReason === undefined ? [] : [`stopped: ${summary.endReason}`]),
    '',
  ].join('\n')
}

function repairLine({ kind, from, to, line }: Repair): string {
  if (kind === 'text') return `  ${from}`
  const result = to === undefined ? 'left out' : `→ ${to}`
  return `  ${line === undefined ? '' : `line ${line}: `}${kind} ${JSON.stringify(from)} ${result}`
}

const moreLine = (rest: number) => (rest > 0 ? [`  and ${rest} more`] : [])
