/** The contract of datasets. */

import { createRoute } from '@hono/zod-openapi'
import * as answers from './parts/answers.ts'
import * as examples from './parts/examples.ts'
import * as parameters from './parts/parameters.ts'
import { bodyOf, security } from './parts/requests.ts'

export const datasetRoutes = {
  postCatalogueDataset: createRoute({
    method: 'post',
    path: '/catalogues/{catalogueId}/datasets',
    summary: 'Create a dataset; its id at the origin is a random one',
    security,
    request: {
      params: parameters.catalogue,
      query: parameters.status,
      body: bodyOf(examples.dataset),
    },
    responses: answers.creation,
  }),
  origin: createRoute({
    method: 'get',
    path: '/catalogues/{catalogueId}/datasets/origin',
    summary: 'Read a dataset by its id at the origin',
    request: { params: parameters.catalogue, query: parameters.origin },
    responses: answers.graph,
  }),
  putOrigin: createRoute({
    method: 'put',
    path: '/catalogues/{catalogueId}/datasets/origin',
    summary: 'Create or replace a dataset by its id at the origin',
    security,
    request: {
      params: parameters.catalogue,
      query: parameters.put,
      body: bodyOf(examples.dataset),
    },
    responses: answers.write,
  }),
  deleteOrigin: createRoute({
    method: 'delete',
    path: '/catalogues/{catalogueId}/datasets/origin',
    summary: 'Delete a dataset by its id at the origin',
    security,
    request: { params: parameters.catalogue, query: parameters.origin },
    responses: answers.removal,
  }),
  postDataset: createRoute({
    method: 'post',
    path: '/datasets',
    summary: 'Create a dataset in a catalogue; its id at the origin is a random one',
    security,
    request: { query: parameters.into, body: bodyOf(examples.dataset) },
    responses: answers.creation,
  }),
  dataset: createRoute({
    method: 'get',
    path: '/datasets/{datasetId}',
    summary: 'Read a dataset with its distributions and its record',
    request: { params: parameters.datasetOrOrigin, query: parameters.inCatalogue },
    responses: answers.graph,
  }),
  putDataset: createRoute({
    method: 'put',
    path: '/datasets/{datasetId}',
    summary: 'Replace a dataset that exists',
    security,
    request: {
      params: parameters.datasetOrOrigin,
      query: parameters.putInCatalogue,
      body: bodyOf(examples.dataset),
    },
    responses: answers.write,
  }),
  deleteDataset: createRoute({
    method: 'delete',
    path: '/datasets/{datasetId}',
    summary: 'Delete a dataset',
    security,
    request: { params: parameters.datasetOrOrigin, query: parameters.inCatalogue },
    responses: answers.removal,
  }),
}
