/** Entry of a reader thread. */

import { parentPort, workerData } from 'node:worker_threads'
import type { ReaderCalls, Start } from '../threads/messages.ts'
import { serve, Stopped } from '../threads/serve.ts'
import { Reader } from './reader.ts'

const { path, stop, wildcardTerms }: Start = workerData
let opened: Reader | undefined
let current = 0

/** The main thread writes the number of a call that nobody waits for any more. */
function check(): void {
  if (Atomics.load(stop, 0) === current) throw new Stopped('stopped')
}

/** Opened by the first call, so that a damaged file is an answer and not a crash. */
function reader(id: number): Reader {
  current = id
  opened ??= new Reader(path, check, wildcardTerms)
  return opened
}

const calls = {
  search: (request: ReaderCalls['search'][0], id: number) => reader(id).search(request),
  open: (request: ReaderCalls['open'][0], id: number) => reader(id).open(request),
  page: (slice: ReaderCalls['page'][0], id: number) => reader(id).page(slice),
  values: ({ index, facet }: ReaderCalls['values'][0], id: number) =>
    reader(id).values(index, facet),
  get: ({ index, id: record }: ReaderCalls['get'][0], id: number) => reader(id).get(index, record),
  missing: ({ index, ids }: ReaderCalls['missing'][0], id: number) =>
    reader(id).missing(index, ids),
  close: () => {
    opened?.close()
    opened = undefined
  },
}

if (parentPort) serve(parentPort, calls)
