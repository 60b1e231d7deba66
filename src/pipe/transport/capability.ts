/** Permission to hand in the output for one segment of one run, and nothing else. */

import { createHmac, timingSafeEqual } from 'node:crypto'

export type Permitted = { readonly runId: string; readonly segmentNumber: number }

export type Capability = {
  readonly of: (permitted: Permitted) => string
  /** What the token permits; `undefined` for one that is not ours. */
  readonly read: (token: string) => Permitted | undefined
}

const form = /^run\.([\w-]{1,600})\.(\d{1,9})\.([\w-]{43})$/

/** Whether a text claims to be such a token. */
export const isToken = (text: string): boolean => form.test(text)

/** Made from a secret of this process (RFC 2104): nothing is kept, and all of them end with the process. */
export function capabilities(secret: Uint8Array): Capability {
  const mac = (said: string): Buffer => createHmac('sha256', secret).update(said).digest()
  return {
    of({ runId, segmentNumber }) {
      const said = `run.${Buffer.from(runId).toString('base64url')}.${segmentNumber}`
      return `${said}.${mac(said).toString('base64url')}`
    },
    read(token) {
      const [, run = '', segment = '', shown = ''] = form.exec(token) ?? []
      const given = Buffer.from(shown, 'base64url')
      const wanted = mac(`run.${run}.${segment}`)
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined
      const runId = Buffer.from(run, 'base64url').toString('utf8')
      return { runId, segmentNumber: Number(segment) }
    },
  }
}
