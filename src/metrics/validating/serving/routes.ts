/** The contract of the validation service. */

import { createRoute, z } from '@hono/zod-openapi'
import { problem } from '../../../http/contract/problem.ts'
import { formats } from '../../../rdf/media-types.ts'

const text = { schema: { type: 'string' as const } }
const rdf = Object.fromEntries(Object.values(formats).map(({ mediaType }) => [mediaType, text]))

const names = z.union([z.string(), z.array(z.string())]).optional()

export const reportRoute = createRoute({
  method: 'post',
  path: '/validation/report',
  summary: 'Validate descriptions against a model of SHACL shapes',
  description:
    'Catalogue records are not looked at, because platforms write them for themselves. A description complies with ' +
    'DCAT-AP when the report has no result of severity violation; `sh:conforms` is true only without any result.',
  request: {
    query: z.object({
      shapeModel: names.openapi({
        description:
          'Models of which one has to conform; dcatap301level1 when absent. Level 1 is what must be, level 2 also what is ' +
          'recommended, level 3 also controlled vocabularies and deprecated terms, a name without level also the classes ' +
          'of all values; customized is level 1 of 3.0.1 and the sets named beside it.',
        example: 'dcatap301level2',
      }),
      customized: names.openapi({
        description:
          'Sets for the model customized, with commas: range, recommended, vocabularies, deprecated',
      }),
    }),
    body: { required: true, content: rdf },
  },
  responses: {
    200: { description: 'The report (sh:ValidationReport)', content: rdf },
    400: problem('The RDF cannot be parsed, or there is no such model'),
    406: problem('None of the accepted media types can be served'),
    413: problem('The body is too large'),
    415: problem('The media type is none of RDF'),
    422: problem('The description cannot be validated against the model'),
    429: problem('Too many validations of one client at once'),
    503: problem('The validation took too long, or too many wait'),
    default: problem('Problem (RFC 9457)'),
  },
})
