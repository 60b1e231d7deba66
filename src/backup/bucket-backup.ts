/** Backups in a bucket: addresses `s3://{bucket}/{key}`, sending of an archive, and removal of older ones. */

import { createHash } from 'node:crypto'
import { archiveBytes, archiveEnding, type ArchivedFiles } from './archive.ts'
import { BackupFault } from './backup-fault.ts'
import type { Bucket } from './bucket.ts'

const scheme = 's3://'

/** Opens the bucket of a name. Throws a `StartRefused` where no store is configured. */
export type OpenBucket = (name: string) => Bucket

export const isBucketAddress = (address: string): boolean => address.startsWith(scheme)

/** Bucket and key of an address; the key of an archive ends in `.tar.zst`. Throws a `BackupFault`. */
export function parseAddress(address: string): { readonly bucket: string; readonly key: string } {
  const [, bucket = '', key = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})\/(.+)$/.exec(address) ?? []
  if (bucket !== '' && !key.split('/').some((part) => part === '' || /^\.\.?$/.test(part)))
    return { bucket, key }
  throw new BackupFault(`${address} is no address such as s3://bucket/folder/name${archiveEnding}.`)
}

type Sending = ArchivedFiles & {
  readonly openBucket: OpenBucket
  readonly address: string
  readonly storeId: string
  /** Bytes of the files. */
  readonly bytes: number
  readonly signal: AbortSignal
}

/** Opens the bucket of an address of an archive. Throws a `BackupFault`. */
export function archiveAt(openBucket: OpenBucket, address: string) {
  const { bucket, key } = parseAddress(address)
  if (!key.endsWith(archiveEnding))
    throw new BackupFault(`${address}: the name of a backup in a bucket ends in ${archiveEnding}.`)
  return { bucket: openBucket(bucket), key }
}

/** Sends files as an archive, and reads it again to compare; what differs is removed. Rejects with a `BackupFault`. */
export async function sendArchive(sending: Sending): Promise<void> {
  const { address, openBucket, storeId, bytes, signal } = sending
  const { bucket, key } = archiveAt(openBucket, address)
  if ((await bucket.list(key, signal)).some((one) => one.key === key))
    throw new BackupFault(`${address} exists already: name another place.`)
  // Compression adds little to what cannot be compressed, tar a block for each file.
  const most = bytes + bytes / 100 + 2 ** 20
  const sent = await bucket.write(key, archiveBytes(sending), { most, storeId, signal })
  const digest = createHash('sha256')
  for await (const chunk of bucket.read(key, signal)) digest.update(chunk)
  if (digest.digest('hex') === sent.sha256) return
  await bucket.remove(key, signal)
  throw new BackupFault(`${address} was not what had been sent, and is removed.`)
}

type Older = {
  readonly openBucket: OpenBucket
  /** Address of the newest backup. */
  readonly address: string
  readonly keep: number
  readonly storeId: string
  readonly signal: AbortSignal
}

/** Removes the archives of a store in the folder of an address but the newest. */
export async function removeOlderArchives(older: Older): Promise<void> {
  const { openBucket, address, keep, storeId, signal } = older
  const { bucket, key } = archiveAt(openBucket, address)
  const folder = key.slice(0, key.lastIndexOf('/') + 1)
  const listed = await bucket.list(folder, signal)
  const archives = listed
    .filter((one) => one.key.endsWith(archiveEnding) && !one.key.slice(folder.length).includes('/'))
    .sort((a, b) => b.time - a.time || (a.key < b.key ? 1 : -1))
  let own = 0
  for (const { key: name } of archives) {
    if ((await bucket.facts(name, signal))?.storeId !== storeId) continue
    own += 1
    if (own > Math.max(1, keep)) await bucket.remove(name, signal)
  }
}
