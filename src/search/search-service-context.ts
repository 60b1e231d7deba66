/** Dependencies of the search service's endpoints. */

import type { ApiKeys } from '../http/api-key.ts'
import type { AppContext, SharedAppOptions } from '../http/app.ts'
import type { Limits } from '../http/limits.ts'
import type { Meaning, SearchIndex } from '../search-index/search-index.ts'
import type { IndexName, IndexSettings } from '../search-index/index-settings.ts'
import type { Profile } from '../profile/profile.ts'
import type { Format } from '../rdf/media-types.ts'
import type { SearchOptions } from './request/search-request.ts'
import type { SitemapKeeper } from './feeds/sitemap-cache.ts'
import type { SimilarTo } from './similar.ts'

/** Addresses of the pages about records. */
export type RecordPages = {
  /** Returns the address for clients that reach the platform by `root`, which has a trailing slash. */
  readonly address: (
    root: string,
    record: { readonly kind: string; readonly id: string },
    language?: string,
  ) => string
  /** True for pages in HTML, in several languages; otherwise addresses are those that the record's IRI leads to. */
  readonly isPortal: boolean
  /** True when addresses begin with `root`, so that they depend on how the platform is reached. */
  readonly isRooted: boolean
  /** Languages in which every record has a page; default: those of its title. */
  readonly languages?: readonly string[]
}

/** Search answer as JSON text, with its headers. */
export type SearchAnswer = {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

/** Value of a stored record that does not fit its field, so that the record's document does not show it. */
type RecordFinding = {
  /** Dotted path in the record. */
  readonly field: string
  /** IRI of the property, where known. */
  readonly property?: string
  /** At most 200 characters. */
  readonly value: string
  /** Key of the table of reasons in `record-findings.ts`. */
  readonly reason: string
}

/** Dependencies of `searchApp`. */
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
  /**
   * Makes the document of a record that is not stored, with the values that are left out of it; `undefined` for one that searches
   * would not find. Rejects with the errors of the RDF.
   */
  readonly preview: (
    record: {
      readonly index: IndexName
      readonly id: string
      readonly catalogue: string
      readonly text: string
      readonly format: Format
    },
    signal: AbortSignal,
  ) => Promise<{ readonly record: object; readonly findings: readonly RecordFinding[] } | undefined>
  /** Keys of those who may see previews. */
  readonly keys: ApiKeys
  /**
   * Makes the meaning of a query for searches with `related=true`; `undefined` if there is none in time. Absent without an embedder.
   */
  readonly meaningOf?: (q: string, signal: AbortSignal) => Promise<Meaning | undefined>
  readonly now: () => Date
  readonly recordPages: RecordPages
  /** Hours until the sitemap is made again, default 24. */
  readonly sitemapHours?: number
  /** Sitemap cache shared with other services; default: one of this service. */
  readonly sitemap?: SitemapKeeper
  /** Version of the platform, for the OpenAPI document. */
  readonly version: string
  readonly http: SharedAppOptions
}

/** Dependencies of the endpoints: those of the app, and functions that `searchApp` creates from them. */
export type SearchServiceContext = SearchAppContext & {
  readonly sitemap: SitemapKeeper
  /** Finds datasets that are similar to one. */
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
