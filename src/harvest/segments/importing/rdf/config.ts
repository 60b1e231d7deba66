/** What the config of an RDF importer may say beside the common keys. */
import { z } from 'zod'
import { formatNamed } from './format.ts'

export const rdfConfig = z.object({
  inputFormat: z
    .string()
    .refine((name) => formatNamed(name) !== undefined, {
      error: 'must be an RDF format: turtle, n3, n-triples, n-quads, trig, rdf/xml or json-ld',
    })
    .optional(),
  /** Sent as `Accept`. */
  accept: z.string().optional(),
  /** Of the next link only the query counts; scheme, host and path are those of the address. */
  brokenHydra: z.boolean().default(false),
  /** The identifier is what follows the last slash of an IRI. */
  removePrefix: z.boolean().default(false),
  /** The subject's IRI comes before `dct:identifier`. */
  precedenceUriRef: z.boolean().default(false),
  /** The only named graph that is read. */
  graph: z.string().optional(),
})
export type RdfConfig = z.infer<typeof rdfConfig>
