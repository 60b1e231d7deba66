/** Entry of a validating worker: builds each model's validator when it is first asked for, then validates record by record. */

import { parentPort, workerData } from 'node:worker_threads'
import type { Quad } from '@rdfjs/types'
import { fromLines } from '../../../rdf/lines.ts'
import { engineOf, type Found } from '../engine/engine.ts'
import { withoutRecords, withSchemes } from '../engine/record.ts'
import {
  plain,
  type ModelShapes,
  type Ready,
  type Reply,
  type Start,
  type Task,
} from './messages.ts'

type Validate = (record: readonly Quad[], withRecords: boolean) => Found

const { results: most }: Start = workerData
const models = new Map<string, Validate>()

function built({ lines, schemes }: ModelShapes): Validate {
  const engine = engineOf(fromLines(lines), most)
  const known = new Map(schemes)
  return (record, withRecords) =>
    engine.validate(withSchemes(withRecords ? record : withoutRecords(record), known))
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function modelOf({ model, shapes }: Task): Validate {
  if (shapes) models.set(model, built(shapes))
  const validate = models.get(model)
  if (!validate) throw new Error('the worker was not given its shapes')
  return validate
}

function replyTo(task: Task): Reply {
  const { id } = task
  let validate: Validate
  try {
    validate = modelOf(task)
  } catch (error) {
    return { id, trouble: 'shapes', message: messageOf(error) }
  }
  try {
    const { results, truncated } = validate(fromLines(task.text), task.withRecords === true)
    return { id, results: results.map(plain), truncated }
  } catch (error) {
    return { id, trouble: 'record', message: messageOf(error) }
  }
}

parentPort?.on('message', (task: Task) => parentPort?.postMessage(replyTo(task), []))
parentPort?.postMessage({ ready: true } satisfies Ready, [])
