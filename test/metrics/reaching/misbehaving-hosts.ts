/** Twenty hosts, each with a hundred URLs and a vice of its own, that count who comes. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

type Act = 'drop' | 'hang' | { readonly status: number; readonly headers?: Record<string, string> }

type Misbehaviour = {
  readonly name: string
  /** What it does when it is asked for `/n`; `again` from the second request for the same with the same method on. */
  readonly does: (place: number, method: string, again: boolean) => Act
  readonly robots?: string
  /** The code that its `/n` deserves; nothing when there is no verdict. */
  readonly code: (place: number) => number | undefined
  /** Nobody listens. */
  readonly down?: boolean
}

const always = (status: number, headers: Record<string, string> = {}) => ({
  does: () => ({ status, headers }),
  code: () => status,
})
const to = (where: string): Act => ({ status: 302, headers: { Location: where } })

export const misbehaviours = (canary: number): readonly Misbehaviour[] => [
  ...['fine', 'good', 'proper', 'sound'].map((name) => ({ name, ...always(200) })),
  { name: 'gone', ...always(410) },
  { name: 'missing', ...always(404) },
  { name: 'broken', ...always(500) },
  { name: 'locked', ...always(401) },
  {
    name: 'hates-head',
    does: (_, method) => ({ status: method === 'HEAD' ? 405 : 206 }),
    code: () => 206,
  },
  {
    name: 'forbids-head',
    does: (_, method) => ({ status: method === 'HEAD' ? 403 : 200 }),
    code: () => 200,
  },
  {
    name: 'chain',
    does: (place) => (place < 1000 ? to(`/${place + 1000}`) : { status: 200 }),
    code: () => 200,
  },
  { name: 'loop', does: (place) => to(`/${place}`), code: () => 1100 },
  {
    name: 'into-the-house',
    does: (place) => to(place % 2 ? `http://127.0.0.1:${canary}/` : 'http://10.0.0.7/'),
    code: () => 1300,
  },
  {
    name: 'busy',
    does: (place) =>
      place % 20 ? { status: 200 } : { status: 429, headers: { 'Retry-After': '2' } },
    code: (place) => (place % 20 ? 200 : undefined),
  },
  {
    name: 'overrun',
    does: () => ({ status: 503, headers: { 'Retry-After': '3600' } }),
    code: () => undefined,
  },
  {
    name: 'shy',
    robots: 'User-agent: *\nDisallow: /1',
    does: () => ({ status: 200 }),
    code: (place) => (String(place).startsWith('1') ? undefined : 200),
  },
  { name: 'drops', does: () => 'drop', code: () => 1100 },
  {
    name: 'drops-once',
    does: (_, __, again) => (again ? { status: 200 } : 'drop'),
    code: () => 200,
  },
  { name: 'hangs', does: () => 'hang', code: () => 1100 },
  { name: 'down', down: true, does: () => 'hang', code: () => 1100 },
]

type Counts = {
  /** Most requests at once, at any one host and at all together. */
  readonly most: Record<string, number>
  mostAtAll: number
  /** `host method path` → how often. */
  readonly asked: Map<string, number>
}

export type MisbehavingHosts = {
  readonly counts: Counts
  /** Host name → port of 127.0.0.1. */
  readonly ports: Readonly<Record<string, number>>
  close(): Promise<void>
}

export async function startMisbehavingHosts(
  all: readonly Misbehaviour[],
): Promise<MisbehavingHosts> {
  const counts: Counts = { most: {}, mostAtAll: 0, asked: new Map() }
  const active = new Map<string, number>()
  const count = (name: string, by: number) => {
    active.set(name, (active.get(name) ?? 0) + by)
    counts.most[name] = Math.max(counts.most[name] ?? 0, active.get(name) ?? 0)
    const sum = [...active.values()].reduce((one, other) => one + other, 0)
    counts.mostAtAll = Math.max(counts.mostAtAll, sum)
  }
  const servers = all
    .filter(({ down }) => down !== true)
    .map((misbehaviour) => {
      const server = createServer((request, response) => {
        count(misbehaviour.name, 1)
        const over = once(() => count(misbehaviour.name, -1))
        response.on('close', over)
        void serve({ misbehaviour, counts, over }, request, response)
      })
      return { name: misbehaviour.name, server }
    })
  for (const { server } of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  }
  const ports = servers.map(({ name, server }) => [name, (server.address() as AddressInfo).port])
  return {
    counts,
    ports: Object.fromEntries(ports),
    close: async () => {
      for (const { server } of servers) {
        const closed = new Promise((resolve) => server.close(resolve))
        server.closeAllConnections()
        await closed
      }
    },
  }
}

type Service = {
  readonly misbehaviour: Misbehaviour
  readonly counts: Counts
  readonly over: () => void
}

/** Answers some turns later, so that those who come at once are there at once. */
async function serve(
  { misbehaviour, counts, over }: Service,
  { url = '', method = '' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const key = `${misbehaviour.name} ${method} ${url}`
  const times = (counts.asked.get(key) ?? 0) + 1
  counts.asked.set(key, times)
  for (let turns = 0; turns < 5; turns += 1) await turn()
  const isRobots = url === '/robots.txt'
  const act: Act = isRobots
    ? { status: misbehaviour.robots === undefined ? 404 : 200 }
    : misbehaviour.does(Number(url.slice(1)), method, times > 1)
  if (act === 'hang') return
  over()
  if (act === 'drop') return void response.socket?.resetAndDestroy()
  // A kept connection that is dropped would be asked again without anybody having waited.
  response.writeHead(act.status, { ...act.headers, Connection: 'close' })
  response.end(isRobots ? misbehaviour.robots : undefined)
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}
