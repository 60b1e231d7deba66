/**
 * `PLATFORM_TRIPLESTORE_CONFIG`, `PLATFORM_SEARCH_ENGINE_CONFIG`, `PLATFORM_EMBEDDER_CONFIG` and `PLATFORM_HUB_SHELL_CONFIG`:
 * triplestore, search engine, embedder and console.
 */

import { z } from 'zod'
import type { StoreConfig } from '../store/open-store.ts'
import type { EmbedderSettings } from '../search-index/embedding/embedder.ts'
import { matching, misspelt, messageOf, object, text, intBetween } from './settings.ts'

const dialects = ['fuseki', 'virtuoso', 'sparql11'] as const

type EndpointName = 'queryEndpoint' | 'updateEndpoint' | 'graphEndpoint'
type Endpoints = Readonly<Partial<Record<EndpointName, string>>>

/** Default endpoints of each product. */
function defaultEndpoints(dialect: (typeof dialects)[number], hasUser: boolean): Endpoints {
  if (dialect === 'sparql11') return {}
  if (dialect === 'fuseki')
    return { queryEndpoint: '/query', updateEndpoint: '/update', graphEndpoint: '/data' }
  const [sparql, graphEndpoint] = hasUser
    ? ['/sparql-auth', '/sparql-graph-crud-auth']
    : ['/sparql', '/sparql-graph-crud']
  return { queryEndpoint: sparql, updateEndpoint: sparql, graphEndpoint }
}

const isHttp = (url: URL | null): url is URL =>
  url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password

const addressForm = 'an http(s) URL without credentials'

/** Checks an endpoint; `place` is a URL or a path below `address`. Returns its URL or the fault. */
function endpoint(name: EndpointName, place: string | undefined, address: string | undefined) {
  if (place === undefined) return { fault: `${name} must be given for this dialect` }
  if (/^[a-z][a-z0-9+.-]*:/i.test(place))
    return isHttp(URL.parse(place)) ? { url: place } : { fault: `${name} must be ${addressForm}` }
  if (address === undefined)
    return { fault: `${name} must be ${addressForm}, or address must be given` }
  const url = `${address.replace(/\/+$/, '')}/${place.replace(/^\/+/, '')}`
  return isHttp(URL.parse(url)) ? { url } : { fault: `address must be ${addressForm}` }
}

/** Schema of `PLATFORM_TRIPLESTORE_CONFIG`; endpoints that are not configured are the default ones of the dialect. */
export const triplestoreConfig = object({
  dialect: z.enum(dialects, messageOf(`one of ${dialects.join(', ')}`)),
  address: text.optional(),
  queryEndpoint: text.optional(),
  updateEndpoint: text.optional(),
  graphEndpoint: text.optional(),
  username: text.optional(),
  password: text.optional(),
}).transform((settings, context): StoreConfig => {
  const { dialect, address, username, password } = settings
  const problems = new Set<string>()
  if ((username === undefined) !== (password === undefined))
    problems.add('username and password must be given together')
  const defaults = defaultEndpoints(dialect, username !== undefined)
  const url = (name: EndpointName): string => {
    const result = endpoint(name, settings[name] ?? defaults[name], address)
    if (result.fault !== undefined) problems.add(result.fault)
    return result.url ?? ''
  }
  const hasGraphs = (settings.graphEndpoint ?? defaults.graphEndpoint) !== undefined
  const [queryEndpoint, updateEndpoint] = [url('queryEndpoint'), url('updateEndpoint')]
  const graphEndpoint = hasGraphs ? url('graphEndpoint') : undefined
  for (const problem of problems) context.addIssue(problem)
  if (problems.size > 0) return z.NEVER
  return {
    dialect,
    queryEndpoint,
    updateEndpoint,
    graphEndpoint,
    ...(username !== undefined && { username, password }),
  }
})

const isBareUrl = (value: string): boolean => {
  const url = URL.parse(value)
  return isHttp(url) && !url.search && !url.hash
}

const apiKey = matching((key) => /^[\u0021-\u007e]+$/.test(key), 'text without spaces')

const engineUrl = matching(isBareUrl, 'an http(s) URL without credentials and query').transform(
  (url) => url.replace(/\/+$/, ''),
)

