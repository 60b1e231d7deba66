/** A catalogue is harvested: it comes, it stays as it is, it changes, and what goes can come back. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { city, pipeInto, type City } from './harvesting/city.ts'
import { scheduler } from './harvesting/scheduler.ts'

describe('harvesting a city of 60 datasets', () => {
  let directory: string
  let source: City
  let platform: Gateway
  const start = async () => {
    const pipes = await pipeInto(directory, source.address)
    platform = await gateway(directory, {
      PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
      // A harvest knocks inside, whatever the public address is.
      PLATFORM_BASE_URI: 'https://data.city.example/open/',
    })
  }
  const counts = async () => {
    const { status, outcome, counts: found, problem } = await scheduler(platform).harvested('city')
    return { status, outcome, problem, ...found }
  }
  const ids = async () => {
    const api = client(platform)
    return api.json<string[]>(
      `${api.repo}/catalogues/city/datasets?valueType=originalIds&limit=1000`,
    )
  }
  beforeAll(async () => {
    directory = await temporaryDirectory()
    source = await city(60)
    await start()
    await client(platform).put(
      '/catalogues/city',
      '<urn:x> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "City"@en .',
    )
  })
  afterAll(async () => {
    await platform.stop()
    await source.end()
    await remove(directory)
  })

  it('brings every dataset, and search finds them', async () => {
    expect(await counts()).toMatchObject({
      status: 'finished',
      outcome: 'complete',
      offered: 60,
      created: 60,
      failed: 0,
    })
    const api = client(platform)
    const found = () =>
      api.json<{ result: { count: number } }>(`${api.search}/search?q=thing&filters=dataset`)
    expect(await eventually(async () => (await found()).result.count === 60)).toBe(true)
  })

  it('writes nothing when nothing changed', async () => {
    expect(await counts()).toMatchObject({
      status: 'finished',
      created: 0,
      updated: 0,
      removed: 0,
      failed: 0,
    })
  })

  it('says in a dry run what would change about each record and nothing else, and writes nothing', async () => {
    source.datasets.set(1, 2)
    const { base, headers, settled } = scheduler(platform)
    const body = JSON.stringify({ dryRun: true })
    const launched = await fetch(`${base}/pipes/city/runs`, { method: 'POST', headers, body })
    const { id } = (await launched.json()) as { readonly id: string }
    expect(await settled(id)).toMatchObject({ outcome: 'dry-run', counts: { updated: 1 } })
    const items: unknown = await (await fetch(`${base}/runs/${id}/items`, { headers })).json()
    const title = (revision: number) =>
      `<http://purl.org/dc/terms/title> "Dataset 1, revision ${revision}"@en`
    // Nothing of the distribution, to which the repository has added an identifier.
    expect(items).toMatchObject([
      {
        originalId: 'city-1',
        title: 'Dataset 1, revision 2',
        state: 'updated',
        difference: { gone: [title(1)], come: [title(2)] },
      },
    ])
    source.datasets.set(1, 1)
    expect(await counts()).toMatchObject({ updated: 0, created: 0 })
  })

  it('writes what changed, brings what is new, removes what is gone, after a restart too', async () => {
    expect(await platform.stop()).toBe(0)
    await start()
    for (const n of [1, 2, 3]) source.datasets.set(n, 2)
    for (const n of [10, 11]) source.datasets.delete(n)
    for (const n of [60, 61]) source.datasets.set(n, 1)
    expect(await counts()).toMatchObject({
      outcome: 'complete',
      created: 2,
      updated: 3,
      removed: 2,
    })
    const present = await ids()
    expect(present).toHaveLength(60)
    expect(present).not.toContain('city-10')
  })

  it('removes nothing when most of the source is gone, until somebody agrees', async () => {
    const kept = new Map(source.datasets)
    for (const n of kept.keys()) if (n >= 20) source.datasets.delete(n)
    const { confirm, launch, settled } = scheduler(platform)
    const run = await settled(await launch('city'))
    expect(run).toMatchObject({ status: 'finished', counts: { removed: 0, held: 42 } })
    expect(await ids()).toHaveLength(60)
    expect(await confirm(run.id)).toBe(202)
    expect(await eventually(async () => (await ids()).length === 18)).toBe(true)
  })

  it('removes nothing when the source answers with an empty document', async () => {
    source.datasets.clear()
    expect(await counts()).toMatchObject({ status: 'finished', outcome: 'incomplete', removed: 0 })
    expect(await ids()).toHaveLength(18)
  })
})
