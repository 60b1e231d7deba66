/** From the host of a URL to the addresses that may be dialled. */

import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Failure, shown } from '../../errors.ts'
import type { Permission } from './permission.ts'
import { hostOf } from './target.ts'

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/**
 * The permitted addresses, never empty. `address-refused` when there are others only, `source-unreachable` when there are
 * none. Literal addresses are judged here too: Node asks no `lookup` for them.
 */
export async function permitted(
  url: URL,
  permission: Permission,
  resolve: Resolve = system,
): Promise<readonly string[]> {
  const host = hostOf(url)
  const all = isIP(host) === 0 ? await resolved(host, resolve) : [host]
  const allowed = all.filter((address) => permission.permits(address))
  if (allowed.length === 0) throw addressRefused(host)
  return allowed
}

/** The answer to the operator and to a stranger alike: it does not tell where a name of ours leads. */
export const addressRefused = (host: string): Failure =>
  new Failure('address-refused', `${shown(host)} is not an address that may be requested`)

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  const unreachable = (cause?: unknown) =>
    new Failure('source-unreachable', `the name ${shown(host)} cannot be resolved`, { cause })
  const all = await resolve(host).catch((cause: unknown) => {
    throw unreachable(cause)
  })
  if (all.length === 0) throw unreachable()
  return all
}

const system: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address)
