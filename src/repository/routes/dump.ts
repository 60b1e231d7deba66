/** The contract of dumps. */

import { createRoute } from '@hono/zod-openapi'
import * as answers from './parts/answers.ts'
import * as parameters from './parts/parameters.ts'

export const dumpRoutes = {
  dump: createRoute({
    method: 'get',
    path: '/catalogues/{catalogueId}/dump',
    summary: 'Read a whole catalogue as one document',
    description:
      'The catalogue, its datasets with their distributions and records, and the links between them; `dump.nq`, `dump.ttl` and so on beat Accept. The import takes it back. RDF/XML leaves out what XML cannot express (control characters, properties without an XML name); comments hold it as N-Triples.',
    request: { params: parameters.catalogue },
    responses: answers.dump,
  }),
}
