/**
 * Imports a whole DCAT document into a repository, for the import command and the demonstration: reads it to its end, then
 * writes its datasets in bulk.
 */

import { ScriptFailure } from '../../config/script.ts'
import { Failure } from '../../errors.ts'
import { statementsOf } from '../../rdf/lines.ts'
import type { OpenDocument } from '../../rdf/open-document.ts'
import type { Repair } from '../../rdf/parse.ts'
import { parseStream } from '../../rdf/reading/parse-stream.ts'
import { pause } from '../../workers/pause.ts'
import { inParallel } from '../../workers/in-parallel.ts'
import {
  openDatasetWriter,
  type DatasetWrite,
  type DatasetResults,
} from '../export/dataset-writer.ts'
import {
  outcomeOf,
  reasonOf,
  throwIfKeyRefused,
  putResultOf,
  type DatasetOutcome,
} from '../export/put-results.ts'
import {
  repositoryByFetch,
  withRetries,
  type RepositoryClient,
  type RetryContext,
} from '../export/repository-client.ts'
import {
  destinations,
  chunks,
  type Destination,
  type Destinations,
  type Chunk,
} from './cutting/chunks.ts'
import { Spool } from './cutting/spool.ts'

/** Progress: bytes while reading, datasets while sending; `total` if known. */
type ImportProgress = {
  readonly phase: 'reading' | 'sending'
  readonly done: number
  readonly total: number | undefined
}

/** Options of an import. */
export type ImportOptions = {
  /** Address of the repository service: `http://localhost:8080/api/hub/repo`. */
  readonly service: string
  readonly key: string
  /** Id of the catalogue for all datasets; by default the document decides. */
  readonly catalogue?: string
  /** Whether to replace the description of existing catalogues. */
  readonly updateCatalogue?: boolean
  readonly progress?: (state: ImportProgress) => void
  /** Clock, pause and randomness, for tests. */
  readonly clock?: RetryContext
}

/** Result of an import. */
export type ImportSummary = Record<DatasetOutcome, number> & {
  failed: number
  /** First thousand failures: original id, or node if it has none, and the reason. */
  readonly failures: { readonly dataset: string; readonly reason: string }[]
  /** Number of datasets that were not sent, because the import ended early. */
  unsent: number
  /** Number of repaired IRIs and language tags, and the first ten of them. */
  repaired: number
  readonly repairs: Repair[]
  readonly catalogues: { readonly id: string; readonly outcome: DatasetOutcome }[]
  /** Duration of the sending. */
  seconds: number
  /** Reason why the import ended early; `undefined` if it did not. */
  endReason: string | undefined
}

/** Maximum listed failures and repairs, and the time-out of a request in ms. */
const [mostFailures, mostRepairs] = [1000, 10]
const requestMs = 600_000
/** Datasets and characters from which a request is full; the last dataset may exceed the characters. */
const [mostDatasets, mostCharacters] = [200, 2 * 2 ** 20]
/** Parallel requests: bulk ones (one is written while the next is read), and single ones. */
const [manyAtOnce, singlesAtOnce] = [3, 8]

const usualClock: RetryContext = {
  now: Date.now,
  random: Math.random,
  pause,
}

type Import = {
  readonly spool: Spool
  readonly summary: ImportSummary
  readonly options: ImportOptions
}

/**
 * Imports a document. Nothing is sent before the whole document was read: throws the parser's `Failure` (`malformed-rdf` with
 * line and column), `WrongUsage` if the target catalogue is unclear, `ScriptFailure` if it contains no dataset, or the abort
 * reason. Later problems are in the summary, including the reason if a signal, a refusal or a lost server ends the import
 * early.
 */
export async function importDump(
  document: OpenDocument,
  options: ImportOptions,
  signal: AbortSignal,
): Promise<ImportSummary> {
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0, unsent: 0, repaired: 0 }
  const lists = { failures: [], repairs: [], catalogues: [] }
  const summary: ImportSummary = { ...counts, ...lists, seconds: 0, endReason: undefined }
  const spool = new Spool()
  try {
    await read(document, { spool, summary, options }, signal)
    requireContent(spool, options)
    const targets = destinations(spool, options.catalogue)
    await send(targets, { spool, summary, options }, signal)
    return summary
  } finally {
    spool.close()
  }
}

async function read(
  { bytes, format, charset, baseIri, size }: OpenDocument,
  { spool, summary, options }: Import,
  signal: AbortSignal,
): Promise<void> {
  let done = 0
  async function* counted() {
    for await (const part of bytes) {
      signal.throwIfAborted()
      done += part.byteLength
      yield part
    }
  }
  const repair = (fix: Repair) => {
    summary.repaired += 1
    if (summary.repairs.length < mostRepairs) summary.repairs.push(fix)
  }
  const quads = parseStream(counted(), format, { baseIri, charset, repair })
  for await (const batch of statementsOf(quads)) {
    spool.add(batch)
    options.progress?.({ phase: 'reading', done, total: size })
  }
  spool.finish()
}

/** Throws `ScriptFailure` if the document has no dataset, unless it has a catalogue description to replace. */
function requireContent(spool: Spool, { updateCatalogue = false }: ImportOptions): void {
  const catalogues = spool.catalogues().length
  if (spool.datasetCount() > 0 || (updateCatalogue && catalogues > 0)) return
  const { count } = spool.services()
  const parts = [
    ...(catalogues > 0 ? [`${catalogues} catalogue${catalogues > 1 ? 's' : ''}`] : []),
    ...(count > 0 ? [`${count} data service${count > 1 ? 's' : ''}`] : []),
  ]
  const contents =
    parts.length > 0 ? `, only ${parts.join(' and ')}` : `; ${spool.contentSummary()}`
  throw new ScriptFailure(`the document holds no dcat:Dataset${contents}`)
}

