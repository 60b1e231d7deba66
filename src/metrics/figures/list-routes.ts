/** Routes of lists of problems, and of single datasets as their metrics graphs are at this moment. */

import { hash } from 'node:crypto'
import { createRoute } from '@hono/zod-openapi'
import { Failure, shown } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { localText } from '../localized-texts.ts'
import {
  answerFigures,
  answers,
  type CacheContext,
  content,
  count,
  datasetDocument as datasetSchema,
  distributionDocument,
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
import type { UnreachableRow, ViolationRow } from './figures.ts'

const paged = { params: idPath, query: page.extend(locale.shape) }
const one = { params: idPath, query: locale }

const routes = {
  violations: createRoute({
    method: 'get',
    path: '/catalogues/{id}/violations',
    summary: 'What the last validation of each dataset found, by dataset and property',
    request: paged,
    responses: answers('Results of validations', violation),
  }),
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
  reachability: createRoute({
    method: 'get',
    path: '/catalogues/{id}/distributions/reachability',
    summary: 'URLs whose last status is not 200 to 299, by dataset and URL',
    request: paged,
    responses: answers('URLs', unreachable),
  }),
  dataset: createRoute({
    method: 'get',
    path: '/datasets/{id}',
    summary: 'What was measured of a dataset, as its metrics graph has it now',
    request: one,
    responses: answers('One document', datasetSchema),
  }),
  distributions: createRoute({
    method: 'get',
    path: '/datasets/{id}/distributions',
    summary: 'What was measured of the distributions of a dataset, by their ids',
    request: one,
    responses: answers('One array per distribution', distributionDocument),
  }),
  distribution: createRoute({
    method: 'get',
    path: '/distributions/{id}',
    summary: 'What was measured of one distribution',
    deprecated: true,
    request: one,
    responses: answers('One array', distributionDocument),
  }),
} as const

export function addListRoutes(app: App, context: CacheContext): void {
  const { figures } = context.cache
  const find = async (id: string, c: AppContext): Promise<string> =>
    (await findCatalogue(context, id, c.var.signal)).id
  app.openapi(routes.violations, async (c) => {
    const { locale: language, ...part } = c.req.valid('query')
    const id = await find(c.req.valid('param').id, c)
    return answerFigures(context, c, () => {
      const listed = figures.violations(id, part)
      return enveloped(
        listed.rows.map((row) => violationDocument(row, language)),
        listed.count,
      )
    })
  })
  app.openapi(routes.violationCount, async (c) => {
    const id = await find(c.req.valid('param').id, c)
    return answerFigures(context, c, () => {
      const listed = figures.violations(id, { offset: 0, limit: 0 })
      return { success: true, result: { count: listed.count } }
    })
  })
  app.openapi(routes.reachability, async (c) => {
    const { locale: language, ...part } = c.req.valid('query')
    const id = await find(c.req.valid('param').id, c)
    return answerFigures(context, c, () => {
      const listed = figures.unreachable(id, part)
      return enveloped(
        listed.rows.map((row) => unreachableDocument(row, language)),
        listed.count,
      )
    })
  })
  addDatasetRoutes(app, context)
}

const titleOf = ({ id, titles, languages }: ViolationRow['dataset'], language: string): string =>
  localText(titles, { locale: language, languages, id }).text

function violationDocument(row: ViolationRow, language: string) {
  const { dataset, severity, path, messages, value } = row
  const message = localText(messages, { locale: language, languages: ['en'], id: '' }).text
  return {
    resultPath: path,
    resultMessage: message === '' ? null : message,
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
