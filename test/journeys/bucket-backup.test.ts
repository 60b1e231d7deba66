/** Backups in a bucket of an S3-compatible store, which answers well and badly. */

import { randomBytes } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { backUp, type BackupOptions } from '../../src/backup/backup.ts'
import { verifyBackup } from '../../src/backup/verify.ts'
import { backupSource, withBuckets } from '../../src/main/backup-source.ts'
import { logger } from '../../src/log.ts'
import {
  bucketKey,
  bucketServer,
  type BucketServer,
  type Mischief,
} from '../support/bucket-server.ts'
import { client, eventually, gateway, remove, temporaryDirectory } from '../support/gateway.ts'
import { cartulary } from '../support/program.ts'
import { prefixes } from '../support/repository.ts'

let store: BucketServer
let [folder, directory] = ['', '']
let logged = ''
const log = logger('debug', { write: (line: string) => void (logged += line) })

beforeAll(async () => {
  store = await bucketServer()
  folder = await temporaryDirectory()
  directory = join(folder, 'data')
  const platform = await gateway(directory)
  const { put, putDataset } = client(platform)
  await put('/catalogues/city', `${prefixes}<> a dcat:Catalog ; dct:title "City"@en .`)
  await putDataset('city', 'd1', `${prefixes}<> a dcat:Dataset ; dct:title "Trees"@en .`)
  await platform.stop()
  // Enough that cannot be compressed for an archive of several parts.
  const activity = new DatabaseSync(join(directory, 'activity.sqlite'))
  activity.exec('CREATE TABLE ballast (bytes BLOB)')
  for (let n = 0; n < 9; n += 1)
    activity.prepare('INSERT INTO ballast VALUES (?)').run(randomBytes(2 ** 20))
  activity.close()
}, 60_000)
afterEach(() => {
  store.state.mischief = () => undefined
  store.state.secret = bucketKey.secretAccessKey
  store.objects.clear()
  store.uploads.clear()
  store.asked.length = 0
})
afterAll(async () => {
  await store.end()
  await remove(folder)
})

const backup = (target: string, options: Partial<BackupOptions> = {}) =>
  withBuckets({ settings: store.access, log }, (openBucket) =>
    backUp(backupSource(directory, '0.0.0', openBucket), { target, ...options }),
  )
const verify = (path: string) =>
  withBuckets({ settings: store.access, log }, (openBucket) =>
    verifyBackup(backupSource('', '0.0.0', openBucket), path),
  )
