/**
 * Console by telnet (RFC 854), for `telnet` and `nc`: asks for the key without echo, then runs commands until the client leaves.
 * Lines are UTF-8 and end in CR LF, CR NUL, CR or LF; empty lines are ignored. The client edits its line.
 */

import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Failure } from '../errors.ts'
import { isPermitted, type ApiKeys } from '../http/api-key.ts'
import { listenOn } from '../http/serve.ts'
import type { Log } from '../log.ts'
import { Channel } from '../workers/channel.ts'
import type { Table } from './command-table.ts'
import { longestLine, WrongCommand } from './command.ts'
import { consolePermission } from './console-app.ts'
import type { Execution } from './execution.ts'

/** Address, limits and dependencies of the telnet server. */
export type TelnetOptions = {
  readonly table: Table
  readonly execution: Execution
  readonly keys: Pick<ApiKeys, 'check'>
  readonly log: Log
  readonly host: string
  /** Port; 0 takes a free one. */
  readonly port: number
  /** Milliseconds without input and output until the connection is closed, unless a command runs; 30 minutes by default. */
  readonly mostIdleMs?: number
  /** Milliseconds until the key must be entered; one minute by default. */
  readonly keyMs?: number
  /** Clients at once; 16 by default. */
  readonly connections?: number
}

/** Listening telnet server; `close` notifies the clients. */
export type TelnetServer = {
  readonly host: string
  readonly port: number
  readonly close: () => Promise<void>
}

