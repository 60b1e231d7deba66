/**
 * A small S3-compatible store in memory, which computes each signature again (AWS Signature Version 4, own implementation) and
 * misbehaves on demand.
 */

import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type StoredObject = {
  readonly bytes: Buffer
  readonly storeId: string | undefined
  readonly time: number
}
type Upload = {
  readonly key: string
  readonly storeId: string | undefined
  readonly parts: Map<number, Buffer>
}
type Asked = { readonly method: string; readonly key: string; readonly query: URLSearchParams }
/** Misbehaviour of one answer; `undefined` for a good one. */
export type Mischief =
  | 'error-500'
  | 'slow'
  | 'cut'
  | 'silent'
  | 'full'
  | 'lost-answer'
  | 'wrong-bytes'
  | 'error-in-200'
  | undefined

export const bucketKey = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalr/XUtnFEMI+K7MDENG' }
const region = 'eu-test-1'

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const encoded = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Code of the error that a request deserves; `undefined` when its signature is right. */
function signatureFault(
  request: IncomingMessage,
  url: URL,
  body: Buffer,
  secret: string,
): string | undefined {
  const { authorization = '' } = request.headers
  const [, credential = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
      authorization,
    ) ?? []
  const [id, date = '', place = '', service = ''] = credential.split('/')
  if (id !== bucketKey.accessKeyId) return 'InvalidAccessKeyId'
  if (place !== region || service !== 's3') return 'AuthorizationHeaderMalformed'
  const digest = String(request.headers['x-amz-content-sha256'])
  if (digest !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  const headers = names
    .split(';')
    .map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
  const path = decodeURIComponent(url.pathname).split('/').map(encoded).join('/')
  const query = [...url.searchParams]
    .map(([k, v]) => `${encoded(k)}=${encoded(v)}`)
    .sort()
    .join('&')
  const canonical = [request.method, path, query, headers.join(''), names, digest].join('\n')
  const time = String(request.headers['x-amz-date'])
  const text = [
    'AWS4-HMAC-SHA256',
    time,
    [date, place, service, 'aws4_request'].join('/'),
    sha256(canonical),
  ].join('\n')
  const key = ['s3', 'aws4_request'].reduce(
    (k, part) => hmac(k, part),
    hmac(hmac(`AWS4${secret}`, date), place),
  )
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}

export type BucketServer = Awaited<ReturnType<typeof bucketServer>>

/** Starts the store with one bucket, `backups`. */
export async function bucketServer() {
  const objects = new Map<string, StoredObject>()
  const uploads = new Map<string, Upload>()
  const asked: Asked[] = []
  const good: (asked: Asked) => Mischief = () => undefined
  const state = {
    /** Misbehaviour for a request; it may count. */
    mischief: good,
    /** Secret that the store knows. */
    secret: bucketKey.secretAccessKey,
    largestBody: 0,
  }
  const refuse = (response: ServerResponse, status: number, code: string) => {
    // Real stores repeat parts of the request in messages.
    const xml = `<Error><Code>${code}</Code><Message>key ${bucketKey.accessKeyId} secret ${state.secret}</Message></Error>`
    response.writeHead(status, { 'content-type': 'application/xml' }).end(xml)
  }
  const answerObject = (
    request: IncomingMessage,
    response: ServerResponse,
    key: string,
    wrong: boolean,
  ) => {
    const object = objects.get(key)
    if (!object) return refuse(response, 404, 'NoSuchKey')
    const tag = `"${sha256(object.bytes).slice(0, 32)}"`
    const headers = {
      etag: tag,
      ...(object.storeId !== undefined && { 'x-amz-meta-store-id': object.storeId }),
    }
    const condition = request.headers['if-match']
    if (condition !== undefined && condition !== tag)
      return refuse(response, 412, 'PreconditionFailed')
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    if (from === undefined)
      return void response
        .writeHead(200, { ...headers, 'content-length': object.bytes.length })
        .end(request.method === 'HEAD' ? '' : object.bytes)
    const bytes = Buffer.from(object.bytes.subarray(Number(from), Number(to) + 1))
    if (wrong) bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0)
    response.writeHead(206, { ...headers, 'content-length': bytes.length }).end(bytes)
  }
  const answerList = (response: ServerResponse, query: URLSearchParams) => {
    const prefix = query.get('prefix') ?? ''
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort()
    const at = Number(query.get('continuation-token') ?? 0)
    const page = keys.slice(at, at + 2).map((key) => {
      const { time } = objects.get(key) ?? { time: 0 }
      return `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>${new Date(time).toISOString()}</LastModified></Contents>`
    })
    const next =
      at + 2 < keys.length ? `<NextContinuationToken>${at + 2}</NextContinuationToken>` : ''
    response.end(`<ListBucketResult>${page.join('')}${next}</ListBucketResult>`)
  }
  const answerUpload = (response: ServerResponse, { method, key, query }: Asked, body: Buffer) => {
    const id = query.get('uploadId') ?? ''
    const upload = uploads.get(id)
    if (!upload) return refuse(response, 404, 'NoSuchUpload')
    if (method === 'DELETE') {
      uploads.delete(id)
      return void response.writeHead(204).end()
    }
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body)
      return void response.writeHead(200, { etag: `"${sha256(body).slice(0, 32)}"` }).end()
    }
    const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes)
    const named = [...body.toString().matchAll(/<ETag>"?([^<"]*)"?<\/ETag>/g)].map(([, tag]) => tag)
    if (JSON.stringify(named) !== JSON.stringify(parts.map((part) => sha256(part).slice(0, 32))))
      return refuse(response, 400, 'InvalidPart')
    objects.set(key, {
      bytes: Buffer.concat(parts),
      storeId: upload.storeId,
      time: Date.now() + objects.size,
    })
    uploads.delete(id)
    return void response.end('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>')
  }
  const answer = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const url = new URL(request.url ?? '', 'http://x')
    const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/')
    const about = { method: request.method ?? '', key: rest.join('/'), query: url.searchParams }
    asked.push(about)
    state.largestBody = Math.max(state.largestBody, body.length)
    const mischief = state.mischief(about)
    if (mischief === 'slow')
      return void setTimeout(() => {
        state.mischief = good
        answer(request, response, body)
      }, 300)
    if (mischief === 'error-500') return refuse(response, 500, 'InternalError')
    if (mischief === 'full') return refuse(response, 507, 'XMinioStorageFull')
    if (mischief === 'cut') return void request.socket.destroy()
    if (mischief === 'silent') return
    const fault = signatureFault(request, url, body, state.secret)
    if (fault !== undefined) return refuse(response, 403, fault)
    if (bucket !== 'backups') return refuse(response, 404, 'NoSuchBucket')
    if (mischief === 'error-in-200') return refuse(response, 200, 'InternalError')
    if (mischief === 'lost-answer') {
      response.end = () => {
        request.socket.destroy()
        return response
      }
    }
    if (about.method === 'POST' && about.query.has('uploads')) {
      const id = `upload-${asked.length}`
      uploads.set(id, {
        key: about.key,
        storeId: header(request, 'x-amz-meta-store-id'),
        parts: new Map(),
      })
      return void response.end(`<R><UploadId>${id}</UploadId></R>`)
    }
    if (about.query.has('uploadId')) return answerUpload(response, about, body)
    if (about.key === '') return answerList(response, about.query)
    if (about.method !== 'DELETE')
      return answerObject(request, response, about.key, mischief === 'wrong-bytes')
    objects.delete(about.key)
    return void response.writeHead(204).end()
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('error', () => undefined)
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => answer(request, response, Buffer.concat(parts)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    access: { endpoint: `http://127.0.0.1:${port}`, region, ...bucketKey },
    objects,
    uploads,
    asked,
    state,
    end: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const header = (request: IncomingMessage, name: string) => {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}
