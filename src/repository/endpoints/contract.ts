/** OpenAPI parts that the endpoints of the repository share: answers by kind of request, bodies and parameters. */

import { z, type RouteConfig } from '@hono/zod-openapi'
import { endpointsFor } from '../../http/endpoint.ts'
import { problem } from '../../http/problem.ts'
import { formats } from '../../rdf/media-types.ts'
import { patchMediaType } from '../../rdf/patch.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { repositoryParameters } from './parameters.ts'

type Responses = RouteConfig['responses']

/** RDF media types. Without zod schemas, because a JSON-LD body would be parsed as JSON before its handler sees it. */
const rdfContent = Object.fromEntries(
  Object.entries(formats).map(([format, { mediaType }]) => [
    mediaType,
    { schema: format === 'jsonld' ? {} : { type: 'string' as const } },
  ]),
)

/** Media types of RDF answers: JSON-LD is also sent as `application/json`, for clients that accept only this. */
const rdfAnswer = { ...rdfContent, 'application/json': { schema: {} } }

/** Status of a problem → its meaning in the repository. */
const statusDescriptions = {
  400: 'A parameter or the body is wrong; line and column where they are known',
  401: 'No valid API key',
  403: 'The key lacks the permission',
  404: 'No such resource',
  406: 'None of the accepted media types can be served',
  408: 'The body did not arrive in time',
  409: 'In conflict with what is stored',
  410: 'The resource was deleted; members say when, and until when it can be restored',
  412: 'The resource is not in the state that the client expects',
  413: 'Larger than a limit',
  414: 'The address is longer than a limit',
  415: 'Not an RDF media type',
  422: 'Well-formed, but not what belongs here',
  428: 'The request has no If-Match',
  429: 'Too many writes at once, or too many wrong keys',
  431: 'The header is longer than a limit',
  503: 'The store is away or the time limit is reached; Retry-After says when to come back',
  507: 'The triplestore is full',
}

/** OpenAPI answers of problems with these statuses. */
const problems = (...statuses: (keyof typeof statusDescriptions)[]): Responses =>
  Object.fromEntries(statuses.map((status) => [status, problem(statusDescriptions[status])]))

const readProblems = problems(400, 404, 406, 410, 414, 431, 503)
const writeProblems = problems(
  ...([400, 401, 403, 404, 408, 409, 410, 412, 413, 414, 415, 422, 429, 431, 503, 507] as const),
)
const header = (description: string) => ({ schema: { type: 'string' as const }, description })

const stateHeaders = {
  ETag: header('The state of the resource, the same for all formats'),
  'Last-Modified': header('When the resource changed last, where that is known'),
  Link: header('canonical, describedby, collection, and alternate for each format (RFC 8288)'),
}

const created = { 201: { description: 'Created; Location is the IRI of the resource' } }
const updated = { 204: { description: 'Updated' } }
const unchanged = { 304: { description: 'Unchanged: the body says what is stored already' } }

const formSections = z.array(
  z.looseObject({
    id: z.string(),
    fields: z.array(
      z.looseObject({
        name: z.string(),
        path: z.array(z.string()).describe('Predicates; new values get the first'),
        need: z.enum(['required', 'recommended', 'optional']),
        single: z.boolean(),
        editor: z.string().describe('Kind of control'),
        order: z.int(),
      }),
    ),
  }),
)

/** Difference as RDF Patch. */
const patchBody = {
  required: true,
  content: {
    [patchMediaType]: {
      schema: { type: 'string' as const },
      example:
        'A <http://localhost:8080/set/data/levels> <http://purl.org/dc/terms/title> "Pegel"@de .\n',
    },
  },
}

/** Returns its argument; it makes the type of the names exact. */
const answersByName = <Name extends string>(answers: Readonly<Record<Name, Responses>>) => answers

