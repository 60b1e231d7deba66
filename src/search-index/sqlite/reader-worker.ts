/** Entry of a reader's worker. */

import { workerData } from 'node:worker_threads'
import { serve, type CallContext } from '../../workers/serve.ts'
import { IndexFileReader } from './reader.ts'
import { Cancelled, reported } from './worker-failures.ts'
import type { ReaderCalls, WorkerSettings } from './worker-messages.ts'

const { path, wildcardTerms }: WorkerSettings = workerData.data
let opened: IndexFileReader | undefined
let current: CallContext | undefined

function check(): void {
  if (current?.isCancelled()) throw new Cancelled('nobody waits any more')
}

/** Opened by the first call, so that a damaged file is an answer and not a crash. */
function read<Result>(call: CallContext, work: (reader: IndexFileReader) => Result): Result {
  current = call
  return reported(() => work((opened ??= new IndexFileReader(path, check, wildcardTerms))))
}

serve<ReaderCalls>({
  search: (request, call) => read(call, (reader) => reader.search(request)),
  open: (request, call) => read(call, (reader) => reader.open(request)),
  page: (slice, call) => read(call, (reader) => reader.page(slice)),
  values: ({ index, facet }, call) => read(call, (reader) => reader.values(index, facet)),
  near: (tokens, call) => read(call, (reader) => reader.near(tokens)),
  get: ({ index, id }, call) => read(call, (reader) => reader.get(index, id)),
  missing: ({ index, ids }, call) => read(call, (reader) => reader.missing(index, ids)),
})
