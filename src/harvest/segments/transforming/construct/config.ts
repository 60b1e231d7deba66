/** What the config of a SPARQL transformer may say. */

import { z } from 'zod'

const query = z.union([z.string(), z.object({ file: z.string() })])
export type QueryConfig = z.infer<typeof query>

/** Unknown keys are kept: foreign pipes are full of them. */
export const constructConfig = z.looseObject({
  /** Text, or a file below `sparql/` of the pipe's source. */
  query: query.optional(),
  /** Several, in order, each on the result of the one before. */
  queries: z.array(query).max(32).optional(),
  /** The result is added to the record instead of replacing it. */
  keep: z.boolean().default(false),
  outputFormat: z.string().optional(),
})
