/** The drill: a backup of a platform under load, restored elsewhere, has every write that was acknowledged before it began. */

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backUp, type BackupOptions } from '../../src/backup/backup.ts'
import { restoreBackup } from '../../src/backup/restore.ts'
import { verifyBackup } from '../../src/backup/verify.ts'
import { backupSource } from '../../src/main/backup-source.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

const key = 'key-for-everything-0001'
const env = { PLATFORM_HUB_API_KEYS: JSON.stringify({ [key]: ['*'] }) }
const places: string[] = []
const place = async () => {
  const directory = await temporaryDirectory()
  places.push(directory)
  return directory
}
afterAll(() => Promise.all(places.map(remove)))

const backup = (directory: string, options: BackupOptions) =>
  backUp(backupSource(directory, '0.0.0'), options)
const verify = (path: string) => verifyBackup(backupSource('', '0.0.0'), path)
const restore = (path: string, directory: string, force = false) =>
  restoreBackup(backupSource('', '0.0.0'), path, { directory, force, isInUse: () => false })

/** Titles by id of what was acknowledged; `deleted` = 410. */
type Known = Map<string, string>

/** Writes and deletes datasets, eight at once, until `stop`. */
function load(platform: Gateway, name: string) {
  const api = client({ url: platform.url, key })
  const known: Known = new Map()
  const state = { isOn: true, failures: 0 }
  const write = async (lane: number) => {
    for (let n = 0; state.isOn; n += 1) {
      const id = `d${lane}-${n % 40}`
      const title = `${name} ${n}`
      const isGone = n % 7 === 6 && known.has(id)
      known.delete(id)
      const answer = isGone
        ? await fetch(`${api.repo}/datasets/${id}`, {
            method: 'DELETE',
            headers: { 'X-API-Key': key },
          })
        : await api.putDataset('water', id, `${prefixes}<> a dcat:Dataset ; dct:title "${title}" .`)
      if (answer.ok) known.set(id, isGone ? 'deleted' : title)
      else state.failures += answer.status === 404 ? 0 : 1
    }
  }
  const lanes = Promise.all(Array.from({ length: 8 }, (_, lane) => write(lane)))
  return {
    known,
    failures: () => state.failures,
    stop: async () => {
      state.isOn = false
      await lanes
    },
  }
}

describe('a backup while eight clients write', () => {
  let directory: string
  let platform: Gateway
  beforeAll(async () => {
    directory = await place()
    platform = await gateway(directory, env)
    const api = client({ url: platform.url, key })
    await api.put('/catalogues/water', `${prefixes}<> a dcat:Catalog ; dct:title "Water"@en .`)
  }, 60_000)
  afterAll(() => platform.stop())

  it.each(['backup', 'backup.tar.zst'])(
    'as %s, restored elsewhere, has what was acknowledged before it began',
    { timeout: 120_000 },
    async (name) => {
      const target = join(await place(), name)
      const writers = load(platform, name)
      await eventually(async () => writers.known.size > 100)
      // What is written after this moment may be there or not.
      const before = new Map(writers.known)
      const shares: number[] = []
      const manifest = await backup(directory, { target, progress: (share) => shares.push(share) })
      const during = new Map(writers.known)
      await writers.stop()
      expect(writers.failures()).toBe(0)
      expect(manifest.counts['catalogues']).toBe(1)
      expect(shares.at(-1)).toBe(1)
      expect(await verify(target)).toEqual(manifest)
      expect(JSON.parse(readFileSync(join(directory, 'last-backup'), 'utf8'))).toMatchObject({
        target,
      })

      const other = join(await place(), 'data')
      await restore(target, other)
      const restored = await gateway(other, env)
      const api = client({ url: restored.url, key })
      const found = async () => {
        const path = '/search?filters=dataset&limit=1'
        return (await api.json<{ result: { count: number } }>(api.search + path)).result.count
      }
      expect(await eventually(async () => (await found()) === manifest.counts['datasets'])).toBe(
        true,
      )
      const wrong: string[] = []
      for (const [id, title] of before) {
        // Written again since.
        if (during.get(id) !== title) continue
        const answer = await fetch(`${api.repo}/datasets/${id}.nt`)
        const text = await answer.text()
        if (title === 'deleted') {
          const again = await fetch(`${api.repo}/datasets/${id}/restore`, {
            method: 'POST',
            headers: { 'X-API-Key': key },
          })
          if (answer.status !== 410 || !again.ok) wrong.push(`${id}: ${answer.status}`)
        } else if (!text.includes(`"${title}"`)) wrong.push(`${id}: ${answer.status}`)
      }
      expect(wrong).toEqual([])
      await restored.stop()
    },
  )
})

