/** Product and release of a cluster. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { engineUnavailable } from '../remote/answers.ts'
import type { ClusterClient } from './cluster-client.ts'

const versionAnswer = z.object({
  version: z.object({ number: z.string(), distribution: z.string().default('Elasticsearch') }),
})

/** Oldest supported and newest tried release, as 1000 × major + minor. */
const [oldestRelease, newestRelease] = [2004, 2019]

/** Reads and logs the product and its release. Rejects with `internal` for another product and for one that is too old. */
export async function clusterRelease(
  client: ClusterClient,
  log: Log,
  signal?: AbortSignal,
): Promise<string> {
  const answer = versionAnswer.safeParse(await client.call({ method: 'GET', path: '/' }, signal))
  if (!answer.success) throw engineUnavailable('The search engine is no OpenSearch.', answer.error)
  const { number, distribution } = answer.data.version
  if (distribution !== 'opensearch')
    throw new Failure(
      'internal',
      `The search engine is ${distribution} ${number}, which is not supported: use OpenSearch from 2.4 on.`,
    )
  const [major = 0, minor = 0] = number.split('.').map(Number)
  const release = major * 1000 + minor
  // Also for a number that cannot be read.
  if (!(release >= oldestRelease))
    throw new Failure('internal', `OpenSearch ${number} is too old: 2.4 is the oldest.`)
  const isUntried = release > newestRelease
  log[isUntried ? 'warn' : 'info'](
    { product: 'OpenSearch', version: number, isUntried },
    'engine.found',
  )
  return number
}
