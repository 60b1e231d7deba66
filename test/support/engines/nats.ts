/** NATS with JetStream: got from Debian's packages, started on loopback with a user of its own. */

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { installed } from './apt.ts'
import { freePort, ownServer, type Server } from './engine.ts'

const program = {
  program: 'nats-server',
  debianPackage: 'nats-server',
  instead: 'or set NATS_URL=nats://user:password@host:4222 to use one that runs already',
}

export type BrokerServer = Server & { readonly url: string }

/** The server at `NATS_URL`, else one of our own. Rejects with `Missing` when the program is neither there nor to be had. */
export async function startNats(): Promise<BrokerServer> {
  const url = process.env['NATS_URL']
  if (!url) return ownNats()
  const refuse = () => Promise.reject(new Error('this server is not ours to stop'))
  return { url, killable: false, kill: refuse, restart: refuse, stop: () => Promise.resolve() }
}

/** A new server without any queue. */
export async function ownNats(): Promise<BrokerServer> {
  const file = installed(program)
  const [port, monitor] = [await freePort(), await freePort()]
  const password = randomBytes(10).toString('hex')
  const server = await ownServer('nats', async (directory) => ({
    file,
    arguments: settings({ port, monitor, password, queues: join(directory, 'queues') }),
    directory,
    answersAt: `http://127.0.0.1:${monitor}/healthz`,
    patienceMs: 60_000,
  }))
  return { ...server, url: `nats://cartulary:${password}@127.0.0.1:${port}` }
}

type Settings = {
  readonly port: number
  readonly monitor: number
  readonly password: string
  readonly queues: string
}

const settings = ({ port, monitor, password, queues }: Settings): string[] =>
  [
    `--addr 127.0.0.1 --port ${port} --http_port ${monitor} --user cartulary --pass ${password}`,
    `--jetstream --store_dir ${queues}`,
  ].flatMap((words) => words.split(' '))