/** Starts listening; rejects when the port is taken. */
export async function openTelnet(options: TelnetOptions): Promise<TelnetServer> {
  const { log, host, port } = options
  const sockets = new Set<Socket>()
  // A client that sends commands from a file closes its side before it has the answers.
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

/** Most keys that a client may enter. */
const mostTries = 3
const prompt = '> '
/** Most characters of the lines that wait to be executed. */
const mostCharacters = 65_536

// Bytes of the protocol, read as Latin-1: one character each.

const [iac, will, wont, doIt, dont, echo] = ['\xff', '\xfb', '\xfc', '\xfd', '\xfe', '\x01']
const [interrupt, endOfInput] = ['\x03', '\x04']

/** Negotiation of an option, subnegotiation, or command of one byte; the last alternative is the beginning of one. */
const protocolCommand = /\xff(?:([\xfb-\xfe])([^])|\xfa[^]*?\xff\xf0|([^\xfa-\xfe])|([^]*)$)/g
// oxlint-disable-next-line no-control-regex -- Ctrl-C and Ctrl-D
const lineEnds = /([\r\n\x03\x04])/
/** Interrupt Process and Break. */
const interrupts: readonly (string | undefined)[] = ['\xf4', '\xf3']

class TelnetSession {
  readonly #socket: Socket
  readonly #options: TelnetOptions
  readonly #address: string
  readonly #lines = new Channel<string>({ items: Infinity, weight: mostCharacters })
  readonly #reader = this.#lines[Symbol.asyncIterator]()
  /** Aborts when the connection is closed. */
  readonly #closed = new AbortController()
  /** Aborts the command that runs. */
  #running: AbortController | undefined
  #hasKey = false
  /** Beginnings of a command of the protocol and of a line. */
  #command = ''
  #line = ''

  constructor(socket: Socket, options: TelnetOptions) {
    this.#socket = socket
    this.#options = options
    this.#address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    socket.on('data', (bytes: Buffer) => this.#read(bytes.toString('latin1')))
    socket.on('end', () => this.#lines.close())
    // `close` follows.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#closed.abort()
      this.#lines.cancel()
    })
    socket.setTimeout(options.mostIdleMs ?? 30 * 60_000, () => {
      if (!this.#running) this.#close('\nnothing was typed for too long\n')
    })
  }

  /** Resolves when the client has left. */
  async run(): Promise<void> {
    const key = await this.#enteredKey()
    this.#hasKey = key !== undefined
    for (let isLeaving = key === undefined; !isLeaving;) {
      await this.#write(prompt)
      const line = await this.#nextLine()
      isLeaving = line === undefined || (await this.#execute(line, key ?? ''))
    }
    this.#close()
  }

  /**
   * Reads keys until one has the permission; returns its id, or `undefined` after `mostTries`, a time-out or when the client
   * left.
   */
  async #enteredKey(): Promise<string | undefined> {
    const timer = setTimeout(
      () => this.#close('\nno key was entered in time\n'),
      this.#options.keyMs ?? 60_000,
    )
    // The client sends each key at once then, and shows none.
    this.#send(iac + will + echo)
    try {
      for (let attempt = 0; attempt < mostTries; attempt++) {
        await this.#write('key: ')
        const entered = await this.#nextLine()
        if (entered === undefined) return undefined
        const key = this.#keyId(applyBackspaces(entered).trim())
        await this.#write(`\n${key === undefined ? 'this key does not open the console\n' : ''}`)
        if (key !== undefined) return key
      }
      return undefined
    } finally {
      clearTimeout(timer)
      this.#send(iac + wont + echo)
    }
  }

  #keyId(entered: string): string | undefined {
    const { keys, log } = this.#options
    const address = this.#address
    try {
      const key = keys.check(entered, address)
      if (isPermitted(key, consolePermission)) return key.id
      log.warn({ address, key: key.id }, 'console.key-refused')
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      log.warn({ address }, 'console.key-refused')
    }
    return undefined
  }

  /** Executes a line; resolves with whether the client wants to leave. */
  async #execute(line: string, key: string): Promise<boolean> {
    this.#running = new AbortController()
    const signal = AbortSignal.any([this.#running.signal, this.#closed.signal])
    try {
      const { table, execution } = this.#options
      const parsed = table.parse(line)
      const pieces = execution.run(parsed, { key, transport: 'telnet', signal })
      for await (const piece of pieces) await this.#write(piece)
      if (signal.aborted)
        await this.#write(parsed.command.outlivesReader ? '^C (it goes on)\n' : '^C\n')
      return parsed.command.name === 'exit'
    } catch (error) {
      if (!(error instanceof WrongCommand || error instanceof Failure)) throw error
      await this.#write(`${error instanceof Failure ? error.detail : error.message}\n`)
      return false
    } finally {
      this.#running = undefined
    }
  }

  /** Removes the commands of the protocol, refuses every option except its own echo, and takes lines, Ctrl-C and Ctrl-D. */
  #read(received: string): void {
    if (this.#socket.writableEnded) return
    const bytes = this.#command + received
    this.#command = ''
    const typed = bytes.replace(protocolCommand, (match, ...groups: string[]) => {
      const [verb, option = '', single, open] = groups
      if (verb === will) this.#send(iac + dont + option)
      else if (verb === doIt && option !== echo) this.#send(iac + wont + option)
      else if (interrupts.includes(single)) return interrupt
      else if (single === iac) return iac
      else if (open !== undefined) this.#command = match.slice(0, longestLine)
      return ''
    })
    for (const part of typed.split(lineEnds)) this.#readPart(part)
  }

  #readPart(part: string): void {
    if (!lineEnds.test(part)) {
      this.#line = (this.#line + part.replaceAll('\0', '')).slice(0, longestLine + 1)
      return
    }
    const line = this.#line
    this.#line = ''
    if (part === interrupt) this.#interrupt()
    else if (part === endOfInput) this.#lines.close()
    else if (line.length > longestLine)
      this.#close(`\nthe line is longer than ${longestLine} bytes\n`)
    else if (line.trim() !== '') this.#queue(Buffer.from(line, 'latin1').toString())
  }

  #queue(line: string): void {
    const weight = line.length + 1
    if (this.#lines.isClosed || this.#lines.hasRoom(weight)) this.#lines.put(line, weight)
    else this.#close('\ntoo many lines wait\n')
  }

  #interrupt(): void {
    this.#lines.clear()
    if (!this.#hasKey) this.#close()
    else if (this.#running) this.#running.abort()
    else this.#write(`^C\n${prompt}`).catch(() => this.#close())
  }

  /** Returns `undefined` after Ctrl-D and when the connection, or the client's side of it, is closed. */
  async #nextLine(): Promise<string | undefined> {
    const next = await this.#reader.next()
    return next.done === true ? undefined : next.value
  }

  /** Waits while the client takes no more. */
  async #write(text: string): Promise<void> {
    const { signal } = this.#closed
    if (text === '' || signal.aborted || this.#socket.writableEnded) return
    if (!this.#socket.write(text.replaceAll('\n', '\r\n')))
      await once(this.#socket, 'drain', { signal }).catch(() => undefined)
  }

  /** Sends bytes of the protocol. */
  #send(bytes: string): void {
    if (!this.#socket.writableEnded) this.#socket.write(bytes, 'latin1')
  }

  /** Sends a last text and closes. */
  #close(text = ''): void {
    this.#lines.cancel()
    this.#socket.end(text.replaceAll('\n', '\r\n'), () => this.#socket.destroy())
  }
}

/** Applies backspaces: a client without echo sends them with the key. */
function applyBackspaces(line: string): string {
  const characters: string[] = []
  for (const character of line)
    if (character === '\b' || character === '\x7f') characters.pop()
    else characters.push(character)
  return characters.join('')
}
