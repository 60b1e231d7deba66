/** Runs orders and turns what they say into the text of an answer. */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Io } from '../command.ts'
import type { Order } from '../table.ts'
import { channel } from './channel.ts'
import { failureText, printable } from './text.ts'

/** The last line of every answer; of one that failed `Command failed: …`. */
export const finished = 'Command finished'

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
  readonly run: (order: Order, reader: Reader) => AsyncGenerator<string>
  /** Resolves when nothing goes on any more. */
  readonly idle: () => Promise<void>
}

export type ExecutionOptions = {
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

export function execution(options: ExecutionOptions): Execution {
  const { ending, atOnce = 32 } = options
  const underway = new Set<Promise<void>>()
  return {
    run: (order, reader) => {
      if (ending.aborted) throw new Failure('conflict', 'the console is closing')
      if (underway.size >= atOnce)
        throw new Failure('too-many-requests', `${atOnce} commands run already`, { retryAfter: 5 })
      const out = channel()
      const leave = () => out.leave()
      reader.signal.addEventListener('abort', leave, { once: true })
      if (reader.signal.aborted) leave()
      // A first piece at once: the reader sees that the order was taken.
      void out.push('')
      const work = obey(order, reader, { ...options, out }).finally(() => {
        reader.signal.removeEventListener('abort', leave)
        underway.delete(work)
      })
      underway.add(work)
      return out.pieces()
    },
    idle: async () => {
      await Promise.all(underway)
    },
  }
}

type Ground = ExecutionOptions & { readonly out: ReturnType<typeof channel> }

/** Never rejects. */
async function obey({ command, wish }: Order, reader: Reader, ground: Ground): Promise<void> {
  const { log, now, clean, ending, out } = ground
  const started = now()
  const signal = command.lasts ? ending : AbortSignal.any([reader.signal, ending])
  const io: Io = {
    say: (text) => out.push(`${printable(clean(text))}\n`),
    tell: (line) => out.offer(`${printable(clean(line))}\n`),
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
  const last = failure ? `Command failed: ${told ?? why}` : finished
  await out.push(`${printable(clean(last)).replaceAll('\n', '; ')}\n`)
  out.end()
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
