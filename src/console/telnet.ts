/**
 * The console by telnet (RFC 854): the key first, without echo, then commands until the client leaves. Lines are UTF-8 and end
 * in CR LF, CR NUL, CR or LF; every option of the protocol is refused but the echo that we offer ourselves.
 */

import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Failure } from '../errors.ts'
import { may, type ApiKeys } from '../http/api-key.ts'
import { listenOn } from '../http/serve.ts'
import type { Log } from '../log.ts'
import { Channel } from '../workers/channel.ts'
import type { Table } from './command-table.ts'
import { longestLine, WrongCommand } from './command.ts'
import { consolePermission } from './console-app.ts'
import type { Execution } from './execution.ts'

/** Where it listens, and its bounds. */
export type TelnetOptions = {
  readonly table: Table
  readonly execution: Execution
  readonly keys: Pick<ApiKeys, 'check'>
  readonly log: Log
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Milliseconds without a word of the client; 30 minutes by default. */
  readonly idleMs?: number
  /** Milliseconds until the key must be there; one minute by default. */
  readonly keyMs?: number
  /** Clients at once; 16 by default. */
  readonly connections?: number
}

/** Closing it tells the clients. */
export type TelnetServer = {
  readonly host: string
  readonly port: number
  readonly close: () => Promise<void>
}

/** Starts listening; rejects when the port is taken. */
export async function openTelnet(options: TelnetOptions): Promise<TelnetServer> {
  const { log, host, port } = options
  const sockets = new Set<Socket>()
  // Who sends commands from a file closes its side before the answers are there.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    new TelnetSession(socket, options).run().catch((error: unknown) => {
      log.error({ err: error }, 'console.connection-failed')
      socket.destroy()
    })
  })
  server.maxConnections = options.connections ?? 16
  await listenOn(server, { host, port, setting: 'PLATFORM_HUB_SHELL_CONFIG' })
  server.on('error', (error) => log.error({ err: error }, 'console.connection-failed'))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  return {
    host: address.address,
    port: address.port,
    close: async () => {
      const closed = new Promise((resolve) => {
        server.close(resolve)
      })
      for (const socket of sockets)
        socket.end('\r\nthe console is closing\r\n', () => socket.destroy())
      await closed
    },
  }
}

const tries = 3
const prompt = '> '
/** Characters of the lines that wait for their turn; a line counts as one more than it has. */
const mostCharacters = 65_536

class TelnetSession {
  readonly #socket: Socket
  readonly #options: TelnetOptions
  readonly #address: string
  readonly #lines = new Channel<string>({ items: Infinity, weight: mostCharacters })
  readonly #reader = this.#lines[Symbol.asyncIterator]()
  /** Aborts when the connection is gone. */
  readonly #gone = new AbortController()
  /** The command that runs. */
  #running: AbortController | undefined
  /** Whether a key was accepted. */
  #isOpen = false

