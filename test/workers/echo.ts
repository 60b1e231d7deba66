/** Entry of a worker for the tests of the pool: answers, fails, hangs, dies, remembers. */

import { workerData, threadId } from 'node:worker_threads'
import { Failure } from '../../src/errors.ts'
import { emit, serve } from '../../src/workers/serve.ts'

export type EchoCalls = {
  echo: [string, string]
  start: [undefined, { readonly data: unknown; readonly thread: number; readonly env: number }]
  fail: ['failure' | 'error', undefined]
  hang: [undefined, undefined]
  longUnlessCancelled: [undefined, string]
  exit: [undefined, undefined]
  retire: [undefined, number]
  event: [string, undefined]
  slow: [number, string]
}

const until = (isOver: () => boolean) => {
  while (!isOver());
}

serve<EchoCalls>({
  echo: (text) => text,
  start: () => ({
    data: workerData.data,
    thread: threadId,
    env: Object.keys(process.env).length,
  }),
  fail: (what) => {
    if (what === 'error') throw new TypeError('not so')
    const errors = [{ line: 3, column: 1, detail: 'here' }]
    throw new Failure('malformed-rdf', 'cannot be read', { errors, retryAfter: 5 })
  },
  hang: () => until(() => false) as undefined,
  longUnlessCancelled: (_, { isCancelled }) => {
    until(isCancelled)
    return 'stopped'
  },
  exit: () => process.exit(3),
  retire: (_, { retire }) => {
    retire()
    return threadId
  },
  event: (text) => emit(text) as undefined,
  slow: async (ms) => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return 'slow'
  },
})
