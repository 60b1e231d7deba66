/** What the search station is given by whoever starts it. */

import type { AppOptions } from '../http/app.ts'
import type { Limits } from '../http/limits.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { IndexSettings } from '../search-index/index-settings.ts'
import type { Profile } from '../profile/profile.ts'
import type { SearchOptions } from './request/search-request.ts'
import type { SitemapKeeper } from './feeds/sitemap-cache.ts'

/** Where people read about records. */
export type RecordPages = {
  /** Address for those who reach the platform by `root`, which has a slash at its end. */
  readonly address: (
    root: string,
    record: { readonly kind: string; readonly id: string },
    language?: string,
  ) => string
  /** Whether there are pages in HTML, in several languages; else it is where the record's IRI leads. */
  readonly isPortal: boolean
  /** Whether addresses begin with `root`, so that they differ by how the platform is reached. */
  readonly isRooted: boolean
  /** Languages in which there is a page of every record; by default those of its title. */
  readonly languages?: readonly string[]
}

/** The index, what bounds requests, and what answers are made with. */
export type SearchDeps = Omit<SearchOptions, 'settings' | 'bounds' | 'limits'> & {
  readonly index: SearchIndex
  /** What the index answers with at present; asked by every request. */
  readonly settings: () => readonly IndexSettings[]
  readonly profile: Profile
  /** Of requests and their parameters. */
  readonly limits: Pick<
    Limits,
    | 'bodyBytes'
    | 'facetsBytes'
    | 'facetValues'
    | 'listItems'
    | 'queryCharacters'
    | 'queryDepth'
    | 'queryTerms'
  >
  /** The id of the dataset that has a distribution; rejects with `unknown-distribution`. Absent where no store is at hand. */
  readonly ownerOf?: (distribution: string, signal: AbortSignal) => Promise<string>
  readonly now: () => Date
  readonly recordPages: RecordPages
  /** Hours until the sitemap is made anew, 24 by default. */
  readonly sitemapHours?: number
  /** One that others have made anew too; otherwise one of the station's own. */
  readonly sitemap?: SitemapKeeper
  /** Version of the platform, for the OpenAPI document. */
  readonly version: string
  readonly http: Omit<AppOptions, 'name'>
}