const meilisearchConfig = object({
  engine: z.literal('meilisearch'),
  url: engineUrl,
  apiKey: apiKey.optional(),
  /** Start of the names of all its indices. Names there are letters, digits, `-` and `_`. */
  prefix: matching(
    (prefix) => /^[\w-]{1,64}$/.test(prefix),
    '1 to 64 letters, digits, - and _',
  ).default('cartulary_'),
})

const addresses = 'a list of 1 to 32 http(s) URLs without credentials and query'

const opensearchConfig = object({
  engine: z.literal('opensearch'),
  /** Addresses of nodes, one of which has to answer. */
  urls: z
    .array(engineUrl, messageOf(addresses))
    .min(1, messageOf(addresses))
    .max(32, messageOf(addresses)),
  username: text.optional(),
  password: text.optional(),
  apiKey: apiKey.optional(),
  /** File with the certificates of authorities that nodes are trusted by, in PEM. */
  ca: text.optional(),
  prefix: matching(
    (prefix) => /^[a-z0-9][a-z0-9_]{0,63}$/.test(prefix),
    '1 to 64 small letters, digits and _',
  ).default('cartulary_'),
  shards: intBetween(1, 64).default(1),
  replicas: intBetween(0, 16).optional(),
})

/** Schema of `PLATFORM_SEARCH_ENGINE_CONFIG`: addresses and keys of a search engine on a server. */
export const engineConfig = z
  .discriminatedUnion('engine', [meilisearchConfig, opensearchConfig], {
    error: ({ code }) =>
      code === 'invalid_union' ? 'must be meilisearch or opensearch' : undefined,
  })
  .superRefine((config, context) => {
    if (config.engine === 'meilisearch') return
    const { username, password, apiKey: key } = config
    if ((username === undefined) !== (password === undefined))
      context.addIssue('username and password must be given together')
    if (username !== undefined && key !== undefined)
      context.addIssue('has a user and an apiKey: give one of them')
  })

const prefix = z.string(messageOf('text')).default('')
const share = messageOf('a number 0..1')
const dimensions = messageOf('a whole number 8..1024 that 8 divides')

/** Schema of `PLATFORM_EMBEDDER_CONFIG`: the service that turns texts into vectors. */
export const embedderConfig = object({
  url: matching((value) => isHttp(URL.parse(value)), addressForm),
  model: text,
  apiKey: apiKey.optional(),
  dimensions: z
    .int(dimensions)
    .min(8, dimensions)
    .max(1024, dimensions)
    .multipleOf(8, dimensions)
    .optional(),
  queryPrefix: prefix,
  recordPrefix: prefix,
  weight: z.number(share).min(0, share).max(1, share).default(0.6),
  most: intBetween(0, 100).default(10),
  queryMs: intBetween(10, 10_000).default(150),
  batch: intBetween(1, 256).default(32),
  perMinute: intBetween(1, 60_000).default(600),
  characters: intBetween(100, 20_000).default(1500),
}) satisfies z.ZodType<EmbedderSettings>

/** Ways to the console; an absent one is not opened. */
export type ShellConfig = {
  readonly telnet?: { readonly host: string; readonly port: number }
  /** Without a port it is on the common one. */
  readonly http?: { readonly host?: string; readonly port?: number }
}

const port = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value),
  intBetween(0, 65_535),
)
const host = matching(
  (name) => /^[A-Za-z0-9_.:%-]{1,253}$/.test(name),
  'an address or the name of a host',
)

/** Schema of a way to the console that treats null and false as absent, and true as an empty object: templates write them. */
const access = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess(
    (value) => (value === null || value === false ? undefined : value === true ? {} : value),
    z
      .looseObject(shape, messageOf('an object of host and port'))
      .superRefine(misspelt(Object.keys(shape)))
      .optional(),
  )

/** Schema of `PLATFORM_HUB_SHELL_CONFIG`; names that are close to no known one are ignored. */
export const shellConfig = z
  .looseObject(
    {
      telnet: access({ host: host.default('127.0.0.1'), port: port.default(5000) }),
      http: access({ host: host.optional(), port: z.exactOptional(port) }),
    },
    messageOf('an object with telnet or http, such as {"telnet":{},"http":{}}'),
  )
  .superRefine(misspelt(['telnet', 'http']))
  .transform(({ telnet, http }): ShellConfig => ({
    telnet,
    http,
  }))
