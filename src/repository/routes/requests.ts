/** What requests of the repository's routes have in common. */

import { rdfContent } from './answers.ts'

/** An RDF body in any of the platform's formats. */
export const body = { required: true, content: rdfContent }

export const security = [{ ApiKey: [] }, { Bearer: [] }]
