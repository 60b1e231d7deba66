/** The store contract on the dialect that speaks to any store, over a real socket. */

import { afterAll, beforeAll } from 'vitest'
import type { StoreLimits } from '../../src/store/embedded.ts'
import { openRemote, startProtocol } from '../store/opening.ts'
import type { ProtocolServer } from '../support/protocol-server.ts'
import { queryContract } from './graph-store-queries.ts'
import { valueContract } from './graph-store-values.ts'
import { writingContract } from './graph-store.ts'

let server: ProtocolServer
beforeAll(async () => {
  server = await startProtocol()
})
afterAll(() => server.stop())

const open = (limits?: Partial<StoreLimits>) => openRemote(server.config, limits)

// The parser in front of the embedded store's protocol is strict, and slow with long texts.
const known = { literal: 200_000, strict: true, share: 0.05 } as const

writingContract('sparql11', open, known)
valueContract('sparql11', open, known)
queryContract('sparql11', open)
