/** The Compose files: valid, closed by default, and made of settings and files that exist. */

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseConfig } from '../../src/config/config.ts'
import { addedFile, composeFile, nodesFile } from './compose-schema.ts'
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

  it('starts a gateway, its store, and readers and Meilisearch only when it is asked for', () => {
    expect(Object.keys(file.services)).toEqual(['gateway', 'reader', store, 'meilisearch'])
    const asked = services.filter(([, { profiles }]) => profiles !== undefined)
    expect(asked.map(([name, { profiles }]) => [name, profiles])).toEqual([
      ['reader', ['readers']],
      ['meilisearch', ['meilisearch']],
    ])
  })

  it.each(services)(
    '%s is closed: loopback, no root, nothing to write but its volume',
    (_, one) => {
      expect(one.ports.filter((port) => !/^127\.0\.0\.1:\d+(?:-\d+)?:\d+$/.test(port))).toEqual([])
      expect(one.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
      expect(one.read_only).toBe(true)
      expect(one.cap_drop).toEqual(['ALL'])
      expect(one.security_opt).toEqual(['no-new-privileges:true'])
      expect(one.restart).toBe('unless-stopped')
    },
  )

  it.each(services)('%s is built from files that are there, under a version', (_, one) => {
    expect(one.image).toMatch(/:\d+\.\d+\.\d+$/)
    const image = dockerfile(one.build?.context ?? '')
    expect(existsSync(join(root, image))).toBe(true)
    const [volume = '', target = ''] = (one.volumes?.[0] ?? one.tmpfs[1] ?? '').split(':')
    const [known, place] = one.volumes ? [Object.keys(file.volumes), target] : [['/data'], volume]
    expect(known).toContain(volume)
    expect(all(image, 'VOLUME')).toEqual([place])
    expect(all(image, 'USER').at(-1)).toBe(one.user)
  })

  it.each(services)('%s says how it is, on a port that it listens on', (_, one) => {
    const inside = one.ports[0]?.split(':').at(-1)
    const image = dockerfile(one.build?.context ?? '')
    const check = one.healthcheck?.test.join(' ') ?? all(image, 'HEALTHCHECK').join()
    const filledIn = check.replace(
      '${process.env.PLATFORM_ADMIN_PORT || process.env.PLATFORM_PORT}',
      env(image)['PLATFORM_PORT'] ?? '',
    )
    expect(filledIn).toMatch(new RegExp(`127\\.0\\.0\\.1[:/]${inside}\\b`))
  })

  it('configures the gateway so that it starts without a complaint', () => {
    const given = { ...env('Dockerfile'), ...platformOf(filled), ...gateway?.environment }
    const parsed = parseConfig(given)
    expect(parsed).toMatchObject({ ok: true, config: { warnings: [], ignored: [] } })
  })

  it('starts as many readers as are asked for, of the same program beside the same engines, without data of their own', () => {
    const { reader } = file.services
    const { environment: engines, volumes: _, ports: __, ...program } = gateway ?? {}
    const { environment, tmpfs, profiles: ___, deploy, ports, ...rest } = reader ?? {}
    expect({ ...rest, tmpfs: ['/tmp'] }).toEqual(program)
    const { PLATFORM_WRITER_URL: writer, ...shared } = environment ?? {}
    expect(shared).toEqual({ ...engines, PLATFORM_BACKUP_CONFIG: '' })
    expect(writer).toBe(`http://gateway:${env('Dockerfile')['PLATFORM_PORT']}`)
    expect(tmpfs).toContain('/data:uid=1000,gid=1000,mode=0700')
    expect(deploy).toEqual({ replicas: 2 })
    const [, first, last] = /:(\d+)-(\d+):/.exec(ports?.[0] ?? '') ?? []
    expect(Number(last) - Number(first)).toBeGreaterThan(deploy?.replicas ?? Infinity)
  })

  it.each([
    ['gateway', []],
    ['reader', ['http://gateway:8080']],
  ])('hands the %s the Meilisearch that is named in the settings', (name, writerUrls) => {
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
        ...asked.services[name]?.environment,
      }),
    ).toMatchObject({
      ok: true,
      config: { searchEngine: { url: place, apiKey }, writerUrls, backup: undefined, warnings: [] },
    })
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

