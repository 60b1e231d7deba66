/** The contract of lists and of single datasets. */

import { createRoute } from '@hono/zod-openapi'
import { answers, content, idPath, locale, page, responses } from './parts.ts'
import { count, datasetDocument, distributionDocument, unreachable, violation } from './schemas.ts'

const paged = { params: idPath, query: page.extend(locale.shape) }
const one = { params: idPath, query: locale }

export const listRoutes = {
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
    responses: answers('One document', datasetDocument),
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
