/**
 * Bucket of an S3-compatible store. Objects are written in parts and read in ranges, so that memory is bounded by one of them and
 * each can be repeated; requests are signed (AWS Signature Version 4) and go through the client for foreign addresses.
 */

import { createHash, hash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import { decodeXML, escapeText } from 'entities'
import type { Outbound } from '../client/outbound.ts'
import { Failure } from '../errors.ts'
import { BackupFault } from './backup-fault.ts'

/** Address of a store, and the key for it. */
export type BucketAccess = {
  /** Origin; buckets are folders of it. */
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Object of a list. */
export type ListedObject = { readonly key: string; readonly time: number }

/** Size of an object, and the store id that was noted with it. */
export type ObjectFacts = { readonly size: number; readonly tag: string; readonly storeId?: string }

/** Size of a part and of a range that is read; stores take no smaller parts than 5 MiB but the last, and at most 10,000. */
const [partBytes, mostParts] = [8 * 2 ** 20, 9000]

/** Limits of one request; a part has to be sent within `firstByteMs`. */
const deadlines = { connectMs: 10_000, firstByteMs: 300_000, idleMs: 60_000, pageMs: 600_000 }
/** Time in which an upload that failed has to be given up. */
const abortMs = 20_000
/** Most bytes of an answer in XML: a list of 1000 names. */
const mostXml = 2 ** 23

type Query = Readonly<Record<string, string>>

type Asking = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  readonly key?: string
  readonly query?: Query
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Statuses besides 2xx that are no refusal. */
  readonly accepted?: readonly number[]
}

/** Reads the elements of a name in XML without attributes, as stores write it. */
const elements = (xml: string, name: string): readonly string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) =>
    decodeXML(text),
  )

/** Advice by the code of an error or its status. */
const advice: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket',
  SignatureDoesNotMatch: 'check secretAccessKey and region',
  InvalidAccessKeyId: 'check accessKeyId',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
  AuthorizationHeaderMalformed: 'check region',
  AccessDenied: 'the key has not the right to do that',
  QuotaExceeded: 'there is no space left',
  XMinioStorageFull: 'there is no space left',
  '404': 'there is no such object',
  '403': 'check accessKeyId, secretAccessKey and the rights of the key',
  '507': 'there is no space left',
}

/** Client for one bucket. */
export class Bucket {
  readonly #access: BucketAccess
  readonly #client: Outbound
  readonly name: string

  constructor(name: string, access: BucketAccess, client: Outbound) {
    this.name = name
    this.#access = access
    this.#client = client
  }

  /** Facts of an object; `undefined` without one. */
  async facts(key: string, signal: AbortSignal): Promise<ObjectFacts | undefined> {
    const { status, headers } = await this.#ask({ method: 'HEAD', key, accepted: [404] }, signal)
    if (status === 404) return undefined
    const storeId = headers.get('x-amz-meta-store-id')
    const facts = {
      size: Number(headers.get('content-length')),
      tag: headers.get('etag') ?? '',
    }
    return storeId === null ? facts : { ...facts, storeId }
  }

  /** Objects whose keys begin with `prefix`. */
  async list(prefix: string, signal: AbortSignal): Promise<readonly ListedObject[]> {
    const found: ListedObject[] = []
    const common = { 'list-type': '2', 'encoding-type': 'url', prefix }
    for (let token: string | undefined = ''; token !== undefined;) {
      const query: Query = token === '' ? common : { ...common, 'continuation-token': token }
      const { text } = await this.#ask({ method: 'GET', query }, signal)
      for (const [contents = ''] of text.matchAll(/<Contents>.*?<\/Contents>/gs)) {
        const [key = ''] = elements(contents, 'Key')
        const [time = ''] = elements(contents, 'LastModified')
        found.push({ key: decodeURIComponent(key.replaceAll('+', ' ')), time: Date.parse(time) })
      }
      token = elements(text, 'NextContinuationToken')[0]
    }
    return found
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    await this.#ask({ method: 'DELETE', key, accepted: [404] }, signal)
  }

  /** Yields the bytes of an object. Rejects with a `BackupFault`, also where it is replaced meanwhile. */
  async *read(key: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const facts = await this.facts(key, signal)
    if (!facts) throw new BackupFault(`s3://${this.name}/${key} does not exist.`)
    for (let at = 0; at < facts.size; at += partBytes) {
      const end = Math.min(at + partBytes, facts.size)
      const headers = { range: `bytes=${at}-${end - 1}`, 'if-match': facts.tag }
      const { bytes } = await this.#ask({ method: 'GET', key, headers }, signal)
      if (bytes.length !== end - at)
        throw new BackupFault(
          `The bucket ${this.name} answered with ${bytes.length} bytes of ${key}, not ${end - at}.`,
        )
      yield bytes
    }
  }

