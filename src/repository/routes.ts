/** The repository's contract as data: paths, parameters, answers. */

import { createRoute, z, type RouteConfig } from '@hono/zod-openapi'
import { formats } from '../rdf/media-types.ts'

type Responses = RouteConfig['responses']

const rdfContent = Object.fromEntries(
  Object.values(formats).map(({ mediaType }) => [mediaType, { schema: z.string() }]),
)

const problem = (description: string) => ({
  description,
  content: {
    'application/problem+json': {
      schema: z
        .looseObject({ type: z.string(), title: z.string(), status: z.int() })
        .openapi('Problem'),
    },
  },
})

const failures = {
  400: problem('A parameter or the body is wrong; line and column where they are known'),
  404: problem('No such resource'),
  503: problem(
    'The store is away or the time limit is reached; Retry-After says when to come back',
  ),
}

const writeFailures = {
  ...failures,
  401: problem('No valid API key'),
  403: problem('The key lacks the permission'),
  409: problem('In conflict with what is stored'),
  412: problem('The resource is not in the state that the client expects'),
  413: problem('Larger than a limit'),
  415: problem('Not an RDF media type'),
  422: problem('Well-formed, but not what belongs here'),
  429: problem('Too many writes at once, or too many wrong keys'),
}

const graphAnswers: Responses = {
  200: { description: 'The RDF, in the format of the suffix or of Accept', content: rdfContent },
  304: { description: 'The client has this state already' },
  406: problem('None of the accepted media types can be served'),
  ...failures,
}

const writeAnswers: Responses = {
  201: { description: 'Created; Location is the IRI of the resource' },
  204: { description: 'Updated' },
  304: { description: 'Unchanged: the body says what is stored already' },
  ...writeFailures,
}

const deleteAnswers: Responses = { 204: { description: 'Deleted' }, ...writeFailures }

const listAnswers: Responses = {
  200: {
    description: 'Strings, ordered by id',
    content: { 'application/json': { schema: z.array(z.string()) } },
  },
  ...failures,
}

const profileAnswers: Responses = {
  200: {
    description: 'The active profile',
    content: {
      'application/json': { schema: z.looseObject({}) },
      'text/turtle': { schema: z.string() },
    },
  },
}

const body = { required: true, content: rdfContent }
const security = [{ ApiKey: [] }, { Bearer: [] }]
const flag = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] })

const listQuery = z.object({
  valueType: z
    .enum(['uriRefs', 'identifiers', 'originalIds'])
    .default('uriRefs')
    .openapi({ description: 'IRIs, platform ids, or ids at the origin' }),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(5000).optional().openapi({
    description: 'Default 100; original ids of a catalogue without limit and offset: all of them',
  }),
})

const originQuery = z.object({
  originalId: z
    .string()
    .min(1)
    .max(2000)
    .regex(/^\P{Cc}*$/u, 'must not hold control characters')
    .openapi({ description: 'The id of the dataset at its origin, unique in its catalogue' }),
})

const putQuery = originQuery.extend({
  recordModified: z.iso.datetime({ offset: true }).optional().openapi({
    description: 'Refuse with 409 when the stored record was modified later',
  }),
  enforceUpdate: flag.default(false).openapi({ description: 'Write even what is unchanged' }),
  publicationStatus: z.enum(['published']).optional(),
  accessLevel: z.enum(['public']).optional(),
})

const catalogue = z.object({ catalogueId: z.string() })
const dataset = z.object({ datasetId: z.string() })
const vocabulary = z.object({ vocabularyId: z.string() })

const catalogueList = listQuery
const datasetList = listQuery.extend({
  catalogue: z.string().optional().openapi({ description: 'Only the datasets of this catalogue' }),
})

export const routes = {
  catalogues: createRoute({
    method: 'get',
    path: '/catalogues',
    summary: 'List catalogues',
    request: { query: catalogueList },
    responses: listAnswers,
  }),
  catalogue: createRoute({
    method: 'get',
    path: '/catalogues/{catalogueId}',
    summary: 'Read a catalogue without its links',
    request: { params: catalogue },
    responses: graphAnswers,
  }),
  putCatalogue: createRoute({
    method: 'put',
    path: '/catalogues/{catalogueId}',
    summary: 'Create or replace a catalogue',
    security,
    request: { params: catalogue, body },
    responses: writeAnswers,
  }),
  deleteCatalogue: createRoute({
    method: 'delete',
    path: '/catalogues/{catalogueId}',
    summary: 'Delete a catalogue and all its datasets',
    security,
    request: { params: catalogue },
    responses: deleteAnswers,
  }),
  catalogueDatasets: createRoute({
    method: 'get',
    path: '/catalogues/{catalogueId}/datasets',
    summary: 'List the datasets of a catalogue',
    request: { params: catalogue, query: listQuery },
    responses: listAnswers,
  }),
  origin: createRoute({
    method: 'get',
    path: '/catalogues/{catalogueId}/datasets/origin',
    summary: 'Read a dataset by its id at the origin',
    request: { params: catalogue, query: originQuery },
    responses: graphAnswers,
  }),
  putOrigin: createRoute({
    method: 'put',
    path: '/catalogues/{catalogueId}/datasets/origin',
    summary: 'Create or replace a dataset by its id at the origin',
    security,
    request: { params: catalogue, query: putQuery, body },
    responses: writeAnswers,
  }),
  deleteOrigin: createRoute({
    method: 'delete',
    path: '/catalogues/{catalogueId}/datasets/origin',
    summary: 'Delete a dataset by its id at the origin',
    security,
    request: { params: catalogue, query: originQuery },
    responses: deleteAnswers,
  }),
  datasets: createRoute({
    method: 'get',
    path: '/datasets',
    summary: 'List datasets',
    request: { query: datasetList },
    responses: listAnswers,
  }),
  dataset: createRoute({
    method: 'get',
    path: '/datasets/{datasetId}',
    summary: 'Read a dataset with its distributions and its record',
    request: { params: dataset },
    responses: graphAnswers,
  }),
  putDataset: createRoute({
    method: 'put',
    path: '/datasets/{datasetId}',
    summary: 'Replace a dataset that exists',
    security,
    request: { params: dataset, body },
    responses: writeAnswers,
  }),
  deleteDataset: createRoute({
    method: 'delete',
    path: '/datasets/{datasetId}',
    summary: 'Delete a dataset',
    security,
    request: { params: dataset },
    responses: deleteAnswers,
  }),
  vocabularies: createRoute({
    method: 'get',
    path: '/vocabularies',
    summary: 'List vocabularies',
    request: { query: listQuery },
    responses: listAnswers,
  }),
  vocabulary: createRoute({
    method: 'get',
    path: '/vocabularies/{vocabularyId}',
    summary: 'Read a vocabulary',
    request: { params: vocabulary },
    responses: graphAnswers,
  }),
  putVocabulary: createRoute({
    method: 'put',
    path: '/vocabularies/{vocabularyId}',
    summary: 'Create or replace a vocabulary',
    security,
    request: { params: vocabulary, body },
    responses: writeAnswers,
  }),
  deleteVocabulary: createRoute({
    method: 'delete',
    path: '/vocabularies/{vocabularyId}',
    summary: 'Delete a vocabulary',
    security,
    request: { params: vocabulary },
    responses: deleteAnswers,
  }),
  profile: createRoute({
    method: 'get',
    path: '/profile',
    summary: 'The metadata profile: JSON, or the SHACL shapes as Turtle',
    responses: profileAnswers,
  }),
}
