/** A file of the data directory is lost or damaged: it is made anew with a warning, or the start ends with its name and the cure. */

import {
  chmod,
  copyFile,
  cp,
  readdir,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { closeSync, existsSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RunReport } from '../../src/pipe/runs/run.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'
import { city, pipeInto, type City } from './harvesting/city.ts'
import { scheduler } from './harvesting/scheduler.ts'

let golden: string
let directory: string
let running: Gateway | undefined

beforeAll(async () => {
  golden = await temporaryDirectory()
  const platform = await gateway(golden)
  const { put, putDataset, repo } = client(platform)
  await put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
  for (const id of ['one', 'two', 'gone'])
    await putDataset('c', id, `${prefixes}<> a dcat:Dataset ; dct:title "${id}"@en .`)
  const headers = { 'X-API-Key': platform.key }
  await fetch(`${repo}/datasets/gone`, { method: 'DELETE', headers })
  await platform.stop()
}, 60_000)
afterAll(() => remove(golden))

beforeEach(async () => {
  directory = await temporaryDirectory()
  await cp(golden, directory, { recursive: true })
})
afterEach(async () => {
  await running?.stop()
  running = undefined
  await remove(directory)
})

const at = (name: string) => join(directory, name)

const overwrite = (name: string, from: number, to: number) => {
  const file = openSync(at(name), 'r+')
  writeSync(file, Buffer.alloc(to - from, 0xfe), 0, to - from, from)
  closeSync(file)
}

const damages = {
  missing: (name: string) => rm(at(name)),
  empty: (name: string) => truncate(at(name)),
  'without its header': async (name: string) => overwrite(name, 0, 100),
  'with other bytes': async (name: string) => overwrite(name, 4096, statSync(at(name)).size),
  'of a newer version': async (name: string) => {
    const file = new DatabaseSync(at(name))
    file.exec('PRAGMA user_version = 99')
    file.close()
  },
} as const

const start = async (...words: string[]) => {
  running = await gateway(directory, {}, undefined, words)
  return { ...client(running), log: running.log, url: running.url }
}

const refused = () =>
  start().then(
    () => 'started',
    (error: unknown) => String(error),
  )

/** Both datasets are there and searchable. */
const isWhole = async ({ repo, search }: { repo: string; search: string }) => {
  for (const id of ['one', 'two']) {
    expect((await fetch(`${repo}/datasets/${id}`)).status).toBe(200)
    const found = async () => (await fetch(`${search}/datasets/${id}`)).status
    await expect.poll(found, { timeout: 30_000 }).toBe(200)
  }
}

type Damage = keyof typeof damages
const shapes = ['without its header', 'with other bytes'] as const satisfies readonly Damage[]
const [newer, ...broken] = ['of a newer version', ...shapes] as const

const refusals: readonly (readonly [string, readonly Damage[], string])[] = [
  ['store/store.db', ['missing', 'empty', newer, ...broken], 'estore a backup'],
  ['harvest.sqlite', [newer, ...broken], '--reset harvest'],
  ['triggers.sqlite', [newer, ...broken], '--reset triggers'],
  ['deleted/tombstones.db', [newer], 'newer version'],
  ['jobs.sqlite', [newer], 'newer version'],
  ['runs.sqlite', [newer], 'newer version'],
  ['metrics.sqlite', [newer], 'newer version'],
  ['records.sqlite', [newer], 'newer version'],
  ['accounts.sqlite', [newer], 'newer version'],
  ['activity.sqlite', [newer], 'newer version'],
  ['api-key', ['empty', 'without its header'], 'remove it to get a new key'],
]

const cells = refusals.flatMap(([file, all, cure]) =>
  all.map((damage) => ({ file, damage, cure: damage === newer ? 'newer version' : cure })),
)

describe('the start ends with the file, the reason and the cure', () => {
  it.each(cells)('where $file is $damage', async ({ file, damage, cure }) => {
    if (file === 'api-key' && damage !== 'empty') await writeFile(at(file), 'not a key\n')
    else await damages[damage](file)
    const told = await refused()
    expect(told).toContain('ended with 1')
    expect(told).toContain(at(file))
    expect(told).toMatch(damage === newer || file !== 'store/store.db' ? cure : /Restore a backup/)
  })

  it('where store.db is missing or empty beside an index, also when nothing says whose data it was', async () => {
    await rm(at('cartulary.json'))
    for (const damage of ['empty', 'missing'] as const) {
      await damages[damage]('store/store.db')
      const told = await refused()
      expect(told).toContain('store.db is missing or empty; the index knows 3 records')
      expect(told).toContain('--empty')
    }
    const { search, repo } = await start('--empty')
    expect((await fetch(`${repo}/datasets/one`)).status).toBe(404)
    const found = async () => (await fetch(`${search}/datasets/one`)).status
    await expect.poll(found, { timeout: 20_000 }).toBe(404)
  })

  it('where a text in the store cannot be unpacked', async () => {
    const file = new DatabaseSync(at('store/store.db'))
    file.exec(`UPDATE graph SET content = x'fefefefefefe' WHERE name LIKE '%data/one'`)
    file.close()
    const told = await refused()
    expect(told).toContain(at('store/store.db'))
    expect(told).toMatch(/Restore a backup/)
  })

  it('where the data directory cannot be written', async () => {
    await rm(directory, { recursive: true })
    await writeFile(directory, '')
    expect(await refused()).toContain(`The data directory ${directory} cannot be written`)
  })
})

const asides = [
  'search/index.db',
  'deleted/tombstones.db',
  'jobs.sqlite',
  'runs.sqlite',
  'metrics.sqlite',
  'verdicts.sqlite',
  'records.sqlite',
  'accounts.sqlite',
  'activity.sqlite',
] as const

const setAside = async () =>
  (await readdir(directory, { recursive: true })).filter((name) => name.includes('.damaged-'))

describe('what can be made anew is set aside with a warning', () => {
  it.each(shapes)('where it is %s', async (damage) => {
    for (const name of asides) await damages[damage](name)
    const platform = await start()
    await isWhole(platform)
    const kept = await setAside()
    for (const name of asides) {
      expect(kept.filter((one) => one.startsWith(`${name}.damaged-`))).toHaveLength(1)
      expect(platform.log()).toContain(name)
    }
    const health = (await (await fetch(`${platform.url}/health`)).json()) as { damaged: string[] }
    expect(health.damaged.toSorted()).toEqual(kept.toSorted())
    const metrics = await (await fetch(`${platform.url}/metrics`)).text()
    expect(metrics).toContain(`cartulary_damaged_files ${asides.length}`)
  })

  it('where a newer version wrote what need not be kept', async () => {
    for (const name of ['search/index.db', 'verdicts.sqlite']) await damages[newer](name)
    await isWhole(await start())
    expect((await setAside()).join()).toContain('verdicts.sqlite.damaged-')
  })

  it('and an index that was filled anew is no older copy of itself at the next start', async () => {
    await damages.missing('search/index.db')
    await isWhole(await start())
    await running?.stop()
    const again = await start()
    expect(again.log()).not.toContain('copy.older')
    await isWhole(again)
  })

  it('where the settings in the index cannot be read', async () => {
    const file = new DatabaseSync(at('search/index.db'))
    file.exec(`UPDATE gen SET settings = '{'`)
    file.close()
    await isWhole(await start())
    expect((await setAside()).join()).toContain('index.db.damaged-')
  })

  it.each(['harvest', 'triggers'])('where an operator resets %s', async (name) => {
    await damages['without its header'](`${name}.sqlite`)
    await isWhole(await start('--reset', name))
    expect((await setAside()).join()).toContain(`${name}.sqlite.damaged-`)
  })
})

describe('what is gone is named', () => {
  const all = [...asides, 'harvest.sqlite', 'triggers.sqlite'] as const

  it.each(['missing', 'empty'] as const)('where it is %s', async (damage) => {
    for (const name of all) await damages[damage](name)
    const platform = await start()
    await isWhole(platform)
    for (const name of all)
      expect(
        platform
          .log()
          .split('\n')
          .filter((line) => line.includes('file.lost') && line.includes(name)),
      ).toHaveLength(1)
  })

  it('where the key is, which is made anew', async () => {
    await rm(at('api-key'))
    const platform = await start()
    expect(platform.log()).toContain('file.lost')
    expect(
      (await platform.put('/catalogues/d', `${prefixes}<> a dcat:Catalog ; dct:title "D"@en .`))
        .status,
    ).toBe(201)
  })

  it('where others could read it, which they cannot any more', async () => {
    await chmod(at('search'), 0o755)
    await chmod(at('runs.sqlite'), 0o644)
    const platform = await start()
    expect(platform.log()).toContain('data.closed-to-others')
    expect((await stat(at('search'))).mode & 0o777).toBe(0o700)
    expect((await stat(at('runs.sqlite'))).mode & 0o777).toBe(0o600)
  })

  it('but not where it is only a lease: that is made again', async () => {
    await writeFile(at('process.lease'), Buffer.alloc(5000, 0xfe))
    await isWhole(await start())
    expect((await stat(at('process.lease'))).size).toBe(0)
  })
})

describe('an older copy', () => {
  let source: City
  let env: Record<string, string>
  beforeEach(async () => {
    source = await city(3)
    const paths = [await pipeInto(directory, source.address)]
    env = { PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths } }) }
  })
  afterEach(() => source.end())

  const parts = ['', '-wal'] as const
  const keep = async (name: string) => {
    for (const part of parts)
      if (existsSync(at(name + part))) await copyFile(at(name + part), at(`older${part}`))
  }
  const putBack = async (name: string) => {
    for (const part of [...parts, '-shm']) {
      await rm(at(name + part), { force: true })
      if (existsSync(at(`older${part}`))) await rename(at(`older${part}`), at(name + part))
    }
  }
  const harvested = async () => {
    await running?.stop()
    running = await gateway(directory, env)
    const { put } = client(running)
    await put('/catalogues/city', `${prefixes}<> a dcat:Catalog ; dct:title "City"@en .`)
    const { base, headers, launch, settled } = scheduler(running)
    const { id } = await settled(await launch('city'))
    return (await (await fetch(`${base}/runs/${id}/report`, { headers })).json()) as RunReport
  }
  const present = async () => {
    const { repo, json } = client(running as Gateway)
    return json<string[]>(`${repo}/catalogues/city/datasets?valueType=originalIds`)
  }

  it('of harvest.sqlite is taken, and the first run of a pipe removes nothing', async () => {
    expect(await harvested()).toMatchObject({ counts: { created: 3 }, findings: {} })
    await running?.stop()
    await keep('harvest.sqlite')
    source.datasets.delete(2)
    expect(await harvested()).toMatchObject({ counts: { removed: 1 } })
    const { put } = client(running as Gateway)
    const mine = `${prefixes}<> a dcat:Dataset ; dct:title "By hand"@en .`
    expect((await put('/catalogues/city/datasets/origin?originalId=city-2', mine)).status).toBe(201)
    await running?.stop()
    await putBack('harvest.sqlite')

    expect(await harvested()).toMatchObject({
      run: { outcome: 'complete', problem: { type: 'urn:cartulary:problem:removal-held' } },
      counts: { removed: 0, held: 1 },
    })
    expect(running?.log()).toContain('harvest.ledger-older')
    expect(await present()).toContain('city-2')
    const second = await harvested()
    expect(second.counts).toMatchObject({ removed: 1, held: 0 })
  })

  const reconciled = async () => {
    const { url } = running as Gateway
    const health = async () =>
      (await (await fetch(`${url}/health`)).json()) as { reconciled: Record<string, number> | null }
    await expect.poll(async () => (await health()).reconciled, { timeout: 20_000 }).toBeTruthy()
    return (await health()).reconciled
  }
  it.each([
    ['store/store.db', 404, 'extra'],
    ['search/index.db', 200, 'missing'],
  ])('of %s is taken, and store and index are compared at once', async (name, status, drift) => {
    const { putDataset } = await start()
    await putDataset('c', 'before', `${prefixes}<> a dcat:Dataset ; dct:title "B"@en .`)
    await running?.stop()
    await keep(name)
    const again = await start()
    const title = `${prefixes}<> a dcat:Dataset ; dct:title "Later"@en .`
    expect((await again.putDataset('c', 'later', title)).status).toBe(201)
    const searched = (platform: { search: string }) => async () =>
      (await fetch(`${platform.search}/datasets/later`)).status
    await expect.poll(searched(again), { timeout: 20_000 }).toBe(200)
    await running?.stop()
    await putBack(name)
    const platform = await start()
    expect(platform.log()).toContain('copy.older')
    expect((await reconciled())?.[drift]).toBeGreaterThan(0)
    expect((await fetch(`${platform.repo}/datasets/later`)).status).toBe(status)
    await expect.poll(searched(platform), { timeout: 20_000 }).toBe(status)
    await running?.stop()
    const sound = await start()
    expect(sound.log()).not.toContain('copy.older')
  })

  it('of deleted/tombstones.db is settled against the store, and those of side files are taken', async () => {
    const names = ['triggers', 'runs', 'metrics', 'verdicts'].map((name) => `${name}.sqlite`)
    const { repo } = await start()
    const headers = { 'X-API-Key': (running as Gateway).key }
    const restore = `${repo}/datasets/gone/restore`
    await cp(directory, `${directory}-older`, { recursive: true })
    try {
      expect((await fetch(restore, { method: 'POST', headers })).status).toBe(201)
      await running?.stop()
      for (const name of [...names, 'deleted/tombstones.db'])
        for (const part of ['', '-wal']) {
          await rm(at(name + part), { force: true })
          const from = join(`${directory}-older`, name + part)
          if (existsSync(from)) await copyFile(from, at(name + part))
        }
      const platform = await start()
      expect((await fetch(`${platform.repo}/datasets/gone`)).status).toBe(200)
      await isWhole(platform)
    } finally {
      await remove(`${directory}-older`)
    }
  })

  const interruption = { type: 'urn:cartulary:problem:run-interrupted' }
  it.each([
    ['young', 'goes on', 0, { status: 'finished', problem: null }],
    ['days old', 'stays ended', 3, { status: 'interrupted', problem: interruption }],
  ])(
    'of runs.sqlite is taken; what was under way in it is ended, and where it is %s it %s',
    async (_, __, days, ended) => {
      expect(await harvested()).toMatchObject({ counts: { created: 3 } })
      const gate = Promise.withResolvers<void>()
      source.wait = gate.promise
      source.datasets.set(1, 2)
      const before = scheduler(running as Gateway)
      const id = await before.launch('city')
      await expect.poll(async () => (await before.run(id)).status).toBe('running')
      const file = new DatabaseSync(at('runs.sqlite'))
      file.exec(`VACUUM INTO '${at('older')}'`)
      file.close()
      gate.resolve()
      expect(await before.settled(id)).toMatchObject({ counts: { updated: 1 } })
      source.datasets.set(7, 1)
      const later = await harvested()
      expect(later).toMatchObject({ counts: { created: 1 } })
      await running?.stop()
      const older = new DatabaseSync(at('older'))
      older.exec(`UPDATE run SET lease = lease - ${days * 86_400_000}`)
      older.close()
      await putBack('runs.sqlite')

      running = await gateway(directory, env)
      const after = scheduler(running)
      expect((await after.runs()).map((run) => run.id)).not.toContain(later.run.id)
      expect(await after.settled(id)).toMatchObject({ ...ended, counts: { removed: 0 } })
      expect(await present()).toHaveLength(4)
      source.datasets.set(0, 2)
      expect(await harvested()).toMatchObject({
        run: { outcome: 'complete' },
        counts: { updated: 1, unchanged: 3, removed: 0, held: 0 },
        findings: {},
      })
    },
  )

  it('is what a missing harvest.sqlite is like: the first run adopts what it finds', async () => {
    await harvested()
    await running?.stop()
    await rm(at('harvest.sqlite'))
    source.datasets.delete(2)
    expect(await harvested()).toMatchObject({
      run: { outcome: 'complete' },
      counts: { unchanged: 2, removed: 0, held: 0 },
    })
    expect(await present()).toHaveLength(3)
  })
})
