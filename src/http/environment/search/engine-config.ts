/** `PLATFORM_SEARCH_ENGINE_CONFIG`: a search engine beside the process, where it is, and who we are there. */

import { z } from 'zod'
import { nearest } from '../spelling.ts'
import { isText } from './faults.ts'

export type EngineConfig = {
  readonly engine: 'meilisearch'
  /** Without a slash at its end. */
  readonly url: string
  readonly apiKey?: string
  /** Start of the names of all its indices. */
  readonly prefix: string
}

const keys = ['engine', 'url', 'apiKey', 'prefix'] as const

const standardPrefix = 'cartulary_'

/** Names of indices there are letters, digits, `-` and `_`; ours come behind the prefix. */
const isPrefix = (value: unknown) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value)

function isAddress(value: unknown): value is string {
  const url = isText(value) ? URL.parse(value) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return !url.username && !url.password && !url.search && !url.hash
}

type Given = Readonly<Record<string, unknown>>

/** Sentences that name keys and never repeat values, because one of these is a secret. */
function faults(given: Given): string[] {
  const unknown = Object.keys(given).filter((name) => !keys.some((key) => key === name))
  const { engine, url, apiKey = 'none', prefix = standardPrefix } = given
  return [
    ...unknown.map((name) => {
      const close = nearest(name, keys)
      return `has a field that is not read${close === undefined ? '' : ` (did you mean ${close}?)`}`
    }),
    ...(engine === 'meilisearch' ? [] : ['engine must be meilisearch']),
    ...(isAddress(url) ? [] : ['url must be an http(s) URL without credentials and query']),
    ...(isText(apiKey) && /^[\u0021-\u007e]+$/.test(apiKey)
      ? []
      : ['apiKey must be text without spaces']),
    ...(isPrefix(prefix) ? [] : ['prefix must be 1 to 64 letters, digits, - and _']),
  ]
}

/** The configuration with its defaults, or every sentence that is wrong. */
export const engineConfig = z
  .record(z.string(), z.unknown())
  .transform((given, context): EngineConfig => {
    const problems = faults(given)
    for (const message of problems) context.addIssue({ code: 'custom', message })
    if (problems.length > 0) return z.NEVER
    const { url, apiKey, prefix = standardPrefix } = given
    return {
      engine: 'meilisearch',
      url: String(url).replace(/\/+$/, ''),
      ...(isText(apiKey) && { apiKey }),
      prefix: String(prefix),
    }
  })
