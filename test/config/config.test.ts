/** Settings: defaults, all problems at once, and a page that agrees with what is read. */

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentation } from '../../src/config/settings-page.ts'
import { defaultHarvest } from '../../src/config/harvest.ts'
import { defaultMetrics } from '../../src/config/metrics.ts'
import { defaultPortal } from '../../src/config/portal.ts'
import { defaultLimits } from '../../src/http/limits.ts'
import { segmentAddress } from '../../src/main/platform-context.ts'
import { configOf, problemsOf } from '../support/settings.ts'

describe('an empty environment', () => {
  it('has settings that work on this machine only', () => {
    expect(configOf()).toEqual({
      host: '127.0.0.1',
      port: 8080,
      baseUri: 'http://localhost:8080/',
      isBaseChosen: false,
      segmentUrl: undefined,
      segments: {},
      dataDir: './data',
      services: [
        'repo',
        'search',
        'sparql',
        'harvest',
        'scheduler',
        'metrics',
        'console',
        'portal',
      ],
      apiKeys: undefined,
      profile: { enabled: false },
      searchEngine: undefined,
      embedder: undefined,
      search: {
        vocabulary: [],
        boosts: {},
        facetSize: 50,
        window: 10_000,
        sitemapHours: 24,
        reconcileHours: 24,
      },
      limits: defaultLimits,
      harvest: defaultHarvest,
      restoreDays: 30,
      versions: { days: 730, most: 200, harvestDays: 90, harvestMost: 3 },
      cluster: { pipeRepositories: {}, resources: { paths: [] }, serviceDiscovery: {} },
      metrics: defaultMetrics,
      portal: defaultPortal,
      validator: { enabled: false, metricsPipeName: 'metrics' },
      shell: undefined,
      eventBus: undefined,
      secrets: {},
      corsOrigins: [],
      trustedProxies: [],
      logLevel: 'info',
      logFormat: 'auto',
      logRequests: 'all',
      ignored: [],
      warnings: [],
      writerUrls: [],
    })
  })

  it('is the same as one of blank values', () => {
    expect(configOf({ PLATFORM_PORT: '', PLATFORM_LIMITS: ' ', PLATFORM_PROFILE: '' })).toEqual(
      configOf(),
    )
  })
})

