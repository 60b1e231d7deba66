/** Backups of the embedded store: the drill, damage, wrong places, retention, and the schedule. */

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
import { type Manifest, manifestText, readManifest } from '../../src/backup/manifest.ts'
import { restoreBackup } from '../../src/backup/restore.ts'
import { verifyBackup } from '../../src/backup/verify.ts'
import { backupSource } from '../../src/main/backup-source.ts'
import { client, eventually, gateway, remove, temporaryDirectory } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'
import { drill } from './backups/drill.ts'
import { filesOf, flipped } from './backups/flipped.ts'
import { embedded } from './store-under-test.ts'

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
/** Changes members of the manifest of a backup, which stays whole. */
function rewriteManifest(backup: string, change: Partial<Manifest>): void {
  const path = join(backup, 'manifest.json')
  const manifest = readManifest(readFileSync(path, 'utf8'))
  if (!manifest) throw new Error(`${path} is no manifest`)
  writeFileSync(path, manifestText({ ...manifest, ...change }))
}
const verify = (path: string) => verifyBackup(backupSource('', '0.0.0'), path)
const restore = (path: string, directory: string, force = false) =>
  restoreBackup(backupSource('', '0.0.0'), path, { directory, force, isInUse: () => false })

drill('the embedded store', 'backup.tar.zst', embedded)

describe('a backup of data at rest', () => {
  let directory: string
  let target: string
  const shares: number[] = []
  beforeAll(async () => {
    directory = await place()
    const platform = await gateway(directory, env)
    const api = client({ url: platform.url, key })
    await api.put('/catalogues/water', `${prefixes}<> a dcat:Catalog ; dct:title "Water"@en .`)
    for (let n = 0; n < 20; n += 1)
      await api.putDataset('water', `d${n}`, `${prefixes}<> a dcat:Dataset ; dct:title "T ${n}" .`)
    await platform.stop()
    target = join(await place(), 'first')
    await backup(directory, { target, progress: (share) => shares.push(share) })
  }, 60_000)

  it('says how much is done until all is, and notes in the data directory that it was made', () => {
    expect([shares[0]! < 1, shares.at(-1)]).toEqual([true, 1])
    const last = JSON.parse(readFileSync(join(directory, 'last-backup'), 'utf8'))
    expect(last).toMatchObject({ target })
  })

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
  it('is not restored with one flipped byte in any file', async () => {
    expect(filesOf(target)).toContain('store/store.db')
    for (const [name, copy] of flipped(target, await place())) {
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
        writeFileSync(join(copy, 'manifest.json'), '{"format":99,"version":"9.0.0"}')
      },
      'written by Cartulary 9.0.0 (format 99; this one knows 2)',
    ],
  ])('%s is named', async (_, harm, message) => {
    const copy = await copyOf(target)
    await harm(copy)
    await expect(verify(copy)).rejects.toThrow(message)
  })

  it('a manifest of format 1 without a checksum is read, and none of format 2', async () => {
    const copy = await copyOf(target)
    const path = join(copy, 'manifest.json')
    const { checksum: _, ...manifest } = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, JSON.stringify({ ...manifest, format: 1 }))
    expect(await verify(copy)).toMatchObject({ format: 1 })
    writeFileSync(path, JSON.stringify(manifest))
    await expect(verify(copy)).rejects.toThrow('manifest.json is damaged')
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
    rewriteManifest(join(folder, 'other'), { storeId: 'another' })
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
    const outside = { path: '../outside', bytes: 4, sha256: '0'.repeat(64) }
    writeFileSync(join(copy, '..', 'outside'), 'text')
    rewriteManifest(copy, { files: [outside] })
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
