/** Reading `WWW-Authenticate`: what servers send, and whatever else may arrive. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { challengesIn } from '../../../src/client/authentication.ts'

const told = (header: string) =>
  challengesIn(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)])

describe('a challenge', () => {
  it.each<[string, string, unknown[]]>([
    ['of one scheme', 'Basic realm="simple"', [['basic', { realm: 'simple' }]]],
    ['without parameters', 'Negotiate', [['negotiate', {}]]],
    ['with a token instead of parameters', 'NTLM TlRMTVNTUAAC==', [['ntlm', {}]]],
    [
      'of several schemes in one header (RFC 9110, 11.6.1)',
      'Basic realm="simple", Newauth realm="apps", type=1, title="Login to \\"apps\\""',
      [
        ['basic', { realm: 'simple' }],
        ['newauth', { realm: 'apps', type: '1', title: 'Login to "apps"' }],
      ],
    ],
    [
      'after a token',
      'Negotiate YII=, Basic realm="x"',
      [
        ['negotiate', {}],
        ['basic', { realm: 'x' }],
      ],
    ],
    [
      'as Virtuoso writes it, everything in quotes',
      'Digest realm="SPARQL", domain="/sparql-auth", nonce="b147", opaque="5ebe", stale="false", qop="auth", algorithm="MD5"',
      [
        [
          'digest',
          {
            realm: 'SPARQL',
            domain: '/sparql-auth',
            nonce: 'b147',
            opaque: '5ebe',
            stale: 'false',
            qop: 'auth',
            algorithm: 'MD5',
          },
        ],
      ],
    ],
    [
      'with a comma and an equals sign in quotes',
      'Digest realm="a, b=c", qop="auth,auth-int"',
      [['digest', { realm: 'a, b=c', qop: 'auth,auth-int' }]],
    ],
    [
      'with blanks and empty places between',
      ' ,, Digest  realm = "x" ,\t, NONCE=abc ,',
      [['digest', { realm: 'x', nonce: 'abc' }]],
    ],
    [
      'that breaks off is read as far as it goes',
      'Basic realm="x", Digest nonce="never end',
      [
        ['basic', { realm: 'x' }],
        ['digest', {}],
        ['nonce', {}],
      ],
    ],
    ['that is nothing of the kind', '"', []],
    ['that is empty', '', []],
  ])('%s', (_, header, expected) => {
    expect(told(header)).toEqual(expected)
  })
})

const letters = 'abcdefghijklmnopqrstuvwxyzABCXYZ019!#$%&*+.^_`|~-'.split('')
const token = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 8 })
const text = fc.string({
  unit: fc.constantFrom(...letters, ...' ,="\\/äß€\t'.split('')),
  maxLength: 12,
})
const blanks = fc.constantFrom('', ' ', '\t', '  ')
const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`

const written = fc
  .tuple(
    token,
    blanks,
    blanks,
    fc.oneof(
      token.map((v) => [v, v]),
      text.map((v) => [v, quoted(v)]),
    ),
  )
  .map(([name, before, after, [value = '', spelled = '']]) => ({
    name: name.toLowerCase(),
    value,
    text: `${name}${before}=${after}${spelled}`,
  }))

const challenge = fc.record({
  scheme: token,
  parameters: fc.uniqueArray(written, { selector: ({ name }) => name, minLength: 1, maxLength: 5 }),
})

describe('any list of challenges', () => {
  it('is read as it was meant, however it is spaced and quoted', () => {
    const list = fc.array(challenge, { maxLength: 4 })
    const commas = fc.constantFrom(',', ', ', ' ,', ',, ,')
    fc.assert(
      fc.property(list, commas, (challenges, comma) => {
        const header = challenges
          .map(({ scheme, parameters }) => `${scheme} ${parameters.map((p) => p.text).join(comma)}`)
          .join(comma)
        const meant = challenges.map(({ scheme, parameters }) => [
          scheme.toLowerCase(),
          Object.fromEntries(parameters.map(({ name, value }) => [name, value])),
        ])
        expect(told(header)).toEqual(meant)
      }),
    )
  })

  it('may be garbage: nothing throws, nothing hangs', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(...'aZ0 ,=="\\\t/~é\n'.split('')),
      maxLength: 400,
    })
    fc.assert(
      fc.property(fc.oneof(fc.string(), hostile), (header) => {
        for (const { scheme } of challengesIn(header)) expect(scheme).not.toBe('')
      }),
      { numRuns: 2000 },
    )
  })

  it('of 16 KB, the most that a head may have, is read without delay', () => {
    const longest = ['a="', 'a=', '"\\', 'a ', ',', 'a="\\"'].map((part) =>
      part.repeat(16_384 / part.length),
    )
    for (const header of longest) expect(challengesIn(`Digest ${header}`)[0]?.scheme).toBe('digest')
  })
})
