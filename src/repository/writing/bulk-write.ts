/**
 * Writes many datasets, independent of each other and in their order: those of one body, chunk by chunk in bounded memory, and
 * those that this process has as texts, for which nobody needs a request that holds them all once more.
 */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { problemOf, type ProblemAnswer } from '../../http/problem.ts'
import { formatOfMediaType } from '../../rdf/media-types.ts'
import { parse } from '../../rdf/parse.ts'
import { keyOf } from '../../rdf/read.ts'
import type { TermLimits } from '../../rdf/reading/options.ts'
import { parseText } from '../../rdf/reading/parse-stream.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { WriteContext } from '../context.ts'
import { prepareBody, prepareDataset, type PreparedDataset } from './dataset-plan.ts'
import {
  previewOf,
  writeDatasets,
  type DatasetItem,
  type DatasetPreview,
  type WrittenDataset,
} from './dataset-writer.ts'
import type { WriteResult } from './write-batch.ts'
import {
  type BodyPiece,
  BulkBody,
  checkedOriginalId,
  datasetPieces,
  originalIdIn,
  type Precedence,
} from './bulk-body.ts'
import type { YieldWhenDue } from '../../workers/event-loop.ts'
import { Semaphore } from '../../workers/semaphore.ts'

/** What became of a dataset: `status` is what the single PUT would have answered, from 400 up with the problem. */
export type DatasetVerdict = {
  readonly originalId?: string
  readonly id?: string
  readonly status: number
  readonly problem?: ProblemAnswer['body']
}

type BulkDeps = WriteContext & { readonly pause: YieldWhenDue }

/** Where a batch is written, and how. */
type BulkTarget = {
  readonly catalogue: string
  /** Write also what is unchanged. */
  readonly enforceUpdate: boolean
  /** Path of the request, for the problems. */
  readonly instance: string
}

/** A dataset that is ready to be written, or refused already. */
type Ready = { readonly originalId: string; readonly prepared: PreparedDataset }
type Refused = { readonly originalId?: string; readonly failure: unknown }
type Chunk = readonly (Ready | Refused)[]

const statuses = { created: 201, updated: 204, unchanged: 304 } as const

/** A verdict for every dataset of a chunk, in their order; never rejects. */
async function writeChunk(
  deps: BulkDeps,
  { catalogue, enforceUpdate, instance }: BulkTarget,
  chunk: Chunk,
  signal: AbortSignal,
): Promise<readonly DatasetVerdict[]> {
  const ready = chunk.filter((one): one is Ready => 'prepared' in one)
  const items = ready.map(({ originalId, prepared }): DatasetItem => {
    return { originalId, enforceUpdate, prepare: () => Promise.resolve(prepared) }
  })
  const results = await writeDatasets(deps, { catalogue, items }, signal).catch(
    (failure: unknown) => items.map(() => ({ failure })),
  )
  const resultOf = new Map<Chunk[number], WriteResult<WrittenDataset>>(
    ready.map((one, at) => [one, results[at] ?? { failure: undefined }]),
  )
  return chunk.map((one) => {
    const { originalId } = one
    const named = originalId === undefined ? {} : { originalId }
    const result = 'failure' in one ? one : resultOf.get(one)
    if (result && 'result' in result) {
      const { id, outcome } = result.result
      return { ...named, id, status: statuses[outcome.kind] }
    }
    const failure = result?.failure
    if (!(failure instanceof Failure)) deps.log.error({ err: failure }, 'bulk.failed')
    const { status, body } = problemOf(failure, instance)
    return { ...named, status, problem: body }
  })
}

/** Datasets of one chunk, and triples from which on a chunk is full whatever their number. */
const mostDatasets = 100
const mostTriples = 40_000

type BulkPut = BulkTarget & {
  /** The body as it is parsed. */
  readonly batches: AsyncIterable<readonly Quad[]>
  readonly precedence: Precedence
}

/**
 * Reads the whole body before anything is written: rejects as the parser does, and with `too-large` for more than `most`
 * datasets. What it resolves with then writes chunk by chunk as it is asked on, and never throws; ending it early leaves out
 * what has not been begun. Verdicts come in the order of the body.
 */
export async function putBulk(
  deps: BulkDeps & { readonly most: number },
  { batches, precedence, ...target }: BulkPut,
  signal: AbortSignal,
): Promise<AsyncGenerator<readonly DatasetVerdict[], void>> {
  const { names, pause, most } = deps
  const body = new BulkBody(names)
  for await (const quads of batches) {
    signal.throwIfAborted()
    body.add(quads)
    await pause()
  }
  const found = await datasetPieces(body, pause)
  if (found.length > most) throw tooManyDatasets(found.length, most)
  const write = async (chunk: Chunk) => {
    await deps.keptUp(signal)
    return writeChunk(deps, target, chunk, signal)
  }
  return aheadOf(chunks(deps, { body, precedence, signal }, found), write)
}

type Cutting = {
  readonly body: BulkBody
  readonly precedence: Precedence
  /** Once it is aborted, what is left is refused with its reason. */
  readonly signal: AbortSignal
}

