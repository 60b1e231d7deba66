/** What the parts of a Socrata import know of the site. */
import type { ImportConfig } from '../../import-config.ts'
import type { ImportContext } from '../../importer.ts'
import type { Authorities } from '../../../../vocabularies/authorities.ts'
import type { LicenceNames } from '../../../../vocabularies/licences.ts'
import type { Source } from '../../source.ts'
import type { SocrataConfig } from './config.ts'

export type Site = {
  readonly config: SocrataConfig & ImportConfig
  readonly authorities: Authorities
  /** Host whose assets are wanted. */
  readonly host: string
  /** Root of the site, without a slash at its end. */
  readonly origin: string
}

/** One import. */
export type Travel = {
  readonly config: SocrataConfig & ImportConfig
  readonly source: Source
  readonly context: ImportContext
  readonly site: Site
}

/** One asset in its site. */
export type Placed = Site & {
  readonly sourceId: string
  /** The asset's page. */
  readonly page: string
}

/** An asset whose licence is known: each of its distributions has it. */
export type Sharing = Placed & { readonly licences: readonly LicenceNames[] }