describe('a backup of data at rest', () => {
  let directory: string
  let target: string
  beforeAll(async () => {
    directory = await place()
    const platform = await gateway(directory, env)
    const api = client({ url: platform.url, key })
    await api.put('/catalogues/water', `${prefixes}<> a dcat:Catalog ; dct:title "Water"@en .`)
    for (let n = 0; n < 20; n += 1)
      await api.putDataset('water', `d${n}`, `${prefixes}<> a dcat:Dataset ; dct:title "T ${n}" .`)
    await platform.stop()
    target = join(await place(), 'first')
    await backup(directory, { target })
  }, 60_000)

  const copyOf = async (path: string) => {
    const copy = join(await place(), 'copy')
    await restoreCopy(path, copy)
    return copy
  }
  /** Copies a folder of files, one level deep. */
  async function restoreCopy(from: string, to: string): Promise<void> {
    mkdirSync(to, { recursive: true })
    for (const entry of readdirSync(from, { withFileTypes: true })) {
      const [source, copy] = [join(from, entry.name), join(to, entry.name)]
      if (entry.isDirectory()) await restoreCopy(source, copy)
      else writeFileSync(copy, readFileSync(source))
    }
  }
  const filesOf = (path: string): string[] =>
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))

  it('each file with one flipped byte is named, and nothing is restored', async () => {
    const names = filesOf(target).filter((name) => name !== 'manifest.json')
    expect(names).toContain('store/store.db')
    for (const name of names) {
      const copy = await copyOf(target)
      const bytes = readFileSync(join(copy, name))
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1)
      writeFileSync(join(copy, name), bytes)
      await expect(verify(copy)).rejects.toThrow(`${name}: its content is not what was written`)
      const empty = join(await place(), 'data')
      await expect(restore(copy, empty)).rejects.toThrow(name)
      expect(existsSync(empty)).toBe(false)
    }
  })

  it.each([
    [
      'a file that is missing',
      async (copy: string) => remove(join(copy, 'records.sqlite')),
      'records.sqlite: it is missing',
    ],
    [
      'a file that is shorter',
      async (copy: string) => truncateSync(join(copy, 'store/store.db'), 4096),
      'store/store.db: it has 4096 bytes',
    ],
    [
      'a manifest that is no JSON',
      async (copy: string) => appendFileSync(join(copy, 'manifest.json'), '}'),
      'manifest.json is damaged',
    ],
    ['no manifest', async (copy: string) => remove(join(copy, 'manifest.json')), 'is no backup'],
    [
      'a newer format',
      async (copy: string) => {
        const manifest = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'))
        writeFileSync(join(copy, 'manifest.json'), JSON.stringify({ ...manifest, format: 99 }))
      },
      'format 99; this one knows 1',
    ],
  ])('%s is named', async (_, harm, message) => {
    const copy = await copyOf(target)
    await harm(copy)
    await expect(verify(copy)).rejects.toThrow(message)
  })

  it('an archive that was cut short, and one with other bytes, is refused', async () => {
    const archive = join(await place(), 'whole.tar.zst')
    await backup(directory, { target: archive })
    const whole = readFileSync(archive)
    for (const [length, at] of [
      [whole.length >> 1, 0],
      [whole.length - 20, 0],
      [100, 0],
      [0, 0],
      [whole.length, whole.length >> 1],
      [whole.length, 20],
    ] as const) {
      const bytes = Buffer.from(whole.subarray(0, length))
      if (at > 0) bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at)
      const broken = join(await place(), 'broken.tar.zst')
      writeFileSync(broken, bytes)
      await expect(
        verify(broken),
        `${length} of ${whole.length}, flipped at ${at}`,
      ).rejects.toThrow(/damaged/)
      await expect(restore(broken, join(await place(), 'data'))).rejects.toThrow(/damaged/)
      expect(readdirSync(join(broken, '..'))).toEqual(['broken.tar.zst'])
    }
  })

  it('is refused onto itself, onto what is there, and of no data directory', async () => {
    const refused = (path: string, from = directory) => backup(from, { target: path })
    await expect(refused(directory)).rejects.toThrow('is in the data directory')
    await expect(refused(join(directory, 'backups', 'today'))).rejects.toThrow('is in the data')
    await expect(refused(join(directory, '..'))).rejects.toThrow('contains it')
    await expect(refused(target)).rejects.toThrow('exists already')
    await expect(refused(join(await place(), 'x'), await place())).rejects.toThrow(
      'is no data directory',
    )
  })

  it('is refused over data, and moves them aside when that is asked for', async () => {
    const busy = join(await place(), 'data')
    await restore(target, busy)
    await expect(restore(target, busy)).rejects.toThrow('has data')
    const isInUse = () => true
    const source = backupSource('', '0.0.0')
    await expect(
      restoreBackup(source, target, { directory: busy, force: true, isInUse }),
    ).rejects.toThrow('is in use')
    await restore(target, busy, true)
    expect(readdirSync(join(busy, '..')).filter((name) => name.includes('before'))).toHaveLength(1)
  })

  it('leaves out history and key, unless they are asked for, and says so', async () => {
    const folder = await place()
    const small = await backup(directory, { target: join(folder, 'a'), withoutHistory: true })
    expect(small.without).toEqual(
      expect.arrayContaining(['index', 'api-key', 'metrics.sqlite', 'runs.sqlite']),
    )
    expect(existsSync(join(folder, 'a', 'runs.sqlite'))).toBe(false)
    writeFileSync(join(directory, 'api-key'), 'x'.repeat(43))
    const all = await backup(directory, { target: join(folder, 'b'), withKey: true })
    expect(all.files.map(({ path }) => path)).toContain('api-key')
  })

  it('keeps the newest ones and removes nothing else, neither foreign archives nor backups of other stores', async () => {
    const folder = await place()
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    mkdirSync(join(folder, 'photos'))
    writeFileSync(join(folder, 'photos.tar.zst'), 'mine')
    await restoreCopy(target, join(folder, 'other'))
    const path = join(folder, 'other', 'manifest.json')
    const other = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, JSON.stringify({ ...other, storeId: 'another' }))
    for (const name of ['x.tar.zst', 'y.tar.zst', 'z.tar.zst'])
      await backup(directory, { target: join(folder, name), keep: 2 })
    expect(readdirSync(folder).sort()).toEqual(
      ['notes.txt', 'other', 'photos', 'photos.tar.zst', 'y.tar.zst', 'z.tar.zst'].sort(),
    )
    for (const name of ['y.tar.zst', 'z.tar.zst']) await remove(join(folder, name))
    for (const [n, name] of ['a', 'b', 'c', 'd'].entries())
      await backup(directory, {
        target: join(folder, name),
        keep: 2,
        now: () => new Date(Date.UTC(2026, 0, n + 1)),
      })
    expect(readdirSync(folder).sort()).toEqual(
      ['c', 'd', 'notes.txt', 'other', 'photos', 'photos.tar.zst'].sort(),
    )
  })

  it('a manifest whose paths lead out of the directory is refused, and nothing is written', async () => {
    const copy = await copyOf(target)
    const path = join(copy, 'manifest.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    const outside = { path: '../outside', bytes: 4, sha256: '0'.repeat(64) }
    writeFileSync(join(copy, '..', 'outside'), 'text')
    writeFileSync(path, JSON.stringify({ ...manifest, files: [...manifest.files, outside] }))
    await expect(verify(copy)).rejects.toThrow('a file that no backup has: ../outside')
    const place2 = await place()
    await expect(restore(copy, join(place2, 'data'))).rejects.toThrow('../outside')
    expect(readdirSync(place2)).toEqual([])
  })

  it('leaves nothing when it is stopped', async () => {
    const folder = await place()
    const stopping = new AbortController()
    const options = { target: join(folder, 'x'), signal: stopping.signal }
    const stopped = backup(directory, { ...options, progress: () => stopping.abort() })
    await expect(stopped).rejects.toThrow('aborted')
    expect(readdirSync(folder)).toEqual([])
  })
})

