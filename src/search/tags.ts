/** Entity tags of answers that follow from the whole index: they hold as long as nothing is written. */

import { hash } from 'node:crypto'
import type { AppContext } from '../http/app.ts'
import { isFresh } from '../http/conditions.ts'
import type { SearchDeps } from './deps.ts'

/** Answers, or says that the client has the answer already. */
export type Tagged = (c: AppContext, make: () => Promise<Response>) => Promise<Response>

/**
 * The state is asked for before anything is read: what is written meanwhile makes a tag too old, never too new. The tag is
 * weak, because one state may be sent with and without gzip (RFC 9110 8.8.1).
 */
export function taggedBy({ index, ...deps }: SearchDeps): Tagged {
  const { version, profile, window, facetSize, boosts, scoreField, dateTypes, limits } = deps
  const about = [version, profile.hash, window, facetSize, boosts, scoreField, dateTypes, limits]
  const constant = hash('sha256', JSON.stringify(about), 'hex')
  return async (c, make) => {
    const { pathname, search } = new URL(c.req.url)
    const tag = hash('sha256', [constant, index.state(), pathname, search].join('\n'), 'hex')
    const short = tag.slice(0, 32)
    // Whether there is anything at all (`*`) is known afterwards only.
    const isAny = c.req.header('If-None-Match')?.trim() === '*'
    const has = !isAny && isFresh(c.req.raw.headers, short)
    const answer = has ? c.body(null, 304) : await make()
    if (answer.status === 200 || answer.status === 304) answer.headers.set('ETag', `W/"${short}"`)
    return answer
  }
}
