/** Brings a whole DCAT document into a repository: reads it to its end, then sends its datasets. */
import { statementsOf } from '../../rdf/lines.ts'
import { parseStream } from '../../rdf/reading/parse-stream.ts'
import { connect } from './sending/connection.ts'
import { destinations, type Destinations } from './cutting/destination.ts'
import { parcels } from './cutting/parcels.ts'
import { patient, Unreachable, type Clock } from './sending/patience.ts'
import { deliverAll } from './sending/delivery.ts'
import { putCatalogue, Refused } from './sending/repository.ts'
import type { Source } from './source.ts'
import { openSpool, type Spool } from './cutting/spool.ts'
import { Tally, type Summary } from './summary.ts'

export type ImportOptions = {
  /** Address of the repository service: `http://localhost:8080/api/hub/repo`. */
  readonly service: string
  readonly key: string
  /** Id of the catalogue that takes everything; without it the document decides. */
  readonly catalogue?: string
  /** Replace the description of catalogues that exist. */
  readonly updateCatalogue?: boolean
  /** Single datasets on their way at the same time, where the repository does not take many at once. */
  readonly concurrency?: number
  readonly clock: Clock
  readonly progress?: (state: Progress) => void
}

/** Bytes while reading, datasets while sending; `total` when it is known. */
export type Progress = {
  readonly phase: 'reading' | 'sending'
  readonly done: number
  readonly total: number | undefined
}

/** The document holds no dataset; the message says what it holds. */
export class NothingToImport extends Error {}

/**
 * Imports a document. Nothing is sent before the last byte is read and understood: throws the parser's `Failure`
 * (`malformed-rdf` with line and column), `NoDestination`, `NothingToImport`, or the abort reason while reading. Later troubles do not
 * throw: they are in the summary, as is the reason when a signal, a refusal or a lost server ends the import early.
 */
export async function importDump(
  source: Source,
  options: ImportOptions,
  signal: AbortSignal,
): Promise<Summary> {
  const spool = openSpool()
  try {
    const tally = new Tally()
    await read({ source, spool, tally, options }, signal)
    demandSomething(spool, options)
    const targets = destinations(spool, options.catalogue)
    return await send({ spool, targets, tally, options }, signal)
  } finally {
    spool.close()
  }
}

/** A document of a catalogue alone is wanted by those who replace its description, and by nobody else. */
function demandSomething(spool: Spool, { updateCatalogue = false }: ImportOptions): void {
  const catalogues = spool.catalogues().length
  if (spool.datasetCount() > 0 || (updateCatalogue && catalogues > 0)) return
  const { count } = spool.services()
  const parts = [
    ...(catalogues > 0 ? [`${catalogues} catalogue${catalogues > 1 ? 's' : ''}`] : []),
    ...(count > 0 ? [`${count} data service${count > 1 ? 's' : ''}`] : []),
  ]
  const instead = parts.length > 0 ? `, only ${parts.join(' and ')}` : ''
  throw new NothingToImport(`the document holds no dcat:Dataset${instead}`)
}

type Reading = { source: Source; spool: Spool; tally: Tally; options: ImportOptions }

async function read({ source, spool, tally, options }: Reading, signal: AbortSignal) {
  let bytes = 0
  async function* counted() {
    for await (const part of source.bytes) {
      signal.throwIfAborted()
      bytes += part.byteLength
      yield part
    }
  }
  const batches = parseStream(counted(), source.format, {
    baseIri: source.baseIri,
    repair: (repair) => tally.repair(repair),
  })
  for await (const statements of statementsOf(batches)) {
    spool.add(statements)
    options.progress?.({ phase: 'reading', done: bytes, total: source.size })
  }
  spool.finish()
}

type Sending = { spool: Spool; targets: Destinations; tally: Tally; options: ImportOptions }

async function send({ spool, targets, tally, options }: Sending, signal: AbortSignal) {
  const { clock, concurrency = 12, progress } = options
  const started = clock.now()
  const total = spool.datasetCount()
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const connection = connect(options.service, options.key, concurrency)
  const ask = patient(connection.send, clock)
  let ended: string | undefined
  try {
    for (const { id, body } of targets.all) {
      const update = options.updateCatalogue === true
      tally.catalogue(id, await putCatalogue(ask, { id, body, update }, either))
    }
    const said = () => progress?.({ phase: 'sending', done: tally.done, total })
    await deliverAll(
      { ask, parcels: parcels(spool, targets), tally, concurrency, said },
      stop,
      either,
    )
  } catch (error) {
    ended = endOf(error, options.service, signal)
  } finally {
    connection.close()
  }
  const seconds = (clock.now() - started) / 1000
  return tally.close({ total, seconds, ...(ended === undefined ? {} : { ended }) })
}

/** Why the import ended early. Throws what nobody expected. */
function endOf(error: unknown, service: string, signal: AbortSignal): string {
  if (signal.aborted) return 'interrupted'
  if (error instanceof Unreachable) return `${service} cannot be reached: ${error.message}`
  if (error instanceof Refused) return error.message
  throw error
}
