/** The dependencies of the search service's endpoints. */

import type { AppContext, AppOptions } from '../http/app.ts'
import type { Limits } from '../http/limits.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { IndexName, IndexSettings } from '../search-index/index-settings.ts'
import type { Profile } from '../profile/profile.ts'
import type { SearchOptions } from './request/search-request.ts'
import type { SitemapKeeper } from './feeds/sitemap-cache.ts'
import type { SimilarTo } from './similar.ts'

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

/** A search answer as JSON text, with the headers that belong to it. */
export type SearchAnswer = {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

/** A value of a stored record that does not fit its field, so that the record's document does not show it. */
type RecordFinding = {
  /** Dotted path in the record. */
  readonly field: string
  /** IRI of the property, where the value has one. */
  readonly property?: string
  /** At most 200 characters. */
  readonly value: string
  /** A key of the table of reasons in `record-findings.ts`. */
  readonly reason: string
}

/** The dependencies of `searchApp`. */
export type SearchAppContext = Omit<SearchOptions, 'settings' | 'bounds' | 'limits'> & {
  readonly index: SearchIndex
  /** Returns the settings that the index answers with at present; called for every request. */
  readonly settings: () => readonly IndexSettings[]
  readonly profile: Profile
  /** Bounds of requests and their parameters. */
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
  /** Returns the id of the dataset that has a distribution; rejects with `unknown-distribution`. Absent without a store. */
  readonly ownerOf?: (distribution: string, signal: AbortSignal) => Promise<string>
  /** Lists the values that the projector leaves out of a record; `undefined` for a record that searches do not find. */
  readonly findings: (
    index: IndexName,
    id: string,
    signal: AbortSignal,
  ) => Promise<readonly RecordFinding[] | undefined>
  readonly now: () => Date
  readonly recordPages: RecordPages
  /** Hours until the sitemap is made anew, 24 by default. */
  readonly sitemapHours?: number
  /** The sitemap, where others make it anew too; by default one of the service's own. */
  readonly sitemap?: SitemapKeeper
  /** Version of the platform, for the OpenAPI document. */
  readonly version: string
  readonly http: Omit<AppOptions, 'name'>
}

/** The dependencies of the search service's endpoints: those of the app, and what `searchApp` makes of them. */
export type SearchServiceContext = SearchAppContext & {
  readonly sitemap: SitemapKeeper
  /** Finds datasets that are like another one. */
  readonly similarTo: SimilarTo
  /**
   * Sends what `make` returns with a weak entity tag of the whole index, the path and the query, or 304 where the client has that
   * state. `make` gets the tag.
   */
  readonly withEntityTag: (
    c: AppContext,
    make: (tag: string) => Promise<Response>,
  ) => Promise<Response>
  /** Returns the answer that is cached under an entity tag, or makes and caches it. */
  readonly cachedAnswer: (tag: string, make: () => Promise<SearchAnswer>) => Promise<SearchAnswer>
}