  /**
   * Writes an object of at most `most` bytes, with the id of the store that it is of; returns its size and SHA-256. There is no
   * object until all of it is there, and a failed upload is given up, so that its parts take no space.
   */
  async write(
    key: string,
    chunks: AsyncIterable<Uint8Array>,
    { most, storeId, signal }: { most: number; storeId: string; signal: AbortSignal },
  ): Promise<{ readonly bytes: number; readonly sha256: string }> {
    const begun = await this.#ask(
      {
        method: 'POST',
        key,
        query: { uploads: '' },
        headers: { 'x-amz-meta-store-id': storeId, 'content-type': 'application/zstd' },
      },
      signal,
    )
    const [uploadId] = elements(begun.text, 'UploadId')
    if (uploadId === undefined) throw this.#fault('began no upload')
    const digest = createHash('sha256')
    const tags: string[] = []
    let bytes = 0
    try {
      for await (const part of partsOf(chunks, Math.max(partBytes, Math.ceil(most / mostParts)))) {
        digest.update(part)
        bytes += part.length
        const query = { partNumber: String(tags.length + 1), uploadId }
        const { headers } = await this.#ask({ method: 'PUT', key, query, body: part }, signal)
        tags.push(headers.get('etag') ?? '')
      }
      await this.#complete({ key, uploadId, tags, bytes }, signal)
    } catch (error) {
      const asking = { method: 'DELETE', key, query: { uploadId }, accepted: [404] } as const
      // The failure of the upload is the one to be reported.
      await this.#ask(asking, AbortSignal.timeout(abortMs)).catch(() => undefined)
      throw error
    }
    return { bytes, sha256: digest.digest('hex') }
  }

  async #complete(
    upload: { key: string; uploadId: string; tags: readonly string[]; bytes: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { key, uploadId, tags, bytes } = upload
    const parts = tags.map(
      (tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeText(tag)}</ETag></Part>`,
    )
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
    const query = { uploadId }
    const asking = { method: 'POST', key, query, body, accepted: [404] } as const
    const { status, text } = await this.#ask(asking, signal)
    // An answer of 200 may be an error, because it begins before the work is done.
    const [code] = elements(text, 'Code')
    if (status !== 404 && code === undefined) return
    // After a lost answer there is no upload any more, and the object is there.
    if (status === 404 && (await this.facts(key, signal))?.size === bytes) return
    throw this.#fault(`did not put the parts together (${shownCode(code, status)})`)
  }

  async #ask(
    { method, key, query = {}, headers = {}, body, accepted = [] }: Asking,
    signal: AbortSignal,
  ) {
    const { endpoint, ...credentials } = this.#access
    const path = [this.name, ...(key ?? '').split('/')].map(encodeURIComponent).join('/')
    const url = new URL(
      key === undefined ? encodeURIComponent(this.name) : path,
      `${endpoint.replace(/\/$/, '')}/`,
    )
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const digest = hash('sha256', body ?? '', 'hex')
    const signed = await new AwsV4Signer({
      ...credentials,
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': digest },
      service: 's3',
    }).sign()
    const { authorization = '', ...others } = Object.fromEntries(signed.headers)
    const request = {
      url: url.href,
      method,
      headers: others,
      credentials: { authorization },
      ...(body !== undefined && { body }),
      reach: { kind: 'configured', address: endpoint, trust: 'trusted', allow: [] },
      maxBytes: Math.max(mostXml, partBytes),
      deadlines,
      redirects: 0,
      // A second beginning leaves an upload without parts, a second end is recognised.
      isRepeatable: true,
      delayMs: 0,
    } as const
    const answer = await this.#client.read(request, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      throw error instanceof Failure
        ? new BackupFault(`The bucket ${this.name} cannot be used: ${error.detail}.`)
        : error
    })
    const { status } = answer
    if ((status >= 200 && status < 300) || accepted.includes(status)) return answer
    throw this.#fault(`refused a request (${shownCode(elements(answer.text, 'Code')[0], status)})`)
  }

  #fault(text: string): BackupFault {
    return new BackupFault(`The bucket ${this.name} at ${this.#access.endpoint} ${text}.`)
  }
}

/** Code and status of an error with advice; messages of stores may have parts of the request and are not shown. */
function shownCode(code: string | undefined, status: number): string {
  const name = code !== undefined && /^\w{1,60}$/.test(code) ? code : undefined
  const hint = advice[name ?? ''] ?? advice[status]
  return [name ?? `status ${status}`, ...(hint === undefined ? [] : [hint])].join(': ')
}

/** Cuts a stream into parts of one size, but for the last; a part is valid until the next one is asked for. */
async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  const part = Buffer.allocUnsafe(size)
  let filled = 0
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length;) {
      const taken = chunk.subarray(at, at + size - filled)
      part.set(taken, filled)
      filled += taken.length
      at += taken.length
      if (filled < size) continue
      yield part
      filled = 0
    }
  if (filled > 0) yield part.subarray(0, filled)
}