describe('a setting', () => {
  it('of the public address leaves the base IRI alone, and the other way round', () => {
    const PLATFORM_PUBLIC_URL = 'https://open.example/data/'
    const { publicUrl, baseUri } = configOf({ PLATFORM_PUBLIC_URL })
    expect([publicUrl, baseUri]).toEqual([PLATFORM_PUBLIC_URL, 'http://localhost:8080/'])
    expect(configOf({ PLATFORM_BASE_URI: 'https://data.example/' }).publicUrl).toBeUndefined()
  })

  it('of the port moves the base IRI along, unless that is set', () => {
    expect(configOf({ PLATFORM_PORT: '9000' }).baseUri).toBe('http://localhost:9000/')
    const PLATFORM_BASE_URI = 'https://data.example/portal/'
    expect(configOf({ PLATFORM_PORT: '9000', PLATFORM_BASE_URI }).baseUri).toBe(PLATFORM_BASE_URI)
  })

  it.each<[string | undefined, string, string]>([
    [undefined, '127.0.0.1', 'http://127.0.0.1:9000'],
    [undefined, '::1', 'http://[::1]:9000'],
    [undefined, '0.0.0.0', `http://${hostname()}:9000`],
    ['http://platform', '127.0.0.1', 'http://platform:80'],
    ['http://platform:80/', '127.0.0.1', 'http://platform:80'],
    ['http://proxy:8080/data/', '127.0.0.1', 'http://proxy:8080/data'],
  ])(
    'of the address for segments, %s, beside the host %s is %s',
    (given, PLATFORM_HOST, address) => {
      const named: Record<string, string> =
        given === undefined ? {} : { PLATFORM_SEGMENT_URL: given }
      expect(segmentAddress(configOf({ PLATFORM_HOST, ...named }), 9000)).toBe(address)
    },
  )

  it('of API keys gives their permissions; an empty object counts as none', () => {
    const key = 'a-key-of-enough-letters'
    const given = { [key]: ['*'], 'another-key-that-is-long': ['govdata', 'PUT /vocabularies/*'] }
    expect(configOf({ PLATFORM_HUB_API_KEYS: JSON.stringify(given) }).apiKeys).toEqual(given)
    expect(configOf({ PLATFORM_HUB_API_KEYS: '{}' }).apiKeys).toBeUndefined()
  })

  it('of lists takes commas with or without spaces', () => {
    const config = configOf({
      PLATFORM_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      PLATFORM_CORS_ORIGINS: 'https://a.example,http://localhost:3000',
      PLATFORM_SERVICES: 'search , repo',
    })
    expect(config.trustedProxies).toEqual(['10.0.0.0/8', '::1'])
    expect(config.corsOrigins).toEqual(['https://a.example', 'http://localhost:3000'])
    expect(config.services).toEqual(['search', 'repo'])
  })

  it('of limits replaces what it names and nothing else', () => {
    const { limits } = configOf({ PLATFORM_LIMITS: '{"bodyBytes":1048576}' })
    expect(limits).toEqual({ ...defaultLimits, bodyBytes: 1_048_576 })
  })

  it('of harvesting has defaults, durations in ISO 8601, and no misspelt names', () => {
    const given = (text: string) => configOf({ PLATFORM_HARVEST_CONFIG: text }).harvest
    expect(given('{"restoreDays":0,"deadline":"PT1H30M"}')).toEqual({
      ...defaultHarvest,
      restoreDays: 0,
      deadline: 5_400_000,
    })
    expect(problemsOf({ PLATFORM_HARVEST_CONFIG: '{"guardPercents":100}' })).toContain(
      'did you mean guardPercent?',
    )
    expect(problemsOf({ PLATFORM_HARVEST_CONFIG: '{"deadline":"six hours"}' })).toContain('PT6H')
  })

  it('of a search engine has a prefix, and an address without a slash at its end', () => {
    const engineOf = (more: object) =>
      configOf({
        PLATFORM_SEARCH_ENGINE_CONFIG: JSON.stringify({ engine: 'meilisearch', ...more }),
      }).searchEngine
    expect(engineOf({ url: 'http://meilisearch:7700/' })).toEqual({
      engine: 'meilisearch',
      url: 'http://meilisearch:7700',
      prefix: 'cartulary_',
    })
    const whole = { url: 'https://a.example/search', apiKey: 'a-key', prefix: 'mine-' }
    expect(engineOf(whole)).toEqual({ engine: 'meilisearch', ...whole })
  })

  it('of an embedder has defaults for all but its address and model', () => {
    const embedderOf = (more: object) =>
      configOf({ PLATFORM_EMBEDDER_CONFIG: JSON.stringify(more) }).embedder
    const given = { url: 'https://embedder.example/v1/embeddings?v=2', model: 'e5' }
    expect(embedderOf(given)).toEqual({
      ...given,
      queryPrefix: '',
      recordPrefix: '',
      weight: 0.6,
      most: 10,
      queryMs: 150,
      batch: 32,
      perMinute: 600,
      characters: 1500,
    })
  })

  it('of a profile counts when its flag is on, and is named as ignored when it is off', () => {
    const PLATFORM_PROFILE = '{"type":"directory","path":"/profile"}'
    const PLATFORM_FEATURE_FLAGS = '{"platform_profile":true}'
    expect(configOf({ PLATFORM_PROFILE, PLATFORM_FEATURE_FLAGS }).profile).toEqual({
      enabled: true,
      directory: '/profile',
    })
    const off = configOf({ PLATFORM_PROFILE })
    expect([off.profile, off.ignored]).toEqual([{ enabled: false }, ['PLATFORM_PROFILE']])
  })

  it('of the colours of the portal needs contrast on its paper', () => {
    const colours = (accent: string) => ({
      PLATFORM_PORTAL_CONFIG: JSON.stringify({ colours: { accent } }),
    })
    expect(configOf(colours('#0d5c58')).portal.colours.accent).toBe('#0d5c58')
    expect(problemsOf(colours('#ffff00'))).toContain('a contrast of 4.5:1')
  })

  it('of the services may name the portal', () => {
    const config = configOf({ PLATFORM_SERVICES: 'repo,portal' })
    expect([config.services, config.ignored, config.warnings]).toEqual([['repo', 'portal'], [], []])
  })

  it('names the services without the one that writes, and a sentence says what that means', () => {
    const warnings = (chosen: string) => configOf({ PLATFORM_SERVICES: chosen }).warnings
    expect(warnings('search,sparql')).toEqual([
      expect.stringMatching(/^PLATFORM_SERVICES has no repo: .* no other process can open/),
    ])
    expect(warnings('search,repo')).toEqual([])
  })

  it('of the console is not told as ignored', () => {
    expect(configOf({ PLATFORM_HUB_SHELL_CONFIG: '{"http":{}}' }).ignored).toEqual([])
  })
})

