/** Entry of the writer's worker; between calls it removes what nobody can read any more. */

import { workerData } from 'node:worker_threads'
import { serve } from '../../workers/serve.ts'
import { isUnusable } from './index-file.ts'
import { reported } from './worker-failures.ts'
import type { WorkerSettings, WriterCalls } from './worker-messages.ts'
import { IndexFileWriter } from './writer.ts'

const purgeEveryMs = 10_000

const { path }: WorkerSettings = workerData.data
let opened: IndexFileWriter | undefined

/** Opened by the first call, so that a damaged file is an answer and not a crash. */
const write = <Result>(work: (writer: IndexFileWriter) => Result): Result =>
  reported(() => work((opened ??= new IndexFileWriter(path))))

/** Removes one portion; whatever came in meanwhile goes before the next. */
function purge(): void {
  if (opened?.purge()) setImmediate(purge)
}

/** What is no longer needed goes after the answer. */
function thenPurge<Result>(work: (writer: IndexFileWriter) => Result): Result {
  setImmediate(purge)
  return write(work)
}

const timer = setInterval(purge, purgeEveryMs).unref()

serve<WriterCalls>({
  open: () => reported(() => void (opened ??= new IndexFileWriter(path)), isUnusable),
  configure: ({ settings, languages, anew }) =>
    thenPurge((writer) => writer.configure(settings, languages, anew)),
  finish: (index) => thenPurge((writer) => writer.finish(index)),
  write: (batches) => write((writer) => writer.write(batches)),
  hold: (id) => write((writer) => writer.hold(id)),
  release: (ids) => thenPurge((writer) => writer.release(ids)),
  newest: () => write((writer) => writer.newest()),
  worn: () => write((writer) => writer.worn()),
  documents: () => write((writer) => writer.documents()),
  entries: (request) => write((writer) => writer.entries(request)),
  checkpoint: () => write((writer) => writer.checkpoint()),
  close: () => {
    clearInterval(timer)
    opened?.close()
    opened = undefined
  },
})
