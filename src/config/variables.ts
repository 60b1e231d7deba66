/** Environment variables with schema, default and meaning. */

import { z } from 'zod'
import { isPermission, permissionForms } from '../http/api-key.ts'
import { limitTable } from '../http/limits.ts'
import { isBlock } from '../client/address-guard.ts'
import { requestLogs } from '../http/request.ts'
import { logFormats, logLevels } from '../log.ts'
import { isIri } from '../rdf/iri.ts'
import { segmentKinds, defaultSegments } from '../rdf/names.ts'
import { clusterConfig } from './cluster.ts'
import { backupConfig } from './backup.ts'
import { harvestConfig, versionsConfig } from './harvest.ts'
import { metricsConfig, validatorConfig } from './metrics.ts'
import { portalConfig } from './portal.ts'
import { searchConfig } from './search.ts'
import { embedderConfig, engineConfig, shellConfig, triplestoreConfig } from './services.ts'
import { facts, matching, isServerAddress, json, list, object, intBetween } from './settings.ts'
import { mapValues } from '../text/records.ts'

/** Names of the services that a process can run, as `PLATFORM_SERVICES` takes them. */
export const services = [
  'repo',
  'search',
  'sparql',
  'harvest',
  'scheduler',
  'metrics',
  'console',
  'portal',
] as const
/** Other name → name of a service; `PLATFORM_SERVICES` takes both. */
export const serviceAliases = { cache: 'metrics' } as const
const knownServices = ['cache', ...services] as const

const origin = (text: string) => URL.canParse(text) && new URL(text).origin === text
const folderIri = (text: string) =>
  isIri(text) && /^https?:\/\/[^/?#]+\/([^?#]*\/)?$/.test(text) && URL.canParse(text)

/** Whether a text is an IRI of a folder that headers can have unchanged: ASCII without spaces, controls and `@`. */
const isPublicUrl = (text: string) =>
  folderIri(text) && /^[\u0021-\u003f\u0041-\u007e]+$/.test(text)
const isPlainHttp = (text: string) => {
  const url = URL.parse(text)
  return url?.protocol === 'http:' && !/[?#]/.test(text) && url.username === ''
}

const apiKeys = z.record(
  z.string().regex(/^[\u0021-\u007e]{1,512}$/),
  z.array(matching(isPermission, permissionForms)),
)
const profileConfig = z.object({ type: z.literal('directory'), path: z.string().min(1) })
const secretValues = z.record(z.string().regex(/^[\w.-]{1,100}$/), z.string().min(1))
const flags = z.record(z.string(), z.union([z.boolean(), z.stringbool()]))

/** One to eight path parts, each with its slash. None begins with a dot, so that none is `.well-known` (RFC 8615). */
const segment = matching(
  (text) => /^(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*\/){1,8}$/.test(text),
  'a relative path that ends in a slash, such as "dataset/"',
).optional()

/** Path segments between base and id in IRIs. None may be the beginning of another one, or an IRI would be of two kinds. */
const segmentValues = object(
  {
    dataset: segment,
    catalogue: segment,
    record: segment,
    metrics: segment,
    distribution: segment,
    vocabulary: segment,
    resource: segment,
  },
  'is no kind of resource',
).superRefine((segments, context) => {
  const startByKind = segmentKinds.map(
    (kind) => [kind, segments[kind] ?? defaultSegments[kind]] as const,
  )
  for (const [kind, start] of startByKind) {
    const other = startByKind.find(([name, text]) => name !== kind && text.startsWith(start))
    const message = `("${start}") must not be the beginning of ${other?.[0]} ("${other?.[1]}")`
    if (other) context.addIssue({ code: 'custom', path: [kind], message })
  }
})

const limitShape = mapValues(limitTable, ({ minimum, maximum }) =>
  intBetween(minimum, maximum).optional(),
)

/** Decimal digits as a number; any other text becomes NaN, which no range accepts. */
const digits = z.string().transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN))

