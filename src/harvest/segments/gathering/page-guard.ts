/** Pages that lead in a circle: no address twice, no body twice. */
import { Failure } from '../../../errors.ts'
import { keyHash } from '../../importing/cutting/key-hash.ts'
import { NumberSet } from './number-set.ts'
import { shownUrl } from './reading.ts'

export type PageGuard = {
  /** Throws `page-loop` for an address (with the same POST body) that was asked for before. */
  readonly visit: (url: string, body?: string) => void
  /** Throws `page-repeated` for the hash of a body that came before. */
  readonly body: (hash: string) => void
}

/** Remembers the pages of one pass over a source. */
export function pageGuard(): PageGuard {
  const visited = new NumberSet()
  const bodies = new NumberSet()
  return {
    visit: (url, body = '') => {
      if (!visited.add(keyHash(`${url}\n${body}`)))
        throw new Failure('page-loop', `The pages lead back to ${shownUrl(url)}.`)
    },
    body: (hash) => {
      if (!bodies.add(keyHash(hash)))
        throw new Failure('page-repeated', 'A page has the same body as an earlier one.')
    },
  }
}
