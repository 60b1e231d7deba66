/** Preconditions of RFC 9110: a table for writes, a table for reads. */

import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { entityTag, isFresh, precondition } from '../../src/http/conditions.ts'

const outcome = (headers: Record<string, string>, current: string | undefined) => {
  try {
    precondition(new Headers(headers), current)
    return 'goes on'
  } catch (error) {
    return error instanceof Failure ? error.kind : error
  }
}

describe('a write', () => {
  it.each([
    [{}, 'h', 'goes on'],
    [{}, undefined, 'goes on'],
    [{ 'If-Match': '"h"' }, 'h', 'goes on'],
    [{ 'If-Match': '"x", "h"' }, 'h', 'goes on'],
    [{ 'If-Match': '"x"' }, 'h', 'precondition-failed'],
    [{ 'If-Match': 'W/"h"' }, 'h', 'precondition-failed'],
    [{ 'If-Match': '"h"' }, undefined, 'precondition-failed'],
    [{ 'If-Match': '*' }, 'h', 'goes on'],
    [{ 'If-Match': '*' }, undefined, 'precondition-failed'],
    [{ 'If-Match': 'h' }, 'h', 'precondition-failed'],
    [{ 'If-None-Match': '*' }, 'h', 'precondition-failed'],
    [{ 'If-None-Match': '*' }, undefined, 'goes on'],
    [{ 'If-None-Match': '"h"' }, 'h', 'precondition-failed'],
    [{ 'If-None-Match': '"x"' }, 'h', 'goes on'],
  ] as const)('with %j on %s %s', (headers, current, expected) => {
    expect(outcome(headers, current)).toBe(expected)
  })

  it('that is refused tells the present tag', () => {
    const write = () => precondition(new Headers({ 'If-Match': '"old"' }), 'new')
    expect(write).toThrow(expect.objectContaining({ headers: { ETag: entityTag('new') } }))
  })
})

describe('a read', () => {
  it.each([
    ['"h"', true],
    ['W/"h"', true],
    ['"x", W/"h"', true],
    ['*', true],
    ['"x"', false],
    ['h', false],
    ['""', false],
  ])('with If-None-Match %s is fresh: %s', (value, expected) => {
    expect(isFresh(new Headers({ 'If-None-Match': value }), 'h')).toBe(expected)
  })

  it('without a condition is never fresh', () => {
    expect(isFresh(new Headers(), 'h')).toBe(false)
  })
})
