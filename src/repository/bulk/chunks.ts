/** Makes the datasets of a body ready to be written, chunk by chunk, so that memory is bounded by a chunk. */

import { Failure } from '../../errors.ts'
import { keyOf } from '../../rdf/read.ts'
import type { RepositoryDeps } from '../deps.ts'
import { prepareDataset, type Prepared } from '../writing/dataset-plan.ts'
import type { ManyDatasets } from './many-datasets.ts'
import { originalIdOf, type Precedence } from './original-id.ts'
import type { Pause } from './pauses.ts'
import type { Piece } from './pieces.ts'

/** A dataset on its way: ready to be written, or already refused. */
export type Ready = { readonly originalId: string; readonly prepared: Prepared }
type Refused = { readonly originalId?: string; readonly error: unknown }
export type Chunk = readonly (Ready | Refused)[]

/** Datasets of one chunk, and triples from which on a chunk is full whatever their number. */
const mostDatasets = 100
const mostTriples = 40_000

export type Preparing = Pick<RepositoryDeps, 'names' | 'triples' | 'canonical'> & {
  readonly body: ManyDatasets
  readonly precedence: Precedence
  readonly pause: Pause
  /** Once it is aborted, what is left is refused with its reason. */
  readonly signal: AbortSignal
}

/** In the order of the body; the second dataset of an original id is refused with `duplicate-in-request`. */
export async function* chunks(
  preparing: Preparing,
  pieces: readonly Piece[],
): AsyncGenerator<Chunk, void> {
  const seen = new Set<string>()
  let chunk: (Ready | Refused)[] = []
  let triples = 0
  for (const piece of pieces) {
    const one = await made(preparing, piece, seen)
    chunk.push(one)
    if ('prepared' in one) triples += one.prepared.own.length
    if (chunk.length >= mostDatasets || triples >= mostTriples) {
      yield chunk
      chunk = []
      triples = 0
    }
    await preparing.pause()
  }
  if (chunk.length > 0) yield chunk
}

async function made(
  { body, precedence, signal, ...deps }: Preparing,
  { node, cut }: Piece,
  seen: Set<string>,
): Promise<Ready | Refused> {
  let originalId: string | undefined
  try {
    signal.throwIfAborted()
    const quads = cut()
    originalId = originalIdOf({ node, quads, recorded: body.recordedIds(keyOf(node)), precedence })
    if (seen.has(originalId)) throw duplicate()
    seen.add(originalId)
    return { originalId, prepared: await prepareDataset(deps, quads, node) }
  } catch (error) {
    return { ...(originalId !== undefined && { originalId }), error }
  }
}

const duplicate = () =>
  new Failure('duplicate-in-request', 'an earlier dataset of this request has the same original id')
