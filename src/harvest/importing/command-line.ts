/** Command line of the import command: arguments, a line of progress on a terminal, the result at the end. */

import {
  repositoryPath,
  scriptArguments,
  serverOptions,
  serverUsage,
  serviceAddress,
} from '../../config/script.ts'
import { WrongUsage } from '../../errors.ts'
import { isId } from '../../rdf/ids.ts'
import { isIri } from '../../rdf/iri.ts'
import type { Repair } from '../../rdf/parse.ts'
import type { DatasetOutcome } from '../export/put-results.ts'
import type { ImportProgress, ImportSummary } from './dump.ts'

/** Usage, shown for wrong arguments. */
export const importUsage = `npm run import -- <file|url|-> [options]

Brings a DCAT document in any RDF format into a catalogue of a running platform.

  --catalogue id       everything goes into this catalogue (default: the catalogues of the document)
  --update-catalogue   replace the description of a catalogue that exists
  --format name        turtle, trig, ntriples, nquads, rdfxml, jsonld, n3, or a suffix (default: suffix or content type)
  --base IRI           what relative references are resolved against
${serverUsage}`

const options = {
  catalogue: { type: 'string' },
  'update-catalogue': { type: 'boolean', default: false },
  format: { type: 'string' },
  base: { type: 'string' },
  ...serverOptions,
} as const

/** Reads arguments as they follow the script's name. Throws `WrongUsage`. */
export function parseImportArguments(argumentList: readonly string[]) {
  const { values, positionals } = scriptArguments(argumentList, options)
  const [location, ...others] = positionals
  if (location === undefined) throw new WrongUsage('which document? Give a file, an address, or -')
  if (others.length > 0)
    throw new WrongUsage(`one document at a time, got also ${others.join(' ')}`)
  const { catalogue, format, base, key } = values
  if (catalogue !== undefined && !isId(catalogue))
    throw new WrongUsage(`--catalogue ${catalogue}: letters, digits, _ ~ - only, at most 255`)
  if (base !== undefined && !isIri(base)) throw new WrongUsage(`--base ${base}: no absolute IRI`)
  return {
    location,
    service: serviceAddress(repositoryPath, values),
    updateCatalogue: values['update-catalogue'],
    catalogue,
    format,
    baseIri: base,
    key,
  }
}

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

type Terminal = { readonly isTTY?: boolean; readonly write: (text: string) => unknown }

/** Minimum ms between two drawings of the progress. */
const redrawMs = 200

/** Draws the progress at most five times a second, on terminals only. `clear` removes the line. */
export function progressLine(terminal: Terminal, now: () => number) {
  let drawnMs = Number.NEGATIVE_INFINITY
  return {
    show: (state: ImportProgress): void => {
      if (terminal.isTTY !== true || now() - drawnMs < redrawMs) return
      drawnMs = now()
      terminal.write(`\r${progressText(state)}\u001b[K`)
    },
    clear: (): void => {
      if (drawnMs > Number.NEGATIVE_INFINITY) terminal.write('\r\u001b[K')
    },
  }
}

/** Progress such as `sending 25 % of 2000 datasets`; for a document of unknown length, only the bytes read. */
export function progressText({ phase, done, total }: ImportProgress): string {
  const unit = phase === 'reading' ? 1e6 : 1
  const amount = (value: number) =>
    phase === 'reading' ? `${(value / unit).toFixed(1)} MB` : `${value} datasets`
  if (!total) return `${phase} ${amount(done)}`
  return `${phase} ${Math.floor((Math.min(done, total) / total) * 100)} % of ${amount(total)}`
}
