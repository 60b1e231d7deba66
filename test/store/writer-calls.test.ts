/** Calls to the writing worker when its replacement is lost: another one after a pause, which the end of the store cuts short. */

import { type MessagePort, Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { logger } from '../../src/log.ts'
import { WriterCalls } from '../../src/store/embedded/writer-calls.ts'

const writer = `const { parentPort } = require('node:worker_threads')
parentPort.on('message', (message) => {
  if (message === 'close') return parentPort.close()
  parentPort.postMessage(message.map(({ id }) => ({ id, result: undefined })))
})
parentPort.postMessage({ opened: { quads: 0, graphs: 0, dead: 0, ms: 0, unreadable: [] } })
parentPort.postMessage('fragmented')`

/** Calls whose replacements all end at once, with the pauses before the next ones; each goes on when it is told to. */
function losing() {
  const pauses: { readonly ms: number; readonly signal: AbortSignal; readonly end: () => void }[] =
    []
  let [replacements, ended] = [0, 0]
  const calls = new WriterCalls({
    start: (feed?: MessagePort) => {
      if (feed) replacements += 1
      return new Worker(feed ? 'process.exit()' : writer, { eval: true })
    },
    waiting: 10,
    callMs: 60_000,
    log: logger('silent'),
    onLost: () => undefined,
    pause: (ms, signal) =>
      new Promise((resolve, reject) => {
        pauses.push({ ms, signal, end: resolve })
        // As late as a thread ends, so that a close that does not await it is seen.
        const end = () => {
          ended += 1
          reject(new Error('aborted'))
        }
        const late = () => void new Worker('', { eval: true }).once('exit', end)
        signal.addEventListener('abort', late)
      }),
  })
  return { calls, pauses, started: () => replacements, ended: () => ended }
}

it('starts another replacement half a minute after one was lost', async () => {
  const { calls, pauses, started } = losing()
  await expect.poll(() => pauses.length).toBe(1)
  expect([pauses[0]?.ms, started()]).toEqual([30_000, 1])
  pauses[0]?.end()
  await expect.poll(() => pauses.length).toBe(2)
  expect(started()).toBe(2)
  await calls.close()
})

it('ends the pause when it is closed, and starts no other', async () => {
  const { calls, pauses, started, ended } = losing()
  await expect.poll(() => pauses.length).toBe(1)
  await calls.close()
  expect([pauses.length, ended(), started()]).toEqual([1, 1, 1])
})

const leaving = `const { parentPort } = require('node:worker_threads')
let feed
parentPort.on('message', (message) => {
  if (message === 'close' || message === 'hand over') {
    feed?.postMessage('yours')
    return parentPort.close()
  }
  feed ??= message.find(({ port }) => port)?.port
  parentPort.postMessage(message.map(({ id }) => ({ id, result: 'first' })))
})
parentPort.postMessage({ opened: { quads: 0, graphs: 0, dead: 0, ms: 0, unreadable: [] } })
parentPort.postMessage('fragmented')`

// Calls that come before it is open are lost.
const following = `const { parentPort, workerData } = require('node:worker_threads')
let isOpen = false
workerData.once('message', () => {
  isOpen = true
  workerData.close()
  parentPort.postMessage({ opened: { quads: 0, graphs: 0, dead: 0, ms: 0, unreadable: [] } })
})
parentPort.on('message', (message) => {
  if (message === 'close') return parentPort.close()
  if (isOpen) parentPort.postMessage(message.map(({ id }) => ({ id, result: 'second' })))
})
parentPort.postMessage('filled')`

it('sends no call to a replacement before it has taken over', async () => {
  const calls = new WriterCalls({
    start: (feed?: MessagePort) =>
      feed
        ? new Worker(following, { eval: true, workerData: feed, transferList: [feed] })
        : new Worker(leaving, { eval: true }),
    waiting: 10,
    callMs: 5000,
    log: logger('silent'),
    onLost: () => undefined,
    pause: () => Promise.resolve(),
  })
  const answers = new Set<unknown>()
  while (!answers.has('second')) answers.add(await calls.call('counts', {}))
  expect([...answers]).toEqual(['first', 'second'])
  await calls.close()
})
