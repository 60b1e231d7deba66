/** What the index of terms says. */

import { z } from 'zod'

/** A document of it; `buckets` = where the term was ever seen. */
export const termRow = z.object({
  term: z.string(),
  stems: z.array(z.string()),
  buckets: z.array(z.string()),
})
export type Term = z.infer<typeof termRow>

/** Prefix → buckets of the terms that begin so, where these are few. */
export type Begun = ReadonlyMap<string, ReadonlySet<string>>

/** What was read for a query. */
export type Read = { readonly terms: readonly Term[]; readonly begun: Begun }
