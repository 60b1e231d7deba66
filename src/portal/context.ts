/** What every page is made from: texts of its language, addresses, answers of the services. */

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
  Pick<PageShell, 'assets' | 'log'> & {
    readonly config: Omit<PortalConfig, 'logo'> & Omit<Theme, 'texts'>
    readonly ports: Ports
    /** Told when a part of the page is left out because a service fails or is late. */
    readonly onMissingPart: () => undefined
    /** Where clients reach the platform, `/` at its end. */
    readonly root: string
    /** Path of this page behind its language, with its query: `datasets?q=water`. */
    readonly pathInLanguage: string
    readonly query: URLSearchParams
    /** Whether it stands in a frame of another site: without menus, and its links leave the frame. */
    readonly isEmbedded: boolean
    readonly signal: AbortSignal
    readonly requestId: string
    /** Who is signed in; absent for strangers. */
    readonly steward?: Session
  }

/** Entries of each list of a record that pages show. */
export const mostEntries = 200

/** Milliseconds that what stands beside the main record of a page may take. */
const optionalMs = 1500

export function pageContext(given: PageContextOptions) {
  const { language, config, root, ports, signal, log, requestId, onMissingPart } = given
  const base = new URL(root).pathname
  /** The JSON of a service, else its text, by the deadline of the page unless there is another signal. Rejects with `Failure`. */
  const ask = async (service: keyof Ports, path: string, init?: RequestInit): Promise<unknown> => {
    const port = ports[service]
    if (!port) throw new Failure('not-found', `there is no ${service} here`)
    return readAnswer(port, path, { signal, ...init })
  }
  /** What a page can do without; `undefined` where it fails or is late. */
  const optional = <T>(read: Promise<T>): Promise<T | undefined> => {
    const done = new AbortController()
    const late = pause(optionalMs, done.signal).then(onMissingPart)
    const quietly = read.catch((error: unknown) => {
      if (problemOf(error, '').status === 404) return undefined
      log.warn({ err: error, requestId }, 'portal.part-failed')
      return onMissingPart()
    })
    return Promise.race([quietly, late]).finally(() => done.abort())
  }
  return {
    ...given,
    /** Path of the platform's root, `/` at its end. */
    base,
    /** Path of a page in the language of this one. */
    pathTo: (...steps: readonly string[]): string => base + pagePath(language, ...steps),
    /** Path of a search in the language of this page; `steps` lead to what else is made of it. */
    searchTo: (query: FormEntries, ...steps: readonly string[]): string =>
      base + searchPath(language, query, ...steps),
    /** A configured text in the language of the page, else in that of the portal, else in any. */
    configuredText: (texts: string | Readonly<Record<string, string>> | undefined): string =>
      pickText(texts, [language, config.defaultLanguage])?.text ?? '',
    ask,
    /** What a search finds, in the time of a page or another one. Rejects with `Failure`. */
    find: async (asked: SearchParams, within = signal): Promise<SearchResult> => {
      const path = `/search?${searchQueryString(asked, language)}`
      return searchResultOf(await ask('search', path, { signal: within }))
    },
    /** A record with all its fields; long lists of a dataset are cut at `most`. Rejects with `Failure`. */
    readRecord: async (kind: string, id: string, most = mostEntries) => {
      const cut = kind === 'datasets' && most < Infinity ? `&most=${most}` : ''
      const path = `/${kind}/${encodeURIComponent(id)}?locale=${language}${cut}`
      return fieldsAt(await ask('search', path), 'result')
    },
    optional,
    /** An object of a service that a page can do without. */
    askOptional: (service: keyof Ports, path: string): Promise<Fields | undefined> =>
      optional(ask(service, path).then(memberFields)),
  }
}

export type PageContext = ReturnType<typeof pageContext>

/** That of somebody who is signed in. */
export type StewardContext = PageContext & { readonly steward: Session }