describe('a name that nobody reads', () => {
  it('is a warning with the name that was probably meant', () => {
    const { warnings } = configOf({ PLATFORM_PROT: '1', PLATFORM_XYZ_ABCDEF: '1', PATH: '/bin' })
    expect(warnings).toEqual([
      'PLATFORM_PROT is not read: did you mean PLATFORM_PORT?',
      'PLATFORM_XYZ_ABCDEF is not read',
    ])
  })

  it('and a weak key are told without the key', () => {
    const piveau = configOf({
      PIVEAU_HUB_API_KEY: 'x',
      PIVEAU_TRIPLESTORE_CONFIG: '{}',
      PIVEAU_HUB_SEARCH_ES_CONFIG: '{}',
      PIVEAU_SHADOW_TRIPLESTORE_CONFIG: '{}',
      PIVEAU_LOG_LEVEL: '',
    })
    expect(piveau.warnings).toEqual([
      'PIVEAU_HUB_API_KEY is not read: set PLATFORM_HUB_API_KEYS',
      'PIVEAU_HUB_SEARCH_ES_CONFIG is not read: set PLATFORM_SEARCH_CONFIG',
      'PIVEAU_SHADOW_TRIPLESTORE_CONFIG is not read: nothing here has its effect',
      'PIVEAU_TRIPLESTORE_CONFIG is not read: set PLATFORM_TRIPLESTORE_CONFIG',
    ])
    const { warnings } = configOf({ PLATFORM_HUB_API_KEYS: '{"shortkey":["*"]}' })
    expect(warnings).toEqual([expect.stringMatching(/^API key [0-9a-f]{8} has fewer than 16/)])
  })
})

describe('a secret in a file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'secret-files-'))
  const file = join(directory, 'keys')
  writeFileSync(file, '{"key-of-a-steward-000001":["water"]}\n')

  it('is the value of its variable, without the line end', () => {
    const config = configOf({ PLATFORM_HUB_API_KEYS_FILE: file })
    expect(config.apiKeys).toEqual({ 'key-of-a-steward-000001': ['water'] })
    expect(config.warnings).toEqual([])
  })

  it.each([
    [{ PLATFORM_SECRETS_FILE: join(directory, 'none') }, 'none cannot be read (ENOENT)'],
    [{ PLATFORM_SECRETS_FILE: directory }, 'cannot be read (EISDIR)'],
    [{ PLATFORM_HUB_API_KEYS_FILE: file, PLATFORM_HUB_API_KEYS: '{}' }, 'is set, too'],
    [{ PLATFORM_SECRETS_FILE: file, PLATFORM_PORT: 'x' }, 'PLATFORM_SECRETS: '],
  ])('%o is told, without its content', (env, problem) => {
    const problems = problemsOf(env)
    expect(problems).toContain(problem)
    expect(problems).not.toContain('steward')
  })

  it('is for variables with secrets only', () => {
    const { warnings } = configOf({ PLATFORM_PORT_FILE: file })
    expect(warnings.join()).toContain('PLATFORM_PORT_FILE')
  })
})