  constructor(socket: Socket, options: TelnetOptions) {
    this.#socket = socket
    this.#options = options
    this.#address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    const input = new TelnetInput({
      line: (text) => this.#takeLine(text),
      tooLong: () => this.#close(`\nthe line is longer than ${longestLine} bytes\n`),
      end: () => this.#lines.close(),
      interrupt: () => this.#interrupt(),
      reply: (bytes) => this.#send(bytes),
    })
    socket.on('data', (bytes: Buffer) => {
      if (!socket.writableEnded) input.take(bytes)
    })
    socket.on('end', () => this.#lines.close())
    // What was broken is told by the close that follows.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#gone.abort()
      this.#lines.cancel()
    })
    socket.setTimeout(options.idleMs ?? 30 * 60_000, () => {
      if (!this.#running) this.#close('\nnothing was typed for too long\n')
    })
  }

  /** Resolves when the client has left. */
  async run(): Promise<void> {
    const key = await this.#enteredKey()
    this.#isOpen = key !== undefined
    for (let leaves = key === undefined; !leaves;) {
      await this.#write(prompt)
      const line = await this.#nextLine()
      leaves = line === undefined || (await this.#execute(line, key ?? ''))
    }
    this.#close()
  }

  /** The id of a key that may enter; undefined after three wrong ones, or when the client left or took too long. */
  async #enteredKey(): Promise<string | undefined> {
    // A client without a key must not hold its place for ever.
    const late = setTimeout(
      () => this.#close('\nno key was entered in time\n'),
      this.#options.keyMs ?? 60_000,
    )
    this.#send([telnet.iac, telnet.will, telnet.echo])
    try {
      for (let tried = 0; tried < tries; tried++) {
        await this.#write('key: ')
        const shown = await this.#nextLine()
        if (shown === undefined) return undefined
        const key = this.#admitted(shown.trim())
        await this.#write(`\n${key === undefined ? 'this key does not open the console\n' : ''}`)
        if (key !== undefined) return key
      }
      return undefined
    } finally {
      clearTimeout(late)
      this.#send([telnet.iac, telnet.wont, telnet.echo])
    }
  }

  #admitted(shown: string): string | undefined {
    const { keys, log } = this.#options
    const address = this.#address
    try {
      const key = keys.check(shown, address)
      if (may(key, consolePermission)) return key.id
      log.warn({ address, key: key.id }, 'console.key-refused')
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      log.warn({ address }, 'console.key-refused')
    }
    return undefined
  }

  /** Whether the client wants to leave. */
  async #execute(line: string, key: string): Promise<boolean> {
    if (line.trim() === '') return false
    this.#running = new AbortController()
    const signal = AbortSignal.any([this.#running.signal, this.#gone.signal])
    try {
      const { table, execution } = this.#options
      const order = table.order(line)
      const pieces = execution.run(order, { key, transport: 'telnet', signal })
      for await (const piece of pieces) await this.#write(piece)
      if (signal.aborted) await this.#write(order.command.lasts ? '^C (it goes on)\n' : '^C\n')
      return order.command.name === 'exit'
    } catch (error) {
      if (!(error instanceof WrongCommand || error instanceof Failure)) throw error
      await this.#write(`${error instanceof Failure ? error.detail : error.message}\n`)
      return false
    } finally {
      this.#running = undefined
    }
  }

  #interrupt(): void {
    this.#lines.clear()
    if (!this.#isOpen) this.#close()
    else if (this.#running) this.#running.abort()
    else void this.#write(`^C\n${prompt}`)
  }

  #takeLine(text: string): void {
    const weight = text.length + 1
    if (this.#lines.isClosed || this.#lines.hasRoom(weight)) this.#lines.put(text, weight)
    else this.#close('\ntoo many lines wait\n')
  }

  /** Undefined when the client has closed its side. */
  async #nextLine(): Promise<string | undefined> {
    const next = await this.#reader.next()
    return next.done === true ? undefined : next.value
  }

  /** Waits until the client has taken enough. */
  async #write(text: string): Promise<void> {
    const { signal } = this.#gone
    if (text === '' || signal.aborted || this.#socket.writableEnded) return
    if (!this.#socket.write(text.replaceAll('\n', '\r\n')))
      await once(this.#socket, 'drain', { signal }).catch(() => undefined)
  }

  #send(bytes: readonly number[]): void {
    if (!this.#socket.writableEnded) this.#socket.write(Uint8Array.from(bytes))
  }

  /** Says a last word and closes. */
  #close(text = ''): void {
    this.#lines.cancel()
    this.#socket.end(text.replaceAll('\n', '\r\n'), () => this.#socket.destroy())
  }
}

// What the client sends: what was typed among the commands of the protocol. Bytes are read as Latin-1, one character each.

const telnet = { iac: 255, will: 251, wont: 252, do: 253, dont: 254, echo: 1 } as const

/** An option that is asked for or offered, a negotiation, an escaped 255 or a command of one byte; else one whose end is to come. */
const command = /\xff(?:([\xfb-\xfe])([^])|\xfa[^]*?\xff\xf0|([^\xfa-\xfe])|([^]*))/g
// oxlint-disable-next-line no-control-regex -- Ctrl-C and Ctrl-D
const parts = /[\r\n\x03\x04]|[^\r\n\x03\x04]+/g
const [interrupt, endOfInput] = ['\x03', '\x04']
const [interruptCommand, breakCommand] = ['\xf4', '\xf3']

type InputEvents = {
  readonly line: (text: string) => void
  readonly tooLong: () => void
  /** Ctrl-D. */
  readonly end: () => void
  readonly interrupt: () => void
  /** An answer of the protocol. */
  readonly reply: (bytes: readonly number[]) => void
}

class TelnetInput {
  readonly #events: InputEvents
  /** The beginnings of a command and of a line. */
  #open = ''
  #line = ''
  #wasReturn = false

  constructor(events: InputEvents) {
    this.#events = events
  }

  take(bytes: Buffer): void {
    const all = this.#open + bytes.toString('latin1')
    this.#open = ''
    const typed = all.replace(command, (found, ...groups: string[]) => {
      const [verb, option = '', other = '', rest] = groups
      if (verb !== undefined) this.#refuse(verb.charCodeAt(0), option.charCodeAt(0))
      // A negotiation that never ends is of no use to anybody.
      if (rest !== undefined) this.#open = found.slice(0, longestLine)
      if (other === '\xff') return other
      return other === interruptCommand || other === breakCommand ? interrupt : ''
    })
    for (const [part] of typed.matchAll(parts)) this.#takePart(part)
  }

  /** A request may always be refused; echo was offered by us. */
  #refuse(verb: number, option: number): void {
    if (verb === telnet.will) this.#events.reply([telnet.iac, telnet.dont, option])
    if (verb === telnet.do && option !== telnet.echo)
      this.#events.reply([telnet.iac, telnet.wont, option])
  }

  #takePart(part: string): void {
    const isSecond = this.#wasReturn && (part === '\n' || part.startsWith('\0'))
    this.#wasReturn = part === '\r'
    const text = isSecond ? part.slice(1) : part
    if (text === interrupt || text === endOfInput || text === '\r' || text === '\n') {
      const line = this.#line
      this.#line = ''
      if (text === interrupt) this.#events.interrupt()
      else if (text === endOfInput) this.#events.end()
      else if (line.length > longestLine) this.#events.tooLong()
      else this.#events.line(edited(Buffer.from(line, 'latin1').toString()))
    } else this.#line = (this.#line + text).slice(0, longestLine + 1)
  }
}

/** The line after its backspaces, each of which takes a character back. */
function edited(line: string): string {
  const kept: string[] = []
  for (const character of line)
    if (character === '\b' || character === '\x7f') kept.pop()
    else kept.push(character)
  return kept.join('')
}