/** Schema of the environment variables of a platform; commands also read `CARTULARY_SERVER` and `CARTULARY_KEY` (`script.ts`). */
export const variables = z.object({
  PLATFORM_HOST: z
    .string()
    .regex(/^[\w.:-]+$/)
    .register(facts, {
      meaning: 'Address to listen on. Only this machine by default; `0.0.0.0` is every interface.',
      expected: 'a host name or an address',
      defaultText: '127.0.0.1',
    }),
  PLATFORM_PORT: digits.pipe(intBetween(0, 65_535)).register(facts, {
    meaning: 'Port to listen on; 0 takes a free one.',
    expected: 'a whole number 0..65535',
    defaultText: '8080',
  }),
  PLATFORM_ADMIN_PORT: digits.pipe(intBetween(0, 65_535)).optional().register(facts, {
    meaning:
      'Port that `/metrics` and `/health` have to themselves; 0 takes a free one. Without it they are on the common port.',
    expected: 'a whole number 0..65535',
  }),
  PLATFORM_BASE_URI: matching(folderIri, 'an absolute http(s) IRI that ends in /')
    .optional()
    .register(facts, {
      meaning: 'Start of every IRI that the platform makes. Choose it once: it stands in the data.',
      derived: 'http://localhost:{port}/',
    }),
  PLATFORM_PUBLIC_URL: matching(isPublicUrl, 'an absolute http(s) address that ends in /')
    .optional()
    .register(facts, {
      meaning:
        'Where clients reach the platform: start of the addresses in `Link`, pages of lists, `Location` of runs, sitemap, ' +
        'feeds and notices. By default each answer uses the address of its request (`Host`, or what `PLATFORM_TRUSTED_PROXIES` ' +
        'say with `Forwarded` or `X-Forwarded-Host`, `-Proto` and `-Prefix`), and what nobody asked for takes the base IRI.',
    }),
  PLATFORM_SEGMENT_URL: matching(
    isPlainHttp,
    'an address such as http://platform:8080, without query',
  )
    .optional()
    .register(facts, {
      meaning:
        'Where segments of others reach this process, to give back what they made of a record. Plain http: they speak ' +
        'nothing else.',
      derived: 'http://{PLATFORM_HOST, or the name of the machine}:{port}',
    }),
  PLATFORM_IRI_SEGMENTS: json(segmentValues)
    .optional()
    .register(facts, {
      meaning:
        'What stands behind the base in IRIs, in place of `dataset` `set/data/`, `catalogue` `id/catalogue/`, `record` ' +
        '`set/record/`, `metrics` `id/metrics/`, `distribution` `set/distribution/`, `vocabulary` `id/vocabulary/` and ' +
        '`resource` `set/resource/` (those of declared types). Choose them once: they stand in the data.',
      expected: 'a JSON object such as {"dataset":"dataset/","catalogue":"catalogue/"}',
    }),
  PLATFORM_DATA_DIR: z.string().register(facts, {
    meaning:
      'Folder for everything durable: embedded store and index, what was deleted, generated API key.',
    expected: 'a path',
    defaultText: './data',
  }),
  PLATFORM_SERVICES: list(z.enum(knownServices)).register(facts, {
    meaning: `Which services this process runs: ${services.join(', ')}.`,
    expected: `a comma-separated list of ${services.join(', ')}`,
    defaultText: services.join(','),
  }),
  PLATFORM_WRITER_URL: list(
    matching(isServerAddress, 'an address such as http://writer:8080, without path'),
  )
    .optional()
    .register(facts, {
      meaning:
        'Makes this process a reader beside the one that writes, which is at this address (several, separated by commas, where a ' +
        'stand-by may take over): it answers what only reads from the triplestore and the search engine, and sends everything else on.',
      expected: 'a comma-separated list of addresses such as http://writer:8080',
    }),
  PLATFORM_HUB_API_KEYS: json(apiKeys)
    .optional()
    .register(facts, {
      meaning:
        'API key → array of permissions: `*`, a catalogue id, or `METHOD /path/pattern` with `*` or `{name}` for one ' +
        'segment and `**` for the rest. Without it a key is made at the first start and written to `{data}/api-key`.',
      expected: 'a JSON object of API key → array of permissions, such as {"<key>":["*"]}',
      secret: true,
    }),
  PLATFORM_FEATURE_FLAGS: json(flags).optional().register(facts, {
    meaning: '`{"platform_profile":true}` switches `PLATFORM_PROFILE` on.',
    expected: 'a JSON object of flag → true or false',
  }),
  PLATFORM_PROFILE: json(profileConfig).optional().register(facts, {
    meaning:
      'Folder of the profile, if it is not the built-in one: `{"type":"directory","path":"…"}`.',
    expected: '{"type":"directory","path":"<folder>"}',
  }),
  PLATFORM_TRIPLESTORE_CONFIG: json(triplestoreConfig)
    .optional()
    .register(facts, {
      meaning:
        'A triplestore of your own; without it the embedded store is used. ' +
        '`{"dialect":"fuseki","address":"http://127.0.0.1:3030/ds"}`, dialect `fuseki`, `virtuoso` or `sparql11`; ' +
        '`username` and `password` for Basic or Digest; `queryEndpoint`, `updateEndpoint`, `graphEndpoint`, relative to the ' +
        'address or absolute, where they are not the usual ones.',
      expected: 'a JSON object such as {"dialect":"fuseki","address":"http://127.0.0.1:3030/ds"}',
      secret: 'values',
    }),
  PLATFORM_SEARCH_CONFIG: json(searchConfig)
    .optional()
    .register(facts, {
      meaning:
        'What is searched and shown beyond the profile: `vocabulary`, `facets`, `boost`, `synonyms`, `maxAggSize`, `maxResultWindow`, ' +
        '`sitemapHours`, `reconcileHours`, `dateType`, `dates`, `nonCountries`, `scoreField`, `portal`, as told below.',
      expected:
        'a JSON object such as {"vocabulary":{"publishers":{"fields":["publisher"],"replacements":["name:pref_label.en"]}}}',
    }),
  PLATFORM_SEARCH_ENGINE_CONFIG: json(engineConfig)
    .optional()
    .register(facts, {
      meaning:
        'A search engine of your own; without it the embedded one is used. ' +
        '`{"engine":"meilisearch","url":"http://127.0.0.1:7700"}`, `apiKey` where it asks for one, `prefix` (default ' +
        '`cartulary_`) where several platforms share one. Meilisearch 1.16 or newer. ' +
        '`{"engine":"opensearch","urls":["http://127.0.0.1:9200"]}` with the addresses of some nodes of OpenSearch 2.4 or newer; ' +
        '`username` and `password` or `apiKey`, `ca` (a PEM file) for certificates of an authority of your own, `prefix` in small ' +
        'letters, `shards` (default 1) and `replicas` (default: one where there are two nodes) of each index.',
      expected:
        'a JSON object such as {"engine":"meilisearch","url":"http://127.0.0.1:7700"} or {"engine":"opensearch","urls":["http://127.0.0.1:9200"]}',
      secret: 'values',
    }),
  PLATFORM_EMBEDDER_CONFIG: json(embedderConfig)
    .optional()
    .register(facts, {
      meaning:
        'A service that turns texts into vectors, by which `related=true` finds records that are close in meaning; without it ' +
        'nothing is sent anywhere. `{"url":"http://127.0.0.1:11434/v1/embeddings","model":"…"}`, `apiKey` and further keys as ' +
        'listed below.',
      expected:
        'a JSON object such as {"url":"http://127.0.0.1:11434/v1/embeddings","model":"all-minilm"}',
      secret: 'values',
    }),
  PLATFORM_HARVEST_CONFIG: json(harvestConfig).optional().register(facts, {
    meaning: 'How harvests behave and for how long things are kept, as told below.',
    expected: 'a JSON object such as {"contact":"mailto:data@city.example","restoreDays":30}',
  }),
  PLATFORM_VERSIONS: json(versionsConfig).optional().register(facts, {
    meaning: 'For how long versions of records are kept, as listed below.',
    expected: 'a JSON object such as {"days":730,"most":200}',
  }),
  PLATFORM_BACKUP_CONFIG: json(backupConfig)
    .optional()
    .register(facts, {
      meaning:
        'Where and when the platform backs its data up: `directory` outside of the data directory, `schedule` (cron, UTC), `keep` ' +
        '(14 newest stay), `archive`, `withKey`, `history`, and the bucket of an S3-compatible store, as listed in [operations](operations.md).',
      expected: 'a JSON object such as {"directory":"/backups","schedule":"0 3 * * *"}',
      secret: 'values',
    }),
  PLATFORM_CLUSTER_CONFIG: json(clusterConfig)
    .optional()
    .register(facts, {
      meaning:
        'Where pipes come from beside the directory `pipes`, and where segments outside this process are: ' +
        '`pipeRepositories` (name → `{"uri","branch","username","token"}`, polled with git), `resources.paths` (directories), ' +
        '`serviceDiscovery` (segment name → `{"http":{"address","method","headers"}}` or `{"eventbus":{"address"}}`).',
      expected: 'a JSON object such as {"resources":{"paths":["harvest"]}}',
      secret: 'values',
    }),
  PLATFORM_METRICS_CONFIG: json(metricsConfig).optional().register(facts, {
    meaning: 'How the quality of metadata is measured, as told below.',
    expected: 'a JSON object such as {"workers":2,"recheckDays":30}',
  }),
  PLATFORM_HUB_VALIDATOR: json(validatorConfig)
    .optional()
    .register(facts, {
      meaning:
        '`{"enabled":true,"metricsPipeName":"metrics"}`: what is created or updated is measured by itself, by the pipe of that ' +
        'name, and the console command `launch <catalogue> <pipe>` works.',
      expected: 'a JSON object such as {"enabled":true,"metricsPipeName":"metrics"}',
    }),
  PLATFORM_HUB_SHELL_CONFIG: json(shellConfig)
    .optional()
    .register(facts, {
      meaning:
        'How the console is reached, closed where absent: `{"http":{},"telnet":{}}`. `http` is at `/shell/shell.html`, or on a `port` ' +
        'of its own; `telnet` listens on `host` (127.0.0.1) and `port` (5000).',
      expected: 'a JSON object such as {"http":{},"telnet":{"port":5000}}',
    }),
  PLATFORM_PORTAL_CONFIG: json(portalConfig).optional().register(facts, {
    meaning:
      'Name, languages, look and parts of the pages that people read, as told in `portal.md`.',
    expected: 'a JSON object such as {"name":{"en":"Open Data Auenfeld"},"languages":["en","de"]}',
  }),
  PLATFORM_EVENTBUS_URL: matching(
    (text) => /^(nats|tls):\/\//.test(text) && URL.canParse(text),
    'an address such as nats://127.0.0.1:4222',
  )
    .optional()
    .register(facts, {
      meaning: 'NATS server with JetStream that carries pipes between processes.',
      secret: true,
    }),
  PLATFORM_SECRETS: json(secretValues).optional().register(facts, {
    meaning:
      'Name → value, for what pipes refer to as `{"secret":"name"}`. Values stand in no log, report or address.',
    expected: 'a JSON object of name → value',
    secret: true,
  }),
  PLATFORM_LIMITS: json(object(limitShape, 'is no limit')).optional().register(facts, {
    meaning: 'Limits in place of the defaults below.',
    expected: 'a JSON object of limit → whole number',
  }),
  PLATFORM_CORS_ORIGINS: list(matching(origin, 'an origin such as https://portal.example'))
    .optional()
    .register(facts, {
      meaning: 'Origins whose web pages may write, separated by commas. Every page may read.',
    }),
  PLATFORM_TRUSTED_PROXIES: list(matching(isBlock, 'an address or a CIDR range'))
    .optional()
    .register(facts, {
      meaning:
        'Proxies whose `Forwarded` and `X-Forwarded-…` are believed: addresses or CIDR ranges.',
    }),
  PLATFORM_LOG_LEVEL: z.enum(logLevels).register(facts, {
    meaning: `Lowest level of lines on standard error: one of ${logLevels.join(', ')}.`,
    expected: `one of ${logLevels.join(', ')}`,
    defaultText: 'info',
  }),
  PLATFORM_LOG_FORMAT: z
    .enum(logFormats)
    .optional()
    .register(facts, {
      meaning:
        'Form of the lines on standard error: `json`, `pretty` (time, level, event and fields), or `auto`: pretty where that is a terminal.',
      expected: `one of ${logFormats.join(', ')}`,
      derived: 'auto',
    }),
  PLATFORM_LOG_REQUESTS: z
    .enum(requestLogs)
    .optional()
    .register(facts, {
      meaning:
        'Answered requests in the log: `all`, `errors` (status 400 and above, and broken off), `slow` (longer than a second) or `none`. Those for `/health` and `/metrics` are lines of `debug` unless they fail or take longer than a second.',
      expected: `one of ${requestLogs.join(', ')}`,
      derived: 'all',
    }),
})

/** API key → permissions: `*`, ids of catalogues, or `METHOD /path`. */
export type ApiKeyPermissions = z.output<typeof apiKeys>
