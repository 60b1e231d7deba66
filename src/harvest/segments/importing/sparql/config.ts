/** What the config of a SPARQL importer may say beside the common keys. */
import { z } from 'zod'
import { formatNamed } from '../rdf/format.ts'

export const sparqlConfig = z.object({
  /** SPARQL text, or a file below `sparql/` beside the pipe. */
  query: z.union([z.string().min(1), z.object({ file: z.string() })]).optional(),
  /** The only named graph that is asked, by the built-in queries. */
  graph: z.string().optional(),
  /** Datasets per request. */
  pageSize: z.int().min(1).max(10_000).default(100),
  /** `post` sends a form, which every endpoint takes. */
  method: z.enum(['post', 'get']).default('post'),
  /** An endpoint answers queries itself; files and triple pattern fragments are queried from here. */
  source: z.enum(['endpoint', 'file', 'fragments']).default('endpoint'),
  /** Format of CONSTRUCT results. */
  inputFormat: z
    .string()
    .refine((name) => formatNamed(name) !== undefined, { error: 'must be an RDF format' })
    .optional(),
})
export type SparqlConfig = z.infer<typeof sparqlConfig>
