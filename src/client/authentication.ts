/**
 * HTTP authentication, Basic (RFC 7617) and Digest (RFC 7616), for services of the operator such as a triplestore. Wraps the
 * exchanges of `service.ts`.
 */

import { hash, randomBytes } from 'node:crypto'
import { Failure } from '../errors.ts'
import { ExchangeFault, type OutgoingRequest } from './exchange.ts'
import type { ServiceAnswer, ServiceCall, ServiceExchange, ServiceName } from './service-request.ts'

/** Configured user name and password of a service. */
export type Credentials = { readonly username: string; readonly password: string }

/** Makes the `Authorization` header of a request; `target` is path and query. */
type Authenticator = {
  readonly header: (method: string, target: string) => string
  /** Whether its nonce may expire, so that a new challenge is needed: true for Digest. */
  readonly expires: boolean
}

/**
 * Authenticator for the strongest supported challenge, Digest before Basic; `undefined` if none is supported. `cnonce` is the
 * nonce of the client (RFC 7616).
 */
export function authenticatorFor(
  challenges: readonly Challenge[],
  credentials: Credentials,
  cnonce: string,
): Authenticator | undefined {
  const digests = challenges.filter(
    (challenge) => challenge.scheme === 'digest' && offersAuth(challenge),
  )
  for (const name of ['SHA-256', 'MD5'] as const) {
    const challenge = digests.find((digestChallenge) => algorithmOf(digestChallenge) === name)
    if (challenge) return digest(challenge, credentials, cnonce)
  }
  return challenges.some(({ scheme }) => scheme === 'basic') ? basic(credentials) : undefined
}

/** Hash algorithm of a Digest challenge; MD5 by default. */
const algorithmOf = ({ parameters }: Challenge): string =>
  (parameters.get('algorithm') ?? 'MD5').toUpperCase()

/** Whether a Digest challenge has a nonce and offers `qop=auth`, the only quality of protection that is supported. */
const offersAuth = ({ parameters }: Challenge): boolean =>
  parameters.has('nonce') && /(^|[\s,])auth([\s,]|$)/i.test(parameters.get('qop') ?? '')

function basic({ username, password }: Credentials): Authenticator | undefined {
  // A user name with a colon cannot be sent: the first colon separates it from the password (RFC 7617, 2).
  if (username.includes(':')) return undefined
  const header = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  return { header: () => header, expires: false }
}

function digest(challenge: Challenge, credentials: Credentials, cnonce: string): Authenticator {
  const { username, password } = credentials
  const [realm, nonce, opaque] = ['realm', 'nonce', 'opaque'].map((name) =>
    challenge.parameters.get(name),
  )
  const hashed = (...parts: readonly (string | undefined)[]) =>
    hash(
      algorithmOf(challenge) === 'MD5' ? 'md5' : 'sha256',
      parts.map((part) => part ?? '').join(':'),
    )
  const secret = hashed(username, realm, password)
  const constantParameters = [
    userField(username),
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `algorithm=${algorithmOf(challenge)}`,
    'qop=auth',
    `cnonce=${quote(cnonce)}`,
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
  ].join(', ')
  let uses = 0
  const header = (method: string, target: string): string => {
    uses += 1
    const count = uses.toString(16).padStart(8, '0')
    const response = hashed(secret, nonce, count, cnonce, 'auth', hashed(method, target))
    return `Digest ${constantParameters}, uri=${quote(target)}, nc=${count}, response="${response}"`
  }
  return { header, expires: true }
}

const quote = (text = ''): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** User name parameter; non-ASCII names use the extended notation (RFC 7616, 3.4; RFC 8187). */
const userField = (username: string): string =>
  /^[\x20-\x7e]*$/.test(username)
    ? `username=${quote(username)}`
    : `username*=UTF-8''${encodeURIComponent(username).replace(/['()*!]/g, percentOf)}`

const percentOf = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

/**
 * A challenge of a `WWW-Authenticate` header (RFC 9110, 11.6.1). Scheme and parameter names are in lower case, values
 * unquoted.
 */
type Challenge = {
  readonly scheme: string
  readonly parameters: ReadonlyMap<string, string>
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const separators = /[\t ,]*/y
const parameter = new RegExp(`(${token})[\\t ]*=[\\t ]*(?:(${token})|"((?:[^"\\\\]|\\\\.)*)")`, 'y')
const scheme = new RegExp(`(${token})(?:[\\t ]+[A-Za-z0-9._~+/-]+=*(?=[\\t ]*(?:,|$)))?`, 'y')

/** Parses the challenges of one or more headers joined by commas. Stops at the first part that is no challenge. */
export function challengesIn(header: string): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = []
  let position = 0
  const matchNext = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position
    const match = pattern.exec(header)
    if (match) position = pattern.lastIndex
    return match
  }
  while (position < header.length) {
    matchNext(separators)
    const last = challenges.at(-1)
    const pair = last && matchNext(parameter)
    if (pair) last.parameters.set((pair[1] ?? '').toLowerCase(), pair[2] ?? unquote(pair[3] ?? ''))
    else {
      const next = matchNext(scheme)
      if (!next) break
      challenges.push({ scheme: (next[1] ?? '').toLowerCase(), parameters: new Map() })
    }
  }
  return challenges
}

const unquote = (text: string): string => text.replace(/\\(.)/gs, '$1')

