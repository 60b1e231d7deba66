/** Authorization headers, against the examples of their standards. */

import { describe, expect, it } from 'vitest'
import { challengesIn, authenticatorFor } from '../../../src/client/authentication.ts'

const mufasa = { username: 'Mufasa', password: 'Circle of Life' }
const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ'

/** The example of RFC 7616, 3.9.1. */
const example = (algorithm: string) =>
  `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, ` +
  'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", ' +
  'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'

const proof = (header: string, credentials = mufasa) =>
  authenticatorFor(challengesIn(header), credentials, cnonce)

const fields = (header = '') => Object.fromEntries(challengesIn(header)[0]?.parameters ?? [])

describe('a digest', () => {
  it.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('with %s is that of RFC 7616, 3.9.1', (algorithm, response) => {
    expect(fields(proof(example(algorithm))?.header('GET', '/dir/index.html'))).toEqual({
      username: 'Mufasa',
      realm: 'http-auth@example.org',
      uri: '/dir/index.html',
      algorithm,
      nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
      nc: '00000001',
      cnonce,
      qop: 'auth',
      response,
      opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS',
    })
  })

  it('counts the uses of its nonce in eight hexadecimal digits', () => {
    const one = proof(example('MD5'))
    const counts = Array.from({ length: 17 }, () => fields(one?.header('GET', '/'))['nc'])
    expect(counts[0]).toBe('00000001')
    expect(counts[9]).toBe('0000000a')
    expect(counts[16]).toBe('00000011')
  })

  it('uses MD5 when no algorithm is named', () => {
    const header = proof('Digest realm="r", nonce="n", qop="auth"')?.header('GET', '/')
    expect(fields(header)['algorithm']).toBe('MD5')
    expect(fields(header)['response']).toHaveLength(32)
  })

  it('quotes what has to be quoted in names, realms and addresses', () => {
    const awkward = { username: 'a"b\\c', password: 'x' }
    const header = proof('Digest realm="r \\"1\\"", nonce="n", qop="auth"', awkward)?.header(
      'GET',
      '/"',
    )
    expect(fields(header)).toMatchObject({ username: 'a"b\\c', realm: 'r "1"', uri: '/"' })
  })

  // RFC 7616, 3.9.2.
  it('spells names beyond ASCII as RFC 8187 wants it', () => {
    const header = proof(example('MD5'), { username: 'Jäsøn Doe', password: 'x' })?.header(
      'GET',
      '/',
    )
    expect(header).toContain("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe,")
  })
})

describe('of several challenges', () => {
  it('the strongest is answered', () => {
    const all = `Basic realm="x", ${example('MD5')}, ${example('SHA-256')}`
    expect(fields(proof(all)?.header('GET', '/'))['algorithm']).toBe('SHA-256')
    expect(proof(`Basic realm="x", ${example('MD5')}`)?.header('GET', '/')).toMatch(/^Digest /)
  })

  it('those that we do not master are left alone', () => {
    const others = [
      example('SHA-512-256'),
      'Digest realm="r", nonce="n", qop="auth-int"',
      'Negotiate',
    ]
    expect(proof(others.join(', '))).toBeUndefined()
    expect(proof(`${others.join(', ')}, Basic realm="x"`)?.header('GET', '/')).toMatch(/^Basic /)
  })
})

describe('Basic', () => {
  // RFC 7617, 2.1: with UTF-8.
  it('is that of RFC 7617', () => {
    const header = proof('Basic realm="foo", charset="UTF-8"', {
      username: 'test',
      password: '123£',
    })
    expect(header?.header('GET', '/')).toBe('Basic dGVzdDoxMjPCow==')
  })

  it('is not possible with a colon in the name, which would end it', () => {
    expect(proof('Basic realm="x"', { username: 'a:b', password: 'c' })).toBeUndefined()
  })
})
