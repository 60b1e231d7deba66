/** The objects for Kubernetes: of known keys, closed by default, made for one another and for the program. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseConfig } from '../../src/config/config.ts'
import { rootEndpoints } from '../../src/http/root.ts'
import { readPipeFolder } from '../../src/pipe/sources/pipe-files.ts'
import { verbs } from '../../src/program/verbs.ts'
import { gateway, temporaryDirectory } from '../support/gateway.ts'
import {
  folder,
  objectFiles,
  objects,
  objectsIn,
  ofKind,
  pods,
  settingsOf,
  strictly,
} from './kubernetes-objects.ts'
import { env, envFile, read, root } from './reading.ts'

type Kustomization = {
  readonly resources: readonly string[]
  readonly configMapGenerator: readonly {
    readonly name: string
    readonly envs: readonly string[]
  }[]
  readonly images: readonly { readonly name: string; readonly newTag: string }[]
}
const kustomization = parse(read(`${folder}/kustomization.yml`)) as Kustomization
const containers = pods().flatMap(({ name, template }) =>
  (template.spec?.containers ?? []).map((container) => ({ pod: name, container, template })),
)
const servers = containers.filter(({ container }) => container.ports !== undefined)
const byName = (one = '', other = '') => one.localeCompare(other)
const kubectl = 'kubectl'
const includes = (all: Record<string, string> = {}, some: Record<string, string> = {}) =>
  Object.entries(some).every(([key, value]) => all[key] === value)

describe('the objects', () => {
  it('have keys and types of Kubernetes only', () => {
    expect(objects.length).toBeGreaterThan(9)
    expect(strictly(objects)).toEqual([])
  })

  it.each([
    ['a misspelt key', 'periodSeconds: 2', 'periodSecond: 2'],
    ['a text for a number', 'replicas: 1', "replicas: 'one'"],
    ['a key at the wrong place', 'restartPolicy: Never', 'restart: Never'],
    ['another version', 'apiVersion: apps/v1', 'apiVersion: apps/v2'],
  ])('are refused with %s', (_, right, wrong) => {
    const file = objectFiles.find((name) => read(`${folder}/${name}`).includes(right)) ?? ''
    const text = read(`${folder}/${file}`)
    const complaints = strictly(objectsIn(text.replace(right, wrong)))
    expect(complaints).toHaveLength(1)
    expect(complaints[0]).toMatch(/error TS2(?:322|353|561|741|739|820)/)
  })

  it('are all in the kustomization', () => {
    expect(kustomization.resources.toSorted()).toEqual(objectFiles.toSorted())
  })

  it.skipIf(spawnSync('which', [kubectl]).status !== 0)('are built by kubectl', () => {
    const { stdout, stderr } = spawnSync(kubectl, ['kustomize', join(root, folder)], {
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    // The settings are added as a ConfigMap.
    const built = objectsIn(stdout)
    expect(built).toHaveLength(objects.length + kustomization.configMapGenerator.length)
    const { version } = JSON.parse(read('package.json')) as { version: string }
    expect(stdout.match(/image: .*/g)).toEqual(containers.map(() => `image: cartulary:${version}`))
    expect(kustomization.images).toMatchObject([{ newTag: version }])
  })
})

describe.each(containers)('the container of $pod', ({ container, template }) => {
  it('runs without root, without rights, on a file system that it cannot write, and knows nothing of the cluster', () => {
    const { spec } = template
    expect(spec?.automountServiceAccountToken).toBe(false)
    expect(spec?.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      fsGroup: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(container.resources?.limits).toHaveProperty('memory')
    expect(container.resources?.requests).toHaveProperty('memory')
  })

  it('mounts volumes that are there, each of them', () => {
    const claimed = ofKind('StatefulSet').flatMap(({ metadata, spec }) =>
      metadata?.name === template.metadata?.labels?.['role']
        ? (spec?.volumeClaimTemplates ?? [])
        : [],
    )
    const volumes = template.spec?.volumes ?? []
    const names = [...volumes, ...claimed.flatMap(({ metadata }) => metadata ?? [])].map(
      ({ name }) => name,
    )
    expect((container.volumeMounts ?? []).map(({ name }) => name).toSorted(byName)).toEqual(
      [...names].toSorted(byName),
    )
    const claims = ofKind('PersistentVolumeClaim').map(({ metadata }) => metadata?.name)
    const wanted = volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? [])
    expect(wanted.filter((claim) => !claims.includes(claim))).toEqual([])
  })

  it('starts the image of the Dockerfile, with verbs that the program has', () => {
    expect(container.image).toBe('cartulary')
    const [, verb] = /bin\/cartulary\.js (\w+)/.exec((container.args ?? []).join(' ')) ?? []
    expect([undefined, ...verbs.map(({ name }) => name)]).toContain(verb)
  })
})

