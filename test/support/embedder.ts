/** An embedder on a free port that answers as `/v1/embeddings` does, and misbehaves on demand. */

import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Answer in place of the right one. */
export type Mood = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Body of the answer. */
  readonly body?: string
  /** Milliseconds before the answer. */
  readonly afterMs?: number
  /** Whether the connection is cut without an answer. */
  readonly isAway?: boolean
}

/** Running server. */
export type EmbedderDouble = Awaited<ReturnType<typeof embedderDouble>>

/**
 * Starts the server. `vectorOf` makes the vector of a text, by default one of eight numbers that depend on it; `moodOf` may choose
 * another answer for some texts.
 */
export async function embedderDouble({
  vectorOf = anyVector,
  moodOf = () => undefined,
}: {
  readonly vectorOf?: (text: string) => readonly number[]
  readonly moodOf?: (texts: readonly string[]) => Mood | undefined
} = {}) {
  const calls: { readonly texts: readonly string[]; readonly key: string | undefined }[] = []
  const embedded: string[] = []
  const state: { mood: Mood } = { mood: {} }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the platform sends
    const { input: texts } = JSON.parse(await text(request)) as { input: readonly string[] }
    calls.push({ texts, key: request.headers.authorization })
    const { status = 200, headers = {}, body, afterMs, isAway } = moodOf(texts) ?? state.mood
    if (isAway) {
      request.socket.destroy()
      return
    }
    if (afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, afterMs))
    if (status === 200 && body === undefined) embedded.push(...texts)
    // The order of the answer is that of `index`, not of the array.
    const data = texts.map((one, index) => ({ index, embedding: vectorOf(one) })).toReversed()
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    response.end(body ?? JSON.stringify({ object: 'list', data, model: 'double' }))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1/embeddings`,
    calls,
    /** Texts that were answered with a vector, in their order. */
    embedded,
    state,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const anyVector = (one: string): readonly number[] =>
  [...hash('sha256', one, 'buffer').subarray(0, 8)].map((byte) => byte - 128)
