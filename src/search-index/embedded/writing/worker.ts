/** Entry of the writer thread. */

import { parentPort, workerData } from 'node:worker_threads'
import type { Start, WriterCalls } from '../threads/messages.ts'
import { serve } from '../threads/serve.ts'
import { Writer } from './writer.ts'

const purgeEveryMs = 10_000

const { path }: Start = workerData
let opened: Writer | undefined

/** Opened by the first call, so that a damaged file is an answer and not a crash. */
function writer(): Writer {
  opened ??= new Writer(path)
  return opened
}

/** What is no longer needed goes after the answer. */
function thenPurge<T>(answer: T): T {
  setImmediate(purge)
  return answer
}

/** Between two portions whatever came in meanwhile goes first. */
function purge(): void {
  if (opened?.purge()) setImmediate(purge)
}

const timer = setInterval(purge, purgeEveryMs).unref()

const calls = {
  open: () => void writer(),
  configure: ({ settings, languages, anew }: WriterCalls['configure'][0]) =>
    thenPurge(writer().configure(settings, languages, anew)),
  finish: (index: WriterCalls['finish'][0]) => thenPurge(writer().finish(index)),
  write: (batches: WriterCalls['write'][0]) => writer().write(batches),
  hold: (id: WriterCalls['hold'][0]) => writer().hold(id),
  release: (ids: WriterCalls['release'][0]) => thenPurge(writer().release(ids)),
  newest: () => writer().newest(),
  worn: () => writer().worn(),
  documents: () => writer().documents(),
  entries: (wanted: WriterCalls['entries'][0]) => writer().entries(wanted),
  checkpoint: () => writer().checkpoint(),
  close: () => {
    clearInterval(timer)
    opened?.close()
    opened = undefined
  },
}

if (parentPort) serve(parentPort, calls)
