/** What a failure of the source means for the run: the end of it, or an import that is not complete. */
import { Failure, type Kind } from '../../../errors.ts'

/** Whatever was read so far stays, and nothing is removed. */
const leavesIncomplete: ReadonlySet<Kind> = new Set<Kind>([
  'source-empty',
  'total-mismatch',
  'total-changed',
  'page-repeated',
  'page-loop',
  'page-limit',
  'next-crosses-origin',
])

/** On the first page nothing usable is there; later the run is incomplete. */
const dependsOnPage: ReadonlySet<Kind> = new Set<Kind>([
  'source-html',
  'source-error',
  'source-not-found',
  'source-error-envelope',
  'source-malformed',
  'source-truncated',
  'source-throttled',
  'source-timeout',
  'too-large',
])

/**
 * `undefined`: the run fails. Else the problem of an incomplete import. A source that says when to come back is no
 * failure, whatever the page.
 */
export function incompleteBy(error: unknown, pages: number): Failure | undefined {
  if (!(error instanceof Failure)) return undefined
  const { kind } = error
  if (leavesIncomplete.has(kind)) return error
  if (kind === 'source-throttled' && error.retryAfter !== undefined) return error
  return dependsOnPage.has(kind) && pages > 0 ? error : undefined
}
