/** Endpoints that read the catalogue record of a dataset, or request that the dataset is indexed again. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { anyone } from '../../http/endpoint.ts'
import { sizedAnswer } from '../../http/long-answers.ts'
import { readLines, toLines } from '../../rdf/lines.ts'
import { closure, graphOf } from '../../rdf/read.ts'
import { markLine, systemChange } from '../../store/marks.ts'
import { storedRecord } from '../content/catalogue-record.ts'
import { unknownDataset } from '../writing/find-datasets.ts'
import { commitChanges } from '../writing/write-batch.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { contract, repositoryEndpoint } from './contract.ts'
import { answerStoredGraph } from './responses.ts'
import { locateDataset, mayWriteDataset, suffixedId } from './requests.ts'

const { answers, parameters } = contract
const params = parameters.dataset

const indexAgain = {
  path: '/datasets/{datasetId}/index',
  summary: 'Have the dataset indexed again',
  auth: mayWriteDataset,
  params,
  answers: answers.acceptance,
  handle: async ({ c }: { c: AppContext }, context: RepositoryContext) => {
    const { id } = await locateDataset(c, context)
    const mark = { resource: context.names.dataset(id), version: context.versions.next() }
    const changes = [systemChange({ add: [markLine('pending', mark)] })]
    await commitChanges(context, { changes, marks: [mark] })
    c.header('Index-Status', 'pending')
    return c.body(null, 202)
  },
} as const

const indexByPost = repositoryEndpoint({
  ...indexAgain,
  method: 'post',
  operation: 'postDatasetsByDatasetIdIndex',
})
const indexByGet = repositoryEndpoint({
  ...indexAgain,
  method: 'get',
  operation: 'getDatasetsByDatasetIdIndex',
  isChangingGet: true,
})

const readRecordOfDataset = repositoryEndpoint({
  method: 'get',
  path: '/datasets/{datasetId}/record',
  operation: 'getDatasetsByDatasetIdRecord',
  summary: 'Read the catalogue record of a dataset',
  auth: anyone,
  params,
  answers: answers.graph,
  handle: ({ c }, context) => answerRecord(c, context, unknownDataset),
})

const readRecord = repositoryEndpoint({
  method: 'get',
  path: '/records/{datasetId}',
  operation: 'getRecordsByDatasetId',
  summary: 'Read a catalogue record by the id of its dataset',
  auth: anyone,
  params,
  answers: answers.graph,
  handle: ({ c }, context) => answerRecord(c, context, unknownRecord),
})

/** Endpoints of catalogue records, and of indexing again. */
export const recordEndpoints = [indexByPost, indexByGet, readRecordOfDataset, readRecord]

const unknownRecord = (id: string) =>
  new Failure('unknown-record', `there is no catalogue record "${id}"`)

/** Answers the catalogue record with its checksum, which are parts of the dataset's graph. */
async function answerRecord(
  c: AppContext,
  { names, store }: RepositoryContext,
  unknownFailure: (id: string) => Failure,
): Promise<Response> {
  const { genidPrefix } = names
  const { id, suffix } = suffixedId(c, 'datasetId')
  const [dataset, iri] = [names.dataset(id), names.record(id)]
  return sizedAnswer(c, dataset, async (reportLength) => {
    const lines = await store.read(dataset, {}, c.get('signal'))
    if (lines === undefined) throw unknownFailure(id)
    reportLength(lines.length)
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
      hash,
      modified,
    })
  })
}
