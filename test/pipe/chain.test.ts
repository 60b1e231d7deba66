/** Segments chained in one process. */

import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { logger } from '../../src/log.ts'
import { chain } from '../../src/pipe/chain.ts'
import type { Message } from '../../src/pipe/message.ts'
import type { SegmentContext, SegmentFunction } from '../../src/pipe/segment.ts'

const ignore = () => undefined
const context: SegmentContext = {
  runId: 'run',
  pipe: 'city',
  log: logger('silent'),
  dryRun: false,
  sink: {
    item: ignore,
    finding: ignore,
    total: ignore,
    offered: ignore,
    adopted: ignore,
    page: ignore,
    request: ignore,
    alive: ignore,
    processed: ignore,
    outcome: ignore,
  },
}
const total = (number: number): Message => ({ kind: 'total', total: number })
const end: Message = { kind: 'end', completeness: { kind: 'complete', fingerprint: 'x' } }
const never = new AbortController().signal

/** Gives numbers and an end, and tells how far it is and whether it was closed. */
function importer(count: number, more: readonly Message[] = [end]) {
  const state = { given: 0, closed: false }
  const run: SegmentFunction = async function* () {
    try {
      for (; state.given < count;) {
        state.given++
        yield total(state.given)
      }
      yield* more
    } finally {
      state.closed = true
    }
  }
  return { state, run }
}

/** Keeps what arrives. */
function exporter(each: (message: Message, signal: AbortSignal) => Promise<void> | void = ignore) {
  const taken: Message[] = []
  const run: SegmentFunction = async function* (input, _context, signal) {
    for await (const message of input) {
      taken.push(message)
      await each(message, signal)
      yield message
    }
  }
  return { taken, run }
}

const passing: SegmentFunction = async function* (input) {
  yield* input
}

/** Ends with the signal, as every wait of a segment does. */
const asleep = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => {
    const wake = () => {
      reject(new Error('I was woken'))
    }
    if (signal.aborted) wake()
    signal.addEventListener('abort', wake)
  })

describe('a chain', () => {
  it('hands every message on in order, and ends when the last step does', async () => {
    const { taken, run } = exporter()
    await chain([importer(3).run, passing, run], context, never)
    expect(taken).toEqual([total(1), total(2), total(3), end])
  })

  it('holds the importer while the exporter is slow: nobody is ahead by more than one message', async () => {
    const source = importer(200)
    const ahead: number[] = []
    const { taken, run } = exporter(async () => {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      ahead.push(source.state.given - taken.length)
    })
    await chain([source.run, passing, passing, run], context, never)
    expect(taken).toHaveLength(201)
    expect(Math.max(...ahead)).toBeLessThanOrEqual(1)
  })

  it.each([0, 1, 2])('ends all steps when step %s fails, with its error', async (failing) => {
    const wrong = new Failure('source-error', 'broken')
    const source = importer(1e9)
    const broken: SegmentFunction = async function* (input) {
      yield total(0)
      for await (const message of input) {
        yield message
        throw wrong
      }
      throw wrong
    }
    const steps = [source.run, passing, exporter().run]
    steps[failing] = broken
    await expect(chain(steps, context, never)).rejects.toBe(wrong)
    // A step that was never asked for anything has nothing to close.
    expect(source.state.closed).toBe(source.state.given > 0)
  })

  it('tells a step that still waits for the outside to stop when another one fails', async () => {
    let told: unknown
    const wrong = new Error('exporter broke')
    const sleeping: SegmentFunction = async function* (_input, _context, signal) {
      yield total(1)
      signal.addEventListener('abort', () => {
        told = signal.reason
      })
      await asleep(signal)
      yield total(2)
    }
    // Reads ahead by itself: while the importer sleeps, this one fails.
    const greedy: SegmentFunction = async function* (input) {
      const iterator = input[Symbol.asyncIterator]()
      await iterator.next()
      void iterator.next().catch(ignore)
      await Promise.resolve()
      yield total(0)
      throw wrong
    }
    await expect(chain([sleeping, greedy], context, never)).rejects.toBe(wrong)
    expect(told).toBe(wrong)
  })

  it('stops at once when it is cancelled, and says why', async () => {
    const cancelling = new AbortController()
    const why = new Failure('run-cancelled', 'by hand')
    const source = importer(1e9)
    const { run, taken } = exporter((message, signal) => {
      if (message.kind !== 'total' || message.total !== 5) return ignore()
      cancelling.abort(why)
      return asleep(signal)
    })
    await expect(chain([source.run, run], context, cancelling.signal)).rejects.toBe(why)
    expect(source.state).toEqual({ given: 5, closed: true })
    expect(taken).toHaveLength(5)
  })

  it('that is cancelled before it begins asks nobody for anything', async () => {
    const source = importer(5)
    const why = new Error('too late')
    await expect(chain([source.run, passing], context, AbortSignal.abort(why))).rejects.toBe(why)
    expect(source.state.given).toBe(0)
  })

  it('waits until work in flight has ended before it says that it is cancelled', async () => {
    const cancelling = new AbortController()
    const order: string[] = []
    const { run } = exporter(async (_message, signal) => {
      cancelling.abort(new Error('stop'))
      await asleep(signal).catch(ignore)
      for (let turn = 0; turn < 50; turn++) await Promise.resolve()
      order.push('written')
    })
    await chain([importer(9).run, run], context, cancelling.signal).catch(() => order.push('over'))
    expect(order).toEqual(['written', 'over'])
  })

  it('does not wait longer than its grace for a step that ignores the signal', async () => {
    const cancelling = new AbortController()
    const deaf: SegmentFunction = async function* () {
      yield total(1)
      await new Promise(ignore)
    }
    const { run } = exporter((message) => {
      if (message.kind === 'total')
        queueMicrotask(() => {
          cancelling.abort(new Error('stop'))
        })
    })
    const running = chain([deaf, run], context, cancelling.signal, () => Promise.resolve())
    await expect(running).rejects.toThrow('stop')
  })

  it('whose last step wants no more closes the steps before it', async () => {
    const source = importer(1e9)
    const satisfied: SegmentFunction = async function* (input) {
      for await (const message of input) {
        yield message
        return
      }
    }
    await chain([source.run, passing, satisfied], context, never)
    expect(source.state).toEqual({ given: 1, closed: true })
  })

  it('reads and drops what the last step gives', async () => {
    const source = importer(50)
    await chain([source.run], context, never)
    expect(source.state).toEqual({ given: 50, closed: true })
  })
})

describe('the end of a stream', () => {
  it('that a segment forgets is an incomplete one, so that nothing is removed', async () => {
    const { taken, run } = exporter()
    await chain([importer(1, []).run, run], context, never)
    expect(taken.at(-1)).toMatchObject({ kind: 'end', completeness: { kind: 'incomplete' } })
  })

  it.each<[string, readonly Message[]]>([
    ['twice', [end, end]],
    ['before a record', [end, total(9)]],
  ])('that is said %s fails the run before the next segment hears of it', async (_, more) => {
    const { taken, run } = exporter()
    const running = chain([importer(1, more).run, run], context, never)
    await expect(running).rejects.toMatchObject({ kind: 'internal' })
    expect(taken).toEqual([total(1)])
  })
})
