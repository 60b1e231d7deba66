/** Answers that can be long: few at once, made in pieces while they are sent, as fast as the client takes them. */

import type { AppContext } from './context.ts'
import type { Log } from '../../log.ts'

type Flow = {
  readonly log: Log
  /** Milliseconds for each piece to be made and taken. */
  readonly pieceMs: number
  readonly headers: Readonly<Record<string, string>>
}

/**
 * 200 with the pieces as body. The first one is made before the answer begins: what fails until then is a problem like any
 * other. A later failure breaks the connection off, because half a document must not look like a whole one.
 */
export async function answerFlow(
  c: AppContext,
  pieces: AsyncGenerator<string>,
  { log, pieceMs, headers }: Flow,
): Promise<Response> {
  const renew = () => c.get('deadline').extend(pieceMs)
  renew()
  let next = await pieces.next()
  if (c.req.method === 'HEAD') {
    await pieces.return(undefined)
    return c.body(null, 200, headers)
  }
  const encoder = new TextEncoder()
  const signal = c.get('signal')
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    // Nobody asks a reader who takes nothing any more: the time limit ends the answer.
    signal.addEventListener('abort', () => broken(c, controller, signal.reason), { once: true })
  }
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      renew()
      while (next.done !== true && next.value === '') next = await pieces.next()
      if (next.done === true) return controller.close()
      controller.enqueue(encoder.encode(next.value))
      next = await pieces.next()
    } catch (error) {
      // Of those who left the line of the request tells.
      if (!signal.aborted) log.warn({ err: error, requestId: c.get('requestId') }, 'answer.broken')
      broken(c, controller, error)
    }
  }
  const cancel = async () => {
    await pieces.return(undefined)
  }
  // Nothing is made before somebody asks for it.
  const stream = new ReadableStream<Uint8Array>({ start, pull, cancel }, { highWaterMark: 0 })
  return c.body(stream, 200, headers)
}

function broken(
  c: AppContext,
  controller: ReadableStreamDefaultController<Uint8Array>,
  error: unknown,
): void {
  // The server's adapter may write the message behind the body and end it well.
  c.env?.outgoing?.destroy()
  controller.error(error)
}

/**
 * Makes an answer that holds a slot until its last byte is out or its client has left. What comes without a socket is asked by
 * the platform itself, which bounds its own work.
 */
export async function longAnswer(
  c: AppContext,
  make: () => Response | Promise<Response>,
): Promise<Response> {
  const outgoing = c.env?.outgoing
  if (!outgoing) return make()
  const release = await c.get('longAnswers').take(c.get('client'), c.get('signal'))
  outgoing.once('close', release)
  if (outgoing.destroyed) release()
  try {
    return await make()
  } catch (error) {
    release()
    throw error
  }
}
