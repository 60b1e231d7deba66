/** Entity tags and conditional requests (RFC 9110 13). */

import { hash } from 'node:crypto'
import { Failure } from '../errors.ts'

/** Strong entity tag for the stored hash of a resource. */
export const entityTag = (hash: string): string => `"${hash}"`

/**
 * Checks `If-Match` and `If-None-Match` of a write; `current` is the stored hash, `undefined` for a resource that does not exist.
 * Throws `precondition-failed`.
 */
export function precondition(headers: Headers, current: string | undefined): void {
  const match = headers.get('If-Match')
  if (match !== null && !matchesCurrent(match, current, 'strong')) {
    const state = current === undefined ? 'there is no such resource' : 'the resource has changed'
    throw preconditionFailure(`${state} (If-Match)`, current)
  }
  const noneMatch = headers.get('If-None-Match')
  if (noneMatch !== null && matchesCurrent(noneMatch, current, 'weak')) {
    throw preconditionFailure('the resource exists with that state (If-None-Match)', current)
  }
}

/** Tag that is the hash of a text, for answers without a stored hash. */
export const tagOfText = (text: string): string => hash('sha256', text, 'hex').slice(0, 32)

/** Whether `If-None-Match` has the current tag, so that the answer is 304. */
export function isFresh(headers: Headers, current: string): boolean {
  const noneMatch = headers.get('If-None-Match')
  return noneMatch !== null && matchesCurrent(noneMatch, current, 'weak')
}

const preconditionFailure = (detail: string, current: string | undefined): Failure =>
  new Failure('precondition-failed', detail, {
    headers: current === undefined ? {} : { ETag: entityTag(current) },
  })

type Comparison = 'strong' | 'weak'

/** Whether the list of a header has the current tag; `*` matches any existing resource. */
function matchesCurrent(
  list: string,
  current: string | undefined,
  comparison: Comparison,
): boolean {
  if (current === undefined) return false
  if (list.trim() === '*') return true
  return [...list.matchAll(/(W\/)?"([^"]*)"/g)].some(
    ([, weak, tag]) => tag === current && (weak === undefined || comparison === 'weak'),
  )
}