describe('a problem', () => {
  it.each([
    ['PLATFORM_PORT', 'abc', 'must be a whole number 0..65535; got abc'],
    ['PLATFORM_PORT', '70000', 'must be a whole number 0..65535; got 70000'],
    ['PLATFORM_PORT', '-1', 'must be a whole number 0..65535; got -1'],
    ...[
      'https://platform:8080',
      'http://platform/?a',
      'http://platform/#a',
      'http://me@platform/',
      'platform',
    ].map((url): [string, string, string] => [
      'PLATFORM_SEGMENT_URL',
      url,
      `must be an address such as http://platform:8080, without query; got ${url}`,
    ]),
    ['PLATFORM_HOST', 'a b', 'must be a host name or an address; got a b'],
    ['PLATFORM_BASE_URI', 'data.example/', 'must be an absolute http(s) IRI that ends in /'],
    ['PLATFORM_BASE_URI', 'http://h/x', 'must be an absolute http(s) IRI that ends in /'],
    ['PLATFORM_BASE_URI', 'http://h/?x/', 'must be an absolute http(s) IRI that ends in /'],
    ['PLATFORM_BASE_URI', 'http://h/a b/', 'must be an absolute http(s) IRI that ends in /'],
    ['PLATFORM_PUBLIC_URL', 'https://h', 'must be an absolute http(s) address that ends in /'],
    ['PLATFORM_PUBLIC_URL', 'https://h/ü/', 'must be an absolute http(s) address that ends in /'],
    ['PLATFORM_PUBLIC_URL', 'http://u@h/', 'must be an absolute http(s) address that ends in /'],
    ['PLATFORM_LOG_LEVEL', 'loud', 'must be one of debug, info, warn, error, silent; got loud'],
    [
      'PLATFORM_IRI_SEGMENTS',
      '{"datasets":"d/"}',
      'is no kind of resource (did you mean dataset?)',
    ],
    ['PLATFORM_IRI_SEGMENTS', '{"dataset":"data"}', 'dataset must be a relative path that ends in'],
    ['PLATFORM_IRI_SEGMENTS', '{"dataset":"/data/"}', 'dataset must be a relative path that ends'],
    ['PLATFORM_IRI_SEGMENTS', '{"dataset":"../data/"}', 'dataset must be a relative path that'],
    [
      'PLATFORM_IRI_SEGMENTS',
      '{"dataset":".well-known/genid/"}',
      'dataset must be a relative path',
    ],
    [
      'PLATFORM_IRI_SEGMENTS',
      '{"dataset":"x/","record":"x/"}',
      'must not be the beginning of record',
    ],
    ['PLATFORM_IRI_SEGMENTS', '{"dataset":"id/"}', 'dataset ("id/") must not be the beginning of'],
    ['PLATFORM_LIMITS', '{', 'is not valid JSON'],
    ['PLATFORM_LIMITS', '[]', 'must be a JSON object of limit → whole number; got []'],
    ['PLATFORM_LIMITS', '{"bodyByte":1}', 'bodyByte is no limit (did you mean bodyBytes?)'],
    ['PLATFORM_LIMITS', '{"bodyBytes":"5"}', 'bodyBytes must be a whole number 1024..'],
    ['PLATFORM_LIMITS', '{"bodyBytes":1.5}', 'bodyBytes must be a whole number 1024..'],
    [
      'PLATFORM_SERVICES',
      'repos',
      'must be a comma-separated list of repo, search, sparql, harvest, scheduler, metrics, console, portal; got repos',
    ],
    ['PLATFORM_CORS_ORIGINS', 'https://a.example/', 'must be an origin'],
    ['PLATFORM_TRUSTED_PROXIES', '10.0.0.0/99', 'must be an address or a CIDR range'],
    ['PLATFORM_PROFILE', '{"type":"git"}', '(wrong at type); got {"type":"git"}'],
    [
      'PLATFORM_TRIPLESTORE_CONFIG',
      '{"dialect":"jena"}',
      'must be one of fuseki, virtuoso, sparql11',
    ],
    ['PLATFORM_TRIPLESTORE_CONFIG', '{"dialect":"fuseki"}', 'or address must be given'],
    [
      'PLATFORM_TRIPLESTORE_CONFIG',
      '{"dialect":"sparql11","address":"http://a/"}',
      'queryEndpoint must be given for this dialect',
    ],
    [
      'PLATFORM_TRIPLESTORE_CONFIG',
      '{"dialect":"fuseki","adress":"http://a/"}',
      'has a field that is not read (did you mean address?)',
    ],
    [
      'PLATFORM_TRIPLESTORE_CONFIG',
      '{"dialect":"fuseki","address":"http://me:canary@a/"}',
      'address must be an http(s) URL without credentials',
    ],
    [
      'PLATFORM_TRIPLESTORE_CONFIG',
      '{"dialect":"fuseki","address":"http://a/","username":"me"}',
      'username and password must be given together',
    ],
    ['PLATFORM_TRIPLESTORE_CONFIG', '"fuseki"', 'must be a JSON object such as'],
    [
      'PLATFORM_SEARCH_ENGINE_CONFIG',
      '{"engine":"solr"}',
      'engine must be meilisearch or opensearch',
    ],
    [
      'PLATFORM_SEARCH_ENGINE_CONFIG',
      '{"engine":"meilisearch"}',
      'url must be an http(s) URL without credentials',
    ],
    [
      'PLATFORM_SEARCH_ENGINE_CONFIG',
      '{"engine":"meilisearch","url":"http://a/","apikey":"secret"}',
      'has a field that is not read (did you mean apiKey?)',
    ],
    [
      'PLATFORM_SEARCH_ENGINE_CONFIG',
      '{"engine":"meilisearch","url":"http://a/","prefix":"a/b"}',
      'prefix must be 1 to 64 letters',
    ],
    ['PLATFORM_SEARCH_ENGINE_CONFIG', '"meilisearch"', 'must be a JSON object such as'],
    ['PLATFORM_EMBEDDER_CONFIG', '{"url":"ftp://a/","model":"m"}', 'url must be an http(s) URL'],
    ['PLATFORM_EMBEDDER_CONFIG', '{"url":"http://u:p@a/","model":"m"}', 'without credentials'],
    ['PLATFORM_EMBEDDER_CONFIG', '{"url":"http://a/"}', 'model must be text that is not empty'],
    [
      'PLATFORM_EMBEDDER_CONFIG',
      '{"url":"http://a/","model":"m","dimensions":100}',
      'dimensions must be a whole number 8..1024 that 8 divides',
    ],
    [
      'PLATFORM_EMBEDDER_CONFIG',
      '{"url":"http://a/","model":"m","weight":2}',
      'weight must be a number 0..1',
    ],
    [
      'PLATFORM_EMBEDDER_CONFIG',
      '{"url":"http://a/","model":"m","prefix":"query: "}',
      'has a field that is not read',
    ],
    ['PLATFORM_HUB_API_KEYS', '["*"]', 'must be a JSON object of API key → array of permissions'],
    ['PLATFORM_FEATURE_FLAGS', '{"platform_profile":true}', 'switches the profile on'],
  ])('of %s = %s says what would be right', (name, value, said) => {
    expect(problemsOf({ [name]: value })).toContain(said)
  })

  it('is one line of many: all are told together, each with its variable', () => {
    const message = problemsOf({
      PLATFORM_PORT: 'abc',
      PLATFORM_LIMITS: '{"cursors":0,"nonsense":1}',
      PLATFORM_FEATURE_FLAGS: '{"platform_profile":true}',
      PLATFORM_LOG_LEVEL: 'loud',
    })
    expect(message.split('\n')[0]).toBe('5 problems in the configuration:')
    expect(message.split('\n').slice(1)).toEqual([
      expect.stringContaining('  PLATFORM_PORT:'),
      expect.stringContaining('  PLATFORM_LIMITS: cursors'),
      expect.stringContaining('  PLATFORM_LIMITS: nonsense'),
      expect.stringContaining('  PLATFORM_LOG_LEVEL:'),
      expect.stringContaining('  PLATFORM_PROFILE:'),
    ])
  })

  it.each([
    '{"canary-secret":["no permission"]}',
    '{"canary-secret":"*"}',
    '{"canary-secret":',
    '{"canary secret":["*"]}',
    '"canary-secret"',
  ])('[T7] of the keys %s tells nothing of them', (value) => {
    const message = problemsOf({
      PLATFORM_HUB_API_KEYS: value,
      PLATFORM_TRIPLESTORE_CONFIG: '{"password":"canary-secret"}',
      PLATFORM_SEARCH_ENGINE_CONFIG: '{"apiKey":"canary secret"}',
      PLATFORM_EMBEDDER_CONFIG: '{"url":"http://a/","apiKey":"canary secret"}',
    })
    expect(message).toContain('PLATFORM_HUB_API_KEYS:')
    expect(message).not.toMatch(/canary/)
    expect(message).toContain('•••')
  })
})

