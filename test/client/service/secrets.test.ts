/** [T7] What is secret stays out of logs, errors and addresses. */

import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { logger } from '../../../src/log.ts'
import { basicServer, credentials, digestServer } from './guarded.ts'
import { asking, httpServer, rawServer, updating, wire } from './servers.ts'

const base64 = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')

/** Runs `act` and tells everything that was logged or thrown. */
async function traces(act: (log: ReturnType<typeof logger>) => Promise<unknown>[]) {
  const lines = new PassThrough()
  const outcomes = await Promise.allSettled(act(logger('debug', lines)))
  lines.end()
  return (await text(lines)) + inspect(outcomes, { depth: 20, showHidden: true })
}

describe('[T7] a password', () => {
  it('is in no log line and in no error, whether it is right or wrong', async () => {
    const { url: basic } = await basicServer()
    const { url: digest } = await digestServer()
    const { url: dead } = await rawServer(({ socket }) => socket.resetAndDestroy())
    const { url: broken } = await httpServer((request, response) => {
      const challenge = { 'WWW-Authenticate': 'Basic realm="x"' }
      if (request.headers.authorization) response.writeHead(200).write('half')
      else response.writeHead(401, challenge).end()
    })
    const told = await traces((log) => {
      const right = wire({ log, auth: credentials, limits: { totalMs: 150 } })
      const wrong = wire({ log, auth: { ...credentials, username: 'nobody' } })
      return [
        ...[basic, digest, dead, broken].map((url) => right.send(updating(url))),
        ...[basic, digest].map((url) => wrong.send(updating(url))),
      ]
    })
    expect(told).toContain('store.exchange')
    expect(told).toContain('CredentialsError')
    expect(told).not.toContain(credentials.password)
    expect(told).not.toContain(JSON.stringify(credentials.password).slice(1, -1))
    expect(told).not.toContain(base64)
    expect(told).not.toMatch(/authorization|response=/i)
  })

  it('in an address is refused, and not repeated', async () => {
    const told = await traces((log) =>
      ['http://portal:geheim@127.0.0.1:1/', 'http://geheim@127.0.0.1:1/', 'geheim'].map((url) =>
        wire({ log }).send(asking(url)),
      ),
    )
    expect(told.match(/TypeError: an address may not hold credentials/g)).toHaveLength(2)
    expect(told.match(/TypeError: not an HTTP address/g)).toHaveLength(1)
    expect(told).not.toContain('geheim')
  })
})

describe('a log line', () => {
  it('tells method, path, status and time of an exchange, but nothing that was asked', async () => {
    const { url } = await httpServer((_, response) => response.end('answer'))
    const told = await traces((log) => [wire({ log }).send(asking(`${url}?query=SELECT-private`))])
    const line = told.split('\n').find((one) => one.includes('store.exchange')) ?? ''
    expect(JSON.parse(line)).toMatchObject({
      level: 'debug',
      method: 'GET',
      path: '/ds',
      status: 200,
    })
    expect(line).not.toContain('private')
  })

  it('is not written above debug', async () => {
    const { url } = await httpServer((_, response) => response.end('answer'))
    const lines = new PassThrough()
    await wire({ log: logger('info', lines) }).send(asking(url))
    lines.end()
    expect(await text(lines)).toBe('')
  })
})

describe('what the store says', () => {
  it('stands in the cause of an error and never in its detail', async () => {
    const { url } = await httpServer((_, response) =>
      response.writeHead(401).end('java.lang.Secret'),
    )
    const failure = await wire()
      .send(asking(url))
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ detail: expect.not.stringContaining('java') })
    expect(inspect(failure)).toContain('java.lang.Secret')
  })
})
