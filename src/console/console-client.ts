/** Client of the console: sends one command line and prints its answer as it comes. */

import { refusalOf, ScriptFailure } from '../config/script.ts'
import { WrongUsage } from '../errors.ts'
import { commandFinished } from './execution.ts'

/** Setting that opens the console of a platform. */
const openShell = 'PLATFORM_HUB_SHELL_CONFIG={"http":{}}'

/** Command line for a console. */
type RemoteCommand = {
  /** Address of the console, without a slash at its end; that of its page means the same. */
  readonly address: string
  readonly key: string
  readonly line: string
}

/**
 * Runs a command in a console and passes its answer on in whole lines. Rejects with `WrongUsage` when the console did not
 * understand the line, with `ScriptFailure` when it refused, the command failed or the answer broke off, or with the signal's
 * reason.
 */
export async function runRemotely(
  { address, key, line }: RemoteCommand,
  out: (lines: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const to = address.replace(/\/shell\.html$/, '')
  const broken = (message: string) => (error: unknown) => {
    signal.throwIfAborted()
    const cause = error instanceof Error ? (error.cause ?? error.message) : error
    throw new ScriptFailure(`${message} (${String(cause)})`, { cause: error })
  }
  const answer = await fetch(`${to}/exec`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-API-Key': key },
    body: line,
    signal,
  }).catch(broken(`${to}: no answer`))
  if (!answer.ok || !answer.body) throw await refusal(answer, to)
  const lastLine = await copyLines(answer.body, out).catch(broken('the answer broke off'))
  if (lastLine !== commandFinished)
    throw new ScriptFailure(lastLine === '' ? 'the answer broke off' : lastLine)
}

async function refusal(answer: Response, address: string): Promise<Error> {
  if (answer.status === 404)
    return new ScriptFailure(
      `${address}: the platform has no console: set ${openShell} for it, and start it again`,
    )
  const isText = answer.headers.get('Content-Type')?.startsWith('text/plain') ?? false
  const why = isText ? (await answer.text()).trimEnd() : await refusalOf(answer)
  return answer.status === 400 ? new WrongUsage(why) : new ScriptFailure(why)
}

/** Prints all lines but the last one, which it returns. */
async function copyLines(
  body: ReadableStream<Uint8Array>,
  out: (text: string) => Promise<void>,
): Promise<string> {
  const decoder = new TextDecoder()
  let pendingText = ''
  for await (const piece of body) {
    pendingText += decoder.decode(piece, { stream: true })
    // Keeps the last line back, since more of it may follow.
    const end = pendingText.lastIndexOf('\n', pendingText.length - 2) + 1
    if (end > 0) await out(pendingText.slice(0, end))
    pendingText = pendingText.slice(end)
  }
  return pendingText.replace(/\n$/, '')
}
