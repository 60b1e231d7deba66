/** The search station over a real engine, holding the corpus or other documents. */

import { apiKeys } from '../../../src/http/api-key.ts'
import type { CursorLimits } from '../../../src/search-index/cursors.ts'
import type { SearchIndex } from '../../../src/search-index/search-index.ts'
import { defaultLimits } from '../../../src/http/limits.ts'
import { logger } from '../../../src/log.ts'
import { loadProfile } from '../../../src/profile/load-profile.ts'
import { searchApp } from '../../../src/search/search-app.ts'
import type { SearchAppContext } from '../../../src/search/search-service-context.ts'
import { configured, type Made } from '../../contracts/search-index-corpus.ts'
import { documents } from './corpus.ts'
import { engineHere } from './engine.ts'
import type { IndexSettings } from '../../../src/search-index/index-settings.ts'
import type { Profile } from '../../../src/profile/profile.ts'
import { settings } from './settings.ts'

export type Reply = { readonly status: number; readonly headers: Headers; readonly body: Body }

/** Parsed JSON of an answer; tests say which members they expect. */
type Body = {
  readonly result: Result
  readonly errors?: readonly { readonly parameter?: string }[]
  readonly paths?: Readonly<
    Record<string, { readonly get: { readonly parameters: readonly { readonly name: string }[] } }>
  >
  readonly [member: string]: unknown
}

type Result = {
  readonly index?: string
  readonly count: number
  readonly facets?: readonly FacetBody[]
  readonly results: readonly Readonly<Record<string, unknown>>[]
  readonly [member: string]: unknown
}

type FacetBody = {
  readonly id: string
  readonly title: string
  readonly items: readonly { readonly id: string; readonly title: string; readonly count: number }[]
}

export type SearchFixture = {
  readonly index: SearchIndex
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Reply>
  readonly post: (path: string, body: string) => Promise<Reply>
  readonly close: () => Promise<void>
}

/** What a profile adds to the suite: types with their indices; and what the engine may do. */
export type SearchFixtureOptions = {
  readonly resources?: Profile['resources']
  readonly settings?: readonly IndexSettings[]
  readonly cursors?: CursorLimits
  readonly now?: () => number
  readonly synonyms?: SearchAppContext['synonyms']
  /** By default there are no records with findings. */
  readonly findings?: SearchAppContext['findings']
  readonly meaningOf?: SearchAppContext['meaningOf']
  /** By default the one of the run. */
  readonly engine?: () => Promise<Made>
}

export async function searchFixture(
  held = documents,
  added: SearchFixtureOptions = {},
): Promise<SearchFixture> {
  const { resources = [], settings: more = [], findings = noRecord, ...others } = added
  const { engine, synonyms, meaningOf, ...options } = others
  const { index, release } = await (engine ? engine() : engineHere(options))
  const log = logger('silent')
  await configured(index, [...settings, ...more])
  await index.write(held.map((put) => ({ put })))
  const app = searchApp({
    index,
    settings: () => index.currentSettings(),
    scoreField: 'scoring',
    synonyms,
    limits: defaultLimits,
    now: () => new Date('2026-01-02T03:04:05Z'),
    recordPages: {
      address: (_root, { kind, id }, language = 'en') =>
        `https://portal.example/${language}/${kind}s/${id}`,
      isPortal: true,
      isRooted: false,
    },
    profile: { ...(await loadProfile()), resources },
    version: '1',
    keys: apiKeys({}),
    preview: async () => undefined,
    http: { log },
    findings,
    ...(meaningOf && { meaningOf }),
  })
  const headers = { 'Content-Type': 'application/json' }
  return {
    index,
    get: async (path, headers = {}) => replyOf(await app.request(path, { headers })),
    post: async (path, body) => replyOf(await app.request(path, { method: 'POST', headers, body })),
    close: release,
  }
}

const noRecord: SearchAppContext['findings'] = async () => undefined

async function replyOf(answer: Response): Promise<Reply> {
  const text = await answer.text()
  const isJson = answer.headers.get('Content-Type')?.includes('json')
  const body: Body = isJson ? JSON.parse(text) : { text }
  return { status: answer.status, headers: answer.headers, body }
}

/** Ids of the hits, in their order. */
export const idsOf = ({ body }: Reply): string => body.result.results.map(({ id }) => id).join(' ')

/** Facets in one line: `country: DE 3, FR 1 · format: CSV 2`. */
export const facetText = ({ body }: Reply, names: readonly string[]): string =>
  (body.result.facets ?? [])
    .filter(({ id }) => names.includes(id))
    .map(({ id, items }) => `${id}: ${items.map(({ id, count }) => `${id} ${count}`).join(', ')}`)
    .join(' · ')
