/** The queries that are measured, and what FTS5 alone is asked for in their place. */

import type { SearchRequest } from '../../../src/search-index/search-index.ts'
import { treeOf } from '../../contracts/search-index-trees.ts'

export type Query = {
  readonly name: string
  readonly request: SearchRequest
  /** The MATCH expression that finds the same; absent = there is none. */
  readonly bare?: string
}

const request = (changes: Partial<SearchRequest>): SearchRequest => ({
  indices: ['dataset'],
  tree: { kind: 'all' },
  filter: {},
  facets: { size: 50, global: false },
  order: [],
  boosts: {},
  offset: 0,
  limit: 10,
  score: false,
  ...changes,
})
const tree = (text: string, changes: Partial<SearchRequest> = {}) =>
  request({ tree: treeOf(text), ...changes })
const filtered = (values: readonly string[]) => ({
  filter: {
    facets: {
      groups: [{ facet: 'facet0', values }],
      operator: 'OR' as const,
      groupOperator: 'AND' as const,
    },
  },
})
const byDate = { order: [{ name: 'modified', direction: 'desc' as const }] }

/** A search for some words. */
export const treeSearch = (text: string): SearchRequest => tree(text)

/** Each with 15 facets and an exact count. */
export const queries: readonly Query[] = [
  { name: 'word, 0.03 %', request: tree('rare'), bare: '"rare"' },
  { name: 'word, 3 %', request: tree('some'), bare: '"some"' },
  { name: 'word, 30 %', request: tree('broad'), bare: '"broad"' },
  {
    name: 'boolean',
    request: tree('and(or(some, quality), broad, not(rare))'),
    bare: '(("some" OR "quality") AND "broad") NOT "rare"',
  },
  { name: 'phrase, 1 %', request: tree('phrase(open data portal)'), bare: '"open data portal"' },
  { name: 'wildcard qual*', request: tree('wild(qual*)'), bare: '"qual" *' },
  { name: 'wildcard q?al*', request: tree('wild(q?al*)') },
  { name: 'autocomplete', request: tree('prefix(qua)', { fields: ['title'] }), bare: '"qua" *' },
  { name: 'word, 3 %, by date', request: tree('some', byDate), bare: '"some"' },
  { name: 'word, 30 %, by date', request: tree('broad', byDate), bare: '"broad"' },
  { name: 'word, 30 %, two facet values', request: tree('broad', filtered(['v0', 'v3'])) },
  { name: 'two facet values', request: request(filtered(['v1', 'v3'])) },
  { name: 'everything, by date', request: request(byDate) },
  {
    name: 'everything, by title',
    request: request({ order: [{ name: 'title', direction: 'asc' }] }),
  },
]
