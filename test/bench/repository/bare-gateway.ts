/**
 * The least that a gateway can be: takes a request, sends it on to the Graph Store endpoint as it is, and sends the answer
 * back as it is. What this costs, every gateway costs. `node bare-gateway.ts '{ "graphEndpoint": … }'` prints its address.
 */

import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EngineConfig } from '../../support/engines/engine.ts'
import { proofs } from './raw-store.ts'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bench starts it with its own configuration
const config = JSON.parse(process.argv[2] ?? '') as EngineConfig
const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const { pathname, hostname, port } = new URL(config.graphEndpoint)
const proof = await proofs(config)(config.graphEndpoint)

const server = createServer((incoming, outgoing) => {
  const { method = 'GET', headers } = incoming
  const path = `${pathname}?graph=${encodeURIComponent((incoming.url ?? '').slice(1))}`
  const { accept, 'content-type': type, 'content-length': length } = headers
  const authorization = proof(method, path)
  const passed = {
    ...(accept !== undefined && { accept }),
    ...(type !== undefined && { 'content-type': type }),
    ...(length !== undefined && { 'content-length': length }),
    ...(authorization !== undefined && { authorization }),
  }
  const call = request({ agent, hostname, port, path, method, headers: passed }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, {
      'content-type': answer.headers['content-type'] ?? '',
    })
    answer.pipe(outgoing)
  })
  call.once('error', () => outgoing.writeHead(502).end())
  if (method === 'GET') call.end()
  else incoming.pipe(call)
})
server.listen(0, '127.0.0.1', () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
