/** What the routes of the repository answer, by kind of request. */

import { z, type RouteConfig } from '@hono/zod-openapi'
import { problem } from '../../../http/contract/problem.ts'
import { formats } from '../../../rdf/media-types.ts'

type Responses = RouteConfig['responses']

/** No zod here: a JSON-LD body would be parsed as JSON before its handler sees it. */
export const rdfContent = Object.fromEntries(
  Object.entries(formats).map(([format, { mediaType }]) => [
    mediaType,
    { schema: format === 'jsonld' ? {} : { type: 'string' as const } },
  ]),
)

/** JSON-LD also goes out under the name that plain clients know. */
const rdfAnswer = { ...rdfContent, 'application/json': { schema: {} } }

const failures = {
  400: problem('A parameter or the body is wrong; line and column where they are known'),
  404: problem('No such resource'),
  410: problem('The resource was deleted; members say when, and until when it can be restored'),
  414: problem('The address is longer than a limit'),
  431: problem('The header is longer than a limit'),
  503: problem(
    'The store is away or the time limit is reached; Retry-After says when to come back',
  ),
}

const writeFailures = {
  ...failures,
  401: problem('No valid API key'),
  403: problem('The key lacks the permission'),
  408: problem('The body did not arrive in time'),
  409: problem('In conflict with what is stored'),
  412: problem('The resource is not in the state that the client expects'),
  413: problem('Larger than a limit'),
  415: problem('Not an RDF media type'),
  422: problem('Well-formed, but not what belongs here'),
  429: problem('Too many writes at once, or too many wrong keys'),
  507: problem('The triplestore is full'),
}

/** How a write can fail that also negotiates its answer. */
export const refused: Responses = {
  406: problem('None of the accepted media types can be served'),
  ...writeFailures,
}

const header = (description: string) => ({ schema: { type: 'string' as const }, description })

const state = {
  ETag: header('The state of the resource, the same for all formats'),
  'Last-Modified': header('When the resource changed last, where that is known'),
  Link: header('canonical, describedby, collection, and alternate for each format (RFC 8288)'),
}

export const graph: Responses = {
  200: {
    description: 'The RDF, in the format of the suffix or of Accept',
    headers: state,
    content: rdfAnswer,
  },
  304: { description: 'The client has this state already' },
  406: problem('None of the accepted media types can be served'),
  ...failures,
}

const created = { 201: { description: 'Created; Location is the IRI of the resource' } }
const updated = { 204: { description: 'Updated' } }
const unchanged = { 304: { description: 'Unchanged: the body says what is stored already' } }

export const write: Responses = { ...created, ...updated, ...unchanged, ...writeFailures }

/** A POST that always makes something new. */
export const creation: Responses = { ...created, ...writeFailures }

/** A PUT that only changes what exists. */
export const update: Responses = { ...updated, ...unchanged, ...writeFailures }

/** A PUT that writes also what is unchanged. */
export const replacement: Responses = { ...created, ...updated, ...writeFailures }

export const acceptance: Responses = {
  202: { description: 'Accepted; it will be done soon' },
  ...writeFailures,
}

export const removal: Responses = { 204: { description: 'Deleted' }, ...writeFailures }

export const list: Responses = {
  200: {
    description: 'Strings, or RDF for valueType=metadata, ordered by id',
    headers: { Link: header('first, prev, next and last page (RFC 8288)') },
    content: {
      ...rdfContent,
      'application/json': { schema: z.array(z.string()).or(z.looseObject({})) },
    },
  },
  406: problem('None of the accepted media types can be served'),
  ...failures,
}

/** A whole catalogue as one document. */
export const dump: Responses = {
  200: {
    description: 'The RDF, sent while it is made; breaks off when it cannot be finished',
    content: rdfAnswer,
  },
  406: problem('None of the accepted media types can be served'),
  ...failures,
}

export const profile: Responses = {
  200: {
    description: 'The active profile; as RDF its SHACL shapes',
    content: { ...rdfContent, 'application/json': { schema: z.looseObject({}) } },
  },
  406: problem('None of the accepted media types can be served'),
  414: failures[414],
  431: failures[431],
}
