/** How each fault of a portal is done to a connection. */

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import type { Fault } from './faults.ts'

type Right = () => Response | Promise<Response>

/** Answers wrongly; `right` makes the answer that would have been right. */
export async function misbehave(
  fault: Fault,
  response: ServerResponse,
  right: Right,
): Promise<void> {
  const { socket } = response
  switch (fault.kind) {
    case 'status':
      return plain(response, fault.status, { body: fault.body ?? '', headers: fault.headers })
    case 'html':
      return plain(response, 200, { body: htmlPage, headers: { 'Content-Type': 'text/html' } })
    case 'envelope':
      return plain(response, 200, {
        body: fault.body ?? '{"success":false,"error":{"__type":"Search Error","message":"down"}}',
        headers: { 'Content-Type': fault.contentType ?? 'application/json' },
      })
    case 'redirect':
      return plain(response, fault.status ?? 302, { body: '', headers: { Location: fault.to } })
    case 'empty':
      return plain(response, 200, { body: '' })
    case 'silent':
      return
    case 'reset':
      return void socket?.resetAndDestroy()
    case 'endless':
      return endless(response, fault.chunk ?? 'x'.repeat(16_384))
    case 'bomb':
      return bomb(response, fault.bytes ?? 1_000_000_000)
    default:
      return spoiled(fault, response, await right())
  }
}

type Spoiling = Extract<
  Fault,
  { kind: 'truncated' | 'drip' | 'head-only' | 'stuck' | 'edited' | 'headers' }
>

/** Faults that begin with the right answer. */
async function spoiled(fault: Spoiling, response: ServerResponse, answer: Response): Promise<void> {
  const bytes = Buffer.from(await answer.arrayBuffer())
  const head = Object.fromEntries(answer.headers)
  delete head['content-length']
  const length = { 'content-length': String(bytes.length) }
  const cut = () => void response.socket?.end(() => response.socket?.destroy())
  switch (fault.kind) {
    case 'truncated':
      response.writeHead(answer.status, {
        ...head,
        ...(fault.framing === 'length' ? length : { 'transfer-encoding': 'chunked' }),
      })
      return void response.write(bytes.subarray(0, bytes.length >> 1), cut)
    case 'head-only':
      response.writeHead(answer.status, { ...head, ...length })
      response.flushHeaders()
      return cut()
    case 'stuck':
      response.writeHead(answer.status, { ...head, ...length })
      return response.flushHeaders()
    case 'drip':
      response.writeHead(answer.status, { ...head, ...length })
      return drip(response, bytes, fault.everyMs)
    case 'edited':
      response.writeHead(answer.status, head)
      return void response.end(fault.edit(bytes.toString()))
    case 'headers':
      response.writeHead(answer.status, { ...head, ...lowered(fault.headers) })
      return void response.end(bytes)
  }
}

const lowered = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

type Plain = {
  readonly body: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

function plain(response: ServerResponse, status: number, { body, headers = {} }: Plain): void {
  response.writeHead(status, { ...headers })
  response.end(body)
}

async function drip(response: ServerResponse, bytes: Buffer, everyMs: number): Promise<void> {
  for (const byte of bytes) {
    if (response.destroyed) return
    response.write(Uint8Array.of(byte))
    await wait(everyMs, undefined, { ref: false })
  }
  response.end()
}

async function endless(response: ServerResponse, chunk: string): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/octet-stream' })
  const source = Readable.from(forEver(chunk))
  await pipeline(source, response).catch(() => undefined)
}

async function* forEver(chunk: string): AsyncGenerator<Buffer> {
  for (;;) yield Buffer.from(chunk)
}

async function bomb(response: ServerResponse, bytes: number): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
  const source = Readable.from(zeros(bytes))
  await pipeline(source, createGzip({ level: 9 }), response).catch(() => undefined)
}

async function* zeros(bytes: number): AsyncGenerator<Buffer> {
  const block = Buffer.alloc(1_000_000, '0')
  for (let left = bytes; left > 0; left -= block.length) {
    yield left < block.length ? block.subarray(0, left) : block
  }
}

const htmlPage =
  '<!DOCTYPE html>\n<html><head><title>Error</title></head><body>Something went wrong</body></html>'