/**
 * Refusal by a service, because of its credentials or because none are configured. The message has the reason, the status and the
 * beginning of the body.
 */
export class CredentialsError extends Error {
  constructor(why: string, answer: ServiceAnswer) {
    super(`${why} (${answer.status}): ${answer.text.slice(0, 2048)}`)
    this.name = 'CredentialsError'
  }
}

/** Authentication for a path of the service, or `open` if it needs none. */
type PathAuthentication = Authenticator | 'open'

/**
 * Adds the `Authorization` header and answers challenges. With credentials, sends an empty request to each path before the first
 * body is sent there, to get its challenge; an answer that does not show how the path authenticates is returned in place of that
 * of the request. A 401 that is repeated, or that cannot be answered, becomes a `Failure` with a `CredentialsError` as its cause.
 */
export class Authentication {
  readonly #unauthenticated: ServiceExchange
  readonly #credentials: Credentials | undefined
  readonly #service: ServiceName
  readonly #paths = new Map<string, PathAuthentication>()

  constructor(
    unauthenticated: ServiceExchange,
    credentials: Credentials | undefined,
    service: ServiceName,
  ) {
    this.#unauthenticated = unauthenticated
    this.#credentials = credentials
    this.#service = service
  }

  readonly exchange: ServiceExchange = async (outgoing, call) => {
    const path = outgoing.url.origin + outgoing.url.pathname
    let authentication = this.#paths.get(path)
    let isAnswerToProbe = false
    if (this.#credentials && authentication === undefined && outgoing.body !== undefined) {
      const probed = await this.#unauthenticated(probeFor(outgoing), call)
      if (!isConclusive(probed, outgoing)) return probed
      authentication = this.#register(path, probed)
      isAnswerToProbe = authentication !== 'open'
    }
    const answer = await this.#send(authentication ?? 'open', outgoing, call)
    if (answer.status !== 401) return answer
    if (isAnswerToProbe && !isStale(answer)) throw this.#wrongCredentials(path, answer)
    const secondAnswer = await this.#send(this.#register(path, answer), outgoing, call)
    if (secondAnswer.status === 401) throw this.#wrongCredentials(path, secondAnswer)
    return secondAnswer
  }

  #register(path: string, answer: ServiceAnswer): PathAuthentication {
    const authentication = answer.status === 401 ? this.#authenticator(answer) : 'open'
    this.#paths.set(path, authentication)
    return authentication
  }

  #authenticator(answer: ServiceAnswer): Authenticator {
    if (!this.#credentials) throw this.#refusedCredentials('no credentials are configured', answer)
    const cnonce = randomBytes(16).toString('hex')
    const authenticator = authenticatorFor(challengesOf(answer), this.#credentials, cnonce)
    if (authenticator) return authenticator
    throw this.#refusedCredentials(
      'it takes neither Basic nor Digest with qop=auth from us',
      answer,
    )
  }

  async #send(
    authentication: PathAuthentication,
    outgoing: OutgoingRequest,
    call: ServiceCall,
  ): Promise<ServiceAnswer> {
    if (authentication === 'open') return this.#unauthenticated(outgoing, call)
    const { url, method, headers } = outgoing
    const authorization = authentication.header(method, url.pathname + url.search)
    const authenticated = { ...outgoing, headers: { ...headers, Authorization: authorization } }
    try {
      return await this.#unauthenticated(authenticated, call)
    } catch (error) {
      // A server that rejects the credentials may close the connection before it has read the body, so its answer is lost;
      // the next body is preceded by a probe again.
      const isLost = error instanceof ExchangeFault && error.phase === 'asking'
      if (isLost && authentication.expires) {
        for (const [path, authenticator] of this.#paths)
          if (authenticator === authentication) this.#paths.delete(path)
      }
      throw error
    }
  }

  #wrongCredentials(path: string, answer: ServiceAnswer): Failure {
    this.#paths.delete(path)
    return this.#refusedCredentials('the user name or the password is wrong', answer)
  }

  #refusedCredentials(why: string, answer: ServiceAnswer): Failure {
    const { name, unavailable } = this.#service
    const detail = `The ${name} refuses the configured credentials.`
    const cause = new CredentialsError(why, answer)
    return new Failure(unavailable, detail, { retryAfter: 2, cause })
  }
}

/** Empty request that provokes a challenge. An empty PUT would delete a graph, so GET takes its place. */
const probeFor = ({ url, method, headers }: OutgoingRequest): OutgoingRequest => ({
  url,
  method: method === 'PUT' ? 'GET' : method,
  headers,
})

/** Statuses with which a server rejects an empty request without a challenge; the path then needs no authentication. */
const rejectionsOfEmpty: ReadonlySet<number> = new Set([400, 405, 406, 411, 415, 422])

/** Whether the answer to a probe shows how the path authenticates; otherwise it is treated as the answer to the request. */
const isConclusive = ({ status }: ServiceAnswer, { method }: OutgoingRequest): boolean =>
  status === 401 ||
  (status >= 200 && status < 300) ||
  rejectionsOfEmpty.has(status) ||
  (status === 404 && method === 'PUT')

const challengesOf = ({ headers }: ServiceAnswer) => challengesIn(headers['www-authenticate'] ?? '')

const isStale = (answer: ServiceAnswer): boolean =>
  challengesOf(answer).some(({ parameters }) => parameters.get('stale')?.toLowerCase() === 'true')
