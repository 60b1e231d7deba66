/** The contract of lists. */

import { createRoute } from '@hono/zod-openapi'
import * as answers from './parts/answers.ts'
import * as parameters from './parts/parameters.ts'

export const listRoutes = {
  catalogues: createRoute({
    method: 'get',
    path: '/catalogues',
    summary: 'List catalogues',
    request: { query: parameters.list },
    responses: answers.list,
  }),
  catalogueDatasets: createRoute({
    method: 'get',
    path: '/catalogues/{catalogueId}/datasets',
    summary: 'List the datasets of a catalogue',
    request: { params: parameters.catalogue, query: parameters.datasets },
    responses: answers.list,
  }),
  datasets: createRoute({
    method: 'get',
    path: '/datasets',
    summary: 'List datasets',
    request: { query: parameters.datasetList },
    responses: answers.list,
  }),
  datasetDistributions: createRoute({
    method: 'get',
    path: '/datasets/{datasetId}/distributions',
    summary: 'List the distributions of a dataset',
    request: { params: parameters.dataset, query: parameters.list },
    responses: answers.list,
  }),
  vocabularies: createRoute({
    method: 'get',
    path: '/vocabularies',
    summary: 'List vocabularies',
    request: { query: parameters.list },
    responses: answers.list,
  }),
}
