/** How the values of a source are read: what a pipe may say of it, and what one record needs to know. */

import { z } from 'zod'
import type { Authorities } from '../../vocabularies/authorities.ts'

const zone = (name: string) => {
  if (/^[+-]\d{2}:\d{2}$/.test(name)) return true
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Keys of every importer that maps. */
export const mappingKeys = {
  /** Zone of times without one: a name of the IANA list, or an offset such as `+01:00`. UTC when absent. */
  timezone: z.string().refine(zone, 'must be a time zone').optional(),
  /** How dates with slashes or dots are to be read; they are left out when absent. */
  dateOrder: z.enum(['dmy', 'mdy']).optional(),
}
const mappingConfig = z.object(mappingKeys)
export type MappingConfig = z.infer<typeof mappingConfig>

/** How one record is mapped. */
export type RecordOptions = MappingConfig & {
  readonly authorities: Authorities
  /** What the source calls the dataset; `fallbackIri` counts when that is no IRI. */
  readonly iri?: unknown
  /** An absolute IRI of our own making. */
  readonly fallbackIri: string
  /** What relative addresses are relative to. */
  readonly base: string
  /** Tag of text whose language is not told (BCP 47). */
  readonly language?: string | undefined
}
