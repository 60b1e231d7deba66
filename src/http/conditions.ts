/** Entity tags and the requests that depend on them (RFC 9110 13). */

import { hash } from 'node:crypto'
import { Failure } from '../errors.ts'

/** The strong entity tag of a resource whose stored hash is given. */
export const entityTag = (hash: string): string => `"${hash}"`

/**
 * Refuses a write whose `If-Match` or `If-None-Match` does not fit the present state; `current` is the stored hash, or
 * undefined when there is no such resource. Throws `precondition-failed`.
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

/** A tag for a text without a state of its own: the text decides it. */
export const tagOfText = (text: string): string => hash('sha256', text, 'hex').slice(0, 32)

/** Whether a reader has the present state already, so that 304 is the answer. */
export function isFresh(headers: Headers, current: string): boolean {
  const noneMatch = headers.get('If-None-Match')
  return noneMatch !== null && matchesCurrent(noneMatch, current, 'weak')
}

const preconditionFailure = (detail: string, current: string | undefined): Failure =>
  new Failure('precondition-failed', detail, {
    headers: current === undefined ? {} : { ETag: entityTag(current) },
  })

type Comparison = 'strong' | 'weak'

/** Whether the list of a header has the tag; `*` is any state of a resource that exists. */
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
