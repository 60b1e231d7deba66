/** Runs commands: streams their output to their readers and logs their end. */

import { Failure, unicodeEscape } from '../errors.ts'
import type { Log } from '../log.ts'
import { Channel } from '../workers/channel.ts'
import type { ParsedCommand } from './command-table.ts'

/** Last line of every answer; that of a failed command is `Command failed: …`. */
export const commandFinished = 'Command finished'

type Reader = {
  /** Id of the API key. */
  readonly key: string
  readonly transport: 'http' | 'telnet'
  /** Aborts when the reader leaves, which ends commands unless they `lasts`. */
  readonly signal: AbortSignal
}

/** Runs commands for all readers of a process. */
export type Execution = {
  /** Starts a command. Its answer comes in pieces of whole lines after an empty first one. Throws `too-many-requests`. */
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
  readonly ending: AbortSignal
  /** Most commands at once; 32 by default. */
  readonly atOnce?: number
}

/** Most pieces of an answer that wait for their reader. */
const mostPieces = 32
const progressMs = 5000

/** Makes the runner of commands; one with `lasts` goes on when its reader leaves. */
export function execution(context: ExecutionContext): Execution {
  const { ending, atOnce = 32 } = context
  const active = new Set<Promise<void>>()
  return {
    run: (order, reader) => {
      if (ending.aborted) throw new Failure('conflict', 'the console is closing')
      if (active.size >= atOnce)
        throw new Failure('too-many-requests', `${atOnce} commands are running already`, {
          retryAfter: 5,
        })
      const out = new Channel<string>({ items: mostPieces })
      const leave = () => out.cancel()
      reader.signal.addEventListener('abort', leave, { once: true })
      if (reader.signal.aborted) leave()
      // A first piece shows the reader that the command was accepted.
      out.put('')
      const work = runCommand(order, reader, { ...context, out }).finally(() => active.delete(work))
      active.add(work)
      return piecesOf(out)
    },
    idle: async () => {
      await Promise.all(active)
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

/** Runs a command to its end; never rejects. */
async function runCommand(
  { command, given }: ParsedCommand,
  reader: Reader,
  context: ExecutionContext & { readonly out: Channel<string> },
): Promise<void> {
  const { log, now, clean, ending, out } = context
  const started = now()
  const send = (text: string) => out.send(`${printable(clean(text))}\n`)
  let shown = started
  const progress = (line: string) => {
    const time = now()
    if (time - shown < progressMs || out.size >= mostPieces / 4) return
    shown = time
    out.put(`${printable(clean(line))}\n`)
  }
  const signal = command.lasts ? ending : AbortSignal.any([reader.signal, ending])
  const left = () => reader.signal.aborted && !command.lasts
  let [last, outcome] = [commandFinished, 'finished']
  try {
    const answer = await command.run(given, { progress, signal })
    for await (const lines of typeof answer === 'string' ? [answer] : answer) {
      signal.throwIfAborted()
      await send(lines)
    }
  } catch (error) {
    outcome = 'failed'
    const isExpected = error instanceof Failure
    if (!isExpected && !left() && !ending.aborted)
      log.error({ err: error, command: command.name }, 'command.failed')
    const why = ending.aborted
      ? 'the console is closing'
      : 'unexpected error; see the log of the platform'
    last = `Command failed: ${isExpected ? failureText(error) : why}`
  }
  await send(last.replaceAll('\n', '; '))
  out.close()
  log.info(
    {
      command: command.name,
      // Configurations may hold secrets.
      words: given.words.filter((word) => !word.startsWith('{')).slice(0, 10),
      key: reader.key,
      transport: reader.transport,
      ms: Math.round(now() - started),
      outcome: left() ? 'left' : outcome,
    },
    'command.finished',
  )
}

// oxlint-disable-next-line no-control-regex -- they are what must not reach a terminal
const active = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

/** Escapes the control characters of a text, except line ends and tabs. */
const printable = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(active, unicodeEscape)

function failureText({ detail, errors }: Failure): string {
  const complaints = errors
    .filter((one) => one.detail !== detail)
    .slice(0, 10)
    .map((one) => {
      const place = one.pointer ?? one.parameter
      return place === undefined ? one.detail : `${place}: ${one.detail}`
    })
  return [detail, ...complaints].join('; ')
}
