/** A real triplestore under test: started for the run, or one that runs already. */

import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { running, type Command } from './running.ts'

/** What goes into `PLATFORM_TRIPLESTORE_CONFIG`, all addresses absolute. */
export type EngineConfig = {
  readonly dialect: 'fuseki' | 'virtuoso'
  readonly queryEndpoint: string
  readonly updateEndpoint: string
  readonly graphEndpoint: string
  readonly username?: string
  readonly password?: string
}

/** A server process under test. */
export type Server = {
  /** False for a server that somebody else runs: it cannot be killed, and cases that need this skip. */
  readonly killable: boolean
  /** `SIGKILL`; resolves when the process is gone. */
  readonly kill: () => Promise<void>
  /** Starts again on the same data and port, after `kill`; resolves when it answers. */
  readonly restart: () => Promise<void>
  /** Ends the server and removes its data. */
  readonly stop: () => Promise<void>
}

export type Engine = Server & {
  /** Its files; absent for a server that somebody else runs. */
  readonly directory?: string
  readonly dialect: EngineConfig['dialect']
  readonly config: EngineConfig
}

/** Where downloads stay between runs, outside the checkout; `ENGINES_CACHE` moves it. */
export const cache = () =>
  process.env['ENGINES_CACHE'] ?? join(homedir(), '.cache', 'cartulary-engines')

/** What the run lacks, in words that say how to get it: the reader is a person. */
export class Missing extends Error {}

/** Below the range from which outgoing connections get theirs, so that it is still free at a restart. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  server.close()
  return free
}

/** The same endpoints at another origin, for instance that of a proxy in front of the server. */
export function movedTo(origin: string, config: EngineConfig): EngineConfig {
  const moved = (address: string) => {
    const { pathname, search } = new URL(address)
    return new URL(pathname + search, origin).href
  }
  return {
    ...config,
    queryEndpoint: moved(config.queryEndpoint),
    updateEndpoint: moved(config.updateEndpoint),
    graphEndpoint: moved(config.graphEndpoint),
  }
}

/** A server that somebody else runs and that the run must not touch. */
export function foreign(config: EngineConfig): Engine {
  const refuse = () => Promise.reject(new Error('this server is not ours to stop'))
  return {
    dialect: config.dialect,
    config,
    killable: false,
    kill: refuse,
    restart: refuse,
    stop: () => Promise.resolve(),
  }
}

/** A triplestore of our own in a new directory, which goes with it. `command` is asked once the directory is there. */
export async function started(
  config: EngineConfig,
  command: (directory: string) => Promise<Command>,
): Promise<Engine> {
  return { dialect: config.dialect, config, ...(await ownServer(config.dialect, command)) }
}

/** A server of our own, which can also be asked to end, and be stopped for a while. */
export type OwnServer = Server & {
  readonly directory: string
  readonly kill: (signal?: 'SIGKILL' | 'SIGTERM') => Promise<void>
  readonly send: (signal: 'SIGSTOP' | 'SIGCONT') => void
}

/** A server of our own in a new directory of that name, which goes with it. */
export async function ownServer(
  name: string,
  command: (directory: string) => Promise<Command>,
): Promise<OwnServer> {
  const directory = await mkdtemp(join(tmpdir(), `cartulary-${name}-`))
  const remove = () => rm(directory, { recursive: true, force: true })
  try {
    const how = await command(directory)
    let server = await running(how)
    return {
      directory,
      killable: true,
      kill: (signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL') => server.end(signal),
      send: (signal) => server.send(signal),
      restart: async () => {
        server = await running(how)
      },
      stop: async () => {
        await server.end('SIGKILL')
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Whether a program is installed: it runs with this argument. */
export function runs(command: string, argument: string): boolean {
  try {
    execFileSync(command, [argument], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
