/** One connected telnet client: its lines in, text out. */

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { longestLine } from '../command-line.ts'
import { Channel } from '../../workers/channel.ts'
import { telnet, telnetReader, type OptionRequest, type TelnetInput } from './telnet-protocol.ts'

export type Peer = {
  readonly address: string
  /** Aborts when the connection is gone. */
  readonly gone: AbortSignal
  /** The next line; undefined when the client has closed its side. */
  readonly line: () => Promise<string | undefined>
  /** Waits until the client has taken enough. */
  readonly write: (text: string) => Promise<void>
  /** Whether the client shows what is typed; it is asked to leave that to us, and nobody does. */
  readonly echo: (isShown: boolean) => void
  /** Called at Ctrl-C. */
  readonly onInterrupt: (listener: () => void) => void
  /** Whether something goes on, so that silence of the client means nothing. */
  readonly busy: (isBusy: boolean) => void
  /** Says a last word and closes. */
  readonly close: (text?: string) => void
}

/** Characters of the lines that wait for their turn; a line counts as one more than it has. */
const mostCharacters = 65_536

/** False when there is no room. */
function added(lines: Channel<string>, line: string): boolean {
  const hasRoom = lines.isClosed || lines.hasRoom(line.length + 1)
  if (hasRoom) lines.put(line, line.length + 1)
  return hasRoom
}

export function peerOf(socket: Socket, idleMs: number): Peer {
  const gone = new AbortController()
  const lines = new Channel<string>({ items: Infinity, weight: mostCharacters })
  const reader = lines[Symbol.asyncIterator]()
  let isBusy = false
  let interrupted = () => undefined as void
  const close = (text = '') => {
    lines.cancel()
    socket.end(onWire(text), () => socket.destroy())
  }
  const take = (sent: TelnetInput) => {
    if (sent.kind === 'line' && !added(lines, sent.text)) close('\ntoo many lines wait\n')
    if (sent.kind === 'too-long') close(`\nthe line is longer than ${longestLine} bytes\n`)
    if (sent.kind === 'end') lines.close()
    if (sent.kind === 'do' || sent.kind === 'will') refuse(socket, sent)
    if (sent.kind !== 'interrupt') return
    lines.clear()
    interrupted()
  }
  listen(socket, { take, gone, lines })
  socket.setTimeout(idleMs, () => {
    if (!isBusy) close('\nnothing was typed for too long\n')
  })
  return {
    address: (socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    gone: gone.signal,
    line: async () => {
      const next = await reader.next()
      return next.done === true ? undefined : next.value
    },
    write: async (text) => {
      if (text === '' || gone.signal.aborted || socket.writableEnded) return
      if (!socket.write(onWire(text)))
        await once(socket, 'drain', { signal: gone.signal }).catch(() => undefined)
    },
    echo: (isShown) => {
      send(socket, [telnet.iac, isShown ? telnet.wont : telnet.will, telnet.echo])
    },
    onInterrupt: (listener) => {
      interrupted = listener
    },
    busy: (next) => {
      isBusy = next
    },
    close,
  }
}

type Ears = {
  readonly take: (sent: TelnetInput) => void
  readonly gone: AbortController
  readonly lines: Channel<string>
}

function listen(socket: Socket, { take, gone, lines }: Ears): void {
  const read = telnetReader(longestLine)
  socket.on('data', (bytes: Buffer) => {
    for (const sent of read(bytes)) if (!socket.writableEnded) take(sent)
  })
  socket.on('end', () => lines.close())
  // What was broken is told by the close that follows.
  socket.on('error', () => undefined)
  socket.on('close', () => {
    gone.abort()
    lines.cancel()
  })
}

const onWire = (text: string): string => text.replaceAll('\n', '\r\n')

const send = (socket: Socket, bytes: readonly number[]) => {
  if (!socket.writableEnded) socket.write(Uint8Array.from(bytes))
}

/** RFC 854: a request may always be refused; echo is ours and was offered by us. */
function refuse(socket: Socket, { kind, option }: OptionRequest): void {
  if (kind === 'do' && option === telnet.echo) return
  send(socket, [telnet.iac, kind === 'do' ? telnet.wont : telnet.dont, option])
}
