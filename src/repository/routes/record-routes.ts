/** The routes of catalogue records, and of asking for a dataset to be indexed again. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { changingGet } from '../../http/headers.ts'
import { sizedAnswer } from '../../http/long-answers.ts'
import { readLines, toLines } from '../../rdf/lines.ts'
import { closure, graphOf } from '../../rdf/read.ts'
import { markLine, systemChange } from '../../store/marks.ts'
import { storedRecord } from '../content/catalogue-record.ts'
import { unknownDataset } from '../writing/find-datasets.ts'
import { landChanges } from '../writing/write-batch.ts'
import { contract } from './contract.ts'
import { answerStoredGraph } from './responses.ts'
import { suffixedId, type RouteContext } from './route-context.ts'

const { guardedRead, postRoute, readRoute, answers, parameters } = contract

const path = '/datasets/{datasetId}/index'
const summary = 'Have the dataset indexed again'
const request = { params: parameters.dataset }
const responses = answers.acceptance
const indexByPost = postRoute(path, summary, request, { responses })
const indexByGet = guardedRead(path, summary, request)

const readOfDataset = readRoute(
  '/datasets/{datasetId}/record',
  'Read the catalogue record of a dataset',
  { params: parameters.dataset },
)

const read = readRoute('/records/{datasetId}', 'Read a catalogue record by the id of its dataset', {
  params: parameters.dataset,
})

/** The routes; the GET that indexes again is the contract's, and like every GET that changes something needs a key. */
export function addRecordRoutes(context: RouteContext): void {
  const { app, guard, locateDataset, names, versions } = context
  app.use(indexByGet.getRoutingPath(), changingGet)
  guard(async (c) => (await locateDataset(c)).catalogue, indexByGet, indexByPost)
  app.openapi(readOfDataset, (c) => answerRecord(c, context, unknownDataset))
  app.openapi(read, (c) => answerRecord(c, context, unknownRecord))

  const mark = async (c: AppContext) => {
    const { id } = await locateDataset(c)
    const pending = { resource: names.dataset(id), version: versions.next() }
    const changes = [systemChange({ add: [markLine('pending', pending)] })]
    await landChanges(context, { changes, marks: [pending] })
    c.header('Index-Status', 'pending')
    return c.body(null, 202)
  }
  app.openapi(indexByPost, mark)
  app.openapi(indexByGet, mark)
}

const unknownRecord = (id: string) =>
  new Failure('unknown-record', `there is no catalogue record "${id}"`)

/** The record node and its checksum, out of the dataset's graph. */
async function answerRecord(
  c: AppContext,
  { names, store }: RouteContext,
  unknown: (id: string) => Failure,
): Promise<Response> {
  const { genidPrefix } = names
  const { id, suffix } = suffixedId(c, 'datasetId')
  const [dataset, iri] = [names.dataset(id), names.record(id)]
  return sizedAnswer(c, dataset, async (read) => {
    const lines = await store.read(dataset, {}, c.get('signal'))
    if (lines === undefined) throw unknown(id)
    read(lines.length)
    const { hash, modified } = storedRecord(lines, iri)
    const record = closure(graphOf(await readLines(lines)), iri, ({ object }) =>
      object.value.startsWith(genidPrefix),
    )
    return answerStoredGraph(c, toLines(record), {
      suffix,
      genidPrefix,
      graph: dataset,
      name: `${id}-record`,
      headers: { Link: `<${iri}>; rel="canonical"` },
      ...(hash !== undefined && { hash }),
      ...(modified && { modified }),
    })
  })
}
