/** What the parts of an ArcGIS Hub import know of the site. */
import type { ImportConfig } from '../../import-config.ts'
import type { ImportContext } from '../../importer.ts'
import type { Authorities } from '../../../../vocabularies/authorities.ts'
import type { Source } from '../../source.ts'
import type { ArcgisConfig } from './config.ts'

export type Site = {
  readonly config: ArcgisConfig & ImportConfig
  readonly authorities: Authorities
  /** Root of the site, without a slash at its end. */
  readonly root: string
}

/** One import. */
export type Travel = {
  readonly config: ArcgisConfig & ImportConfig
  readonly source: Source
  readonly context: ImportContext
  readonly site: Site
}

/** What the mapping of every dataset of a site begins with. */
export const mappingOf = ({ config, authorities, root }: Site, sourceId: string) => ({
  ...config,
  authorities,
  language: config.language,
  fallbackIri: `${root}/datasets/${encodeURIComponent(sourceId)}`,
  base: `${root}/`,
})
