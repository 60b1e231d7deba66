/** Backup, verify and restore of what is foreign, damaged, too large or in the wrong place. */

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { backUp } from '../../src/backup/backup.ts'
import { restoreBackup } from '../../src/backup/restore.ts'
import { verifyBackup } from '../../src/backup/verify.ts'
import { backupSource, isInUse } from '../../src/main/backup-source.ts'
import { client, gateway, remove, temporaryDirectory } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'
import { membersOf } from '../journeys/backups/flipped.ts'

const places: string[] = []
const place = async () => {
  const directory = await temporaryDirectory()
  places.push(directory)
  return directory
}
const source = backupSource('', '0.0.0')
const backup = (directory: string, target: string) =>
  backUp(backupSource(directory, '0.0.0'), { target })
const restore = (path: string, directory: string, force = false) =>
  restoreBackup(source, path, { directory, force, isInUse })

let data: string
let archive: string
beforeAll(async () => {
  data = await place()
  const platform = await gateway(data)
  const { put, putDataset } = client(platform)
  await put('/catalogues/city', `${prefixes}<> a dcat:Catalog ; dct:title "City"@en .`)
  await putDataset('city', 'd1', `${prefixes}<> a dcat:Dataset ; dct:title "Trees"@en .`)
  await platform.stop()
  archive = join(await place(), 'whole.tar.zst')
  await backup(data, archive)
})
afterAll(() => Promise.all(places.map(remove)))

const copyOfData = async () => {
  const directory = join(await place(), 'data')
  await cp(data, directory, { recursive: true })
  return directory
}

describe('an archive', () => {
  /** Changes the header of the first file and makes its sum right again. */
  async function withHeader(change: (header: Buffer) => void): Promise<string> {
    const tar = zstdDecompressSync(readFileSync(archive))
    const header = tar.subarray(0, 512)
    change(header)
    header.write(' '.repeat(8), 148)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    const path = join(await place(), 'changed.tar.zst')
    writeFileSync(path, zstdCompressSync(tar))
    return path
  }
  const named = (path: string) => (header: Buffer) => header.fill(0, 0, 100).write(path, 0)

  it.each<[string, (header: Buffer) => void, string]>([
    ['a path that leads out', named('../outside'), 'no backup has: ../outside'],
    ['a path from the root', named('/etc/outside'), 'no backup has: /etc/outside'],
    ['a path through a folder', named('store/../../outside'), 'no backup has: store/../../outside'],
    ['a folder for a file', named('.'), 'no backup has: .'],
    ['one file twice', named('store/store.db'), 'no backup has: store/store.db'],
    ['a file of no backup', named('notes.txt'), 'cartulary.json: it is missing'],
    ['a symbolic link', (header) => header.write('2', 156), 'cartulary.json is no file'],
    ['a folder', (header) => header.write('5', 156), 'cartulary.json is no file'],
    [
      'a size beyond all disks',
      (header) => {
        header[124] = 0x80
        header.writeBigUInt64BE(2n ** 63n, 128)
      },
      'There is no space left',
    ],
    ['a size that is none', (header) => header.write('99999999999\0', 124), 'is no file'],
  ])('with %s is refused, and nothing of it stays', async (_, change, message) => {
    const changed = await withHeader(change)
    await expect(verifyBackup(source, changed)).rejects.toThrow(message)
    const folder = await place()
    await expect(restore(changed, join(folder, 'data'))).rejects.toThrow(message)
    expect(readdirSync(folder)).toEqual([])
    expect(readdirSync(join(changed, '..'))).toEqual(['changed.tar.zst'])
  })

  it.each([
    ['more data after its end', Buffer.alloc(512, 65), 'damaged: it goes on after its end'],
    ['something else', undefined, 'damaged'],
  ])('that has %s is named', async (_, more, message) => {
    const path = join(await place(), 'other.tar.zst')
    const tar = zstdDecompressSync(readFileSync(archive))
    writeFileSync(path, more ? zstdCompressSync(Buffer.concat([tar, more])) : 'no archive')
    await expect(verifyBackup(source, path)).rejects.toThrow(`${path}: The archive is ${message}`)
  })

  it('of another platform is not put over data, only beside them', async () => {
    const other = await copyOfData()
    await expect(restore(archive, other)).rejects.toThrow('has data')
    const before = readFileSync(join(other, 'cartulary.json'))
    await restore(archive, other, true)
    const [aside = ''] = readdirSync(join(other, '..')).filter((name) => name !== 'data')
    expect(readFileSync(join(other, '..', aside, 'cartulary.json'))).toEqual(before)
  })

  it('has no file that the program does not write', () => {
    const paths = [...membersOf(zstdDecompressSync(readFileSync(archive)))].map(({ path }) => path)
    expect(paths.at(-1)).toBe('manifest.json')
    expect(paths).not.toContain('api-key')
  })
})