/** In the order of the body; the second dataset of an original id is refused with `duplicate-in-request`. */
async function* chunks(
  deps: BulkDeps,
  cutting: Cutting,
  pieces: readonly BodyPiece[],
): AsyncGenerator<Chunk, void> {
  const seen = new Set<string>()
  let chunk: (Ready | Refused)[] = []
  let triples = 0
  for (const piece of pieces) {
    const one = await cutOut(deps, cutting, piece, seen)
    chunk.push(one)
    if ('prepared' in one) triples += one.prepared.own.length
    if (chunk.length >= mostDatasets || triples >= mostTriples) {
      yield chunk
      chunk = []
      triples = 0
    }
    await deps.pause()
  }
  if (chunk.length > 0) yield chunk
}

async function cutOut(
  deps: BulkDeps,
  { body, precedence, signal }: Cutting,
  { node, cut }: BodyPiece,
  seen: Set<string>,
): Promise<Ready | Refused> {
  let originalId: string | undefined
  try {
    signal.throwIfAborted()
    const quads = cut()
    originalId = originalIdIn({ node, quads, recorded: body.recordedIds(keyOf(node)), precedence })
    if (seen.has(originalId)) throw duplicateInRequest()
    seen.add(originalId)
    return { originalId, prepared: await prepareDataset(deps, quads, node) }
  } catch (failure) {
    return { ...(originalId !== undefined && { originalId }), failure }
  }
}

/** While one chunk is being written the next is made ready. */
async function* aheadOf<From, To extends object>(
  source: AsyncIterable<From>,
  work: (one: From) => Promise<To>,
): AsyncGenerator<To, void> {
  let running: Promise<To> | undefined
  try {
    for await (const one of source) {
      const last = await running
      running = work(one)
      if (last !== undefined) yield last
    }
    if (running) yield await running
  } finally {
    // Whoever leaves early waits for what is on its way.
    await running
  }
}

const duplicateInRequest = () =>
  new Failure('duplicate-in-request', 'an earlier dataset of this request has the same original id')

const tooManyDatasets = (given: number, most: number) =>
  new Failure(
    'too-large',
    `${given} datasets, at most ${most} are taken at once (limit "bulkItems" of PLATFORM_LIMITS)`,
  )

export type DatasetText = {
  readonly originalId: string
  /** IRI under which the text describes the dataset. */
  readonly iri: string
  /** N-Triples about this dataset and no other. */
  readonly text: string
}

/**
 * A verdict for each, in their order, as for the same datasets in the body of a bulk request. No original id may be among them
 * twice. Rejects when the signal fires before it is their turn.
 */
export type PutDatasets = (
  catalogue: string,
  texts: readonly DatasetText[],
  signal: AbortSignal,
) => Promise<readonly DatasetVerdict[]>

type TextDeps = BulkDeps & { readonly limits: TermLimits }

/** Calls at the same time: while one waits for the store the next is made ready. */
const atOnce = 3

export function putDatasets(deps: TextDeps): PutDatasets {
  const semaphore = new Semaphore(atOnce)
  return (catalogue, texts, signal) => {
    const put = async () => {
      await deps.keptUp(signal)
      const chunk: Chunk[number][] = []
      for (const one of texts) {
        chunk.push(await fromText(deps, one))
        await deps.pause()
      }
      const instance = `/catalogues/${catalogue}/datasets/bulk`
      return writeChunk(deps, { catalogue, enforceUpdate: false, instance }, chunk, signal)
    }
    return semaphore.run(put, signal)
  }
}

async function fromText(
  deps: TextDeps,
  { originalId, iri, text }: DatasetText,
): Promise<Ready | Refused> {
  try {
    checkedOriginalId(originalId)
    const quads: Quad[] = []
    for await (const some of parseText(text, 'ntriples', { baseIri: iri, limits: deps.limits })) {
      quads.push(...some)
      await deps.pause()
    }
    return { originalId, prepared: await prepareDataset(deps, quads, namedNode(iri)) }
  } catch (failure) {
    return { originalId, failure }
  }
}

type PreviewedText = {
  readonly originalId: string
  readonly mediaType: string
  readonly text: string
}

/** What a PUT would make of a dataset that this process has as a text. Fails as the PUT would. */
export type PreviewDataset = (
  catalogue: string,
  dataset: PreviewedText,
  signal: AbortSignal,
) => Promise<DatasetPreview>

export const previewDataset =
  (deps: WriteContext & { readonly limits: TermLimits }): PreviewDataset =>
  (catalogue, { originalId, mediaType, text }, signal) => {
    const body = {
      parse: async (baseIri: string) => {
        const format = formatOfMediaType(mediaType)
        if (!format) throw new Failure('unsupported-media-type', `${mediaType} is no RDF format`)
        return parse(text, format, { baseIri, limits: deps.limits })
      },
    }
    const prepare = (iri: string) => prepareBody(deps, { body, originalId }, iri)
    return previewOf(deps, { catalogue, item: { originalId, prepare } }, signal)
  }
