/** Runs orders and turns what they say into the text of an answer. */

import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { Channel } from '../workers/channel.ts'
import type { Io } from './command.ts'
import type { ParsedCommand } from './command-table.ts'

/** The last line of every answer; of one that failed `Command failed: …`. */
export const commandFinished = 'Command finished'

type Reader = {
  /** Id of the key that was shown. */
  readonly key: string
  readonly door: 'http' | 'telnet'
  /** Aborts when the reader leaves: ends what only lists. */
  readonly signal: AbortSignal
}

export type Execution = {
  /**
   * Starts the order. The answer comes in pieces that end in line ends, except a first empty one. Throws
   * `too-many-requests`.
   */
  readonly run: (order: ParsedCommand, reader: Reader) => AsyncGenerator<string>
  /** Resolves when nothing goes on any more. */
  readonly idle: () => Promise<void>
}

type ExecutionOptions = {
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

export function execution(options: ExecutionOptions): Execution {
  const { ending, atOnce = 32 } = options
  const underway = new Set<Promise<void>>()
  return {
    run: (order, reader) => {
      if (ending.aborted) throw new Failure('conflict', 'the console is closing')
      if (underway.size >= atOnce)
        throw new Failure('too-many-requests', `${atOnce} commands run already`, { retryAfter: 5 })
      const out = new Channel<string>({ items: mostPieces })
      const leave = () => out.cancel()
      reader.signal.addEventListener('abort', leave, { once: true })
      if (reader.signal.aborted) leave()
      // A first piece at once: the reader sees that the order was taken.
      out.put('')
      const work = obey(order, reader, { ...options, out }).finally(() => {
        reader.signal.removeEventListener('abort', leave)
        underway.delete(work)
      })
      underway.add(work)
      return piecesOf(out)
    },
    idle: async () => {
      await Promise.all(underway)
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

type Ground = ExecutionOptions & { readonly out: Channel<string> }

/** Never rejects. */
async function obey(
  { command, wish }: ParsedCommand,
  reader: Reader,
  ground: Ground,
): Promise<void> {
  const { log, now, clean, ending, out } = ground
  const started = now()
  const signal = command.lasts ? ending : AbortSignal.any([reader.signal, ending])
  const io: Io = {
    say: (text) => out.send(`${printable(clean(text))}\n`),
    tell: (line) => {
      if (out.size < mostPieces / 4) out.put(`${printable(clean(line))}\n`)
    },
  }
  const failure = await command.run(wish, io, signal).then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  const left = reader.signal.aborted && !command.lasts
  const told = failure && failureText(failure.error)
  if (failure && told === undefined && !left && !ending.aborted)
    log.error({ err: failure.error, command: command.name }, 'command.broken')
  const why = ending.aborted
    ? 'the console is closing'
    : 'unexpected; the log of the platform tells'
  const last = failure ? `Command failed: ${told ?? why}` : commandFinished
  await out.send(`${printable(clean(last)).replaceAll('\n', '; ')}\n`)
  out.close()
  log.info(
    {
      command: command.name,
      // Configurations may hold secrets.
      words: wish.words.filter((word) => !word.startsWith('{')).slice(0, 10),
      key: reader.key,
      door: reader.door,
      ms: Math.round(now() - started),
      outcome: left ? 'left' : failure ? 'failed' : 'finished',
    },
    'console.command',
  )
}

// Text that a terminal shows and does not obey.

// oxlint-disable-next-line no-control-regex -- they are what must not reach a terminal
const active = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

/** Everything but line ends and tabs that moves a cursor, colours or turns text is written out. */
const printable = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(active, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What a reader may be told of an error; undefined for what only the log may hold. */
function failureText(error: unknown): string | undefined {
  if (!(error instanceof Failure)) return undefined
  const complaints = error.errors
    .filter(({ detail }) => detail !== error.detail)
    .slice(0, 10)
    .map(({ parameter, pointer, detail }) => {
      const place = pointer ?? parameter
      return place === undefined ? detail : `${place}: ${detail}`
    })
  return [error.detail, ...complaints].join('; ')
}
