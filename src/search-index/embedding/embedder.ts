/**
 * Client of an embedder: `POST …/v1/embeddings` with `{"model", "input": [texts]}`, answered by
 * `{"data": [{"index", "embedding": [numbers]}]}`. Vectors are scaled so that their largest component is 127, which keeps angles.
 */

import { z } from 'zod'
import { type ServiceOptions, serviceClient } from '../../client/service.ts'
import { retryAfterMs } from '../../workers/retry.ts'

/** Embedder, and how it is used. */
export type EmbedderSettings = {
  /** Address of the call. */
  readonly url: string
  readonly model: string
  readonly apiKey?: string | undefined
  /** Length of its vectors; absent = that of the first answer. */
  readonly dimensions?: number | undefined
  /** Text before each query, and before the text of each record. */
  readonly queryPrefix: string
  readonly recordPrefix: string
  /** Part of the words in the order of hits, 0 to 1. */
  readonly weight: number
  /** Number of nearest records that join the hits. */
  readonly most: number
  /** Milliseconds that a search waits for the vector of its query. */
  readonly queryMs: number
  /** Texts of records in a call, and calls for records in a minute. */
  readonly batch: number
  readonly perMinute: number
  /** Characters of the text of a record. */
  readonly characters: number
}

/** Answer of an embedder that has no usable vectors. The message holds neither texts nor the answer. */
export class EmbedderFault extends Error {
  /** HTTP status; 200 for an answer that cannot be used. */
  readonly status: number
  /** Milliseconds after which the embedder wants to be asked again. */
  readonly retryMs: number | undefined

  constructor(message: string, status = 200, retryMs?: number) {
    super(message)
    this.name = 'EmbedderFault'
    this.status = status
    this.retryMs = retryMs
  }

  /** Whether the embedder refused the texts: it may take others. */
  get isRefusal(): boolean {
    return this.status === 400 || this.status === 413 || this.status === 422
  }

  /** Whether one of the texts may be the cause, so that each should be sent alone. */
  get isByText(): boolean {
    return this.isRefusal || this.status === 500 || this.status === 200
  }
}

/** Call with its time limit in milliseconds. */
type EmbedOptions = { readonly limitMs: number; readonly signal: AbortSignal }

/** Open client of an embedder. */
export type Embedder = {
  /**
   * Resolves with a vector for each text, in their order; a vector of zeros has no direction. Rejects with an `EmbedderFault`, the
   * `Failure`s of `ServiceClient`, or the reason of the signal.
   */
  readonly embed: (texts: readonly string[], options: EmbedOptions) => Promise<readonly Int8Array[]>
  /** Length of the vectors, where it is known. */
  readonly dimensions: () => number | undefined
  readonly close: () => Promise<void>
}

type EmbedderOptions = Pick<ServiceOptions, 'log' | 'pause' | 'now'> & {
  readonly settings: Pick<EmbedderSettings, 'url' | 'model' | 'apiKey' | 'dimensions'>
  /** Length of earlier vectors of the model, where none is configured. */
  readonly knownDimensions?: number | undefined
}

/** Connections to the embedder: one for records, the others for queries. */
const sockets = 8
/** Milliseconds to connect, and most bytes of an answer: 256 vectors of 1,024 numbers. */
const [connectMs, bytes] = [3000, 16 * 2 ** 20]
const longestVector = 1024

/** Makes a client; the first call opens a connection. */
export function connectEmbedder({
  settings,
  knownDimensions,
  ...options
}: EmbedderOptions): Embedder {
  const client = serviceClient({
    ...options,
    service: { name: 'embedder', unavailable: 'engine-unavailable', topic: 'embedder' },
    sockets,
    closesAfterError: false,
    retryable: () => false,
    random: Math.random,
    limits: { connectMs, firstByteMs: connectMs, totalMs: connectMs, bytes },
  })
  const { url, model, apiKey } = settings
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
  }
  let dimensions = settings.dimensions ?? knownDimensions
  return {
    embed: async (texts, { limitMs, signal }) => {
      const body = JSON.stringify({ model, input: texts.map((text) => text.toWellFormed()) })
      const limits = { firstByteMs: limitMs, totalMs: limitMs }
      const request = { url, method: 'POST', headers, body, isIdempotent: true, limits } as const
      const answer = await client.send(request, signal)
      if (answer.status !== 200) {
        const retryMs = retryAfterMs(answer.headers['retry-after'], Date.now())
        throw new EmbedderFault(`The embedder answered ${answer.status}.`, answer.status, retryMs)
      }
      const vectors = vectorsIn(answer.text, texts.length, dimensions)
      dimensions ??= vectors[0]?.length
      return vectors
    },
    dimensions: () => dimensions,
    close: client.close,
  }
}

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().optional(), embedding: z.array(z.number()) })),
})

/** Reads the vectors of an answer. Throws an `EmbedderFault` if it has not one of these dimensions for each text. */
function vectorsIn(text: string, count: number, dimensions: number | undefined): Int8Array[] {
  const { success, data: answer } = answerSchema.safeParse(parsed(text))
  if (!success) throw new EmbedderFault('The answer of the embedder has no vectors of numbers.')
  const byIndex = new Map(answer.data.map((item, place) => [item.index ?? place, item.embedding]))
  const vectors = Array.from({ length: count }, (_, index) => byIndex.get(index) ?? [])
  if (answer.data.length !== count || vectors.some(({ length }) => length === 0))
    throw new EmbedderFault(`The embedder answered ${answer.data.length} vectors of ${count}.`)
  const { length } = vectors[0] ?? []
  if (length % 8 !== 0 || length > longestVector || vectors.some((one) => one.length !== length))
    throw new EmbedderFault(
      `The embedder answered vectors of ${length} numbers: all must have the same length, 8 to ${longestVector}, which 8 divides.`,
    )
  if (dimensions !== undefined && length !== dimensions)
    throw new EmbedderFault(
      `The embedder answered vectors of ${length} numbers in place of ${dimensions}: another model needs another name.`,
    )
  return vectors.map(scaled)
}

/** Parses JSON; `undefined` for another text, such as a page of HTML. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Scales a vector so that its largest component is 127. */
function scaled(vector: readonly number[]): Int8Array {
  let largest = 0
  for (const component of vector) largest = Math.max(largest, Math.abs(component))
  return Int8Array.from(vector, (component) =>
    largest === 0 ? 0 : Math.round((component / largest) * 127),
  )
}
