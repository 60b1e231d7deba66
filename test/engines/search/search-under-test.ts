/** The search engine on a server that a suite with whole platforms uses. */

import type { StoreUnderTest } from '../../journeys/store-under-test.ts'
import { isSearchMissing, meilisearchUnderTest } from './meilisearch-under-test.ts'
import { isClusterMissing, opensearchUnderTest } from './opensearch-under-test.ts'

/** Engines by name, each with whether this run has a server of it. */
export const searchEngines = {
  meilisearch: { isMissing: isSearchMissing, place: meilisearchUnderTest },
  opensearch: { isMissing: isClusterMissing, place: opensearchUnderTest },
} as const

export type SearchName = keyof typeof searchEngines

/** The engine that `SEARCH_UNDER_TEST` names: with it all suites of platforms run, in place of those of their own. */
export const chosenSearch = (): SearchName | undefined => {
  const name = process.env['SEARCH_UNDER_TEST']
  if (name === undefined || name === 'meilisearch' || name === 'opensearch') return name
  throw new Error(`SEARCH_UNDER_TEST is meilisearch or opensearch, not ${name}`)
}

/** Settings of a platform that searches there; none for the embedded engine. */
export async function searchPlace(name = chosenSearch()): Promise<StoreUnderTest> {
  return name ? searchEngines[name].place() : { env: {}, end: () => Promise.resolve() }
}