/** Answers by kind of request. */
const answers = answersByName({
  graph: {
    200: {
      description: 'The RDF, in the format of the suffix or of Accept',
      headers: stateHeaders,
      content: rdfAnswer,
    },
    304: { description: 'The client has this state already' },
    ...readProblems,
  },
  list: {
    200: {
      description: 'Strings, or RDF for valueType=metadata, ordered by id',
      headers: { Link: header('first, prev, next and last page (RFC 8288)') },
      content: {
        ...rdfContent,
        'application/json': { schema: z.array(z.string()).or(z.looseObject({})) },
      },
    },
    ...readProblems,
  },
  /** Object that is not RDF. */
  object: {
    200: {
      description: 'The answer as JSON',
      content: { 'application/json': { schema: z.looseObject({}) } },
    },
    ...readProblems,
  },
  difference: {
    200: {
      description: 'Statements that were removed and added',
      content: {
        'application/json': { schema: z.looseObject({}) },
        [patchMediaType]: { schema: z.string() },
      },
    },
    ...readProblems,
  },
  /** Catalogue with its datasets as one document. */
  dump: {
    200: {
      description: 'The RDF, sent while it is made; breaks off when it cannot be finished',
      content: rdfAnswer,
    },
    ...readProblems,
  },
  profile: {
    200: {
      description: 'The active profile; as RDF its SHACL shapes',
      content: { ...rdfContent, 'application/json': { schema: z.looseObject({}) } },
    },
    ...problems(406, 414, 431),
  },
  form: {
    200: {
      description: 'Sections in order, each with its fields',
      content: { 'application/json': { schema: z.looseObject({ sections: formSections }) } },
    },
    304: { description: 'The client has this form already' },
    ...problems(400, 404, 406, 414, 431),
  },
  write: { ...created, ...updated, ...unchanged, ...writeProblems },
  /** POST that always creates a resource. */
  creation: { ...created, ...writeProblems },
  /** PUT that updates an existing resource. */
  update: { ...updated, ...unchanged, ...writeProblems },
  /** PATCH, which needs `If-Match`. */
  patch: { ...updated, ...unchanged, ...writeProblems, ...problems(428) },
  /** PUT that also writes unchanged content. */
  replacement: { ...created, ...updated, ...writeProblems },
  acceptance: { 202: { description: 'Accepted; it will be done soon' }, ...writeProblems },
  removal: { 204: { description: 'Deleted' }, ...writeProblems },
  /** Problems of a write that also negotiates its answer. */
  writeRefusals: { ...writeProblems, ...problems(406) },
})

/** RDF body in any of the platform's formats, with an example in Turtle. */
const bodyOf = (turtle: string) => ({
  required: true,
  content: {
    ...rdfContent,
    'text/turtle': { schema: { type: 'string' as const }, example: turtle },
  },
})

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
`

/** Bodies with examples for the page of the contract; sent one after the other, these create a small catalogue. */
const bodies = {
  patch: patchBody,
  withExample: bodyOf,
  catalogue: bodyOf(`${prefixes}
<> a dcat:Catalog ;
  dct:title "Rivers"@en .
`),
  dataset: bodyOf(`${prefixes}
<> a dcat:Dataset ;
  dct:title "Water levels"@en ;
  dcat:distribution [
    a dcat:Distribution ;
    dct:title "As CSV"@en ;
    dcat:accessURL <https://example.org/levels.csv>
  ] .
`),
  distribution: bodyOf(`${prefixes}
<> a dcat:Distribution ;
  dct:title "As JSON"@en ;
  dcat:accessURL <https://example.org/levels.json> .
`),
  /** The IRI of the dataset is relative to that of the metrics graph. */
  metrics: bodyOf(`@prefix dqv: <http://www.w3.org/ns/dqv#> .

<> a dqv:QualityMetadata .
<../../set/data/levels> dqv:hasQualityMeasurement [
  a dqv:QualityMeasurement ;
  dqv:isMeasurementOf <https://piveau.eu/ns/voc#scoring> ;
  dqv:computedOn <../../set/data/levels> ;
  dqv:value 380
] .
`),
  vocabulary: bodyOf(`@prefix skos: <http://www.w3.org/2004/02/skos/core#> .

<https://example.org/quality> a skos:ConceptScheme .
<https://example.org/quality/checked> a skos:Concept ;
  skos:inScheme <https://example.org/quality> ;
  skos:prefLabel "Checked"@en .
`),
}

/** Defines an endpoint of the repository. */
export const repositoryEndpoint = endpointsFor<RepositoryContext>({})

/** Parts of the contract that endpoints share: answers by kind of request, bodies and parameters. */
export const contract = { answers, bodies, parameters: repositoryParameters }
