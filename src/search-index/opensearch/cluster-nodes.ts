/** Connections of the client of OpenSearch to the nodes of a cluster. */

import { Readable } from 'node:stream'
import { Connection, errors } from '@opensearch-project/opensearch'
import { z } from 'zod'
import { CredentialsError } from '../../client/authentication.ts'
import { type ServiceClient, serviceClient } from '../../client/service.ts'
import type { ServiceAnswer } from '../../client/service-request.ts'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Pause } from '../../workers/pause.ts'

type ClusterCredentials = {
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly apiKey?: string | undefined
}

/** Addresses and credentials of a cluster, and the dependencies of its client. */
export type ClusterOptions = ClusterCredentials & {
  /** Addresses of nodes, `http://` or `https://`, without user info. */
  readonly urls: readonly string[]
  /** Certificates of authorities that nodes are trusted by, in PEM; absent = those of the system. */
  readonly ca?: string | undefined
  readonly log: Log
  /** Milliseconds that never decrease. */
  readonly now: () => number
  readonly pause: Pause
  /** Most milliseconds of a call, at all addresses together. */
  readonly callMs: number
}

const requestShape = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'DELETE', 'HEAD']),
  path: z.string(),
  headers: z.record(z.string(), z.unknown()).default({}),
  body: z.string().optional(),
  timeout: z.number(),
})
type AnswerTaker = Parameters<Connection['request']>[1]

/** Most milliseconds for a body. */
const bodyMs = 30_000
/** Bytes of an answer: several thousand records with their texts. */
const mostBytes = 256 * 2 ** 20

/** Class of connections for the client of the package, which send with our client for services; `close` aborts running calls. */
export function nodeConnections(options: ClusterOptions) {
  const services: ServiceClient[] = []
  const authorization = clusterAuthorization(options)
  class NodeConnection extends Connection {
    readonly #service = serviceOf(options)
    constructor(settings: ConstructorParameters<typeof Connection>[0]) {
      super(settings)
      services.push(this.#service)
    }
    override request(params: object, take: AnswerTaker): ReturnType<Connection['request']> {
      const ending = new AbortController()
      const { method, path, headers, body, timeout } = requestShape.parse(
        this.buildRequestObject(params),
      )
      const request = {
        url: this.url.origin + path,
        method,
        headers: { ...textsOf(headers), ...authorization },
        // The client of the cluster sends again, to the next address.
        isIdempotent: false,
        limits: { firstByteMs: timeout, totalMs: timeout + bodyMs },
        ...(body !== undefined && { body }),
      }
      this.#service.send(request, ending.signal).then(
        (answer) => take(null, responseOf(answer)),
        (cause: unknown) => take(clientError(cause, ending.signal.aborted), null),
      )
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client only calls `abort`
      return { abort: () => ending.abort() } as ReturnType<Connection['request']>
    }
    override close(): Connection {
      // The calls that it aborts are rejected.
      this.#service.close().catch(() => undefined)
      return this
    }
  }
  const close = () => {
    for (const service of services) service.close().catch(() => undefined)
  }
  return { Connection: NodeConnection, close }
}

const serviceOf = ({ log, now, pause, callMs, ca }: ClusterOptions): ServiceClient =>
  serviceClient({
    service: { name: 'search engine', unavailable: 'engine-unavailable' },
    closesAfterError: false,
    sockets: 16,
    ...(ca !== undefined && { ca }),
    retryable: () => false,
    log,
    pause,
    random: Math.random,
    now,
    limits: { connectMs: 3000, firstByteMs: callMs, totalMs: callMs, bytes: mostBytes },
  })

/** Header by which a request is allowed; none without a user and a key. */
function clusterAuthorization({
  username,
  password = '',
  apiKey,
}: ClusterCredentials): Readonly<Record<string, string>> {
  if (apiKey !== undefined) return { Authorization: `ApiKey ${apiKey}` }
  if (username === undefined) return {}
  const pair = Buffer.from(`${username}:${password}`).toString('base64')
  return { Authorization: `Basic ${pair}` }
}

const textsOf = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

/**
 * Error for the client of the package, with our failure as its cause. It goes on to the next address, unless it is aborted or the credentials
 * are refused, which would count as several wrong passwords.
 */
function clientError(cause: unknown, isAborted: boolean): Error {
  const isLast = isAborted || (cause instanceof Failure && cause.cause instanceof CredentialsError)
  const error = isLast
    ? new errors.RequestAbortedError('not sent again')
    : new errors.ConnectionError('no answer')
  error.cause = cause
  return error
}

/** A whole answer as the response of a connection. */
const responseOf = ({ status, headers, text }: ServiceAnswer) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client reads status, headers and body
  Object.assign(Readable.from(text === '' ? [] : [Buffer.from(text)]), {
    statusCode: status,
    headers,
  }) as unknown as NonNullable<Parameters<AnswerTaker>[1]>
