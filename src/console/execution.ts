/** Runs commands: streams their output to their readers and logs their end. */

import { Failure, unicodeEscape } from '../errors.ts'
import type { Log } from '../log.ts'
import { Channel } from '../workers/channel.ts'
import { WrongCommand } from './command.ts'
import type { ParsedCommand } from './command-table.ts'

/** Last line of the answer of a command that finished; that of a failed one is `Command failed: …`. */
export const commandFinished = 'Command finished'

/** Client that sent a command and reads its answer. */
type Reader = {
  /** Id of the API key. */
  readonly key: string
  readonly transport: 'http' | 'telnet'
  /** Aborts when the reader leaves, which ends commands except those with `outlivesReader`. */
  readonly signal: AbortSignal
}

/** Runs commands for all readers of a process. */
export type Execution = {
  /**
   * Starts a command. Its answer comes in pieces of whole lines after an empty one. Throws `too-many-requests`, `conflict`
   * (closing).
   */
  readonly run: (order: ParsedCommand, reader: Reader) => AsyncGenerator<string>
  /** Resolves when no command runs any more. */
  readonly idle: () => Promise<void>
}

type ExecutionContext = {
  readonly log: Log
  /** Current time in milliseconds. */
  readonly now: () => number
  /** Masks known secrets in a text. */
  readonly clean: (text: string) => string
  /** Aborts when the console stops. */
  readonly stopping: AbortSignal
  /** Most commands at once; 32 by default. */
  readonly atOnce?: number
}

/** Most pieces of an answer that wait for their reader. */
const mostPieces = 32
/** Minimum milliseconds between two lines of progress, and before the first. */
const progressMs = 5000

/** Makes the runner of commands; one with `outlivesReader` continues when its reader leaves. */
export function execution(context: ExecutionContext): Execution {
  const { stopping, atOnce = 32 } = context
  const running = new Set<Promise<void>>()
  return {
    run: (order, reader) => {
      if (stopping.aborted) throw new Failure('conflict', 'the console is closing')
      if (running.size >= atOnce)
        throw new Failure('too-many-requests', `${atOnce} commands are running already`, {
          retryAfter: 5,
        })
      const out = new Channel<string>({ items: mostPieces })
      const leave = () => out.cancel()
      reader.signal.addEventListener('abort', leave, { once: true })
      if (reader.signal.aborted) leave()
      // A first piece shows the reader that the command was accepted.
      out.put('')
      const work = runCommand(order, reader, { ...context, out }).finally(() =>
        running.delete(work),
      )
      running.add(work)
      return piecesOf(out)
    },
    idle: async () => {
      await Promise.all(running)
    },
  }
}

/** Yields the pieces; a reader who leaves cancels the channel. */
async function* piecesOf(out: Channel<string>): AsyncGenerator<string> {
  try {
    yield* out
  } finally {
    out.cancel()
  }
}

/** Makes the `progress` of a command. `leftOut`: the last line where it was not sent, and earlier ones were, so that a reader sees the end. */
function throttledProgress(
  now: () => number,
  out: Channel<string>,
  piece: (line: string) => string,
) {
  let sentAt = now()
  let [isSent, last] = [false, '']
  const progress = (line: string) => {
    const time = now()
    last = line
    if (time - sentAt < progressMs || out.size >= mostPieces / 4) return
    sentAt = time
    ;[isSent, last] = [true, '']
    out.put(piece(line))
  }
  return { progress, leftOut: () => (isSent && last !== '' ? [last] : []) }
}

/** Runs a command to its end; never rejects. */
async function runCommand(
  { command, args }: ParsedCommand,
  reader: Reader,
  context: ExecutionContext & { readonly out: Channel<string> },
): Promise<void> {
  const { log, now, clean, stopping, out } = context
  const started = now()
  const send = (text: string) => out.send(`${printable(clean(text))}\n`)
  const { progress, leftOut } = throttledProgress(now, out, (line) => `${printable(clean(line))}\n`)
  const signal = command.outlivesReader ? stopping : AbortSignal.any([reader.signal, stopping])
  const hasReaderLeft = () => reader.signal.aborted && !command.outlivesReader
  let [lastLine, outcome] = [commandFinished, 'finished']
  try {
    const answer = await command.run(args, { progress, signal, key: reader.key })
    for (const line of leftOut()) await send(line)
    for await (const lines of typeof answer === 'string' ? [answer] : answer) {
      signal.throwIfAborted()
      await send(lines)
    }
  } catch (error) {
    outcome = 'failed'
    const isExpected = error instanceof Failure || error instanceof WrongCommand
    if (!isExpected && !hasReaderLeft() && !stopping.aborted)
      log.error({ err: error, command: command.name }, 'command.failed')
    const reason = stopping.aborted
      ? 'the console is closing'
      : 'unexpected error; see the log of the platform'
    lastLine = `Command failed: ${isExpected ? failureText(error) : reason}`
  }
  await send(lastLine.replaceAll('\n', '; '))
  out.close()
  log.info(
    {
      command: command.name,
      // Configurations may hold secrets.
      words: args.words.filter((word) => !word.startsWith('{')).slice(0, 10),
      key: reader.key,
      transport: reader.transport,
      ms: Math.round(now() - started),
      outcome: hasReaderLeft() ? 'left' : outcome,
    },
    'command.finished',
  )
}

// oxlint-disable-next-line no-control-regex -- they are what must not reach a terminal
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

/** Escapes the control characters and direction marks of a text, except line ends and tabs. */
const printable = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(unprintable, unicodeEscape)

function failureText(error: Failure | WrongCommand): string {
  if (error instanceof WrongCommand) return error.message
  const { detail, errors } = error
  const complaints = errors
    .filter((complaint) => complaint.detail !== detail)
    .slice(0, 10)
    .map((complaint) => {
      const place = complaint.pointer ?? complaint.parameter
      return place === undefined ? complaint.detail : `${place}: ${complaint.detail}`
    })
  return [detail, ...complaints].join('; ')
}
