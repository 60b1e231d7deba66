/** The real outbound client for tests: real guard, real sockets; names and public addresses lead where the test says. */

import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { logger } from '../../../src/log.ts'
import type { OutboundLimits } from '../../../src/client/deadlines.ts'
import { outbound, type Outbound, type OutboundOptions } from '../../../src/client/outbound.ts'

type Scene = {
  readonly limits?: Partial<OutboundLimits>
  /** Names and their addresses, one list per question; the last list stays. */
  readonly names?: Readonly<Record<string, readonly string[] | readonly (readonly string[])[]>>
  /** Where dialled addresses lead: `address` or `address:port` to a port of 127.0.0.1; others refuse. */
  readonly world?: Readonly<Record<string, number>>
  /** Sockets say where they really stand. */
  readonly honest?: boolean
  readonly userAgent?: string
  /** In place of the clock that jumps over pauses. */
  readonly clock?: Pick<OutboundOptions, 'now' | 'pause'>
}

export type OutboundFixture = {
  readonly client: Outbound
  /** Every address list that was dialled, with its port. */
  readonly dialled: { readonly addresses: readonly string[]; readonly port: number }[]
  /** Pauses that were asked for, in milliseconds; nobody waits for them, the clock jumps. */
  readonly pauses: number[]
}

/** Time goes on as it is, but waits of politeness and retries are cut short and counted. */
export function outboundFixture(scene: Scene): OutboundFixture {
  const { limits, names = {}, world, honest = false, userAgent = 'Cartulary/test', clock } = scene
  const dialled: OutboundFixture['dialled'] = []
  const pauses: number[] = []
  const asked = new Map<string, number>()
  let skipped = 0
  const client = outbound({
    userAgent,
    limits: { hostDelayMs: 0, ...limits },
    now: () => Math.round(performance.now()) + skipped,
    random: () => 0.5,
    log: logger('silent'),
    pause: async (milliseconds, signal) => {
      pauses.push(milliseconds)
      await wait(1, undefined, { signal })
      skipped += milliseconds
    },
    ...clock,
    resolve: async (name) => {
      const lists = listsOf(names[name])
      const turn = asked.get(name) ?? 0
      asked.set(name, turn + 1)
      return lists[Math.min(turn, lists.length - 1)] ?? []
    },
    ...(world && {
      dial: (addresses: readonly string[], port: number) => {
        dialled.push({ addresses, port })
        return honest
          ? connect(world[addresses[0] ?? ''] ?? 0, '127.0.0.1')
          : pretended(addresses, port, world)
      },
    }),
  })
  return { client, dialled, pauses }
}

function listsOf(
  found: readonly string[] | readonly (readonly string[])[] | undefined,
): readonly (readonly string[])[] {
  if (!found) return []
  return found.some((entry) => typeof entry !== 'string')
    ? (found as readonly (readonly string[])[])
    : [found as readonly string[]]
}

/** A socket to 127.0.0.1 that says it stands where it was sent. */
function pretended(
  addresses: readonly string[],
  port: number,
  world: Readonly<Record<string, number>>,
): Socket {
  const found = addresses.find(
    (address) => (world[`${address}:${port}`] ?? world[address]) !== undefined,
  )
  if (found === undefined) return refusing()
  const socket = connect({
    host: '127.0.0.1',
    port: world[`${found}:${port}`] ?? world[found] ?? 0,
  })
  Object.defineProperty(socket, 'remoteAddress', { value: found })
  return socket
}

/** Nobody listens: the same error as from a real host, at once. */
function refusing(): Socket {
  const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  return connect({ host: 'nobody.invalid', port: 9, lookup: (_, __, done) => done(error, '') })
}