describe.each(servers)('the server of $pod', ({ container, template }) => {
  const given = {
    ...env('Dockerfile'),
    ...settingsOf('platform.env'),
    ...Object.fromEntries((container.env ?? []).map(({ name, value = '' }) => [name, value])),
  }

  it('is probed at paths that the program answers, on ports that it listens on', () => {
    const paths = rootEndpoints.map(({ route }) => route.path)
    const ports = new Map(container.ports?.map(({ name, containerPort }) => [name, containerPort]))
    expect(ports.get('http')).toBe(Number(given['PLATFORM_PORT']))
    expect(ports.get('admin')).toBe(Number(given['PLATFORM_ADMIN_PORT']))
    expect(template.metadata?.annotations?.['prometheus.io/port']).toBe(
      given['PLATFORM_ADMIN_PORT'],
    )
    const { startupProbe: start, livenessProbe: live, readinessProbe: ready } = container
    const asked = [start, live, ready].map((probe) => probe?.httpGet)
    expect(asked.map((get) => get?.path)).toEqual(['/health/live', '/health/live', '/health/ready'])
    for (const get of asked) {
      expect(paths).toContain(get?.path)
      expect(get?.port).toBe('admin')
    }
  })

  it('gets settings that the program takes without a complaint, secrets as files', async () => {
    const directory = await temporaryDirectory()
    const mount = container.volumeMounts?.find(({ name }) => name === 'secrets')?.mountPath ?? '/'
    const secrets: Readonly<Record<string, string>> = {
      'api-keys': `{"${'k'.repeat(32)}":["*"]}`,
      triplestore: '{"dialect":"fuseki","address":"http://fuseki:3030/ds"}',
      'search-engine': '{"engine":"meilisearch","url":"http://meilisearch:7700"}',
    }
    const files = Object.entries(given).filter(([name]) => name.endsWith('_FILE'))
    expect(files.map(([, path]) => path)).toEqual(
      Object.keys(secrets).map((name) => join(mount, name)),
    )
    for (const [name, path] of files) {
      given[name] = join(directory, basename(path))
      writeFileSync(given[name], secrets[basename(path)] ?? '')
    }
    expect(parseConfig(given)).toMatchObject({ ok: true, config: { warnings: [], ignored: [] } })
  })

  it('stops within the time that it is given', () => {
    const seconds = template.spec?.terminationGracePeriodSeconds ?? 0
    const wait = container.lifecycle?.preStop?.sleep?.seconds ?? 0
    const parsed = parseConfig({ ...env('Dockerfile') })
    if (!parsed.ok) throw new Error(parsed.message)
    expect(seconds).toBeGreaterThan(wait + parsed.config.limits.drainMs / 1000)
  })
})

