/** Proves to a server who we are: Basic (RFC 7617) and Digest (RFC 7616). */

import { hash } from 'node:crypto'
import type { Challenge } from './challenge.ts'

export type Credentials = { readonly username: string; readonly password: string }

/** Makes the `Authorization` header of one request; `target` is path and query. */
export type Proof = {
  readonly header: (method: string, target: string) => string
  /** Whether the server may stop to accept it, so that it has to be asked again. */
  readonly expires: boolean
}

/** The strongest proof that one of `challenges` takes; `undefined` when we master none of them. */
export function proofFor(
  challenges: readonly Challenge[],
  credentials: Credentials,
  cnonce: string,
): Proof | undefined {
  const digests = challenges.filter(({ scheme }) => scheme === 'digest')
  for (const [name, algorithm] of algorithms) {
    const challenge = digests.find((one) => nameIn(one) === name && offersAuth(one))
    if (challenge) return digest({ challenge, credentials, cnonce, algorithm })
  }
  return challenges.some(({ scheme }) => scheme === 'basic') ? basic(credentials) : undefined
}

/** From the strongest to the weakest; in the header, no algorithm means MD5. */
const algorithms = [
  ['SHA-256', 'sha256'],
  ['MD5', 'md5'],
] as const

const nameIn = ({ parameters }: Challenge): string =>
  (parameters.get('algorithm') ?? 'MD5').toUpperCase()

const offersAuth = ({ parameters }: Challenge): boolean =>
  parameters.has('nonce') && /(^|[\s,])auth([\s,]|$)/i.test(parameters.get('qop') ?? '')

function basic({ username, password }: Credentials): Proof | undefined {
  // The first colon ends the user name (RFC 7617, 2): one of its own would move the border.
  if (username.includes(':')) return undefined
  const header = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  return { header: () => header, expires: false }
}

type Digest = {
  readonly challenge: Challenge
  readonly credentials: Credentials
  readonly cnonce: string
  readonly algorithm: 'sha256' | 'md5'
}

function digest({ challenge, credentials, cnonce, algorithm }: Digest): Proof {
  const { parameters } = challenge
  const realm = parameters.get('realm') ?? ''
  const nonce = parameters.get('nonce') ?? ''
  const opaque = parameters.get('opaque')
  const secret = hash(algorithm, `${credentials.username}:${realm}:${credentials.password}`)
  const fixed = [
    userField(credentials.username),
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `algorithm=${nameIn(challenge)}`,
    'qop=auth',
    `cnonce=${quoted(cnonce)}`,
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
  ].join(', ')
  let uses = 0
  const header = (method: string, target: string): string => {
    uses += 1
    const count = uses.toString(16).padStart(8, '0')
    const request = hash(algorithm, `${method}:${target}`)
    const response = hash(algorithm, `${secret}:${nonce}:${count}:${cnonce}:auth:${request}`)
    return `Digest ${fixed}, uri=${quoted(target)}, nc=${count}, response="${response}"`
  }
  return { header, expires: true }
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** Names beyond ASCII have a spelling of their own (RFC 7616, 3.4; RFC 8187). */
const userField = (username: string): string =>
  /^[\x20-\x7e]*$/.test(username)
    ? `username=${quoted(username)}`
    : `username*=UTF-8''${encodeURIComponent(username).replace(/['()*!]/g, percentOf)}`

const percentOf = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`
