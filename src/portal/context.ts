/** Context of one page: the texts of its language, paths, and calls of the services on behalf of its reader. */

import type { PortalConfig } from '../config/portal.ts'
import { Failure } from '../errors.ts'
import { type Fields, memberFields } from '../text/json.ts'
import { pause } from '../workers/pause.ts'
import { pagePath, searchPath, type FormEntries } from './addresses.ts'
import {
  type SearchParams,
  searchQueryString,
  type SearchResult,
  searchResultOf,
} from './search-result.ts'
import { pickText, type Translations } from './translations.ts'
import { problemOf } from '../http/problem.ts'
import type { PageShell } from './page-shell.ts'
import { readAnswer, type Ports } from './ports.ts'
import { fieldsAt } from './record.ts'
import type { Session } from './sessions.ts'
import type { Theme } from './theme.ts'

type PageContextOptions = Translations &
  Pick<PageShell, 'assets' | 'log' | 'sendsQueries'> & {
    readonly config: Omit<PortalConfig, 'logo'> & Omit<Theme, 'texts'>
    readonly ports: Ports
    /** Called when a part of the page is left out because a service failed or was late. */
    readonly onMissingPart: () => undefined
    /** Public address of the platform, with `/` at its end. */
    readonly root: string
    /** Path of this page after its language, with its query: `datasets?q=water`. */
    readonly pathInLanguage: string
    readonly query: URLSearchParams
    /** Whether the page is for a frame of another site: it has no menus, and its links leave the frame. */
    readonly isEmbedded: boolean
    readonly signal: AbortSignal
    readonly requestId: string
    /** Session of the steward who is signed in; absent for anonymous readers. */
    readonly steward?: Session
  }

/** Most entries of each list of a record that pages show. */
export const mostEntries = 200

/** Milliseconds that an optional part of a page may take. */
const optionalMs = 1500

/** Milliseconds that a write may take: the reads before it, of services that are away, have used up the time of the page. */
const writeMs = 15_000

/** Makes the context of a page. */
export function pageContext(options: PageContextOptions) {
  const { language, config, root, ports, signal, log, requestId, onMissingPart } = options
  const base = new URL(root).pathname
  /**
   * Asks a service; resolves with its JSON, or with its text where it answers no JSON. The deadline of the page applies to reads,
   * `writeMs` to writes, unless `init` has a signal. Rejects with `Failure`.
   */
  const ask = async (service: keyof Ports, path: string, init?: RequestInit): Promise<unknown> => {
    const port = ports[service]
    if (!port) throw new Failure('not-found', `this platform has no service "${service}"`)
    const isRead = (init?.method ?? 'GET') === 'GET'
    return readAnswer(port, path, {
      signal: isRead ? signal : AbortSignal.timeout(writeMs),
      ...init,
    })
  }
  /**
   * Resolves with the result of `read`, or with `undefined` where that fails or takes longer than 1.5 s; failures other than a
   * 404 are logged.
   */
  const optional = <T>(read: Promise<T>): Promise<T | undefined> => {
    const done = new AbortController()
    const timeout = pause(optionalMs, done.signal).then(onMissingPart)
    const logged = read.catch((error: unknown) => {
      if (problemOf(error, '').status === 404) return undefined
      log.warn({ err: error, requestId }, 'portal.part-failed')
      return onMissingPart()
    })
    return Promise.race([logged, timeout]).finally(() => done.abort())
  }
  return {
    ...options,
    /** Path of the platform's root, with `/` at its end. */
    base,
    /** Path of a page in the language of this page. */
    pathTo: (...segments: readonly string[]): string => base + pagePath(language, ...segments),
    /** Path of the page of hits in the language of this page; `segments` lead to another page or file of the same search. */
    searchTo: (query: FormEntries, ...segments: readonly string[]): string =>
      base + searchPath(language, query, ...segments),
    /** Configured text in the language of the page, else in the default language, else in any. */
    configuredText: (texts: string | Readonly<Record<string, string>> | undefined): string =>
      pickText(texts, [language, config.defaultLanguage])?.text ?? '',
    ask,
    /** Searches; the deadline of the page applies unless another signal is passed. Rejects with `Failure`. */
    find: async (params: SearchParams, searchSignal = signal): Promise<SearchResult> => {
      const path = `/search?${searchQueryString(params, language)}`
      return searchResultOf(await ask('search', path, { signal: searchSignal }))
    },
    /** Reads a record with all its fields; lists of a dataset are cut after `maxEntries` entries. Rejects with `Failure`. */
    readRecord: async (kind: string, id: string, maxEntries = mostEntries) => {
      const mostParameter =
        kind === 'datasets' && maxEntries < Infinity ? `&most=${maxEntries}` : ''
      const path = `/${kind}/${encodeURIComponent(id)}?locale=${language}${mostParameter}`
      return fieldsAt(await ask('search', path), 'result')
    },
    optional,
    /** Asks a service for an object that the page can do without; `undefined` as in `optional`. */
    askOptional: (service: keyof Ports, path: string): Promise<Fields | undefined> =>
      optional(ask(service, path).then(memberFields)),
  }
}

/** Context of a page, as `pageContext` makes it. */
export type PageContext = ReturnType<typeof pageContext>

/** Context of a page for a steward who is signed in. */
export type StewardContext = PageContext & { readonly steward: Session }