async function send(
  targets: Destinations,
  currentImport: Import,
  signal: AbortSignal,
): Promise<void> {
  const { spool, summary, options } = currentImport
  const { service, key, clock = usualClock, updateCatalogue = false } = options
  const [started, total] = [clock.now(), spool.datasetCount()]
  const done = () => summary.created + summary.updated + summary.unchanged + summary.failed
  const stop = new AbortController()
  const importSignal = AbortSignal.any([signal, stop.signal])
  const fetchInTime = (request: Request) => {
    const requestSignal = AbortSignal.any([request.signal, AbortSignal.timeout(requestMs)])
    // A redirect could send records and key to another host.
    return fetch(request, { signal: requestSignal, redirect: 'manual' })
  }
  const client = withRetries(
    repositoryByFetch({ address: service, fetch: fetchInTime }, key),
    clock,
  )
  try {
    for (const target of targets.catalogues) {
      const outcome = await putCatalogue(client, target, updateCatalogue, importSignal)
      summary.catalogues.push({ id: target.id, outcome })
    }
    const writer = await openDatasetWriter(client, importSignal)
    const write = async ({ catalogue, writes }: RequestBatch) => {
      const onResults = (results: DatasetResults<DatasetWrite>) =>
        countResults(summary, results, catalogue, client)
      await writer.write({ catalogue, writes, onResults }, importSignal).catch((error: unknown) => {
        stop.abort()
        throw error
      })
      options.progress?.({ phase: 'sending', done: done(), total })
    }
    const [maxDatasets, atOnce] = writer.supportsBulk
      ? [mostDatasets, manyAtOnce]
      : [1, singlesAtOnce]
    await inParallel(requestBatches(chunks(spool, targets), summary, maxDatasets), write, {
      atOnce,
      signal,
    })
  } catch (error) {
    summary.endReason = endReasonOf(error, service, signal)
    // References that are skipped count as little as they do in a whole import.
    const sendable = chunks(spool, targets).reduce((count) => count + 1, 0)
    summary.unsent = Math.max(0, sendable - done())
  }
  summary.seconds = (clock.now() - started) / 1000
}

/** Datasets of one catalogue in one request. */
type RequestBatch = { readonly catalogue: string; readonly writes: DatasetWrite[] }

function* requestBatches(
  allChunks: Iterable<Chunk>,
  summary: ImportSummary,
  maxDatasets: number,
): Generator<RequestBatch, void> {
  const openBatches = new Map<string, RequestBatch & { characters: number }>()
  for (const chunk of allChunks) {
    if ('reason' in chunk) recordFailure(summary, chunk)
    else {
      const { catalogue, originalId, node, body: text } = chunk
      const batch = openBatches.get(catalogue) ?? { catalogue, writes: [], characters: 0 }
      batch.writes.push({ originalId, node, text, mediaType: 'application/n-triples' })
      batch.characters += text.length
      const isFull = batch.writes.length >= maxDatasets || batch.characters >= mostCharacters
      if (isFull) openBatches.delete(catalogue)
      else openBatches.set(catalogue, batch)
      if (isFull) yield batch
    }
  }
  yield* openBatches.values()
}

function recordFailure(summary: ImportSummary, loss: ImportSummary['failures'][number]): void {
  summary.failed += 1
  if (summary.failures.length < mostFailures) summary.failures.push(loss)
}

/** Counts the results by outcome. Throws `export-refused` if the key was refused. */
function countResults(
  summary: ImportSummary,
  results: DatasetResults<DatasetWrite>,
  catalogue: string,
  client: RepositoryClient,
): void {
  for (const { write, result } of results) {
    throwIfKeyRefused(result, catalogue, client)
    const outcome = outcomeOf(result)
    if (outcome) summary[outcome] += 1
    else recordFailure(summary, { dataset: write.originalId, reason: reasonOf(result) })
  }
}

/** Creates a catalogue; an existing one is replaced if `update`, else unchanged. Throws `export-refused`. */
async function putCatalogue(
  client: RepositoryClient,
  { id, body }: Destination,
  update: boolean,
  signal: AbortSignal,
): Promise<DatasetOutcome> {
  const path = `/catalogues/${id}`
  const isExisting = !update && (await client.ask({ method: 'HEAD', path }, signal)).status === 200
  if (isExisting) return 'unchanged'
  const headers = { Prefer: 'respond-async', ...(!update && { 'If-None-Match': '*' }) }
  const result = putResultOf(await client.ask({ method: 'PUT', path, headers, body }, signal))
  throwIfKeyRefused(result, id, client)
  // Another client may have created it between the two requests.
  const outcome = result.status === 412 && !update ? 'unchanged' : outcomeOf(result)
  if (outcome) return outcome
  throw new Failure('export-refused', `catalogue ${id}: ${reasonOf(result)}`)
}

/** Reason why the import ended early. Rethrows unexpected errors. */
function endReasonOf(error: unknown, service: string, signal: AbortSignal): string {
  if (signal.aborted) return 'interrupted'
  if (!(error instanceof Failure)) throw error
  return error.kind === 'export-failed'
    ? `${service} cannot be reached: is the platform running there? (--server, PLATFORM_PORT)`
    : error.detail
}
