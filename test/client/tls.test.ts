/** TLS: certificates are always validated, and https sources work like others. */

import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OutboundRequest } from '../../src/client/outbound.ts'
import { outboundFixture, type OutboundFixture } from '../support/portals/outbound.ts'

const signal = new AbortController().signal
const pem = (name: string) =>
  readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8')
const known = getCACertificates('default')
const seen: (string | undefined)[] = []
let server: Server
let scene: OutboundFixture

beforeAll(async () => {
  server = createServer({ key: pem('key'), cert: pem('cert') }, (request, response) => {
    seen.push(request.headers.authorization)
    const to = new URL(request.url ?? '/', 'https://tls.example').searchParams.get('to')
    if (to !== null) response.writeHead(302, { Location: to })
    response.end('safe')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  scene = outboundFixture({
    names: { 'tls.example': ['8.8.8.8'], 'other.example': ['8.8.8.8'] },
    world: { '8.8.8.8': port },
  })
})

afterAll(async () => {
  setDefaultCACertificates(known)
  await scene.client.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const ask = (url: string, more: Partial<OutboundRequest> = {}) =>
  scene.client.read(
    { url, reach: { kind: 'public' }, maxBytes: 1000, attempts: 1, ...more },
    signal,
  )

describe('an https source', () => {
  it('[T1] whose certificate nobody vouches for is unreachable, whatever the environment says', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    await expect(ask('https://tls.example/')).rejects.toMatchObject({
      kind: 'source-unreachable',
      detail: 'tls.example presents a certificate that is not trusted',
    })
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    expect(seen).toEqual([])
  })

  it('is read when the operator knows its certificate, and only under its own name', async () => {
    setDefaultCACertificates([...known, pem('cert')])
    expect((await ask('https://tls.example/')).text).toBe('safe')
    await expect(ask('https://other.example/')).rejects.toMatchObject({
      kind: 'source-unreachable',
      detail: 'other.example presents the certificate of another host',
    })
  })

  it('[T1] row 27: keeps its token when it redirects within, and sends none over http', async () => {
    const credentials = { Authorization: 'Bearer word' }
    await ask('https://tls.example/?to=/end', { credentials })
    expect(seen.slice(-2)).toEqual(['Bearer word', 'Bearer word'])
    const dials = scene.dialled.length
    const plain = ask('https://tls.example/?to=http://tls.example/', { credentials })
    await expect(plain).rejects.toMatchObject({ kind: 'address-refused' })
    expect(scene.dialled.slice(dials).filter(({ port }) => port === 80)).toEqual([])
  })
})
