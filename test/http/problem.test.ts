/** Problems: the table of repository and search contracts, and what a body may say. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure, shown } from '../../src/errors.ts'
import { problemOf, problems } from '../../src/http/problem.ts'

describe('the problem of a failure', () => {
  it('has type, constant title, status, detail, instance and complaints', () => {
    const errors = [{ line: 3, column: 7, detail: 'a dot is missing' }]
    const answer = problemOf(new Failure('malformed-rdf', 'bad Turtle', { errors }), '/datasets/x')
    expect(answer).toEqual({
      status: 400,
      body: {
        type: 'urn:cartulary:problem:malformed-rdf',
        title: problems['malformed-rdf'].title,
        status: 400,
        detail: 'bad Turtle',
        instance: '/datasets/x',
        errors,
      },
      headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
    })
  })

  it('says which headers were asked for', () => {
    const failure = new Failure('method-not-allowed', 'no', { headers: { Allow: 'GET' } })
    expect(problemOf(failure, '/').headers).toMatchObject({ Allow: 'GET' })
    expect(problemOf(new Failure('unauthorized', 'no'), '/').headers).toMatchObject({
      'WWW-Authenticate': 'ApiKey, Bearer',
    })
  })

  it.each(['too-many-requests', 'too-many-cursors', 'time-limit', 'store-unavailable'] as const)(
    'of the kind %s always says when to come back',
    (kind) => {
      const retry = Number(problemOf(new Failure(kind, 'x'), '/').headers['Retry-After'])
      expect(retry).toBeGreaterThanOrEqual(1)
      const told = problemOf(new Failure(kind, 'x', { retryAfter: 7.2 }), '/')
      expect(told.headers['Retry-After']).toBe('8')
    },
  )

  it('tells at most a hundred complaints, then a count', () => {
    const errors = Array.from({ length: 123 }, (_, at) => ({ detail: `number ${at}` }))
    const { body } = problemOf(new Failure('invalid-parameter', 'many', { errors }), '/')
    expect(body.errors).toHaveLength(101)
    expect(body.errors?.at(-1)).toEqual({ detail: 'and 23 more' })
  })
})

describe('the problem of anything else', () => {
  it.each([new Error('password=canary at db.internal'), 'canary', undefined, { detail: 'canary' }])(
    '[T7] is a bare 500 (%#)',
    (error) => {
      const { status, body } = problemOf(error, '/x')
      expect(status).toBe(500)
      expect(body).toEqual({
        type: 'urn:cartulary:problem:internal',
        title: 'Internal error',
        status: 500,
        instance: '/x',
      })
    },
  )
})

describe('a shown value', () => {
  it('has at most 200 characters and no control characters, and never half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        const told = shown(text)
        // oxlint-disable-next-line no-control-regex
        expect(told).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/)
        expect(Array.from(text).length <= 200 || told.endsWith('…')).toBe(true)
        expect(told.isWellFormed() || !text.isWellFormed()).toBe(true)
      }),
    )
    expect(shown('a'.repeat(201))).toBe(`${'a'.repeat(200)}…`)
    expect(shown('a\nb')).toBe('a\\u000ab')
  })

  it('may be of any type', () => {
    expect([shown(5), shown([1]), shown(undefined), shown(null)]).toEqual([
      '5',
      '[1]',
      'undefined',
      'null',
    ])
  })
})
