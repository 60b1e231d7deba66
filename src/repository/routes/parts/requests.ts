/** What requests of the repository's routes have in common. */

import { rdfContent } from './answers.ts'

/** An RDF body in any of the platform's formats; `turtle` is an example of one. */
export const bodyOf = (turtle: string) => ({
  required: true,
  content: {
    ...rdfContent,
    'text/turtle': { schema: { type: 'string' as const }, example: turtle },
  },
})

export const security = [{ ApiKey: [] }, { Bearer: [] }]
