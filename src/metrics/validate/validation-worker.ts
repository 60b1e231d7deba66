/** Entry of a validating worker: builds each model's validator when it is first given its shapes, then validates record by record. */

import { workerData } from 'node:worker_threads'
import type { Quad } from '@rdfjs/types'
import { fromLines, toLine } from '../../rdf/lines.ts'
import { blankNode } from '../../rdf/terms.ts'
import { serve } from '../../workers/serve.ts'
import { reportQuads } from '../measure/validation-report.ts'
import { engineOf, type Findings } from './shacl-engine.ts'
import { withoutRecords, withSchemes } from './validated-record.ts'
import type { ModelShapes, ValidationCalls, ValidationReply } from './validation.ts'

type Validate = (record: readonly Quad[], withRecords: boolean) => Findings

const { results: most }: { readonly results: number } = workerData.data
const models = new Map<string, Validate>()

function built({ lines, schemes }: ModelShapes): Validate {
  const engine = engineOf(fromLines(lines), most)
  const known = new Map(schemes)
  return (record, withRecords) =>
    engine.validate(withSchemes(withRecords ? record : withoutRecords(record), known))
}

/** A report conforms without any result (SHACL 3.6.1.1): whoever asks for less looks at the severities. */
function reportOf({ results, truncated }: Findings): string {
  const report = { conforms: results.length === 0, results, truncated }
  const quads = reportQuads(blankNode(), report, (term) => term)
  return quads.map((one) => `${toLine(one)}\n`).join('')
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function validated(task: ValidationCalls['validate'][0]): ValidationReply {
  const { model, shapes, text, withRecords = false } = task
  try {
    if (shapes) models.set(model, built(shapes))
  } catch (error) {
    return { trouble: 'shapes', message: messageOf(error) }
  }
  const validate = models.get(model)
  if (!validate) return { trouble: 'shapes', message: 'the worker was not given its shapes' }
  try {
    return { report: reportOf(validate(fromLines(text), withRecords)) }
  } catch (error) {
    return { trouble: 'record', message: messageOf(error) }
  }
}

serve<ValidationCalls>({ validate: validated })
