/** Entry of the writer's worker; between calls it removes what nobody can read any more. */

import { workerData } from 'node:worker_threads'
import { serve } from '../../workers/serve.ts'
import { isUnusable } from './index-file.ts'
import { reported } from './worker-failures.ts'
import type { WorkerSettings, WriterCalls } from './worker-messages.ts'
import { IndexFileWriter } from './writer.ts'

const { path }: WorkerSettings = workerData.data
let opened: IndexFileWriter | undefined
/** What ended later is not removed. */
let purgeLimit = 0

/** Opened by the first call, so that a damaged file is an answer and not a crash. */
const write = <Result>(work: (writer: IndexFileWriter) => Result): Result =>
  reported(() => work((opened ??= new IndexFileWriter(path))))

/** Removes one portion; whatever came in meanwhile goes before the next. */
function purge(): void {
  if (opened?.purge(purgeLimit)) setImmediate(purge)
}

serve<WriterCalls>({
  open: () => reported(() => void (opened ??= new IndexFileWriter(path)), isUnusable),
  configure: ({ settings, languages, anew }) =>
    write((writer) => writer.configure(settings, languages, anew)),
  finish: (index) => write((writer) => writer.finish(index)),
  write: (batches) => write((writer) => writer.write(batches)),
  lastEnd: () => {
    const end = write((writer) => writer.lastEnd())
    purgeLimit = Math.min(purgeLimit, end)
    return end
  },
  purge: (limit) => {
    purgeLimit = limit
    setImmediate(purge)
  },
  newest: () => write((writer) => writer.newest()),
  worn: () => write((writer) => writer.worn()),
  documents: () => write((writer) => writer.documents()),
  entries: (request) => write((writer) => writer.entries(request)),
  checkpoint: () => write((writer) => writer.checkpoint()),
  close: () => {
    opened?.close()
    opened = undefined
  },
})
