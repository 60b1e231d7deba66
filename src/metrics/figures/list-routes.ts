/** Routes of lists of problems, and of single datasets as their metrics graphs are at this moment. */

import { hash } from 'node:crypto'
import { Failure, shown } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { Semaphore } from '../../workers/semaphore.ts'
import { localText } from '../localized-texts.ts'
import {
  answerFigures,
  answers,
  type CacheContext,
  count,
  datasetSchema,
  distributionSchema,
  enveloped,
  findCatalogue,
  idPath,
  locale,
  page,
  route,
  envelopeOf,
  tagged,
  unreachable,
  violation,
} from './cache-contract.ts'
import { datasetDocument, distributionDocuments } from './dataset-document.ts'
import { datasetOfDistribution, readDataset } from './dataset-reader.ts'
import type { Listed, Page, UnreachableRow, ViolationRow } from './figures.ts'

const list = { params: idPath, query: page.extend(locale.shape) }
const single = { params: idPath, query: locale }
const [onePage, live] = ['One page of the list', 'As it is in the store']

const routes = {
  violations: route(
    'get /catalogues/{id}/violations',
    'What the last validation of each dataset found, by dataset and property',
    answers(onePage, envelopeOf(violation)),
    list,
  ),
  violationCount: route(
    'get /catalogues/{id}/violations/count',
    'How many results there are',
    answers('The number', count),
    { params: idPath },
  ),
  reachability: route(
    'get /catalogues/{id}/distributions/reachability',
    'URLs whose last status is not 200 to 299, by dataset and URL',
    answers(onePage, envelopeOf(unreachable)),
    list,
  ),
  dataset: route(
    'get /datasets/{id}',
    'What was measured of a dataset, as its metrics graph has it now, and the points of each indicator',
    answers(live, envelopeOf(datasetSchema)),
    single,
  ),
  distributions: route(
    'get /datasets/{id}/distributions',
    'What was measured of the distributions of a dataset and of their links, by their ids, one array each',
    answers(live, envelopeOf(distributionSchema)),
    single,
  ),
  distribution: route(
    'get /distributions/{id}',
    'What was measured of one distribution',
    answers(live, envelopeOf(distributionSchema)),
    single,
  ),
} as const

/** Pages of lists come from the last refresh, single datasets from the store. */
export function addListRoutes(app: App, context: CacheContext): void {
  const { figures } = context.cache
  /** A page of a list of a catalogue, each row as a document. */
  const answerList = async <Row>(
    c: AppContext,
    read: (id: string, page: Page) => Listed<Row>,
    documentOf: (row: Row, language: string) => object,
    query: Page & { readonly locale: string },
  ) => {
    const { id } = await findCatalogue(context, c.req.param('id') ?? '', c.var.signal)
    return answerFigures(context, c, () => {
      const { rows, count: all } = read(id, query)
      const documents = rows.map((row) => documentOf(row, query.locale))
      return enveloped(documents, all)
    })
  }
  app.openapi(routes.violations, (c) =>
    answerList(c, figures.violations, violationDocument, c.req.valid('query')),
  )
  app.openapi(routes.reachability, (c) =>
    answerList(c, figures.unreachable, unreachableDocument, c.req.valid('query')),
  )
  app.openapi(routes.violationCount, async (c) => {
    const { id } = await findCatalogue(context, c.req.valid('param').id, c.var.signal)
    return answerFigures(context, c, () => ({
      success: true,
      result: { count: figures.violations(id, { offset: 0, limit: 0 }).count },
    }))
  })
  addDatasetRoutes(app, context)
}

const ofDataset = ({ id, iri, titles, languages }: ViolationRow['dataset'], language: string) => ({
  reference: iri,
  'dataset-id': id,
  title: localText(titles, { locale: language, languages, id }).text,
})

function violationDocument(row: ViolationRow, language: string) {
  const { dataset, severity, path, messages, value } = row
  const message = localText(messages, { locale: language, languages: [], id: '' }).text
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

function addDatasetRoutes(app: App, { source, cache: { weights } }: CacheContext): void {
  // To read the whole of a dataset may need much memory.
  const atOnce = new Semaphore(2)
  const read = (id: string, { signal }: AppContext['var']) =>
    atOnce.run(() => readDataset(source, id, signal), signal)
  app.openapi(routes.dataset, async (c) => {
    const dataset = await read(c.req.valid('param').id, c.var)
    return answerLive(c, [datasetDocument(dataset, weights, c.req.valid('query').locale)])
  })
  const distributionsOf = async (c: AppContext, dataset: string, language: string) =>
    distributionDocuments(await read(dataset, c.var), source.names, language)
  app.openapi(routes.distributions, async (c) => {
    const { locale: language } = c.req.valid('query')
    const all = await distributionsOf(c, c.req.valid('param').id, language)
    return answerLive(c, [...all.values()])
  })
  app.openapi(routes.distribution, async (c) => {
    const { id } = c.req.valid('param')
    const dataset = await datasetOfDistribution(source, id, c.var.signal)
    const own = (await distributionsOf(c, dataset, c.req.valid('query').locale)).get(id)
    if (own) return answerLive(c, [own])
    throw new Failure('unknown-distribution', `there is no distribution ${shown(id)}`)
  })
}

/** Read from the graph at this moment: the answer is its own tag. */
function answerLive(c: AppContext, results: readonly unknown[]): Response {
  const body = enveloped(results)
  return tagged(c, hash('sha256', JSON.stringify(body), 'hex').slice(0, 32), () => body)
}
