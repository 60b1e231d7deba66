/** Entry of the worker of a script: a record in, N-Triples out, and nothing in between that could reach us. */

import { parentPort, workerData } from 'node:worker_threads'
import { Failure } from '../../../../errors.ts'
import { toLines } from '../../../../rdf/lines.ts'
import { parse } from '../../../../rdf/parse.ts'
import { toFailureMessage } from '../../../../store/embedded/messages.ts'
import type { Reply } from '../bench.ts'
import { isForeignJson, quadsOf, type Incoming } from '../incoming.ts'
import { expanded } from './expanded.ts'
import type { ScriptJob, ScriptResult, ScriptSettings } from './messages.ts'
import { openSandbox } from './sandbox.ts'

const settings: ScriptSettings = workerData
const sandbox = await openSandbox(settings, () => performance.now())

async function inputOf(incoming: Incoming): Promise<string> {
  const { recordBytes } = settings.limits
  const input = isForeignJson(incoming)
    ? incoming.text
    : JSON.stringify(expanded(await quadsOf(incoming)))
  if (Buffer.byteLength(input) <= recordBytes) return input
  throw new Failure('transform-failed', `the record has more than ${recordBytes} bytes`)
}

async function linesOf(output: string, baseIri: string): Promise<string> {
  try {
    return toLines(await parse(output, 'jsonld', { baseIri }))
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause
    const detail = `what the script gave is no JSON-LD: ${cause.detail}`
    throw new Failure('transform-failed', detail, { cause })
  }
}

async function transformed(incoming: Incoming): Promise<string> {
  const output = sandbox.run(await inputOf(incoming))
  const text = await linesOf(output, incoming.baseIri)
  if (text !== '') return text
  throw new Failure('transform-empty', 'what the script gave says nothing as JSON-LD')
}

async function outcomeOf(job: ScriptJob): Promise<ScriptResult['outcome']> {
  try {
    if (job !== 'check') return { text: await transformed(job) }
    sandbox.check()
    return { text: '' }
  } catch (error) {
    if (error instanceof Failure) return { refusal: toFailureMessage(error) }
    throw error
  }
}

async function answer(job: ScriptJob): Promise<void> {
  const outcome = await outcomeOf(job)
  const reply: Reply<ScriptResult> = {
    result: { outcome, lines: sandbox.lines() },
    spent: sandbox.isSpent(),
  }
  parentPort?.postMessage(reply, [])
}

parentPort?.on('message', (job: ScriptJob) => {
  // A fault of ours ends the worker, and with it the job.
  void answer(job)
})
const ready: Reply<ScriptResult> = { ready: true }
parentPort?.postMessage(ready, [])
