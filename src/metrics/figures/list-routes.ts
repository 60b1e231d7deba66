/**
 * Endpoints of the metrics cache for lists of problems of a catalogue, and for single datasets as their metrics graphs are now.
 */

import { Failure, shown } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { tagOfText } from '../../http/conditions.ts'
import { anyone } from '../../http/endpoint.ts'
import { pickLocalText } from '../localized-texts.ts'
import {
  answerFigures,
  figureAnswers,
  type CacheContext,
  cacheEndpoint,
  countSchema,
  datasetSchema,
  distributionSchema,
  envelope,
  findCatalogue,
  idPath,
  localeQuery,
  pageQuery,
  envelopeSchema,
  answerTagged,
  unreachableSchema,
  violationSchema,
} from './cache-contract.ts'
import { datasetDocument, distributionDocuments } from './dataset-document.ts'
import { datasetOfDistribution } from './dataset-reader.ts'
import type { ListPart, PageRange, UnreachableRow, ViolationRow } from './figures.ts'

const ofDataset = ({ id, iri, titles, languages }: ViolationRow['dataset'], language: string) => ({
  reference: iri,
  'dataset-id': id,
  title: pickLocalText(titles, { locale: language, languages, id }).text,
})

function violationDocument(row: ViolationRow, language: string) {
  const { dataset, severity, path, messages, value } = row
  const message = pickLocalText(messages, { locale: language, languages: [], id: '' }).text
  const result = { resultPath: path, resultMessage: message || null, value, severity }
  return { ...result, ...ofDataset(dataset, language) }
}

const unreachableDocument = (row: UnreachableRow, language: string) => ({
  ...ofDataset(row.dataset, language),
  'distribution-id': row.distribution.id,
  'distribution-uri': row.distribution.iri,
  type: row.type,
  url: row.url,
  statusCode: row.status,
  checked: row.checked,
})

/** Answers a page of a list of a catalogue, each row as a document. */
async function answerList<Row>(
  { c, params, query, signal }: ListRequest,
  context: CacheContext,
  read: (id: string, page: PageRange) => ListPart<Row>,
  documentOf: (row: Row, language: string) => object,
): Promise<Response> {
  const { id } = await findCatalogue(context, params.id, signal)
  return answerFigures(context, c, () => {
    const { rows, count: total } = read(id, query)
    const documents = rows.map((row) => documentOf(row, query.locale))
    return envelope(documents, total)
  })
}

type ListRequest = {
  readonly c: AppContext
  readonly params: { readonly id: string }
  readonly query: PageRange & { readonly locale: string }
  readonly signal: AbortSignal
}

const listQuery = pageQuery.extend(localeQuery.shape)

const listViolations = cacheEndpoint({
  method: 'get',
  path: '/catalogues/{id}/violations',
  operation: 'getCataloguesByIdViolations',
  summary: 'What the last validation of each dataset found, by dataset and property',
  auth: anyone,
  params: idPath,
  query: listQuery,
  answers: figureAnswers('One page of the list', envelopeSchema(violationSchema)),
  handle: (request, context) =>
    answerList(request, context, context.cache.figures.violations, violationDocument),
})

const countViolations = cacheEndpoint({
  method: 'get',
  path: '/catalogues/{id}/violations/count',
  operation: 'getCataloguesByIdViolationsCount',
  summary: 'How many results there are',
  auth: anyone,
  params: idPath,
  answers: figureAnswers('The number', countSchema),
  handle: async ({ c, params, signal }, context) => {
    const { id } = await findCatalogue(context, params.id, signal)
    const { figures } = context.cache
    return answerFigures(context, c, () => ({
      success: true,
      result: { count: figures.violations(id, { offset: 0, limit: 0 }).count },
    }))
  },
})

const listUnreachable = cacheEndpoint({
  method: 'get',
  path: '/catalogues/{id}/distributions/reachability',
  operation: 'getCataloguesByIdDistributionsReachability',
  summary: 'URLs whose last status is not 200 to 299, by dataset and URL',
  auth: anyone,
  params: idPath,
  query: listQuery,
  answers: figureAnswers('One page of the list', envelopeSchema(unreachableSchema)),
  handle: (request, context) =>
    answerList(request, context, context.cache.figures.unreachable, unreachableDocument),
})

const live = 'As it is in the store'

const readDataset = cacheEndpoint({
  method: 'get',
  path: '/datasets/{id}',
  operation: 'getDatasetsById',
  summary:
    'What was measured of a dataset, as its metrics graph has it now, and the points of each indicator',
  auth: anyone,
  params: idPath,
  query: localeQuery,
  answers: figureAnswers(live, envelopeSchema(datasetSchema)),
  handle: async ({ c, params, query }, context) => {
    const dataset = await context.readDataset(c, params.id)
    return answerLive(c, [datasetDocument(dataset, context.cache.weights, query.locale)])
  },
})

const listDistributions = cacheEndpoint({
  method: 'get',
  path: '/datasets/{id}/distributions',
  operation: 'getDatasetsByIdDistributions',
  summary:
    'What was measured of the distributions of a dataset and of their links, by their ids, one array each',
  auth: anyone,
  params: idPath,
  query: localeQuery,
  answers: figureAnswers(live, envelopeSchema(distributionSchema)),
  handle: async ({ c, params, query }, context) => {
    const dataset = await context.readDataset(c, params.id)
    return answerLive(c, [
      ...distributionDocuments(dataset, context.source.names, query.locale).values(),
    ])
  },
})

const readDistribution = cacheEndpoint({
  method: 'get',
  path: '/distributions/{id}',
  operation: 'getDistributionsById',
  summary: 'What was measured of one distribution',
  auth: anyone,
  isDeprecated: true,
  params: idPath,
  query: localeQuery,
  answers: figureAnswers(live, envelopeSchema(distributionSchema)),
  handle: async ({ c, params: { id }, query, signal }, context) => {
    const { source } = context
    const dataset = await datasetOfDistribution(source, id, signal)
    const storedDataset = await context.readDataset(c, dataset)
    const documents = distributionDocuments(storedDataset, source.names, query.locale).get(id)
    if (documents) return answerLive(c, [documents])
    throw new Failure('unknown-distribution', `there is no distribution ${shown(id)}`)
  },
})

/** Lists of problems come from the last refresh, single datasets from the store. */
export const listEndpoints = [
  listViolations,
  countViolations,
  listUnreachable,
  readDataset,
  listDistributions,
  readDistribution,
]

/** Answers measurements that were read from their graph just now; the tag is a hash of them. */
function answerLive(c: AppContext, results: readonly unknown[]): Response {
  const body = envelope(results)
  return answerTagged(c, tagOfText(JSON.stringify(body)), () => body)
}
