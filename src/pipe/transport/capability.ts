/** Permission to hand in the output for one segment of one run, and nothing else. */

import { createHmac, timingSafeEqual } from 'node:crypto'

export type Permitted = { readonly runId: string; readonly segmentNumber: number }

export type Capability = {
  /** A token of at most 200 characters, all of them `A-Za-z0-9_-`: it stands in a path. */
  readonly of: (permitted: Permitted) => string
  /** What the token permits; `undefined` for one that is not ours. */
  readonly read: (token: string) => Permitted | undefined
}

const form = /^[\w-]{20,200}$/
const macBytes = 32

/** Made from a secret of this process (RFC 2104): nothing is kept, and all of them end with the process. */
export function capabilities(secret: Uint8Array): Capability {
  const mac = (said: Buffer): Buffer => createHmac('sha256', secret).update(said).digest()
  return {
    of({ runId, segmentNumber }) {
      const number = Buffer.alloc(4)
      number.writeUInt32BE(segmentNumber)
      const said = Buffer.concat([number, Buffer.from(runId)])
      return Buffer.concat([mac(said), said]).toString('base64url')
    },
    read(token) {
      if (!form.test(token)) return undefined
      const bytes = Buffer.from(token, 'base64url')
      const said = bytes.subarray(macBytes)
      if (said.length < 4 || !timingSafeEqual(bytes.subarray(0, macBytes), mac(said))) {
        return undefined
      }
      return { runId: said.subarray(4).toString('utf8'), segmentNumber: said.readUInt32BE() }
    },
  }
}
