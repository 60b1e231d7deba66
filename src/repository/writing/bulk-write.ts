/**
 * Writes the datasets of the body of a bulk write, independent of each other and in their order, in chunks with bounded memory;
 * and previews the PUT of a dataset, for the dry run of a harvest.
 */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { problemOf, type ProblemAnswer } from '../../http/problem.ts'
import { formatOfMediaType } from '../../rdf/media-types.ts'
import { parse } from '../../rdf/parse.ts'
import { keyOf } from '../../rdf/read.ts'
import type { OwnContent } from '../content/own-content.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { BulkBody, bulkItems, originalIdIn, type BulkItem, type Precedence } from './bulk-body.ts'
import {
  itemOf,
  prepareDataset,
  previewOf,
  writeDatasets,
  type DatasetPreview,
} from './write-datasets.ts'
import { reportNumber } from '../../workers/numbers.ts'

/** Outcome of a dataset: `status` is that of a single PUT, from 400 up with the problem. */
export type BulkItemResult = {
  readonly originalId?: string
  readonly id?: string
  readonly status: number
  readonly problem?: ProblemAnswer['body']
}

/** Target of a batch, and options. */
type BulkTarget = {
  readonly catalogue: string
  /** Write also what is unchanged. */
  readonly enforceUpdate: boolean
  /** Path of the request, for the problems. */
  readonly instance: string
}

/** Dataset that is ready to be written, or already refused. */
type ReadyDataset = { readonly originalId: string; readonly content: OwnContent }
type RefusedDataset = { readonly originalId?: string; readonly failure: unknown }
type Chunk = readonly (ReadyDataset | RefusedDataset)[]

/** HTTP statuses of writes. */
export const outcomeStatus = { created: 201, updated: 204, unchanged: 304 } as const

/** Writes a chunk; returns an outcome for every dataset, in order; never rejects. */
async function writeChunk(
  context: RepositoryContext,
  { catalogue, enforceUpdate, instance }: BulkTarget,
  chunk: Chunk,
  signal: AbortSignal,
): Promise<readonly BulkItemResult[]> {
  await context.waitForIndexer(signal)
  const items = chunk.flatMap((dataset) =>
    'content' in dataset
      ? { originalId: dataset.originalId, enforceUpdate, prepare: async () => dataset.content }
      : [],
  )
  const commits = await writeDatasets(context, { catalogue, items }, signal).catch(
    (failure: unknown) => items.map(() => ({ failure })),
  )
  const results = commits.values()
  return chunk.map((dataset) => {
    const named = dataset.originalId === undefined ? {} : { originalId: dataset.originalId }
    const result = 'failure' in dataset ? dataset : results.next().value
    if (result && 'result' in result) {
      const { id, outcome } = result.result
      reportNumber('cartulary_writes_total', ['dataset', outcome.kind])
      return { ...named, id, status: outcomeStatus[outcome.kind] }
    }
    reportNumber('cartulary_writes_total', ['dataset', 'refused'])
    const failure = result?.failure
    if (!(failure instanceof Failure)) context.log.error({ err: failure }, 'bulk.failed')
    const { status, body } = problemOf(failure, instance)
    return { ...named, status, problem: body }
  })
}

/** Most datasets of one chunk, and number of triples from which on a chunk is full with fewer datasets. */
const maxDatasets = 100
const maxTriples = 40_000

type BulkPut = BulkTarget & {
  /** Batches of the parsed body. */
  readonly batches: AsyncIterable<readonly Quad[]>
  readonly precedence: Precedence
}

/**
 * Reads the whole body before anything is written: rejects as the parser does, and with `too-large` for more datasets than the
 * limit. The returned iterator writes chunk by chunk and never throws; ending it early leaves out the chunks that have not
 * started. Outcomes come in the order of the body.
 */
export async function putBulk(
  context: RepositoryContext,
  { batches, precedence, ...target }: BulkPut,
  signal: AbortSignal,
): Promise<AsyncGenerator<readonly BulkItemResult[], void>> {
  const { names, turn, limits } = context
  const body = new BulkBody(names)
  for await (const quads of batches) {
    signal.throwIfAborted()
    body.add(quads)
    await turn()
  }
  const items = await bulkItems(body, turn)
  if (items.length > limits.bulkItems) throw tooManyDatasets(items.length, limits.bulkItems)
  const usedIds = new Set<string>()
  const prepare = async ({ node, extract }: BulkItem): Promise<ReadyDataset | RefusedDataset> => {
    let originalId: string | undefined
    try {
      // Once the signal fires, the rest is refused with its reason.
      signal.throwIfAborted()
      const quads = extract()
      const recordedIds = body.originalIdsInRecords(keyOf(node))
      originalId = originalIdIn({ node, quads, recordedIds, precedence })
      if (usedIds.has(originalId)) throw duplicateInRequest()
      usedIds.add(originalId)
      return { originalId, content: await prepareDataset(context, quads, node) }
    } catch (failure) {
      return { originalId, failure }
    }
  }
  return mapAhead(chunks(context, items, prepare), (chunk) =>
    writeChunk(context, target, chunk, signal),
  )
}

/** Splits by datasets and triples, so that a chunk of large datasets needs no more memory than one of small ones. */
async function* chunks(
  { turn }: RepositoryContext,
  items: readonly BulkItem[],
  prepare: (item: BulkItem) => Promise<ReadyDataset | RefusedDataset>,
): AsyncGenerator<Chunk, void> {
  let chunk: (ReadyDataset | RefusedDataset)[] = []
  let triples = 0
  for (const item of items) {
    const dataset = await prepare(item)
    chunk.push(dataset)
    if ('content' in dataset) triples += dataset.content.statements.length
    if (chunk.length >= maxDatasets || triples >= maxTriples) {
      yield chunk
      chunk = []
      triples = 0
    }
    await turn()
  }
  if (chunk.length > 0) yield chunk
}

/** Maps items in order, one at a time; meanwhile the source makes the next item and the consumer uses the last result. */
export async function* mapAhead<From, To extends object>(
  source: AsyncIterable<From>,
  work: (item: From) => Promise<To>,
): AsyncGenerator<To, void> {
  let running: Promise<To> | undefined
  try {
    for await (const item of source) {
      const last = await running
      running = work(item)
      // The consumer gets the failure; until then it must not end the process.
      running.catch(() => undefined)
      if (last !== undefined) yield last
    }
    if (running) yield await running
  } finally {
    // A consumer that stops early waits for the running item.
    await running?.catch(() => undefined)
  }
}

const duplicateInRequest = () =>
  new Failure('duplicate-in-request', 'an earlier dataset of this request has the same original id')

const tooManyDatasets = (count: number, max: number) =>
  new Failure(
    'too-large',
    `${count} datasets, at most ${max} are taken at once (limit "bulkItems" of PLATFORM_LIMITS)`,
  )

type PreviewedText = {
  readonly originalId: string
  readonly mediaType: string
  readonly text: string
}

/** Returns what a PUT of a dataset with this text would change, without writing. Fails as the PUT would. */
export async function previewDataset(
  context: RepositoryContext,
  catalogue: string,
  { originalId, mediaType, text }: PreviewedText,
  signal: AbortSignal,
): Promise<DatasetPreview> {
  const format = formatOfMediaType(mediaType)
  if (!format) throw new Failure('unsupported-media-type', `${mediaType} is not an RDF format`)
  const { limits } = context
  const read = (baseIri: string) => parse(text, format, { baseIri, limits })
  const item = itemOf(context, { originalId, body: { source: { text, format }, parse: read } })
  return previewOf(context, { catalogue, item }, signal)
}
