/** Permissions: which action each kind covers. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPermission, matchesPath, isPermitted } from '../../src/http/api-key.ts'

describe('a permission', () => {
  it.each([
    ['*', 'PUT /anything/at/all', undefined, true],
    ['govdata', 'PUT /catalogues/govdata/datasets/origin', 'govdata', true],
    ['govdata', 'PUT /catalogues/other', 'other', false],
    ['govdata', 'PUT /vocabularies/x', undefined, false],
    ['PUT /vocabularies/*', 'PUT /vocabularies/x', undefined, true],
    ['PUT /vocabularies/{id}', 'PUT /vocabularies/x', undefined, true],
    ['put /vocabularies/*', 'PUT /vocabularies/x', undefined, true],
    ['PUT /vocabularies/*', 'DELETE /vocabularies/x', undefined, false],
    ['PUT /vocabularies/*', 'PUT /vocabularies/x/y', undefined, false],
    ['PUT /vocabularies/*', 'PUT /vocabularies', undefined, false],
    ['* /vocabularies/**', 'DELETE /vocabularies/x/y/z', undefined, true],
    ['* /vocabularies/**', 'PUT /vocabularies', undefined, true],
    ['* /vocabularies/**', 'PUT /vocabulariesx', undefined, false],
    ['GET /tombstones', 'HEAD /tombstones', undefined, true],
    ['GET /tombstones', 'GET /tombstones/', undefined, true],
    ['GET /', 'GET /', undefined, true],
    ['* /**', 'PUT /', undefined, true],
  ] as const)('%s: %s of %s → %s', (permission, request, catalogue, expected) => {
    const [method = '', path = ''] = request.split(' ')
    const key = { id: '', permissions: [permission] }
    expect(isPermitted(key, { method, path, catalogue })).toBe(expected)
  })

  it('is one of three forms', () => {
    const right = ['*', 'govdata', 'a_b~~1-c', 'PUT /x', '* /**', 'DELETE /datasets/{id}']
    const wrong = ['', 'two words', 'PUT x', 'a/b', '**', '/x']
    expect(right.filter((text) => !isPermission(text))).toEqual([])
    expect(wrong.filter((text) => isPermission(text))).toEqual([])
  })

  it('of no key covers nothing', () => {
    expect(
      isPermitted({ id: '', permissions: [] }, { method: 'GET', path: '/', catalogue: '' }),
    ).toBe(false)
  })
})

/** The same rule said another way, as a regular expression. */
function expression(pattern: string): RegExp {
  const parts = pattern.split('/').slice(1)
  const end = parts.indexOf('**')
  const source = (end < 0 ? parts : parts.slice(0, end))
    .map((part) =>
      part === '*' || part === '{id}' ? '/[^/]+' : `/${part.replace(/[.+]/g, String.raw`\$&`)}`,
    )
    .join('')
  return new RegExp(`^${source}${end < 0 ? '' : '(/.*)?'}/?$`, 's')
}

describe('a path pattern', () => {
  const segment = fc.constantFrom('datasets', 'catalogues', 'x', 'a.b', 'a+b', '~1', '%2F')
  const wild = fc.constantFrom('*', '{id}')

  it('matches as its regular expression does', () => {
    const pattern = fc.tuple(
      fc.array(fc.oneof(segment, wild), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '/**'),
    )
    const path = fc.array(segment, { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(pattern, path, ([parts, rest], segments) => {
        const text = `/${parts.join('/')}${rest}`
        const given = `/${segments.join('/')}`
        expect(matchesPath(text, given)).toBe(expression(text).test(given))
      }),
      { numRuns: 2000 },
    )
  })

  it('covers every path that is made from it by filling its wild segments', () => {
    const parts = fc.array(fc.oneof(segment, wild), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(parts, segment, (pattern, filling) => {
        const path = pattern.map((part) => (part === '*' || part === '{id}' ? filling : part))
        expect(matchesPath(`/${pattern.join('/')}`, `/${path.join('/')}`)).toBe(true)
        expect(matchesPath(`/${pattern.join('/')}`, `/${path.join('/')}/more`)).toBe(false)
      }),
    )
  })

  it('never lets an empty segment stand for a wild one', () => {
    expect(matchesPath('/catalogues/*/datasets', '/catalogues//datasets')).toBe(false)
  })
})