describe('the triplestore', () => {
  const storeOf = (given: object) =>
    configOf({ PLATFORM_TRIPLESTORE_CONFIG: JSON.stringify(given) }).triplestore

  it('is the embedded one when none is configured', () => {
    expect(configOf({}).triplestore).toBeUndefined()
  })

  it.each([
    [{ dialect: 'fuseki', address: 'http://a/ds/' }, 'http://a/ds/query', 'http://a/ds/update'],
    [{ dialect: 'virtuoso', address: 'http://a' }, 'http://a/sparql', 'http://a/sparql'],
    [
      { dialect: 'virtuoso', address: 'http://a', username: 'me', password: 'secret' },
      'http://a/sparql-auth',
      'http://a/sparql-auth',
    ],
    [
      {
        dialect: 'sparql11',
        address: 'http://a',
        queryEndpoint: 'q',
        updateEndpoint: 'http://b/u',
      },
      'http://a/q',
      'http://b/u',
    ],
  ])('%j has its endpoints where that product has them', (given, query, update) => {
    expect(storeOf(given)).toMatchObject({ queryEndpoint: query, updateEndpoint: update })
  })

  it('keeps its credentials as they are', () => {
    const given = { dialect: 'fuseki', address: 'http://a/ds', username: 'ä b', password: ' x:"' }
    expect(storeOf(given)).toMatchObject({ username: 'ä b', password: ' x:"' })
  })
})

