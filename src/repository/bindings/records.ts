/** Binds the routes of catalogue records, and of asking for one more projection. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { fromLines, toLines } from '../../rdf/lines.ts'
import { splitSuffix } from '../../rdf/media-types.ts'
import { closure, graphOf } from '../../rdf/read.ts'
import { markLine, systemChange } from '../../store/marks.ts'
import { answerGraph } from '../answering/answers.ts'
import { demandId } from '../answering/guard.ts'
import type { Bound } from '../bound.ts'
import { storedRecord } from '../content/record.ts'
import { routes } from '../routes.ts'
import { unknownDataset } from '../writing/find-dataset.ts'
import { landChanges } from '../writing/landing.ts'

export function bindRecords(bound: Bound): void {
  const { app, locate, names, versions } = bound
  bound.guard({
    methods: ['GET', 'POST'],
    paths: ['/datasets/:datasetId/index'],
    permission: async (c) => (await locate.dataset(c)).catalogue,
  })
  app.openapi(routes.datasetRecord, (c) => answerRecord(c, bound, unknownDataset))
  app.openapi(routes.record, (c) => answerRecord(c, bound, unknownRecord))

  const mark = async (c: AppContext) => {
    const { id } = await locate.dataset(c)
    const pending = { resource: names.dataset(id), version: versions.next() }
    const change = systemChange({ add: [markLine('pending', pending)] })
    await landChanges(bound, [change], [pending])
    c.header('Index-Status', 'pending')
    return c.body(null, 202)
  }
  app.openapi(routes.postIndex, mark)
  app.openapi(routes.getIndex, mark)
}

const unknownRecord = (id: string) =>
  new Failure('unknown-record', `there is no catalogue record "${id}"`)

/** The record node and its checksum, out of the dataset's graph. */
async function answerRecord(
  c: AppContext,
  bound: Bound,
  unknown: (id: string) => Failure,
): Promise<Response> {
  const { names, datasets } = bound
  const { id: plain, format: suffix } = splitSuffix(c.req.param('datasetId') ?? '')
  const id = demandId('datasetId', plain)
  const lines = await datasets.read(id, c.get('signal'))
  if (lines === undefined) throw unknown(id)
  const { hash, modified } = storedRecord(lines, names.record(id))
  const record = closure(graphOf(fromLines(lines)), names.record(id), ({ object }) =>
    object.value.startsWith(names.genidPrefix),
  )
  return answerGraph(c, toLines(record), {
    suffix,
    genidPrefix: names.genidPrefix,
    graph: names.dataset(id),
    name: `${id}-record`,
    headers: { Link: `<${names.record(id)}>; rel="canonical"` },
    ...(hash !== undefined && { hash }),
    ...(modified && { modified }),
  })
}