/** Rejection of a backup, in words. */
const refusal = (options: Partial<BackupOptions> = {}) =>
  backup('s3://backups/a/x.tar.zst', options).then(
    () => 'done',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
/** Misbehaves for the first requests of a kind. */
const misbehave = (
  mischief: Mischief,
  isMeant: (method: string, query: string) => boolean,
  times = 1,
) => {
  let left = times
  store.state.mischief = ({ method, query }) => {
    if (left === 0 || !isMeant(method, query.toString())) return undefined
    left -= 1
    return mischief
  }
}
const isPart = (method: string, query: string) => method === 'PUT' && query.includes('partNumber')
const isEnd = (method: string, query: string) => method === 'POST' && query.startsWith('uploadId')
const nothingIsLeft = () => {
  expect([[...store.objects.keys()], store.uploads.size]).toEqual([[], 0])
  expect(readdirSync(join(directory, 'tmp'))).toEqual([])
}

describe('a backup in a bucket', () => {
  it('goes there in parts, is verified there, and says where it is', async () => {
    const manifest = await backup('s3://backups/a/x.tar.zst')
    expect([...store.objects.keys()]).toEqual(['a/x.tar.zst'])
    expect(store.asked.filter(({ method }) => method === 'PUT').length).toBe(2)
    expect(store.state.largestBody).toBe(8 * 2 ** 20)
    expect(await verify('s3://backups/a/x.tar.zst')).toEqual(manifest)
    expect(await refusal()).toBe('s3://backups/a/x.tar.zst exists already: name another place.')
  })

  it.each<[Mischief, string, (method: string, query: string) => boolean]>([
    ['error-500', 'a part', isPart],
    ['cut', 'a part', isPart],
    [
      'error-500',
      'the beginning',
      (method, query) => method === 'POST' && query.startsWith('uploads'),
    ],
    ['error-500', 'the end', isEnd],
    ['lost-answer', 'the end', isEnd],
    ['slow', 'the end', isEnd],
    ['cut', 'a range', (method) => method === 'GET'],
  ])('is whole after %s once at %s', async (mischief, _, isMeant) => {
    misbehave(mischief, isMeant)
    const manifest = await backup('s3://backups/a/x.tar.zst')
    store.state.mischief = () => undefined
    expect(await verify('s3://backups/a/x.tar.zst')).toEqual(manifest)
    expect(store.uploads.size).toBe(0)
  })

  it.each<[Mischief, string, (method: string, query: string) => boolean, string]>([
    ['full', 'a part', isPart, 'there is no space left'],
    ['error-in-200', 'the end', isEnd, 'did not put the parts together (InternalError)'],
    [
      'wrong-bytes',
      'a range',
      (method) => method === 'GET',
      'was not what had been sent, and is removed',
    ],
  ])('leaves nothing after %s at %s, and says why', async (mischief, _, isMeant, why) => {
    misbehave(mischief, isMeant, 99)
    expect(await refusal()).toContain(why)
    nothingIsLeft()
  })

  it('is refused with a wrong key, which no message and no log has', async () => {
    store.state.secret = 'another-secret'
    const message = await refusal()
    expect(message).toContain('SignatureDoesNotMatch: check secretAccessKey and region')
    nothingIsLeft()
    for (const text of [message, logged])
      for (const secret of [bucketKey.secretAccessKey, bucketKey.accessKeyId, 'another-secret'])
        expect(text).not.toContain(secret)
  })

  it('gives the upload up when it is stopped while the store is silent', async () => {
    const stopping = new AbortController()
    store.state.mischief = ({ method, query }) => {
      if (!isPart(method, query.toString())) return undefined
      stopping.abort()
      return 'silent'
    }
    expect(await refusal({ signal: stopping.signal })).toContain('aborted')
    nothingIsLeft()
  })

  it('says that the bucket, the store or the address is not there', async () => {
    await expect(backup('s3://elsewhere/x.tar.zst')).rejects.toThrow('there is no such bucket')
    for (const address of ['s3://backups', 's3://backups/a/../x.tar.zst', 's3://UP/x.tar.zst'])
      await expect(backup(address)).rejects.toThrow('is no address such as s3://bucket/')
    await expect(backup('s3://backups/today')).rejects.toThrow('ends in .tar.zst')
    await expect(verifyBackup(backupSource('', '0'), 's3://backups/x.tar.zst')).rejects.toThrow(
      'No bucket is configured',
    )
    await expect(verify('s3://backups/no.tar.zst')).rejects.toThrow('does not exist')
  })

  it('replaces the oldest of its store beyond those to keep, and nothing else', async () => {
    const other = { bytes: Buffer.from('x'), storeId: 'another', time: 0 }
    store.objects.set('a/foreign.tar.zst', other)
    store.objects.set('a/mine.tar.zst', { ...other, storeId: undefined })
    store.objects.set('a/notes.txt', { ...other, storeId: undefined })
    for (const name of ['1', '2', '3']) await backup(`s3://backups/a/${name}.tar.zst`, { keep: 2 })
    await backup('s3://backups/b/4.tar.zst', { keep: 1 })
    expect([...store.objects.keys()].sort()).toEqual([
      'a/2.tar.zst',
      'a/3.tar.zst',
      'a/foreign.tar.zst',
      'a/mine.tar.zst',
      'a/notes.txt',
      'b/4.tar.zst',
    ])
  })

  it('that is damaged or cut short there is named', async () => {
    await backup('s3://backups/a/x.tar.zst')
    const object = store.objects.get('a/x.tar.zst')
    if (!object) throw new Error('no object')
    store.objects.set('a/x.tar.zst', { ...object, bytes: object.bytes.subarray(0, 5_000_000) })
    await expect(verify('s3://backups/a/x.tar.zst')).rejects.toThrow(
      /^s3:\/\/backups\/a\/x.*damaged/,
    )
  })
})

it('the program backs up, verifies and restores with the key in a file', async () => {
  const config = join(folder, 'backup.json')
  writeFileSync(config, JSON.stringify({ directory: 's3://backups/a', ...store.access }))
  const run = (words: string) =>
    cartulary(words.split(' '), { cwd: folder, env: { PLATFORM_BACKUP_CONFIG_FILE: config } })
  const address = 's3://backups/a/today.tar.zst'
  for (const words of [
    `backup ${address} --data data --with-key`,
    `verify ${address}`,
    `restore ${address} --data new/data`,
  ]) {
    const { code, err, out } = await run(words)
    expect([words, code, err]).toEqual([words, 0, ''])
    expect(out).toContain('datasets 1')
  }
  const restored = await gateway(join(folder, 'new', 'data'))
  const answer = await fetch(`${restored.url}/api/hub/repo/datasets/d1.nt`)
  expect(await answer.text()).toContain('"Trees"@en')
  await restored.stop()
  expect(readdirSync(join(folder, 'new'))).toEqual(['data'])
  const check = await run('check --data data')
  expect(check.out).toContain('"endpoint"')
  for (const text of [check.out, check.err]) expect(text).not.toContain(bucketKey.secretAccessKey)
}, 60_000)

it('the platform sends its backups there by its schedule, and refuses to start without the key', async () => {
  const settings = {
    directory: 's3://backups/nightly/',
    schedule: '* * * * * ?',
    keep: 1,
    ...store.access,
  }
  const start = (config: object) =>
    gateway(directory, {
      PLATFORM_BACKUP_CONFIG: JSON.stringify(config),
      PLATFORM_LOG_LEVEL: 'debug',
    })
  const { secretAccessKey, ...without } = settings
  await expect(start(without)).rejects.toThrow(
    'secretAccessKey is missing for s3://backups/nightly/',
  )
  await expect(start({ ...settings, endpoint: 'files.example' })).rejects.toThrow('endpoint')
  const platform = await start(settings)
  expect(await eventually(async () => store.objects.size > 0)).toBe(true)
  await platform.stop()
  expect([...store.objects.keys()][0]).toMatch(/^nightly\/\d{4}-\d\d-\d\dT\d{6}Z\.tar\.zst$/)
  expect(platform.log()).not.toContain(secretAccessKey)
}, 60_000)
