/**
 * Entry of a validating worker: reads the RDF of requests, and validates record by record; the shapes of a model are read when it
 * is first used.
 */

import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import type { Quad } from '@rdfjs/types'
import { fromLines, toLine, toLines } from '../../rdf/lines.ts'
import { skos } from '../../rdf/namespaces.ts'
import { NodeKinds } from '../../rdf/node-kinds.ts'
import { parse } from '../../rdf/parse.ts'
import { blankNode } from '../../rdf/terms.ts'
import { serve } from '../../workers/serve.ts'
import { reportQuads } from '../measure/validation-report.ts'
import { compileShapes, type ValidationResults } from './shacl-engine.ts'
import { readSchemes, readShapes, shippedFiles } from './shape-files.ts'
import { withoutRecords, withSchemes } from './validated-record.ts'
import type { ValidationCalls, ValidationData, ValidationReply } from './validation.ts'

type Validate = (record: readonly Quad[], withRecords: boolean) => ValidationResults

const { results: maxResults, directory, institutionModels }: ValidationData = workerData.data
const models = new Map<string, Validate>()

async function validatorOf(model: string): Promise<Validate> {
  const cached = models.get(model)
  if (cached) return cached
  const files =
    institutionModels[model] ?? (shippedFiles(model) ?? []).map((file) => join(directory, file))
  const shapes = await readShapes(files)
  const asksForSchemes = shapes.some(({ object }) => object.value === skos('inScheme').value)
  const schemes = asksForSchemes ? await readSchemes(join(directory, '..', 'vocabularies')) : []
  const engine = compileShapes(shapes, maxResults)
  const byConcept = new Map(schemes)
  const validate: Validate = (record, withRecords) =>
    engine.validate(withSchemes(withRecords ? record : withoutRecords(record), byConcept))
  models.set(model, validate)
  return validate
}

/** Report as N-Triples. It conforms without any result (SHACL 3.6.1.1); callers that accept warnings read the severities. */
function reportOf({ results, truncated }: ValidationResults): string {
  const report = { conforms: results.length === 0, results, truncated }
  const quads = reportQuads(blankNode(), report, (term) => term)
  return quads.map((triple) => `${toLine(triple)}\n`).join('')
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

async function validateRecord(task: ValidationCalls['validate'][0]): Promise<ValidationReply> {
  const { model, text, withRecords = false } = task
  let validate: Validate
  try {
    validate = await validatorOf(model)
  } catch (error) {
    return { trouble: 'shapes', message: messageOf(error) }
  }
  try {
    return { report: reportOf(validate(fromLines(text), withRecords)) }
  } catch (error) {
    return { trouble: 'record', message: messageOf(error) }
  }
}

async function readText(sent: ValidationCalls['read'][0]): Promise<ValidationCalls['read'][1]> {
  const { text, format, baseIri, excludedRecords = [] } = sent
  const quads = await parse(text, format, { baseIri })
  const includedQuads =
    excludedRecords.length === 0
      ? quads
      : withoutRecords(quads, (key) => excludedRecords.includes(key))
  return { lines: toLines(includedQuads), records: [...new NodeKinds(quads).of('record').keys()] }
}

serve<ValidationCalls>({ validate: validateRecord, read: readText })
