/** A portal as the mapping of its packages sees it. */
import type { ImportConfig } from '../../../import-config.ts'
import type { Authorities } from '../../../../../vocabularies/authorities.ts'
import type { LicenceNames } from '../../../../../vocabularies/licences.ts'
import type { MappingConfig } from '../../../mapping/config.ts'

/** What is the same for all packages of a run. */
export type Portal = {
  readonly root: string
  readonly config: ImportConfig &
    MappingConfig & { readonly identifier: 'id' | 'name'; readonly types?: readonly string[] }
  /** The portal is a DKAN of version 1: its texts are HTML, its groups publish, and its `private` says nothing. */
  readonly isDkan?: boolean
  readonly output: 'dcat-ap' | 'source'
  readonly authorities: Authorities
  readonly licence: (id: string) => LicenceNames | undefined
}
