/** Writer and reader as `deploy/kubernetes` starts them: its settings, with secrets as files, on a triplestore and a Meilisearch. */

import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { pods, settingsOf } from '../deployment/kubernetes-objects.ts'
import { read } from '../deployment/reading.ts'
import { expressionsOf, namesIn } from '../deployment/watching.ts'
import { freePort, type Engine } from '../support/engines/engine.ts'
import { ownMeilisearch, type SearchServer } from '../support/engines/meilisearch.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'
import { fresh, isMissing, settingsFor } from './stores.ts'

const key = 'a-key-of-the-kubernetes-suite-12345'
type Pod = Gateway & { readonly admin: string }

describe.skipIf(isMissing('fuseki') || 'missing' in inject('meilisearch'))('the pods', () => {
  let [directory, store, engine] = ['', {} as Engine, {} as SearchServer]
  let [writer, reader] = [{} as Pod, {} as Pod]

  /** A pod with the settings of its file; places are those of the test. */
  async function started(name: string, places: Record<string, string>): Promise<Pod> {
    const { template } = pods().find((pod) => pod.name === name) ?? {}
    const variables = template?.spec?.containers[0]?.env ?? []
    const own = Object.fromEntries(variables.map(({ name, value = '' }) => [name, value]))
    const [port, admin] = [await freePort(), await freePort()]
    const given: Record<string, string> = { ...settingsOf('platform.env'), ...own }
    for (const [variable, value] of Object.entries(given)) {
      if (variable.endsWith('_FILE')) given[variable] = join(directory, basename(value))
      given[variable] = Object.entries(places).reduce(
        (text, [from, to]) => text.replaceAll(from, to),
        given[variable] ?? '',
      )
    }
    const listening = { PLATFORM_PORT: String(port), PLATFORM_ADMIN_PORT: String(admin) }
    const pod = await gateway(join(directory, name), { ...given, ...listening })
    return { ...pod, admin: `http://127.0.0.1:${admin}` }
  }

  beforeAll(async () => {
    directory = await temporaryDirectory()
    store = await fresh('fuseki')
    engine = await ownMeilisearch()
    const { PLATFORM_TRIPLESTORE_CONFIG: triplestore = '' } = settingsFor(store.config)
    const prefix = `k${randomUUID().slice(0, 8)}_`
    const search = { engine: 'meilisearch', url: engine.url, apiKey: engine.key, prefix }
    writeFileSync(join(directory, 'api-keys'), JSON.stringify({ [key]: ['*'] }))
    writeFileSync(join(directory, 'triplestore'), triplestore)
    writeFileSync(join(directory, 'search-engine'), JSON.stringify(search))
    const [pipes, backups] = [join(directory, 'pipes'), join(directory, 'backups')]
    mkdirSync(pipes)
    mkdirSync(backups)
    const pipe = read('pipes/metrics.json').replaceAll('"metrics"', '"own-metrics"')
    writeFileSync(join(pipes, 'own.json'), pipe)
    const trusted = { '10.0.0.0/8': '127.0.0.1' }
    writer = await started('writer', { ...trusted, '"/pipes"': `"${pipes}"`, '/backups': backups })
    reader = await started('reader', { ...trusted, 'http://writer:8080': writer.url })
  }, 120_000)
  afterAll(async () => {
    for (const one of [reader, writer, engine, store]) await one.stop()
    await remove(directory)
  })

  it('are ready for their probes, and show numbers to monitors alone', async () => {
    for (const { url, admin } of [writer, reader]) {
      const isReady = async () => (await fetch(`${admin}/health/ready`)).status === 200
      expect(await eventually(isReady, 60_000)).toBe(true)
      expect((await fetch(`${admin}/health/live`)).status).toBe(200)
      for (const path of ['/metrics', '/health/ready'])
        expect((await fetch(url + path)).status).toBe(404)
    }
  })

  it('find at the reader what was written through it, at the address of the ingress', async () => {
    const api = client({ url: reader.url, key })
    const catalogue = `${prefixes}<> a dcat:Catalog ; dct:title "Rivers"@en .`
    const made = await api.put('/catalogues/rivers', catalogue)
    expect(made.status).toBe(201)
    expect(made.headers.get('Location')).toMatch(/^https:\/\/data\.example\.org\//)
    const found = async () =>
      (await fetch(`${api.search}/search?q=rivers&filters=catalogue`)).text()
    expect(await eventually(async () => (await found()).includes('Rivers'), 60_000)).toBe(true)
  })

  it('show every number of the rules together, one leader, and a writer that answers', async () => {
    const texts = await Promise.all(
      [writer, reader].map(async ({ admin }) => (await fetch(`${admin}/metrics`)).text()),
    )
    const names = [...expressionsOf('rules'), ...expressionsOf('dashboard')].flatMap(namesIn)
    expect(names.filter((name) => !texts.join('').includes(`# TYPE ${name} `))).toEqual([])
    const leaders = texts.flatMap((text) => text.match(/^cartulary_leader\{.*\} \d$/gm) ?? [])
    expect(leaders.filter((line) => line.endsWith('1'))).toHaveLength(1)
    expect(texts[1]).toContain('cartulary_neighbour_up{neighbour="writer"} 1')
  })

  it('read pipes of the ConfigMap beside those of the image', async () => {
    const answer = await fetch(`${reader.url}/api/scheduler/pipes`, {
      headers: { 'X-API-Key': key },
    })
    expect(answer.status).toBe(200)
    const text = await answer.text()
    for (const name of ['metrics', 'own-metrics']) expect(text).toContain(`"${name}"`)
  })
})
