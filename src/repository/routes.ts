/** The repository's contract as data: paths, parameters, answers. */

import { createRoute } from '@hono/zod-openapi'
import * as answers from './routes/answers.ts'
import * as parameters from './routes/parameters.ts'

const body = { required: true, content: answers.rdfContent }
const security = [{ ApiKey: [] }, { Bearer: [] }]
export const routes = {
  catalogues: createRoute({
    method: 'get',
    path: '/catalogues',
    summary: 'List catalogues',
    request: { query: parameters.list },
    responses: answers.list,
  }),
  catalogue: createRoute({
    method: 'get',
    path: '/catalogues/{catalogueId}',
    summary: 'Read a catalogue without its links',
    request: { params: parameters.catalogue },
    responses: answers.graph,
  }),
  putCatalogue: createRoute({
    method: 'put',
    path: '/catalogues/{catalogueId}',
    summary: 'Create or replace a catalogue',
    security,
    request: { params: parameters.catalogue, body },
    responses: answers.write,
  }),
  deleteCatalogue: createRoute({
    method: 'delete',
    path: '/catalogues/{catalogueId}',
    summary: 'Delete a catalogue and all its datasets',
    security,
    request: { params: parameters.catalogue },
    responses: answers.removal,
  }),
  catalogueDatasets: createRoute({
    method: 'get',
    path: '/catalogues/{catalogueId}/datasets',
    summary: 'List the datasets of a catalogue',
    request: { params: parameters.catalogue, query: parameters.list },
    responses: answers.list,
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
    request: { params: parameters.catalogue, query: parameters.put, body },
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
  datasets: createRoute({
    method: 'get',
    path: '/datasets',
    summary: 'List datasets',
    request: { query: parameters.datasetList },
    responses: answers.list,
  }),
  dataset: createRoute({
    method: 'get',
    path: '/datasets/{datasetId}',
    summary: 'Read a dataset with its distributions and its record',
    request: { params: parameters.dataset },
    responses: answers.graph,
  }),
  putDataset: createRoute({
    method: 'put',
    path: '/datasets/{datasetId}',
    summary: 'Replace a dataset that exists',
    security,
    request: { params: parameters.dataset, body },
    responses: answers.write,
  }),
  deleteDataset: createRoute({
    method: 'delete',
    path: '/datasets/{datasetId}',
    summary: 'Delete a dataset',
    security,
    request: { params: parameters.dataset },
    responses: answers.removal,
  }),
  vocabularies: createRoute({
    method: 'get',
    path: '/vocabularies',
    summary: 'List vocabularies',
    request: { query: parameters.list },
    responses: answers.list,
  }),
  vocabulary: createRoute({
    method: 'get',
    path: '/vocabularies/{vocabularyId}',
    summary: 'Read a vocabulary',
    request: { params: parameters.vocabulary },
    responses: answers.graph,
  }),
  putVocabulary: createRoute({
    method: 'put',
    path: '/vocabularies/{vocabularyId}',
    summary: 'Create or replace a vocabulary',
    security,
    request: { params: parameters.vocabulary, body },
    responses: answers.write,
  }),
  deleteVocabulary: createRoute({
    method: 'delete',
    path: '/vocabularies/{vocabularyId}',
    summary: 'Delete a vocabulary',
    security,
    request: { params: parameters.vocabulary },
    responses: answers.removal,
  }),
  profile: createRoute({
    method: 'get',
    path: '/profile',
    summary: 'The metadata profile: JSON, or the SHACL shapes as Turtle',
    responses: answers.profile,
  }),
}
