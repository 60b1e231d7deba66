/** Brings a whole DCAT document into a repository: reads it to its end, then sends its datasets. */
import { statementsOf } from '../../rdf/lines.ts'
import { parseStream } from '../../rdf/reading/parse-stream.ts'
import {
  DatasetWriter,
  outcomeOf,
  reasonOf,
  type DatasetWrite,
  type LandedWrites,
} from '../export/dataset-writer.ts'
import { destinations, parcels, type Destinations, type Parcel } from './cutting/parcels.ts'
import { openSpool, type Spool } from './cutting/spool.ts'
import {
  importClient,
  putCatalogue,
  Refused,
  refuseKey,
  Unreachable,
  type ImportTarget,
} from './import-client.ts'
import { Tally, type Progress, type Summary } from './report.ts'
import type { Source } from './source.ts'

export type ImportOptions = ImportTarget & {
  /** Id of the catalogue that takes everything; without it the document decides. */
  readonly catalogue?: string
  /** Replace the description of catalogues that exist. */
  readonly updateCatalogue?: boolean
  /** Single datasets on their way at the same time, where the repository does not take many at once. */
  readonly concurrency?: number
  readonly progress?: (state: Progress) => void
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

/** Large requests at the same time: one is being written while the next is being read. */
const bulkConcurrency = 3

async function send({ spool, targets, tally, options }: Sending, signal: AbortSignal) {
  const { clock, concurrency = 12, progress, updateCatalogue = false } = options
  const started = clock.now()
  const total = spool.datasetCount()
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const client = importClient(options, concurrency, stop.signal)
  let ended: string | undefined
  try {
    for (const target of targets.all)
      tally.catalogue(target.id, await putCatalogue(client, target, updateCatalogue, either))
    const writer = await DatasetWriter.open(client, either)
    const write = async ({ catalogue, writes }: Load) => {
      await writer.write(
        { catalogue, writes, landed: (some) => count(tally, catalogue, some) },
        either,
      )
      progress?.({ phase: 'sending', done: tally.done, total })
    }
    const [most, atOnce] = writer.takesMany ? [mostDatasets, bulkConcurrency] : [1, concurrency]
    const source = loads(parcels(spool, targets), tally, most)
    const lanes = Array.from({ length: atOnce }, async () => {
      for (const load of source) await write(load)
    })
    try {
      await Promise.all(lanes)
    } finally {
      stop.abort()
      // The others still hold the spool until their requests are called off.
      await Promise.allSettled(lanes)
    }
  } catch (error) {
    ended = endOf(error, options.service, signal)
  } finally {
    stop.abort()
  }
  const seconds = (clock.now() - started) / 1000
  return tally.close({ total, seconds, ...(ended === undefined ? {} : { ended }) })
}

/** Datasets of one catalogue that go out with one request. */
type Load = { readonly catalogue: string; readonly writes: DatasetWrite[] }

/** A load is full with so many datasets, or with so many characters. */
const mostDatasets = 200
const mostCharacters = 2 * 2 ** 20

function* loads(all: Iterable<Parcel>, tally: Tally, most: number): Generator<Load, void> {
  const open = new Map<string, Load & { characters: number }>()
  for (const parcel of all) {
    if ('reason' in parcel) tally.lose(parcel)
    else {
      const { catalogue, originalId, node, body: text } = parcel
      const load = open.get(catalogue) ?? { catalogue, writes: [], characters: 0 }
      load.writes.push({ originalId, node, text, mediaType: 'application/n-triples' })
      load.characters += text.length
      const isFull = load.writes.length >= most || load.characters >= mostCharacters
      if (isFull) open.delete(catalogue)
      else open.set(catalogue, load)
      if (isFull) yield load
    }
  }
  yield* open.values()
}

function count(tally: Tally, catalogue: string, landed: LandedWrites<DatasetWrite>): void {
  for (const { write, verdict } of landed) {
    refuseKey(verdict.status, catalogue)
    const outcome = outcomeOf(verdict)
    if (outcome) tally.count(outcome)
    else tally.lose({ dataset: write.originalId, reason: reasonOf(verdict) })
  }
}

/** Why the import ended early. Throws what nobody expected. */
function endOf(error: unknown, service: string, signal: AbortSignal): string {
  if (signal.aborted) return 'interrupted'
  if (error instanceof Unreachable) return `${service} cannot be reached: ${error.message}`
  if (error instanceof Refused) return error.message
  throw error
}
