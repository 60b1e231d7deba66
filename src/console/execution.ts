/** Commands as they run: what they say goes to their reader, their end into the log. */

import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { Channel } from '../workers/channel.ts'
import type { ParsedCommand } from './command-table.ts'

/** The last line of every answer; of one that failed `Command failed: …`. */
export const commandFinished = 'Command finished'

type Reader = {
  /** Id of the key that was shown. */
  readonly key: string
  readonly transport: 'http' | 'telnet'
  /** Aborts when the reader leaves: ends what only lists. */
  readonly signal: AbortSignal
}

/** Runs commands for all readers of a process. */
export type Execution = {
  /**
   * Starts the order. The answer comes in pieces that end in line ends, except a first empty one. Throws
   * `too-many-requests`.
   */
  readonly run: (order: ParsedCommand, reader: Reader) => AsyncGenerator<string>
  /** Resolves when nothing goes on any more. */
  readonly idle: () => Promise<void>
}

type ExecutionContext = {
  readonly log: Log
  /** Milliseconds of a clock. */
  readonly now: () => number
  /** Takes known secrets out of a text. */
  readonly clean: (text: string) => string
  /** Ends commands that outlive their readers. */
  readonly ending: AbortSignal
  /** Commands at once. */
  readonly atOnce?: number
}

/** Pieces of an answer that wait for their reader. */
const mostPieces = 32
const progressMs = 5000

/** Commands that last go on when their reader has left; the others end with it. */
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
      // A first piece at once: the reader sees that the order was taken.
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

/** Nobody waits for a reader who has left. */
async function* piecesOf(out: Channel<string>): AsyncGenerator<string> {
  try {
    yield* out
  } finally {
    out.cancel()
  }
}

/** Never rejects. */
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

/** Text that a terminal shows and does not obey: everything but line ends and tabs that moves a cursor, colours or turns text. */
const printable = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(active, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

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