describe('the network', () => {
  it('leads from the ingress to the readers, and from them to the one writer', () => {
    const service = (name = '') => ofKind('Service').find(({ metadata }) => metadata?.name === name)
    const selected = (labels?: Record<string, string>) =>
      servers
        .filter(({ template }) => includes(template.metadata?.labels, labels))
        .map(({ pod }) => pod)
    const backends = ofKind('Ingress').flatMap(({ spec }) =>
      (spec?.rules ?? []).flatMap(({ http }) =>
        (http?.paths ?? []).map(({ backend }) => backend.service),
      ),
    )
    expect(backends.map((one) => one?.name)).toEqual(['reader'])
    const readers = service('reader')?.spec
    expect(selected(readers?.selector)).toEqual(['reader'])
    // Cursors of searches belong to one process.
    expect(readers?.sessionAffinity).toBe('ClientIP')
    const address = servers
      .flatMap(({ container }) => container.env ?? [])
      .find(({ name }) => name === 'PLATFORM_WRITER_URL')
    const { hostname, port } = new URL(address?.value ?? '')
    const writer = service(hostname)?.spec
    expect(selected(writer?.selector)).toEqual(['writer'])
    expect(writer?.ports).toEqual([{ name: 'http', port: Number(port), targetPort: 'http' }])
    expect(ofKind('StatefulSet').map(({ spec }) => [spec?.replicas, spec?.serviceName])).toEqual([
      [1, hostname],
    ])
  })

  it('closes every server but for its own ports, and keeps a reader through a maintenance', () => {
    const ports = new Set(
      servers.flatMap(({ container }) => (container.ports ?? []).map(({ name }) => name)),
    )
    const policies = ofKind('NetworkPolicy')
    for (const { template } of servers) {
      const own = policies.filter(({ spec }) =>
        includes(template.metadata?.labels, spec?.podSelector?.matchLabels),
      )
      expect(own).toHaveLength(1)
      for (const rule of own[0]?.spec?.ingress ?? []) {
        expect(rule.from).not.toEqual([])
        for (const { port } of rule.ports ?? []) expect(ports).toContain(port)
      }
    }
    const [budget] = ofKind('PodDisruptionBudget')
    const [readers] = ofKind('Deployment')
    expect(budget?.spec?.selector).toEqual(readers?.spec?.selector)
    expect(Number(budget?.spec?.minAvailable)).toBeLessThan(readers?.spec?.replicas ?? 0)
  })

  it('gives the data directory to one pod at a time', () => {
    const claims = ofKind('StatefulSet').flatMap(({ spec }) => spec?.volumeClaimTemplates ?? [])
    expect(claims.map(({ spec }) => spec?.accessModes)).toEqual([['ReadWriteOncePod']])
  })
})

it('the weekly job fails without a backup, and verifies the newest one of those that the writer made', async () => {
  const directory = await temporaryDirectory()
  const [data, backups] = [join(directory, 'data'), join(directory, 'backups')]
  await (await gateway(data, {})).stop()
  mkdirSync(backups)
  const run = (file: string, words: readonly string[]) =>
    spawnSync(file, words, { cwd: root, encoding: 'utf8', timeout: 60_000 })
  const { container } = containers.find(({ pod }) => pod === 'verify-backup') ?? {}
  const [shell = '', ...options] = container?.command ?? []
  const script = (container?.args ?? []).map((words) =>
    words.replaceAll('/backups/', `${backups}/`),
  )
  const verify = () => run(shell, [...options, ...script])
  expect(verify().status).not.toBe(0)
  for (const name of ['2026-11-29T030000Z.tar.zst', '2026-11-30T030000Z.tar.zst']) {
    const words = ['bin/cartulary.js', 'backup', join(backups, name), '--data', data]
    expect(run(process.execPath, words)).toMatchObject({ status: 0 })
  }
  expect(verify().status).toBe(0)
  // The older one is not looked at.
  writeFileSync(join(backups, '2026-11-29T030000Z.tar.zst'), 'damaged')
  expect(verify().status).toBe(0)
  writeFileSync(join(backups, '2026-11-30T030000Z.tar.zst'), 'damaged')
  expect(verify().status).not.toBe(0)
}, 120_000)

it('pipes of a ConfigMap are read once each, though the kubelet mounts them by links into a hidden folder', async () => {
  const directory = await temporaryDirectory()
  const hidden = '..2026_11_30_06_00_00.1'
  mkdirSync(join(directory, hidden))
  writeFileSync(join(directory, hidden, 'metrics.json'), read('pipes/metrics.json'))
  symlinkSync(hidden, join(directory, '..data'))
  symlinkSync('..data/metrics.json', join(directory, 'metrics.json'))
  const given = {
    source: 'resources:/pipes',
    directory,
    trust: 'trusted',
    isRecursive: true,
  } as const
  const { pipes, invalid } = await readPipeFolder({ ...given, check: () => [] })
  expect(pipes.map(({ file }) => file)).toEqual(['metrics.json'])
  expect(invalid).toEqual([])
})

it('the example of the settings is one of variables that exist', () => {
  expect(Object.keys(envFile(`${folder}/platform.env`)).length).toBeGreaterThan(5)
})
