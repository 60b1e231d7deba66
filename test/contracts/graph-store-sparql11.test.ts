/** The store contract on the dialect that speaks to any store, over a real socket. */

import { afterAll, beforeAll } from 'vitest'
import type { StoreLimits } from '../../src/store/embedded.ts'
import { openRemote, startProtocol } from '../store/opening.ts'
import type { ProtocolServer } from '../support/protocol-server.ts'
import { storeContract } from './graph-store-all.ts'

let server: ProtocolServer
beforeAll(async () => {
  server = await startProtocol()
})
afterAll(() => server.stop())

storeContract('sparql11', {
  open: (limits?: Partial<StoreLimits>) => openRemote(server.config, limits),
  start: () => startProtocol(),
  guarded: () => startProtocol({ username: 'portal', password: 'a: "b"', refused: [] }),
  // The parser in front of the embedded store's protocol is strict, and slow with long texts.
  known: { literal: 200_000, strict: true, share: 0.05, alone: true, union: false },
})
