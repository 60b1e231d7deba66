/** A telnet client of bytes. */

import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'vitest'

/** A text as a regular expression that matches it alone. */
export const literally = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

export async function telnetClient(port: number) {
  const socket = connect({ host: '127.0.0.1', port })
  await once(socket, 'connect')
  let bytes = Buffer.alloc(0)
  let closed = false
  socket.on('data', (chunk: Buffer) => (bytes = Buffer.concat([bytes, chunk])))
  socket.on('close', () => (closed = true))
  socket.on('error', () => undefined)
  return {
    socket,
    /** Everything that came, protocol included. */
    bytes: () => bytes,
    /** Without the protocol. */
    text: () => {
      // oxlint-disable-next-line no-control-regex -- the commands of telnet
      return bytes.toString('latin1').replaceAll(/\u00ff[\u00fb-\u00fe]./g, '')
    },
    send: (text: string | Uint8Array) => socket.write(text),
    /** Waits until all of this was said in this order. */
    async heard(...parts: readonly string[]) {
      const pattern = new RegExp(parts.map((part) => literally(part)).join('[^]*'))
      await expect.poll(() => Buffer.from(this.text(), 'latin1').toString('utf8')).toMatch(pattern)
      return true
    },
    closed: () => closed,
    async isClosed() {
      await expect.poll(() => closed).toBe(true)
    },
  }
}
