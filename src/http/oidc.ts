/** Signing in with the account of an institution: OpenID Connect, code flow with PKCE, state and nonce. */

import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import * as client from 'openid-client'
import { z } from 'zod'
import type { Outbound } from '../client/outbound-request.ts'
import { Failure } from '../errors.ts'
import { SingleFlight } from '../workers/single-flight.ts'
import type { Key } from './context.ts'

/** Why nobody was signed in: `oidc-{why}` is the text that says so. */
export class SignInProblem extends Error {
  readonly why: 'away' | 'state' | 'token' | 'refused' | 'nobody'

  constructor(why: SignInProblem['why'], options?: ErrorOptions) {
    super(`nobody was signed in: ${why}`, options)
    this.name = 'SignInProblem'
    this.why = why
  }
}

type OidcOptions = {
  /** `permissions` is group → permissions; the secret is given apart. */
  readonly settings: {
    readonly issuer: string
    readonly client: string
    readonly permissions: Readonly<Record<string, readonly string[]>>
  }
  readonly secret: string
  readonly outbound: Outbound
  /** Further hosts inside the institution; the provider's own is meant by being configured. */
  readonly allow: readonly string[]
  readonly now: () => number
}

/** A sign-in that was begun, as it is sealed in the cookie of its browser. `until` is in milliseconds of the epoch. */
const pendingSchema = z.object({
  checks: z.object({
    expectedState: z.string(),
    expectedNonce: z.string(),
    pkceCodeVerifier: z.string(),
    idTokenExpected: z.literal(true),
  }),
  callback: z.string(),
  language: z.string(),
  until: z.number(),
})
type PendingSignIn = z.infer<typeof pendingSchema>

/** Milliseconds: to come back, for one answer of the provider, and that its description is believed. */
const [beginMs, answerMs, knownMs] = [600_000, 5000, 3_600_000]
const [mostUsed, mostBytes] = [10_000, 2 ** 20]

/**
 * The browser keeps what is begun, sealed in its cookie: strangers who begin many sign-ins cost nothing and evict nobody. The
 * key of the seal lives as long as the process: a sign-in that was begun before a restart begins again after it.
 */
export function openOidc(options: OidcOptions) {
  const { settings, now } = options
  const prefix = `oidc-${short(JSON.stringify(settings))}-`
  const seal = cookieSeal()
  const used = new Set<string>()
  const provider = providerLoader(options)
  const current = (cookie = '') => {
    const pending = seal.open(cookie)
    return pending && pending.until > now() ? pending : undefined
  }
  return {
    /** Ids of its users begin with it; other settings have another one, so that sessions of older ones end. */
    prefix,
    /** In which language somebody began. */
    languageOf: (cookie: string | undefined) => current(cookie)?.language,
    /** Where the browser goes, and the cookie that it has to bring back. Throws `SignInProblem`. */
    begin: async (language: string, callback: string) => {
      const config = await provider()
      const checks = {
        expectedState: client.randomState(),
        expectedNonce: client.randomNonce(),
        pkceCodeVerifier: client.randomPKCECodeVerifier(),
        idTokenExpected: true,
      } as const
      const cookie = seal.close({ checks, callback, language, until: now() + beginMs })
      const scopes = config.serverMetadata().scopes_supported ?? []
      const address = client.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        // Some providers refuse scopes that they do not know, others tell groups only when asked.
        scope: scopes.includes('groups') ? 'openid groups' : 'openid',
        code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: checks.expectedState,
        nonce: checks.expectedNonce,
      })
      return { address: address.href, cookie }
    },
    /** Who came back, with permissions. Throws `SignInProblem`. */
    finish: async (cookie: string | undefined, answer: URLSearchParams): Promise<Key> => {
      const pending = current(cookie)
      if (!pending || answer.get('state') !== pending.checks.expectedState)
        throw new SignInProblem('state')
      // Once: who sees the address later cannot use it again.
      if (used.has(pending.checks.expectedState)) throw new SignInProblem('state')
      used.add(pending.checks.expectedState)
      for (const oldest of used) if (used.size > mostUsed) used.delete(oldest)
      const claims = await claimsOf(await provider(), pending, answer)
      const permissions = permissionsOf(settings, claims)
      if (permissions.length === 0) throw new SignInProblem('nobody')
      return { id: prefix + short(claims.sub), permissions }
    },
  }
}

const [longestCookie, ivBytes, tagBytes] = [4096, 12, 16]

