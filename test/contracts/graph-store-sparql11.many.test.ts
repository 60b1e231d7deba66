/** The store contract on the dialect that speaks to any store, over a real socket. */

import { afterAll, beforeAll } from 'vitest'
import type { StoreLimits } from '../../src/store/embedded/embedded-store.ts'
import { openRemote } from '../store/opening.ts'
import { protocolServer, type ProtocolServer } from '../support/protocol-server.ts'
import { storeContract } from './graph-store-all.ts'

let server: ProtocolServer
beforeAll(async () => {
  server = await protocolServer()
})
afterAll(() => server.stop())

storeContract('sparql11', {
  open: (limits?: Partial<StoreLimits>) => openRemote(server.config, limits),
  start: () => protocolServer(),
  guarded: () => protocolServer({ username: 'portal', password: 'a: "b"', refused: [] }),
  // Its parser is strict, and slow with long texts.
  known: { strict: true, share: 0.05, alone: true, union: false },
})
