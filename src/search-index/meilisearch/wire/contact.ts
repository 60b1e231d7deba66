/** The first look at a server: whether it is one that we can work with. */

import { z } from 'zod'
import { expected } from './answers.ts'
import { Failure } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Wire } from './wire.ts'

const versionAnswer = z.object({ pkgVersion: z.string() })

/** Sorting in `documents/fetch` came with this release. */
const oldest = [1, 16] as const
/** The newest that was tried. */
const newest = [1, 21] as const

/** The server's release. Rejects with `internal` when it is too old. */
export async function releaseOf(wire: Wire, log: Log): Promise<string> {
  const { pkgVersion: version } = expected(versionAnswer, await wire.get('/version'))
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (before([major, minor], oldest))
    throw new Failure('internal', `Meilisearch ${version} is too old: 1.16 is the oldest.`)
  const isUntried = before(newest, [major, minor])
  log[isUntried ? 'warn' : 'info']({ product: 'Meilisearch', version, isUntried }, 'engine.found')
  return version
}

const before = (a: readonly [number, number], b: readonly [number, number]): boolean =>
  a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