/** Seals the cookie of a sign-in with AES-256-GCM: a browser can neither read nor change it. */
function cookieSeal() {
  const key = randomBytes(32)
  return {
    close: (pending: PendingSignIn): string => {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const text = Buffer.concat([cipher.update(JSON.stringify(pending)), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
    },
    /** Absent for a cookie that this process did not make. */
    open: (cookie: string): PendingSignIn | undefined => {
      const bytes = Buffer.from(cookie.slice(0, longestCookie), 'base64url')
      if (bytes.length <= ivBytes + tagBytes) return undefined
      const opening = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes))
      opening.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      try {
        const text = opening.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8')
        return pendingSchema.parse(JSON.parse(text + opening.final('utf8')))
      } catch {
        return undefined
      }
    },
  }
}

export type Oidc = ReturnType<typeof openOidc>

const short = (text: string): string => hash('sha256', text, 'hex').slice(0, 8)

/** The one place where groups become permissions: all of those that the configuration gives to one of the user's groups. */
function permissionsOf(
  { permissions }: OidcOptions['settings'],
  { groups }: client.IDToken,
): readonly string[] {
  const own: readonly unknown[] = [groups].flat()
  const given = Object.entries(permissions).filter(([group]) => own.includes(group))
  return [...new Set(given.flatMap(([, some]) => some))]
}

/** The claims of a token that was made for this sign-in. */
async function claimsOf(
  config: client.Configuration,
  pending: PendingSignIn,
  answer: URLSearchParams,
) {
  const url = new URL(pending.callback)
  url.search = answer.toString()
  try {
    const claims = (await client.authorizationCodeGrant(config, url, pending.checks)).claims()
    if (!claims) throw new SignInProblem('token')
    return claims
  } catch (cause) {
    if (isUnreachable(cause)) throw new SignInProblem('away', { cause })
    const isRefused = cause instanceof client.AuthorizationResponseError
    throw new SignInProblem(isRefused ? 'refused' : 'token', { cause })
  }
}

/** Whether the reason is that nobody answered. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof Failure || error.name === 'TimeoutError' || isUnreachable(error.cause))

/** Metadata of the provider (OpenID Connect Discovery), read once an hour; a failure is not kept. */
function providerLoader(options: OidcOptions): () => Promise<client.Configuration> {
  const { now } = options
  const flight = new SingleFlight<'provider', client.Configuration>({ keepMs: knownMs, now })
  return () =>
    flight
      .get('provider', () => discoverProvider(options))
      .catch((cause: unknown) => {
        throw new SignInProblem('away', { cause })
      })
}

function discoverProvider(options: OidcOptions): Promise<client.Configuration> {
  const { settings, secret } = options
  const url = new URL(settings.issuer)
  // The configuration takes http for this machine alone.
  // oxlint-disable-next-line typescript/no-deprecated -- marked so that it is seen
  const http = url.protocol === 'http:' ? [client.allowInsecureRequests] : []
  return client.discovery(url, settings.client, {}, clientAuth(secret), {
    [client.customFetch]: guardedFetch(options),
    timeout: answerMs / 1000,
    execute: [client.enableNonRepudiationChecks, ...http],
  })
}

/** The secret in a header, which every provider has to take, unless it says that it wants it in the form. */
const clientAuth =
  (secret: string): client.ClientAuth =>
  (server, ...rest) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const isBasic = ways.includes('client_secret_basic')
    const prove = isBasic ? client.ClientSecretBasic : client.ClientSecretPost
    prove(secret)(server, ...rest)
  }

/** Requests through the guarded client: what the provider's description names is foreign. */
const guardedFetch =
  ({ settings: { issuer }, outbound, allow }: OidcOptions): client.CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const isOwn = new URL(url).origin === new URL(issuer).origin
    const { status, text, ...answer } = await outbound.read(
      {
        url,
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        ...(body instanceof URLSearchParams && { body: body.toString() }),
        reach: isOwn
          ? { kind: 'configured', address: issuer, trust: 'trusted', allow }
          : { kind: 'listed', allow },
        maxBytes: mostBytes,
        attempts: 1,
        redirects: 0,
        whenBackedOff: 'fail',
      },
      signal ?? AbortSignal.timeout(answerMs),
    )
    if (status >= 500) throw new Failure('source-unreachable', `the provider answered ${status}`)
    return new Response(text, { status, headers: answer.headers })
  }
