/**
 * Writes many datasets, independent of each other and in their order: those of one body, in chunks with bounded memory, and those
 * that this process has as texts.
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
type Ready = { readonly originalId: string; readonly content: OwnContent }
type Refused = { readonly originalId?: string; readonly failure: unknown }
type Chunk = readonly (Ready | Refused)[]

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
  const items = chunk.flatMap((one) =>
    'content' in one
      ? { originalId: one.originalId, enforceUpdate, prepare: async () => one.content }
      : [],
  )
  const written = await writeDatasets(context, { catalogue, items }, signal).catch(
    (failure: unknown) => items.map(() => ({ failure })),
  )
  const results = written.values()
  return chunk.map((one) => {
    const named = one.originalId === undefined ? {} : { originalId: one.originalId }
    const result = 'failure' in one ? one : results.next().value
    if (result && 'result' in result) {
      const { id, outcome } = result.result
      return { ...named, id, status: outcomeStatus[outcome.kind] }
    }
    const failure = result?.failure
    if (!(failure instanceof Failure)) context.log.error({ err: failure }, 'bulk.failed')
    const { status, body } = problemOf(failure, instance)
    return { ...named, status, problem: body }
  })
}

/** Datasets of one chunk, and triples from which on a chunk is full whatever their number. */
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
  const pieces = await bulkItems(body, turn)
  if (pieces.length > limits.bulkItems) throw tooManyDatasets(pieces.length, limits.bulkItems)
  const seen = new Set<string>()
  const read = async ({ node, extract }: BulkItem): Promise<Ready | Refused> => {
    let originalId: string | undefined
    try {
      // Once the signal fires, the rest is refused with its reason.
      signal.throwIfAborted()
      const quads = extract()
      const recorded = body.recordedIds(keyOf(node))
      originalId = originalIdIn({ node, quads, recorded, precedence })
      if (seen.has(originalId)) throw duplicateInRequest()
      seen.add(originalId)
      return { originalId, content: await prepareDataset(context, quads, node) }
    } catch (failure) {
      return { originalId, failure }
    }
  }
  return mapAhead(chunks(context, pieces, read), (chunk) =>
    writeChunk(context, target, chunk, signal),
  )
}

/** Splits by datasets and triples, so that a chunk of large datasets needs no more memory than one of small ones. */
async function* chunks(
  { turn }: RepositoryContext,
  pieces: readonly BulkItem[],
  read: (piece: BulkItem) => Promise<Ready | Refused>,
): AsyncGenerator<Chunk, void> {
  let chunk: (Ready | Refused)[] = []
  let triples = 0
  for (const piece of pieces) {
    const one = await read(piece)
    chunk.push(one)
    if ('content' in one) triples += one.content.statements.length
    if (chunk.length >= maxDatasets || triples >= maxTriples) {
      yield chunk
      chunk = []
      triples = 0
    }
    await turn()
  }
  if (chunk.length > 0) yield chunk
}

/** Works on one item while the next is being made and the last result is used. */
export async function* mapAhead<From, To extends object>(
  source: AsyncIterable<From>,
  work: (one: From) => Promise<To>,
): AsyncGenerator<To, void> {
  let running: Promise<To> | undefined
  try {
    for await (const one of source) {
      const last = await running
      running = work(one)
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

const tooManyDatasets = (given: number, most: number) =>
  new Failure(
    'too-large',
    `${given} datasets, at most ${most} are taken at once (limit "bulkItems" of PLATFORM_LIMITS)`,
  )

type PreviewedText = {
  readonly originalId: string
  readonly mediaType: string
  readonly text: string
}

/** Returns the result of a PUT of a dataset that this process has as a text. Fails as the PUT would. */
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
