/** A DKAN site as all ways of reading it see it. */
import type { ImportConfig } from '../../import-config.ts'
import type { ImportContext } from '../../importer.ts'
import type { Authorities } from '../../../../vocabularies/authorities.ts'
import type { Source } from '../../source.ts'
import type { PodSource } from '../documents/data-json.ts'
import type { DkanConfig } from './config.ts'

/** How the datasets of a site are read, wherever they were found. */
export const podSource = ({ root, config, context, authorities }: Site): PodSource => ({
  config,
  output: context.output,
  authorities,
  base: `${root}/`,
  pageOf: (id) => `${root}/dataset/${encodeURIComponent(id.toWellFormed())}`,
})

export type Site = {
  readonly root: string
  readonly config: DkanConfig & ImportConfig
  readonly source: Source
  readonly context: ImportContext
  readonly authorities: Authorities
}