describe('the configuration page', () => {
  it('has the tables that the schema says now (npm run configuration writes them)', async () => {
    const written = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
    expect(written).toBe(await documentation())
  })

  it('has a row for every variable with its default', async () => {
    const page = await documentation()
    expect(page).toContain('| `PLATFORM_PORT` | `8080` |')
    expect(page).toContain('| `PLATFORM_BASE_URI` | `http://localhost:{port}/` |')
    expect(page).toContain('| `bodyBytes` | 50 MB |')
  })
})

describe('a reader', () => {
  const engines = {
    PLATFORM_TRIPLESTORE_CONFIG: '{"dialect":"fuseki","address":"http://store.example/ds"}',
    PLATFORM_SEARCH_ENGINE_CONFIG: '{"engine":"meilisearch","url":"http://engine.example"}',
  }

  it('has the addresses of the writer and of those that may take over', () => {
    const urls = 'http://writer:8080/, http://other:8080'
    expect(configOf({ ...engines, PLATFORM_WRITER_URL: urls }).writerUrls).toEqual([
      'http://writer:8080',
      'http://other:8080',
    ])
  })

  it('needs the servers of the writer, because an embedded engine has one process', () => {
    const message = problemsOf({ PLATFORM_WRITER_URL: 'http://writer:8080' })
    expect(message).toContain('PLATFORM_TRIPLESTORE_CONFIG: must be that of the writer')
    expect(message).toContain('PLATFORM_SEARCH_ENGINE_CONFIG: must be that of the writer')
  })

  it.each(['writer:8080', 'http://writer/path', 'ftp://writer'])('refuses %s', (url) => {
    const text = `http://first, ${url}`
    expect(problemsOf({ ...engines, PLATFORM_WRITER_URL: text })).toContain(
      'PLATFORM_WRITER_URL: must be ',
    )
  })
})
