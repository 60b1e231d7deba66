/** HTTP authentication: Basic (RFC 7617) and Digest (RFC 7616). */

import { hash, randomBytes } from 'node:crypto'
import { Failure } from '../errors.ts'
import { ExchangeFault, type OutgoingRequest } from './exchange.ts'
import type { ServiceAnswer, ServiceCall, ServiceExchange, ServiceName } from './service-request.ts'

export type Credentials = { readonly username: string; readonly password: string }

/** Creates the `Authorization` header of a request; `target` is path and query. */
type Authenticator = {
  readonly header: (method: string, target: string) => string
  /** Whether the server may reject it later, so that a new challenge is needed. */
  readonly expires: boolean
}

/** Authenticator for the strongest supported challenge; `undefined` if none is supported. */
export function authenticatorFor(
  challenges: readonly Challenge[],
  credentials: Credentials,
  cnonce: string,
): Authenticator | undefined {
  const digests = challenges.filter((one) => one.scheme === 'digest' && offersAuth(one))
  for (const name of ['SHA-256', 'MD5'] as const) {
    const challenge = digests.find((one) => nameIn(one) === name)
    if (challenge) return digest(challenge, credentials, cnonce)
  }
  return challenges.some(({ scheme }) => scheme === 'basic') ? basic(credentials) : undefined
}

/** The default algorithm is MD5. */
const nameIn = ({ parameters }: Challenge): string =>
  (parameters.get('algorithm') ?? 'MD5').toUpperCase()

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
    hash(nameIn(challenge) === 'MD5' ? 'md5' : 'sha256', parts.map((part) => part ?? '').join(':'))
  const secret = hashed(username, realm, password)
  const fixed = [
    userField(username),
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `algorithm=${nameIn(challenge)}`,
    'qop=auth',
    `cnonce=${quote(cnonce)}`,
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
  ].join(', ')
  let uses = 0
  const header = (method: string, target: string): string => {
    uses += 1
    const count = uses.toString(16).padStart(8, '0')
    const response = hashed(secret, nonce, count, cnonce, 'auth', hashed(method, target))
    return `Digest ${fixed}, uri=${quote(target)}, nc=${count}, response="${response}"`
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
const gap = /[\t ,]*/y
const parameter = new RegExp(`(${token})[\\t ]*=[\\t ]*(?:(${token})|"((?:[^"\\\\]|\\\\.)*)")`, 'y')
const scheme = new RegExp(`(${token})(?:[\\t ]+[A-Za-z0-9._~+/-]+=*(?=[\\t ]*(?:,|$)))?`, 'y')

/** Parses the challenges of one or more headers joined by commas. Stops at the first part that is no challenge. */
export function challengesIn(header: string): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(header)
    if (match) at = pattern.lastIndex
    return match
  }
  while (at < header.length) {
    take(gap)
    const last = challenges.at(-1)
    const pair = last && take(parameter)
    if (pair) last.parameters.set((pair[1] ?? '').toLowerCase(), pair[2] ?? unquote(pair[3] ?? ''))
    else {
      const next = take(scheme)
      if (!next) break
      challenges.push({ scheme: (next[1] ?? '').toLowerCase(), parameters: new Map() })
    }
  }
  return challenges
}

const unquote = (text: string): string => text.replace(/\\(.)/gs, '$1')

/** The service refused our credentials. The message contains its challenge. */
export class CredentialsError extends Error {
  constructor(why: string, answer: ServiceAnswer) {
    super(`${why} (${answer.status}): ${answer.text.slice(0, 2048)}`)
    this.name = 'CredentialsError'
  }
}

/** Authentication of a path, or `open` if it needs none. */
type PathAuthentication = Authenticator | 'open'

/**
 * Answers challenges. Probes each path once before a body is sent there. A remaining 401 becomes a `Failure` with a
 * `CredentialsError` as its cause.
 */
export class Authentication {
  readonly #bare: ServiceExchange
  readonly #credentials: Credentials | undefined
  readonly #service: ServiceName
  readonly #paths = new Map<string, PathAuthentication>()

  constructor(bare: ServiceExchange, credentials: Credentials | undefined, service: ServiceName) {
    this.#bare = bare
    this.#credentials = credentials
    this.#service = service
  }

  readonly exchange: ServiceExchange = async (outgoing, call) => {
    const path = outgoing.url.origin + outgoing.url.pathname
    let authentication = this.#paths.get(path)
    let isFresh = false
    if (this.#credentials && authentication === undefined && outgoing.body !== undefined) {
      const probed = await this.#bare(probeFor(outgoing), call)
      if (!isConclusive(probed, outgoing)) return probed
      authentication = this.#register(path, probed)
      isFresh = authentication !== 'open'
    }
    const answer = await this.#send(authentication ?? 'open', outgoing, call)
    if (answer.status !== 401) return answer
    if (isFresh && !isStale(answer)) throw this.#wrong(path, answer)
    const again = await this.#send(this.#register(path, answer), outgoing, call)
    if (again.status === 401) throw this.#wrong(path, again)
    return again
  }

  #register(path: string, answer: ServiceAnswer): PathAuthentication {
    const authentication = answer.status === 401 ? this.#authenticator(answer) : 'open'
    this.#paths.set(path, authentication)
    return authentication
  }

  #authenticator(answer: ServiceAnswer): Authenticator {
    if (!this.#credentials) throw this.#refused('no credentials are configured', answer)
    const cnonce = randomBytes(16).toString('hex')
    const proof = authenticatorFor(challengesOf(answer), this.#credentials, cnonce)
    if (proof) return proof
    throw this.#refused('it takes neither Basic nor Digest with qop=auth from us', answer)
  }

  async #send(
    authentication: PathAuthentication,
    outgoing: OutgoingRequest,
    call: ServiceCall,
  ): Promise<ServiceAnswer> {
    if (authentication === 'open') return this.#bare(outgoing, call)
    const { url, method, headers } = outgoing
    const authorization = authentication.header(method, url.pathname + url.search)
    const authenticated = { ...outgoing, headers: { ...headers, Authorization: authorization } }
    try {
      return await this.#bare(authenticated, call)
    } catch (error) {
      // A server that rejects the credentials may close the connection before it has read the body, so its answer is lost;
      // probe again.
      const isLost = error instanceof ExchangeFault && error.stage === 'asking'
      if (isLost && authentication.expires) {
        for (const [path, proof] of this.#paths)
          if (proof === authentication) this.#paths.delete(path)
      }
      throw error
    }
  }

  #wrong(path: string, answer: ServiceAnswer): Failure {
    this.#paths.delete(path)
    return this.#refused('the user name or the password is wrong', answer)
  }

  #refused(why: string, answer: ServiceAnswer): Failure {
    const { name, unavailable } = this.#service
    const detail = `The ${name} refuses the configured credentials.`
    const cause = new CredentialsError(why, answer)
    return new Failure(unavailable, detail, { retryAfter: 2, cause })
  }
}

// An empty POST has no effect or is rejected; an empty PUT would delete a graph.
const probeFor = ({ url, method, headers }: OutgoingRequest): OutgoingRequest => ({
  url,
  method: method === 'PUT' ? 'GET' : method,
  headers,
})

/** Rejections of an empty request, which precede authentication. */
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
