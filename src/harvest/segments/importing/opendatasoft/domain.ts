/** What the mapping of an OpenDataSoft dataset knows beside the dataset. */
import type { ImportConfig } from '../../import-config.ts'
import type { Authorities } from '../../../../vocabularies/authorities.ts'
import type { OpendatasoftConfig } from './config.ts'

export type Domain = {
  readonly config: OpendatasoftConfig & ImportConfig
  readonly authorities: Authorities
  /** Root of the API. */
  readonly api: string
  /** Root of the domain. */
  readonly domain: string
}

/** One dataset in its domain. */
export type Placed = Domain & {
  /** The readable id, of which addresses are made. */
  readonly id: string
  readonly sourceId: string
  /** The dataset's page. */
  readonly page: string
}
