/** Traces of W3C Trace Context: what is taken, what is sent on, and what is as good as none. */

import * as fc from 'fast-check'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { currentTraceId, inNewTrace, inTrace, ownTraceparent, traceHeaders } from '../src/trace.ts'
import { asking, wire } from './client/service/servers.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent = '00f067aa0ba902b7'
const valid = `00-${traceId}-${parent}-01`

describe('a trace', () => {
  it('keeps its id and whether it is recorded, with a new id for each part of it', () => {
    inTrace(valid, () => {
      expect(currentTraceId()).toBe(traceId)
      const own = ownTraceparent() ?? ''
      expect(own).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
      const sent = [traceHeaders(), traceHeaders()].map(({ traceparent = '' }) => traceparent)
      expect(new Set([valid, own, ...sent]).size).toBe(4)
      for (const text of sent) expect(text).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
    })
  })

  it.each([
    ['not recorded', `00-${traceId}-${parent}-00`, '00'],
    ['with other flags', `00-${traceId}-${parent}-fe`, '00'],
    ['of a later version', `cc-${traceId}-${parent}-01-what-comes`, '01'],
    ['between spaces', ` ${valid} `, '01'],
  ])('%s is taken', (_, text, flags) => {
    inTrace(text, () => expect(ownTraceparent()?.slice(-2)).toBe(flags))
  })

  it.each([
    undefined,
    '',
    `ff-${traceId}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${parent}-01`,
    `${valid}-more`,
    `${valid}\n`.repeat(2),
    `00-${traceId}-${parent}`,
  ])('%j is none', (text) => {
    inTrace(valid, () =>
      inTrace(text, () => expect([currentTraceId(), traceHeaders()]).toEqual([undefined, {}])),
    )
  })

  it('begins anew for work that no request began', () => {
    const ids = [1, 2].map(() => inNewTrace(() => [currentTraceId(), ownTraceparent()]))
    for (const [id, own] of ids) expect(own).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-01$`))
    expect(ids[0]?.[0]).not.toBe(ids[1]?.[0])
    expect(currentTraceId()).toBeUndefined()
  })

  it('takes no other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        inTrace(text, () => expect(currentTraceId()).toBeUndefined())
      }),
    )
  })

  it('is sent on to store and search engine', async () => {
    const heads: string[] = []
    const server = createServer((socket) => {
      socket.on('data', (head) => {
        heads.push(String(head))
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const client = wire()
    await inTrace(valid, () => client.send(asking(url)))
    await client.send(asking(url))
    server.close()
    expect(heads[0]).toMatch(new RegExp(`\r\ntraceparent: 00-${traceId}-[0-9a-f]{16}-01\r\n`))
    expect(heads[0]).not.toContain(parent)
    expect(heads[1]).not.toContain('traceparent')
  })
})