describe('compose/watch.yml', () => {
  const values = { ...example, GRAFANA_PASSWORD: 'g'.repeat(20) }
  const { services, volumes } = addedFile.parse(composed('compose/watch.yml', values))
  const beside = ['embedded', 'fuseki', 'virtuoso'].map((name) =>
    composeFile.parse(composed(`compose/${name}.yml`, filled)),
  )

  it('adds Prometheus, Alertmanager and Grafana to each other file, and takes none of its names and ports', () => {
    expect(Object.keys(services)).toEqual(['prometheus', 'alertmanager', 'grafana'])
    const portsOf = (file: Pick<(typeof beside)[number], 'services'>) =>
      Object.values(file.services).flatMap(({ ports }) => ports.map((port) => port.split(':')[1]))
    for (const file of beside) {
      const names = [...Object.keys(file.services), ...Object.keys(file.volumes)]
      expect(names.filter((name) => name in services || name in volumes)).toEqual([])
      expect(portsOf({ services }).filter((port) => portsOf(file).includes(port))).toEqual([])
    }
  })

  it.each(Object.entries(services))(
    '%s is closed, pinned, and gets files that are there',
    (_, one) => {
      expect(one.ports.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port))).toEqual([])
      expect(one.user).toMatch(/^[1-9]\d*:\d+$/)
      expect([one.read_only, one.cap_drop]).toEqual([true, ['ALL']])
      expect(one.image).toMatch(/:v?\d+\.\d+\.\d+$/)
      const [kept = '', ...files] = one.volumes ?? []
      expect(Object.keys(volumes)).toContain(kept.split(':')[0])
      for (const file of files) {
        expect(file.endsWith(':ro')).toBe(true)
        expect(existsSync(join(root, 'compose', file.split(':')[0] ?? ''))).toBe(true)
      }
    },
  )

  it('shows the dashboard that is there, over the Prometheus that is there', () => {
    const target = (service: string, file: string) =>
      services[service]?.volumes?.find((volume) => volume.includes(file))?.split(':')[1]
    const { providers } = parse(read('compose/watch/grafana/dashboards.yml')) as {
      providers: readonly { readonly options: { readonly path: string } }[]
    }
    expect(target('grafana', './watch/dashboard.json')).toBe(
      `${providers[0]?.options.path}/cartulary.json`,
    )
    const { datasources } = parse(read('compose/watch/grafana/datasources.yml')) as {
      datasources: readonly { readonly type: string; readonly url: string }[]
    }
    expect(datasources).toMatchObject([{ type: 'prometheus', url: 'http://prometheus:9090' }])
    const settings = ['prometheus.yml', 'cartulary.rules.yml'].map((name) =>
      target('prometheus', name),
    )
    expect(services['prometheus']?.command?.[0]).toBe(`--config.file=${settings[0]}`)
    const { rule_files: rules } = parse(read('compose/watch/prometheus.yml')) as {
      rule_files: unknown
    }
    expect(rules).toEqual(settings.slice(1))
  })

  it('stops with a message when the password is missing, and takes only variables of the example', () => {
    expect(() => composed('compose/watch.yml', example)).toThrow('GRAFANA_PASSWORD: set it in')
    const used = [...read('compose/watch.yml').matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name)
    expect(used.filter((name) => !(name in example))).toEqual([])
  })
})

describe('compose/opensearch.yml', () => {
  const { services, volumes } = nodesFile.parse(composed('compose/opensearch.yml', example))
  const names = Object.keys(services)
  const [line = ''] =
    read('compose/example.env').match(
      /(?<=PLATFORM_SEARCH_ENGINE_CONFIG=')\{"engine":"opensearch".*(?=')/,
    ) ?? []

  it('adds three nodes to each other file, and takes none of its names', () => {
    expect(names).toEqual(['opensearch1', 'opensearch2', 'opensearch3'])
    for (const name of ['embedded', 'fuseki', 'virtuoso', 'watch']) {
      const file = parse(read(`compose/${name}.yml`)) as Record<'services' | 'volumes', object>
      const taken = [...Object.keys(file.services), ...Object.keys(file.volumes)]
      expect([...names, ...Object.keys(volumes)].filter((own) => taken.includes(own))).toEqual([])
    }
  })

  it.each(Object.entries(services))(
    '%s is closed, with a volume of its own, and knows the others',
    (name, one) => {
      expect(one.user).toMatch(/^[1-9]\d*:\d+$/)
      expect([one.cap_drop, one.security_opt]).toEqual([['ALL'], ['no-new-privileges:true']])
      expect(one.volumes).toEqual([`${name}:/usr/share/opensearch/data`])
      expect(Object.keys(volumes)).toContain(name)
      expect(one.environment).toMatchObject({
        'node.name': name,
        'discovery.seed_hosts': names.join(),
        'cluster.initial_cluster_manager_nodes': names.join(),
      })
      const [, heap] = /-Xmx(\d)g$/.exec(one.environment?.['OPENSEARCH_JAVA_OPTS'] ?? '') ?? []
      expect(one.mem_limit).toBe(`${2 * Number(heap)}g`)
    },
  )

  it('takes the OpenSearch that the suites try', () => {
    const [, release] =
      /version = '([\d.]+)'/.exec(read('test/support/engines/opensearch.ts')) ?? []
    const image = `opensearchproject/opensearch:${release}`
    expect(new Set(Object.values(services).map((one) => one.image))).toEqual(new Set([image]))
  })

  it('is reached by the addresses of the example', () => {
    const port = /127\.0\.0\.1:(\d+)/.exec(
      Object.values(services)[0]?.healthcheck?.test.join() ?? '',
    )?.[1]
    const urls = names.map((name) => `http://${name}:${port}`)
    expect(
      parseConfig({ ...env('Dockerfile'), PLATFORM_SEARCH_ENGINE_CONFIG: line }),
    ).toMatchObject({
      ok: true,
      config: { searchEngine: { engine: 'opensearch', urls, replicas: 1 }, warnings: [] },
    })
  })
})
