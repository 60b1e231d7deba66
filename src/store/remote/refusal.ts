/** What an error of a store means to us, and what is said of it: the store's own words stay in the cause. */

import { Failure, type Kind } from '../../errors.ts'
import type { Dialect } from './dialect.ts'
import type { ServiceAnswer } from '../../client/service-exchange.ts'

const kinds: Readonly<Record<number, Kind>> = {
  400: 'invalid-content',
  413: 'too-large',
  422: 'invalid-content',
  504: 'time-limit',
  507: 'store-full',
}

const details: Partial<Record<Kind, string>> = {
  'invalid-content': 'The triplestore refused the triples.',
  'too-large': 'The write is larger than the triplestore takes.',
  'store-full': 'The triplestore has no room.',
}

/** The failure of an update that was answered with an error. */
export function refusalOf(answer: ServiceAnswer, { refused }: Pick<Dialect, 'refused'>): Failure {
  const { status, text } = answer
  const kind = refused?.(answer) ?? kinds[status] ?? 'store-unavailable'
  const detail = details[kind] ?? `The triplestore answered a write with ${status}.`
  const more = kind === 'store-unavailable' ? { retryAfter: 5 } : {}
  return new Failure(kind, detail, { ...more, cause: text.slice(0, 2000) })
}

/** Whether nothing is known of a write that failed like this: it may have landed, or may land still. */
export const isDoubtful = (error: unknown): boolean =>
  !(error instanceof Failure) || error.kind === 'store-unavailable' || error.kind === 'time-limit'
