import { expect, test } from 'vitest'
import type { Message } from '../../../src/pipe/message.ts'
import { transportLimits } from '../../../src/pipe/transport/transport-limits.ts'
import { parseArrival, listPayload, recordPayload } from '../../../src/pipe/transport/envelope.ts'
import { ArrivingStream, logSink } from '../../../src/pipe/transport/segment-worker.ts'
import { silent } from '../runs/runs-fixture.ts'
import { complete, record } from './transport-fixture.ts'

const context = { runId: 'r', pipe: 'p', sink: logSink(silent), log: silent, dryRun: false }
const never = new AbortController().signal

function opened() {
  let at = 0
  const told: string[] = []
  const line = new ArrivingStream({
    limits: { ...transportLimits, queued: 3, quietMs: 1 },
    now: () => at,
    pause: async () => undefined,
    completeness: () => complete.completeness,
    context,
  })
  const delivery = (name: string) => ({
    done: () => void told.push(`${name} done`),
    failed: () => void told.push(`${name} failed`),
  })
  const offer = (n: number, name = `d${n}`) => {
    const arrival = parseArrival(recordPayload(record(n), { counter: n }))
    return line.offer(arrival, 10, delivery(name))
  }
  const list = (ids: readonly string[]) => {
    const arrival = parseArrival(listPayload(ids, ids.length, complete))
    return line.offer(arrival, 10, delivery('list'))
  }
  const nothing = (async function* (): AsyncGenerator<Message> {})()
  const reading = line.reading(nothing, context, never)[Symbol.asyncIterator]()
  /** A last segment that has written what it was given so far. */
  const written = async (messages: readonly Message[]) => {
    async function* out() {
      yield* messages
    }
    for await (const _ of line.ending(out(), context, never)) {
      // Only what it tells about deliveries counts.
    }
  }
  const next = async (): Promise<Message> => {
    const { value, done } = await reading.next()
    if (done === true) throw new Error('the stream has ended')
    return value
  }
  /** So many ms later, when it was looked whether that is all. */
  const later = (ms: number) => {
    at += ms
    return line.watch(never)
  }
  return { line, told, offer, list, next, written, later }
}

test('a delivery is done when the page behind it comes out of the last segment, and not before', async () => {
  const { told, offer, next, written } = opened()
  offer(1)
  offer(2)
  const [one, two, page] = [await next(), await next(), await next()]
  expect([one.kind, two.kind, page.kind]).toEqual(['record', 'record', 'page'])
  await written([one, two])
  expect(told).toEqual([])
  offer(3)
  await written([page])
  expect(told).toEqual(['d1 done', 'd2 done'])
})

test('a repeat of what is not written yet is done together with it', async () => {
  const { line, told, offer, next } = opened()
  expect([offer(1), offer(1, 'again')]).toEqual(['taken', 'repeat'])
  await next()
  expect(told).toEqual([])
  line.settle('failed')
  expect(told).toEqual(['d1 failed', 'again failed'])
})

test('a stream that failed gives everything back', async () => {
  const { line, told, offer, list } = opened()
  offer(1)
  list(['o1'])
  line.settle('failed')
  expect(told).toEqual(['d1 failed', 'list failed'])
})

test('what comes after the whole stream is a repeat; what comes after it was given up has to come again', async () => {
  const whole = opened()
  whole.offer(1)
  whole.list(['o1'])
  await whole.later(0)
  expect(whole.line.isComplete).toBe(true)
  expect(whole.offer(2)).toBe('repeat')
  const given = opened()
  given.offer(1)
  await given.later(2)
  expect(() => given.offer(2)).toThrow('queue-full')
})

test('a full queue refuses what is new and knows what is a repeat', () => {
  const { offer } = opened()
  expect([offer(1), offer(2), offer(3)]).toEqual(['taken', 'taken', 'taken'])
  expect(() => offer(4)).toThrow('queue-full')
  expect(offer(3)).toBe('repeat')
})
