/** Every kind of source through the whole platform: all of it, then nothing new, then exactly what changed. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { places, type Place } from './harvesting/platforms.ts'
import { scheduler } from './harvesting/scheduler.ts'

const size = Number(process.env['HARVEST_DATASETS'] ?? 60)
const names = Object.keys(places)
/** Ids that every kind of source takes. */
const record = (n: number, revision: number) => ({
  id: `${n.toString(36).padStart(4, '0')}-data`,
  title: `Thing ${n}.${revision}`,
})

describe(`a source of ${size} datasets`, () => {
  let directory: string
  let platform: Gateway
  const opened = new Map<string, Place>()
  beforeAll(async () => {
    directory = await temporaryDirectory()
    const pipes = join(directory, 'own-pipes')
    await mkdir(pipes)
    for (const [name, open] of Object.entries(places)) {
      const place = await open()
      opened.set(name, place)
      await writeFile(join(pipes, `${name}.json`), JSON.stringify(pipeOf(name, place)))
    }
    platform = await gateway(directory, {
      PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
      PLATFORM_HARVEST_CONFIG: '{"hostDelayMs":0}',
    })
  })
  afterAll(async () => {
    await platform.stop()
    for (const { site } of opened.values()) await site.close()
    await remove(directory)
  })

  it.each(names)('%s', { timeout: 120_000 + size * 200 }, async (name) => {
    const place = opened.get(name)
    const api = client(platform)
    await api.put(
      `/catalogues/${name}`,
      '<urn:x> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "C"@en .',
    )
    const harvested = async () => {
      const { settled, launch } = scheduler(platform)
      const { status, outcome, counts, problem } = await settled(
        await launch(name),
        60_000 + size * 50,
      )
      const { created, updated, removed, failed } = counts
      return { status, outcome, problem, created, updated, removed, failed }
    }
    const well = { status: 'finished', outcome: 'complete', problem: null, failed: 0 }

    const first = Array.from({ length: size }, (_, n) => record(n, 1))
    await place?.site.show(first)
    expect(await harvested()).toEqual({ ...well, created: size, updated: 0, removed: 0 })
    expect(await harvested()).toMatchObject({ ...unchanged, failed: 0 })

    const kept = first.slice(5).map((one, n) => (n < 10 ? record(n + 5, 2) : one))
    const fresh = Array.from({ length: 5 }, (_, n) => record(size + n, 1))
    await place?.site.show([...kept, ...fresh])
    expect(await harvested()).toEqual({ ...well, created: 5, updated: 10, removed: 5 })
    const ids = await api.json<string[]>(
      `${api.repo}/catalogues/${name}/datasets?valueType=identifiers&limit=5000`,
    )
    expect(ids).toHaveLength(Math.min(size, 5000))
  })
})

/** A source that can say that nothing changed may do so. */
const unchanged = { status: 'finished', problem: null, created: 0, updated: 0, removed: 0 }

const pipeOf = (name: string, { config }: Place) => ({
  header: { id: name, name, transport: 'payload', version: '2.0.0' },
  body: {
    segments: [
      {
        header: { name: `importing-${name}`, segmentNumber: 1, processed: false },
        body: { config: { ...config, catalogue: name } },
      },
      { header: { name: 'exporting-hub', segmentNumber: 2, processed: false }, body: {} },
    ],
  },
})
