/** A repository on a socket, and a client that sends what nobody should send. */

import { connect } from 'node:net'
import { expect } from 'vitest'
import { defaultLimits } from '../../src/http/limits.ts'
import { serve } from '../../src/http/serve.ts'
import { prefixes, repository } from './repository.ts'

const key = 'a-key-for-everything'
export const limits = {
  ...defaultLimits,
  bodyBytes: 4 * 2 ** 20,
  triples: 20_000,
  canonicalWork: 200_000,
  bodyIdleMs: 1000,
}
export const single = '/catalogues/c/datasets/origin?originalId=new'
export const bulk = '/catalogues/c/datasets/bulk'

export type Sent = { readonly path?: string; readonly type?: string; readonly coding?: string }
export type Body = string | Uint8Array<ArrayBuffer>

/** A description that every format can say. */
export const good = `${prefixes}<https://example.org/x> a dcat:Dataset ; dct:title "A title"@en , "Noch einer"@de ;
  dcat:distribution [ a dcat:Distribution ; dct:title "File" ] ; dct:publisher <https://example.org/p> .
<https://example.org/p> a foaf:Agent ; foaf:name "P" .`
export const dataset = `${prefixes}<> a dcat:Dataset ; dct:title "x" .`

export type HostileClient = Awaited<ReturnType<typeof hostileClient>>

export async function hostileClient() {
  const repo = await repository({ limits })
  await repo.putCatalogue('c')
  await repo.putDataset('c', 'victim', `${prefixes}<> a dcat:Dataset ; dct:title "Mine" .`)
  const served = await serve(repo.app, { port: 0, limits })
  const quads = async () => (await repo.store.health()).quads

  const put = async (body: Body, { path = single, type = 'text/turtle', coding }: Sent = {}) => {
    const answer = await fetch(served.url + path, {
      method: 'PUT',
      body,
      headers: {
        'X-API-Key': key,
        'Content-Type': type,
        ...(coding === undefined ? {} : { 'Content-Encoding': coding }),
      },
    })
    const text = await answer.text()
    const isProblem = answer.headers.get('Content-Type')?.startsWith('application/problem+json')
    const problem = (isProblem ? JSON.parse(text) : {}) as {
      type?: string
      errors?: { line?: number }[]
    }
    return { status: answer.status, slug: problem.type?.split(':').at(-1), problem }
  }

  return {
    repo,
    url: served.url,
    quads,
    put,
    /** Sends and checks that nothing came of it. */
    refused: async (body: Body, sent: Sent = {}) => {
      const before = await quads()
      const { status, slug } = await put(body, sent)
      expect(await quads()).toBe(before)
      return [status, slug]
    },
    raw: (head: string, pieces: Iterable<string>, path = single) =>
      raw({ port: served.port, path, head }, pieces),
    close: async () => {
      await served.close()
      await repo.close()
    },
  }
}

type Request = { readonly port: number; readonly path: string; readonly head: string }

/** Talks to the socket itself; answers what came back until the other side closed, and how much could be sent. */
function raw(
  { port, path, head }: Request,
  pieces: Iterable<string>,
): Promise<{ text: string; sent: number }> {
  return new Promise((resolve) => {
    let [text, sent] = ['', 0]
    const socket = connect(port, '127.0.0.1')
    const iterator = pieces[Symbol.iterator]()
    const write = () => {
      for (let next = iterator.next(); !next.done; next = iterator.next()) {
        sent += next.value.length
        if (!socket.write(next.value)) return socket.once('drain', write)
      }
      return socket
    }
    socket.on('data', (part) => (text += part.toString()))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve({ text, sent }))
    socket.write(
      `PUT ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: text/turtle\r\n${head}\r\n\r\n`,
    )
    write()
  })
}