it('the platform backs itself up by its schedule, as a job, and says when', async () => {
  const [directory, folder] = [await place(), await place()]
  const platform = await gateway(directory, {
    ...env,
    PLATFORM_BACKUP_CONFIG: JSON.stringify({
      directory: folder,
      schedule: '* * * * * ?',
      keep: 1,
      archive: true,
    }),
  })
  const api = client({ url: platform.url, key })
  const last = async () =>
    (await api.json<{ backup: { last: string | null } }>(`${platform.url}/health`)).backup.last
  expect(await eventually(async () => (await last()) !== null)).toBe(true)
  const numbers = await (await fetch(`${platform.url}/metrics`)).text()
  expect(numbers).toMatch(/cartulary_backup_last_success_timestamp_seconds \d{10}/)
  writeFileSync(join(directory, 'last-backup'), '{"time":')
  expect((await fetch(`${platform.url}/health`)).status).toBe(200)
  await platform.stop()
  const [name = ''] = readdirSync(folder)
  expect(await verify(join(folder, name))).toMatchObject({ engine: 'embedded' })
})

it.each([
  [{ directory: '/backups', schedule: 'at night' }, 'schedule'],
  [{ schedule: '0 3 * * *' }, 'directory'],
  [{ directory: '/backups', keep: 0 }, 'keep'],
])('a configuration %o is refused by name', async (configuration, name) => {
  const starting = gateway(await place(), {
    ...env,
    PLATFORM_BACKUP_CONFIG: JSON.stringify(configuration),
  })
  await expect(starting).rejects.toThrow(name)
})
