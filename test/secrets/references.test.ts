/** References to secrets in configurations, and credentials in URLs. */

import { describe, expect, it } from 'vitest'
import {
  secretOf,
  secretRegistry,
  shownUrl,
  unknownSecrets,
  withoutCredentials,
} from '../../src/secrets.ts'

describe('a configuration', () => {
  it('names a secret, or holds it', () => {
    const secrets = secretRegistry({ portal: 'the value' })
    expect(secretOf({ secret: 'portal', header: 'X-Key' }, secrets)?.reveal()).toBe('the value')
    expect(secretOf('a literal', secrets)?.reveal()).toBe('a literal')
    expect(secrets.clean('a literal')).toBe('•••')
    expect(secretOf({ secret: 'other' }, secrets)).toBeUndefined()
    expect(secretOf({ secret: 7 }, secrets)).toBeUndefined()
    expect(secretOf(7, secrets)).toBeUndefined()
  })

  it('that names an unknown secret is told where', () => {
    const secrets = secretRegistry({ portal: 'the value' })
    const config = {
      auth: { secret: 'portal' },
      list: [{ 'a/b~c': { secret: 'missing', header: 'Authorization' } }],
    }
    expect(unknownSecrets(config, secrets)).toEqual([
      { pointer: '/list/0/a~1b~0c', detail: 'no secret is called missing' },
    ])
  })

  it('that holds literals makes them known, wherever they stand', () => {
    const secrets = secretRegistry()
    const config = {
      apikey: 'literal-1',
      inner: [{ Authorization: 'Bearer 22' }],
      password: { value: 'literal-3', list: ['literal-4'] },
      token: { secret: 'by-name', header: 'harmless' },
      address: 'harmless',
    }
    expect(unknownSecrets(config, secrets)).toHaveLength(1)
    expect(secrets.clean('literal-1 Bearer 22 harmless')).toBe('••• ••• harmless')
    expect(secrets.clean('literal-3 literal-4 by-name')).toBe('••• ••• by-name')
  })
  it('that holds addresses makes their credentials known', () => {
    const secrets = secretRegistry()
    const config = {
      address: 'https://user:pass-word@a.example/x?q=harmless&apikey=literal%201==#token=anchor',
      script: 'is ? one : two&token=nothing',
      hooks: ['https://a.example/?token=literal-2'],
    }
    expect(unknownSecrets(config, secrets)).toEqual([])
    expect(secrets.clean('pass-word literal%201== literal 1== literal-2')).toBe('••• ••• ••• •••')
    expect(secrets.clean('user harmless nothing anchor')).toBe('user harmless nothing anchor')
  })
})

describe('a URL', () => {
  it.each([
    ['https://user:word@a.example/x', 'https://a.example/x'],
    ['https://a@b@a.example/x@y', 'https://a.example/x@y'],
    ['https://a.example/?x=1&token=word&y=2#z', 'https://a.example/?x=1&y=2#z'],
    ['https://a.example/?apikey=word', 'https://a.example/'],
    ['https://a.example/?%61pi_key=word&x', 'https://a.example/?x'],
    ['https://a.example/?$$app_token=word', 'https://a.example/'],
    ['https://a.example/?API-Key=word', 'https://a.example/'],
  ])('%s of a record is kept as %s', (url, kept) => {
    expect(withoutCredentials(url)).toEqual({ url: kept, removed: true })
  })

  it.each([
    'https://a.example/?q=token&&=x#?token=1',
    'https://a.example/%7euser?a=%zz',
    'not a url @ all',
    'mailto:a@b.example',
    '',
  ])('%s without credentials stays byte for byte', (url) => {
    expect(withoutCredentials(url)).toEqual({ url, removed: false })
  })

  it('is shown without values of credentials, and not endlessly', () => {
    expect(shownUrl('https://u:p@a.example/x?token=word&q=1#top')).toBe(
      'https://a.example/x?token=•••&q=1',
    )
    expect(shownUrl(`https://a.example/${'x'.repeat(5000)}`)).toHaveLength(2001)
  })

  it.each([
    'key',
    'Key',
    'KEY',
    'auth',
    'pass',
    'pwd',
    'code',
    'sig',
    'jwt',
    'sid',
    'session',
    'sessionId',
    'PHPSESSID',
    'jsessionid',
    'accessToken',
    'access_token',
    'id_token',
    'api.key',
    'apiKey',
    'X-Amz-Signature',
    'x-api-key',
    'subscription-key',
    'client_assertion',
    '%6Bey',
    'accesskey',
    'authtoken',
    'accesstoken',
    'clientsecret',
    'userkey',
    'licensekey',
    'passcode',
    'passwort',
    'pw',
    'mdp',
    'csrf_token',
    'hmac',
    'sas',
    'SAMLResponse',
    'oauth_verifier',
    'usertoken',
    'keys',
    'tokens',
    'dbpassword',
    'sess',
    'key[]',
  ])('is shown without the value of %s, by which clients send keys', (name) => {
    expect(shownUrl(`/datasets/none?${name}=word&q=1`)).toBe(`/datasets/none?${name}=•••&q=1`)
  })

  it.each([
    ['/x;jsessionid=word?q=1', '/x;jsessionid=•••?q=1'],
    ['/x?a=1;token=word&q=1', '/x?a=1;token=•••&q=1'],
    ['/x?a=b?token=word', '/x?a=b?token=•••'],
    ['/x?token%3Dword&q=1', '/x?token=•••&q=1'],
    [
      '/x?next=https%3A%2F%2Fu%3Aword%40a.example%2F%3Ftoken%3Dword%26q%3D1&q=2',
      '/x?next=https://a.example/?token=•••&q=1&q=2',
    ],
    ['/x?next=%2F%2Fa', '/x?next=%2F%2Fa'],
  ])('%s is shown as %s, wherever a secret stands in it', (url, shown) => {
    expect(shownUrl(url)).toBe(shown)
  })

  it.each([
    'keyword',
    'q',
    'author',
    'passage',
    'zipcode',
    'design',
    'facets',
    'monkey',
    'sort',
    'keywords',
    'turkey',
    'compass',
    'path',
    'barcode',
    'state',
  ])('is shown with the value of %s', (name) => {
    expect(shownUrl(`/search?${name}=word`)).toBe(`/search?${name}=word`)
  })
})
