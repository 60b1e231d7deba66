/** Routes of lists of problems, and of single datasets as their metrics graphs are at this moment. */

import { hash } from 'node:crypto'
import { createRoute, type z } from '@hono/zod-openapi'
import { Failure, shown } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { localText } from '../localized-texts.ts'
import {
  answerFigures,
  answers,
  type CacheContext,
  content,
  count,
  datasetSchema,
  distributionSchema,
  enveloped,
  findCatalogue,
  idPath,
  locale,
  page,
  responses,
  tagged,
  unreachable,
  violation,
} from './cache-contract.ts'
import {
  datasetDocument,
  datasetOfDistribution,
  distributionDocuments,
  readDataset,
} from './dataset-document.ts'
import type { Listed, Page, UnreachableRow, ViolationRow } from './figures.ts'

const listRoute = <Path extends string>(path: Path, summary: string, row: z.ZodType) =>
  createRoute({
    method: 'get',
    path,
    summary,
    request: { params: idPath, query: page.extend(locale.shape) },
    responses: answers('One page of the list', row),
  })

const liveRoute = <Path extends string>(path: Path, summary: string, row: z.ZodType) =>
  createRoute({
    method: 'get',
    path,
    summary,
    ...(path.startsWith('/distributions') && { deprecated: true }),
    request: { params: idPath, query: locale },
    responses: answers('As it is in the store', row),
  })

const routes = {
  violations: listRoute(
    '/catalogues/{id}/violations',
    'What the last validation of each dataset found, by dataset and property',
    violation,
  ),
  violationCount: createRoute({
    method: 'get',
    path: '/catalogues/{id}/violations/count',
    summary: 'How many results there are',
    request: { params: idPath },
    responses: responses({
      200: content('The number', count),
      304: { description: 'Not changed since the state named in If-None-Match' },
    }),
  }),
  reachability: listRoute(
    '/catalogues/{id}/distributions/reachability',
    'URLs whose last status is not 200 to 299, by dataset and URL',
    unreachable,
  ),
  dataset: liveRoute(
    '/datasets/{id}',
    'What was measured of a dataset, as its metrics graph has it now',
    datasetSchema,
  ),
  distributions: liveRoute(
    '/datasets/{id}/distributions',
    'What was measured of the distributions of a dataset, by their ids, one array each',
    distributionSchema,
  ),
  distribution: liveRoute(
    '/distributions/{id}',
    'What was measured of one distribution',
    distributionSchema,
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
    { locale: language, ...part }: Page & { readonly locale: string },
  ) => {
    const { id } = await findCatalogue(context, c.req.param('id') ?? '', c.var.signal)
    return answerFigures(context, c, () => {
      const { rows, count: all } = read(id, part)
      return enveloped(
        rows.map((row) => documentOf(row, language)),
        all,
      )
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

const titleOf = ({ id, titles, languages }: ViolationRow['dataset'], language: string): string =>
  localText(titles, { locale: language, languages, id }).text

function violationDocument(row: ViolationRow, language: string) {
  const { dataset, severity, path, messages, value } = row
  return {
    resultPath: path,
    resultMessage: localText(messages, { locale: language, languages: [], id: '' }).text || null,
    value,
    severity,
    title: titleOf(dataset, language),
    reference: dataset.iri,
    'dataset-id': dataset.id,
  }
}

function unreachableDocument(row: UnreachableRow, language: string) {
  const { dataset, distribution, type, url, status, checked } = row
  return {
    reference: dataset.iri,
    'dataset-id': dataset.id,
    title: titleOf(dataset, language),
    'distribution-id': distribution.id,
    'distribution-uri': distribution.iri,
    type,
    url,
    statusCode: status,
    checked,
  }
}

function addDatasetRoutes(app: App, { source }: CacheContext): void {
  const { names } = source
  app.openapi(routes.dataset, async (c) => {
    const dataset = await readDataset(source, c.req.valid('param').id, c.var.signal)
    return answerLive(c, [datasetDocument(dataset, c.req.valid('query').locale)])
  })
  app.openapi(routes.distributions, async (c) => {
    const dataset = await readDataset(source, c.req.valid('param').id, c.var.signal)
    const all = distributionDocuments(dataset, names, c.req.valid('query').locale)
    return answerLive(c, [...all.values()])
  })
  app.openapi(routes.distribution, async (c) => {
    const { id } = c.req.valid('param')
    const holder = await datasetOfDistribution(source, id, c.var.signal)
    const dataset = await readDataset(source, holder, c.var.signal)
    const own = distributionDocuments(dataset, names, c.req.valid('query').locale).get(id)
    if (own) return answerLive(c, [own])
    throw new Failure('unknown-distribution', `there is no distribution ${shown(id)}`)
  })
}

/** Read from the graph at this moment: the answer is its own tag. */
function answerLive(c: AppContext, results: readonly unknown[]): Response {
  const body = enveloped(results)
  return tagged(c, hash('sha256', JSON.stringify(body), 'hex').slice(0, 32), () => body)
}
