/** The Compose files: valid, closed by default, and made of settings and files that exist. */

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseConfig } from '../../src/config/config.ts'
import { composeFile } from './compose-schema.ts'
import { all, composed, env, envFile, read, root } from './reading.ts'

const example = envFile('compose/example.env')
const filled = { ...example, FUSEKI_PASSWORD: 'f'.repeat(48), VIRTUOSO_PASSWORD: 'a'.repeat(20) }
/** Variables that the gateway reads from `compose/.env`. */
const platformOf = (variables: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith('PLATFORM_')))
const healthPath = { fuseki: '/$/ping', virtuoso: '/sparql?query=ASK%7B%7D' } as const
const dockerfile = (context: string) => join('compose', context, 'Dockerfile')

describe.each(['fuseki', 'virtuoso'] as const)('compose/%s.yml', (store) => {
  const path = `compose/${store}.yml`
  const file = composeFile.parse(composed(path, filled))
  const services = Object.entries(file.services)
  const { gateway } = file.services

  it('starts a gateway, its store, and Meilisearch only when it is asked for', () => {
    expect(Object.keys(file.services)).toEqual(['gateway', store, 'meilisearch'])
    const asked = services.filter(([, { profiles }]) => profiles !== undefined)
    expect(asked.map(([name]) => name)).toEqual(['meilisearch'])
  })

  it.each(services)(
    '%s is closed: loopback, no root, nothing to write but its volume',
    (_, one) => {
      expect(one.ports.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port))).toEqual([])
      expect(one.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
      expect(one.read_only).toBe(true)
      expect(one.cap_drop).toEqual(['ALL'])
      expect(one.security_opt).toEqual(['no-new-privileges:true'])
      expect(one.restart).toBe('unless-stopped')
    },
  )

  it.each(services)('%s is built from files that are there, under a version', (_, one) => {
    expect(one.image).toMatch(/:\d+\.\d+\.\d+$/)
    expect(existsSync(join(root, dockerfile(one.build.context)))).toBe(true)
    const [volume = '', target = ''] = (one.volumes[0] ?? '').split(':')
    expect(Object.keys(file.volumes)).toContain(volume)
    expect(all(dockerfile(one.build.context), 'VOLUME')).toEqual([target])
    expect(all(dockerfile(one.build.context), 'USER').at(-1)).toBe(one.user)
  })

  it.each(services)('%s says how it is, on a port that it listens on', (_, one) => {
    const inside = one.ports[0]?.split(':').at(-1)
    const image = dockerfile(one.build.context)
    const check = one.healthcheck?.test.join(' ') ?? all(image, 'HEALTHCHECK').join()
    const filledIn = check.replace(
      '${process.env.PLATFORM_PORT}',
      env(image)['PLATFORM_PORT'] ?? '',
    )
    expect(filledIn).toMatch(new RegExp(`127\\.0\\.0\\.1[:/]${inside}\\b`))
  })

  it('configures the gateway so that it starts without a complaint', () => {
    const given = { ...env('Dockerfile'), ...platformOf(filled), ...gateway?.environment }
    const parsed = parseConfig(given)
    expect(parsed).toMatchObject({ ok: true, config: { warnings: [], ignored: [] } })
  })

  it('hands the gateway the Meilisearch that is named in the settings', () => {
    const place = `http://meilisearch:${file.services['meilisearch']?.ports[0]?.split(':').at(-1)}`
    const apiKey = 'm'.repeat(16)
    const PLATFORM_SEARCH_ENGINE_CONFIG = JSON.stringify({
      engine: 'meilisearch',
      url: place,
      apiKey,
    })
    const asked = composeFile.parse(composed(path, { ...filled, PLATFORM_SEARCH_ENGINE_CONFIG }))
    expect(
      parseConfig({
        ...env('Dockerfile'),
        ...platformOf({ PLATFORM_SEARCH_ENGINE_CONFIG }),
        ...asked.services['gateway']?.environment,
      }),
    ).toMatchObject({ ok: true, config: { searchEngine: { url: place, apiKey } } })
  })

  it('takes the Meilisearch that the suites try', () => {
    const [release] =
      /meilisearch-(\d+\.\d+\.\d+)/.exec(read('test/support/engines/meilisearch.ts')) ?? []
    expect(file.services['meilisearch']?.image).toBe(`cartulary-${release?.replace('-', ':')}`)
    expect(all('compose/meilisearch/Dockerfile', 'FROM')).toEqual([
      `getmeili/${release?.replace('-', ':v')}`,
    ])
  })

  it('asks the health of the store where the store tells it', () => {
    const check = file.services[store]?.healthcheck?.test.join(' ')
    expect(check).toContain(`GET ${healthPath[store]} HTTP/1.0`)
  })

  it('stops with a message when a password is missing', () => {
    expect(() => composed(path, example)).toThrow(/_PASSWORD: set it in compose\/.env/)
  })

  it('takes only variables that the example names', () => {
    const used = [...read(path).matchAll(/\$\{(\w+)/g)].map((match) => match[1] ?? '')
    expect(used.filter((name) => !(name in example))).toEqual([])
    expect(Object.keys(parse(read(path)) as object)).toContain('services')
  })
})

describe('the example of the settings', () => {
  it('holds no secret', () => {
    const secrets = Object.entries(example).filter(([name]) => /PASSWORD|KEY/.test(name))
    expect(secrets.length).toBeGreaterThan(3)
    expect(secrets.filter(([, value]) => value !== '')).toEqual([])
  })

  it('is never committed with secrets: the real file is ignored', () => {
    expect(read('.gitignore').split('\n')).toContain('/compose/.env')
  })

  it('names only variables of the platform that exist', () => {
    const platform = Object.fromEntries(
      Object.entries(example).filter(([name]) => name.startsWith('PLATFORM_')),
    )
    expect(parseConfig(platform)).toMatchObject({ ok: true, config: { warnings: [] } })
  })
})

describe('the settings of Virtuoso', () => {
  it('share no query among threads, which would go on for ever behind its time limit', () => {
    expect(read('compose/virtuoso/virtuoso.ini')).toMatch(/^ThreadsPerQuery\s*=\s*1$/m)
  })
})

describe('the first start of Virtuoso', () => {
  it('refuses a password that Virtuoso would cut without a word', () => {
    const env = {
      VIRTUOSO_DIR: tmpdir(),
      VIRTUOSO_INI: '/nowhere',
      VIRTUOSO_PASSWORD: 'a'.repeat(21),
    }
    const { status, stderr } = spawnSync('sh', [join(root, 'compose/virtuoso/start.sh')], { env })
    expect([status, stderr.toString()]).toEqual([1, expect.stringContaining('20 characters')])
  })
})

describe('compose/embedded.yml', () => {
  const { services } = composeFile.parse(composed('compose/embedded.yml', example))

  it('starts the platform alone, closed as beside a store, with pipes and backups of the host', () => {
    expect(Object.keys(services)).toEqual(['gateway'])
    const { gateway } = services
    const beside = composeFile.parse(composed('compose/fuseki.yml', filled)).services['gateway']
    const { environment: _, ...rest } = beside ?? {}
    expect(gateway).toMatchObject(rest)
    expect(gateway?.volumes).toEqual([
      'gateway:/data',
      './backups:/backups',
      '../pipes:/app/pipes:ro',
    ])
    expect(existsSync(join(root, 'pipes/metrics.json'))).toBe(true)
  })
})
