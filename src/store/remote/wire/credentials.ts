/** Authentication of requests: finds out once per path what the store wants, and sends no body before that. */

import { randomBytes } from 'node:crypto'
import { challengesIn } from './challenge.ts'
import type { Bounds, Exchange, Outgoing } from './exchange.ts'
import { ConnectionFault, refused } from './faults.ts'
import type { WireAnswer } from './messages.ts'
import { proofFor, type Credentials, type Proof } from './proof.ts'

/** An exchange that answers challenges. A 401 that remains is a `Failure` store-unavailable with a `CredentialsFault`. */
export function authenticated(exchange: Exchange, credentials: Credentials | undefined): Exchange {
  if (credentials) return new Authentication(exchange, credentials).exchange
  return async (outgoing, bounds, signal) => {
    const answer = await exchange(outgoing, bounds, signal)
    if (answer.status === 401) throw refused('no credentials are configured', answer)
    return answer
  }
}

/** What is known of a path: how to prove there who we are, or that nobody asks. */
type Known = Proof | 'open'

class Authentication {
  readonly #bare: Exchange
  readonly #credentials: Credentials
  readonly #paths = new Map<string, Known>()

  constructor(bare: Exchange, credentials: Credentials) {
    this.#bare = bare
    this.#credentials = credentials
  }

  readonly exchange: Exchange = async (outgoing, bounds, signal) => {
    const path = outgoing.url.origin + outgoing.url.pathname
    let known = this.#paths.get(path)
    let isFresh = false
    if (known === undefined && outgoing.body !== undefined) {
      const probed = await this.#bare(probeFor(outgoing), bounds, signal)
      if (!isTelling(probed, outgoing)) return probed
      known = this.#learn(path, probed)
      isFresh = known !== 'open'
    }
    const send = (known: Known) => this.#send({ outgoing, path, known }, bounds, signal)
    const answer = await send(known ?? 'open')
    if (answer.status !== 401) return answer
    if (isFresh && !isStale(answer)) throw this.#refused(path, answer)
    const again = await send(this.#learn(path, answer))
    if (again.status === 401) throw this.#refused(path, again)
    return again
  }

  #learn(path: string, answer: WireAnswer): Known {
    const known = answer.status === 401 ? this.#proof(answer) : 'open'
    this.#paths.set(path, known)
    return known
  }

  #proof(answer: WireAnswer): Proof {
    const cnonce = randomBytes(16).toString('hex')
    const proof = proofFor(challengesOf(answer), this.#credentials, cnonce)
    if (!proof) throw refused('it takes neither Basic nor Digest with qop=auth from us', answer)
    return proof
  }

  async #send(
    { outgoing, path, known }: { outgoing: Outgoing; path: string; known: Known },
    bounds: Bounds,
    signal: AbortSignal | undefined,
  ): Promise<WireAnswer> {
    if (known === 'open') return this.#bare(outgoing, bounds, signal)
    const { url, method, headers } = outgoing
    const authorization = known.header(method, url.pathname + url.search)
    const proven = { ...outgoing, headers: { ...headers, Authorization: authorization } }
    try {
      return await this.#bare(proven, bounds, signal)
    } catch (error) {
      // A server that refuses a proof may hang up before it has read the body, and its answer is lost: ask again.
      const isLost = error instanceof ConnectionFault && error.stage === 'asking'
      if (isLost && known.expires && this.#paths.get(path) === known) this.#paths.delete(path)
      throw error
    }
  }

  #refused(path: string, answer: WireAnswer): Error {
    this.#paths.delete(path)
    return refused('the user name or the password is wrong', answer)
  }
}

// An empty POST does nothing or is complained about; an empty PUT would empty a graph.
const probeFor = ({ url, method, headers }: Outgoing): Outgoing => ({
  url,
  method: method === 'PUT' ? 'GET' : method,
  headers,
})

/** Complaints about an empty request: whoever makes them has not asked who we are. */
const complaints: ReadonlySet<number> = new Set([400, 405, 406, 411, 415, 422])

/** Whether the answer to a probe tells what the path wants; others stand for the answer to the request. */
const isTelling = ({ status }: WireAnswer, { method }: Outgoing): boolean =>
  status === 401 ||
  (status >= 200 && status < 300) ||
  complaints.has(status) ||
  (status === 404 && method === 'PUT')

const challengesOf = ({ headers }: WireAnswer) => challengesIn(headers['www-authenticate'] ?? '')

const isStale = (answer: WireAnswer): boolean =>
  challengesOf(answer).some(({ parameters }) => parameters.get('stale')?.toLowerCase() === 'true')
