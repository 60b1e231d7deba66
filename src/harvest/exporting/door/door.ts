/** The way to a repository: our own without a socket, or another one through the guarded client. */

import { Failure } from '../../../errors.ts'
import { keyId } from '../../../http/keys/known-keys.ts'
import type { Outbound, Reach } from '../../../client/outbound.ts'

export type Ask = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Path and query below the repository's address, with a leading slash. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Of the body; N-Triples when nothing is said. */
  readonly mediaType?: string
}

export type Answer = {
  readonly status: number
  readonly headers: Headers
  /** The body whole; to be read once. */
  text(): Promise<string>
  /** The body as it comes; to be read once. */
  readonly body: AsyncIterable<Uint8Array>
}

/** One exchange; rejects when no answer comes. */
export type Door = {
  /** Whether the repository is this process's own. */
  readonly isOwn: boolean
  /** Of the key that writes are made with; tells it from others and is not it. */
  readonly keyId: string
  ask(ask: Ask, signal: AbortSignal): Promise<Answer>
  /** Absent where there is a wire in between. */
  readonly putDatasets?: PutDatasets | undefined
  /** The same. */
  readonly previewDataset?: PreviewDataset | undefined
}

/** One dataset: its id at the origin, and N-Triples that describe it under the IRI. */
type DatasetText = {
  readonly originalId: string
  readonly iri: string
  readonly text: string
}

/** What the repository would have answered to a PUT of the dataset; `problem` as RFC 9457 has it. */
export type DatasetVerdict = {
  readonly id?: string
  readonly status: number
  readonly problem?: unknown
}

/** Many datasets of a catalogue without a body that holds them once more; a verdict for each, in their order. */
export type PutDatasets = (
  catalogue: string,
  texts: readonly DatasetText[],
  signal: AbortSignal,
) => Promise<readonly DatasetVerdict[]>

/** A record as it would be sent. */
type RecordText = {
  readonly originalId: string
  readonly mediaType: string
  readonly text: string
}

/** What the repository would make of a record: its stored graph as N-Triples before and after. Fails as a PUT would. */
type PreviewDataset = (
  catalogue: string,
  record: RecordText,
  signal: AbortSignal,
) => Promise<{
  readonly kind: 'created' | 'updated' | 'unchanged'
  readonly before: string
  readonly after: string
}>

export type Repository = {
  readonly address: string
  readonly fetch: (request: Request) => Promise<Response>
  readonly putDatasets?: PutDatasets
  readonly previewDataset?: PreviewDataset
}

const keyOf = (key: string, { method }: Ask): Record<string, string> =>
  method === 'GET' || method === 'HEAD' ? {} : { 'X-API-Key': key }

const headersOf = ({ body, mediaType, headers }: Ask) => ({
  ...(body !== undefined && { 'Content-Type': mediaType ?? 'application/n-triples' }),
  ...headers,
})

/** The repository of this process. */
export const ownDoor = (
  { address, fetch, putDatasets, previewDataset }: Repository,
  key: string,
): Door => ({
  isOwn: true,
  keyId: keyId(key),
  putDatasets,
  previewDataset,
  ask: async (ask, signal) => {
    const { method, path, body } = ask
    const request = new Request(address.replace(/\/+$/, '') + path, {
      method,
      headers: { ...keyOf(key, ask), ...headersOf(ask) },
      signal,
      ...(body !== undefined && { body }),
    })
    const response = await fetch(request)
    return {
      status: response.status,
      headers: response.headers,
      text: () => response.text(),
      body: response.body ?? nothing(),
    }
  },
})

async function* nothing(): AsyncGenerator<Uint8Array> {}

export type Elsewhere = {
  readonly address: string
  readonly key: string
  readonly reach: Reach
  readonly outbound: Outbound
}

/** An answer of a hundred verdicts with their problems, or the ids of a million records. */
const longestAnswer = 256 * 2 ** 20

/** Another repository. A redirect is not followed: it would carry records where nobody sent them. */
export const distantDoor = ({ address, key, reach, outbound }: Elsewhere): Door => ({
  isOwn: false,
  keyId: keyId(key),
  ask: async (ask, signal) => {
    const { method, path, body } = ask
    const answer = await outbound.request(
      {
        url: address.replace(/\/+$/, '') + path,
        method,
        headers: headersOf(ask),
        credentials: keyOf(key, ask),
        reach,
        maxBytes: longestAnswer,
        attempts: 1,
        redirects: 0,
        ...(body !== undefined && { body }),
      },
      signal,
    )
    if (answer.status >= 300 && answer.status < 400 && answer.status !== 304) {
      answer.discard()
      throw new Failure('export-failed', 'The repository sends requests elsewhere.')
    }
    return answer
  },
})