describe('a data directory', () => {
  const change = async (name: string, statement: string) => {
    const directory = await copyOfData()
    const file = new DatabaseSync(join(directory, name))
    file.exec(statement)
    file.close()
    return directory
  }

  it('with a file of a newer format is not backed up, and the file is named', async () => {
    const directory = await change('runs.sqlite', 'PRAGMA user_version = 99')
    const folder = await place()
    await expect(backup(directory, join(folder, 'x'))).rejects.toThrow(
      /runs\.sqlite was written by a newer version .*format 99/,
    )
    expect(readdirSync(folder)).toEqual([])
  })

  it('of a newer version is not backed up', async () => {
    const directory = await copyOfData()
    const path = join(directory, 'cartulary.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"format": 1', '"format": 2'))
    await expect(backup(directory, join(await place(), 'x'))).rejects.toThrow('cartulary.json')
  })

  it('with files of an older format is backed up and restored as it is', async () => {
    const directory = await change('runs.sqlite', 'PRAGMA user_version = 0')
    const target = join(await place(), 'x')
    await backup(directory, target)
    const restored = join(await place(), 'data')
    await restore(target, restored)
    const file = new DatabaseSync(join(restored, 'runs.sqlite'))
    expect(file.prepare('PRAGMA user_version').get()).toEqual({ user_version: 0 })
    file.close()
  })

  it.each([0, 100, 4096])(
    'with a file that is damaged from byte %i is not backed up, and the file is named',
    async (from) => {
      const directory = await copyOfData()
      const path = join(directory, 'store/store.db')
      const bytes = readFileSync(path)
      bytes.fill(0xaa, from)
      writeFileSync(path, bytes)
      const folder = await place()
      await expect(backup(directory, join(folder, 'x'))).rejects.toThrow(/store\.db.* damaged/)
      expect(readdirSync(folder)).toEqual([])
    },
  )
})

describe('a full disk', () => {
  /** A file system of that many kilobytes; `undefined` where none can be mounted. */
  async function smallDisk(kilobytes: number): Promise<string | undefined> {
    const path = await place()
    try {
      const words = ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', path]
      execFileSync('mount', words, { stdio: 'pipe' })
    } catch (error) {
      process.stderr.write(`SKIPPED: no file system of our own can be mounted (${String(error)})\n`)
      return undefined
    }
    onTestFinished(() => void execFileSync('umount', [path]))
    return path
  }

  it.each(['x', 'x.tar.zst'])('ends a backup as %s, which leaves nothing', async (name) => {
    const disk = await smallDisk(128)
    if (disk === undefined) return
    await expect(backup(data, join(disk, name))).rejects.toThrow(`no space left at ${disk}`)
    expect(readdirSync(disk)).toEqual([])
    expect(existsSync(join(data, 'last-backup'))).toBe(true)
  })

  it('ends a restore, which can be done again when there is room', async () => {
    const disk = await smallDisk(1024)
    if (disk === undefined) return
    const filler = join(disk, 'filler')
    writeFileSync(filler, Buffer.alloc(900 * 1024))
    const directory = join(disk, 'data')
    await expect(restore(archive, directory)).rejects.toThrow(`no space left at ${directory}`)
    rmSync(filler)
    await restore(archive, directory)
    expect(existsSync(join(directory, 'cartulary.json'))).toBe(true)
  })

  it('ends the verifying of an archive beside which there is no room', async () => {
    const disk = await smallDisk(256)
    if (disk === undefined) return
    const copy = join(disk, 'copy.tar.zst')
    writeFileSync(copy, readFileSync(archive))
    await expect(verifyBackup(source, copy)).rejects.toThrow('no space left')
    expect(readdirSync(disk)).toEqual(['copy.tar.zst'])
  })
})

it('a backup in a folder that cannot be made says so', async () => {
  const file = join(await place(), 'file')
  writeFileSync(file, '')
  await expect(backup(data, join(file, 'x'))).rejects.toThrow(`${file} is no directory`)
})
