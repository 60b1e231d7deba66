/** What the cache as a service stands on. */

import type { ApiKeys } from '../../http/api-key.ts'
import type { AppOptions } from '../../http/app.ts'
import type { Log } from '../../log.ts'
import type { Answer } from './answering/envelope.ts'
import type { Cache } from './cache.ts'
import type { Maxima, Points } from './counting/aggregate.ts'
import type { Figures } from './figures.ts'
import type { Source } from './refreshing/catalogues.ts'

export type CacheDeps = Source & {
  readonly cache: Cache
  /** Of a true measurement, by indicator. */
  readonly points: Points
  readonly keys: ApiKeys
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly http: Omit<AppOptions, 'name'>
  readonly version: string
}

/** What its bindings have in common. */
export type Bound = Pick<CacheDeps, 'cache' | 'now'> & {
  readonly figures: Figures
  readonly source: Source
  readonly maxima: Maxima
  readonly answer: Answer
  readonly log: Log
}
