/** Sign-in with an account of an OpenID Connect provider: authorization code flow with PKCE, state and nonce. */

import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import * as client from 'openid-client'
import { z } from 'zod'
import type { Outbound } from '../client/outbound-request.ts'
import { Failure } from '../errors.ts'
import { SingleFlight } from '../workers/single-flight.ts'
import type { Key } from './context.ts'

/**
 * Failed sign-in; the message of the portal for its reason is `oidc-{why}`. `away`: the provider does not answer. `state`: the
 * sign-in is unknown, too old or was finished before. `token`: the answer of the provider is not valid. `refused`: the provider
 * refuses the user. The last: the user has no permission here.
 */
export class SignInProblem extends Error {
  readonly why: 'away' | 'state' | 'token' | 'refused' | 'nobody'

  constructor(why: SignInProblem['why'], options?: ErrorOptions) {
    super(`sign-in failed: ${why}`, options)
    this.name = 'SignInProblem'
    this.why = why
  }
}

type OidcOptions = {
  /** Settings without the secret; `client` is the id of this client at the provider, `permissions` maps groups to permissions. */
  readonly settings: {
    readonly issuer: string
    readonly client: string
    readonly permissions: Readonly<Record<string, readonly string[]>>
  }
  readonly secret: string
  readonly outbound: Outbound
  /** Further hosts inside the institution that may be requested, beside that of the provider. */
  readonly allow: readonly string[]
  readonly now: () => number
}

/** Sign-in that waits for the provider, as the encrypted cookie has it. `until` is in milliseconds since 1970. */
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

/** Milliseconds for a sign-in, for one answer of the provider, and for which its metadata is cached. */
const [beginMs, answerMs, metadataMs] = [600_000, 5000, 3_600_000]
/** Most finished sign-ins that are remembered, and most bytes of an answer of the provider. */
const [maxUsedStates, mostBytes] = [10_000, 2 ** 20]

/**
 * Opens sign-in at a provider. A sign-in under way is stored in an encrypted cookie, so that many sign-ins of strangers need no
 * memory here. The encryption key lasts as long as the process: after a restart such a sign-in has to begin again.
 */
export function openOidc(options: OidcOptions) {
  const { settings, now } = options
  const prefix = `oidc-${shortHash(JSON.stringify(settings))}-`
  const cookies = cookieCipher()
  const usedStates = new Set<string>()
  const provider = providerLoader(options)
  const pendingOf = (cookie = '') => {
    const pending = cookies.decrypt(cookie)
    return pending && pending.until > now() ? pending : undefined
  }
  return {
    /** Prefix of the sessions of users. It depends on the settings, so that changed settings end earlier sessions. */
    prefix,
    /** Language of the page on which a sign-in began. */
    languageOf: (cookie: string | undefined) => pendingOf(cookie)?.language,
    /** Begins a sign-in: returns the address at the provider and the value of the cookie. Throws `SignInProblem`. */
    begin: async (language: string, callback: string) => {
      const config = await provider()
      const checks = {
        expectedState: client.randomState(),
        expectedNonce: client.randomNonce(),
        pkceCodeVerifier: client.randomPKCECodeVerifier(),
        idTokenExpected: true,
      } as const
      const cookie = cookies.encrypt({ checks, callback, language, until: now() + beginMs })
      const scopes = config.serverMetadata().scopes_supported ?? []
      const address = client.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        // Some providers refuse unknown scopes, others send groups, names and addresses only when they are requested.
        scope: ['openid', ...wishedScopes.filter((scope) => scopes.includes(scope))].join(' '),
        code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: checks.expectedState,
        nonce: checks.expectedNonce,
      })
      return { address: address.href, cookie }
    },
    /** Finishes a sign-in: returns the user as a key with permissions, and the mail address. Throws `SignInProblem`. */
    finish: async (cookie: string | undefined, answer: URLSearchParams): Promise<OidcUser> => {
      const pending = pendingOf(cookie)
      if (!pending || answer.get('state') !== pending.checks.expectedState)
        throw new SignInProblem('state')
      // Each sign-in can be finished once, whether it succeeds or not, so that a copied address is useless.
      if (usedStates.has(pending.checks.expectedState)) throw new SignInProblem('state')
      usedStates.add(pending.checks.expectedState)
      for (const oldest of usedStates)
        if (usedStates.size > maxUsedStates) usedStates.delete(oldest)
      const claims = await claimsOf(await provider(), pending, answer)
      const permissions = permissionsOf(settings, claims)
      if (permissions.length === 0) throw new SignInProblem('nobody')
      return { ...userOf(settings.issuer, claims), permissions }
    },
  }
}

/** User of a provider, as a key with the id of the account. */
export type OidcUser = Key & { readonly name: string; readonly mail: string }

const wishedScopes = ['profile', 'email', 'groups']

/** Id, name and mail address of a user. The id depends on the provider and its user alone, so that it stays. */
function userOf(issuer: string, claims: client.IDToken) {
  const { sub, name, preferred_username: username, email } = claims
  const id = `user-${hash('sha256', `${issuer} ${sub}`, 'hex').slice(0, 16)}`
  const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, 200) : undefined)
  const mail = textOf(email) ?? ''
  return { id, name: textOf(name) ?? textOf(username) ?? (mail || id), mail }
}

const [longestCookie, ivBytes, tagBytes] = [4096, 12, 16]

/** Encrypts the cookie of a sign-in with AES-256-GCM, so that a browser can neither read nor change it. */
function cookieCipher() {
  const key = randomBytes(32)
  return {
    encrypt: (pending: PendingSignIn): string => {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const text = Buffer.concat([cipher.update(JSON.stringify(pending)), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
    },
    /** Decrypts a cookie of a sign-in; `undefined` for one that this process did not make. */
    decrypt: (cookie: string): PendingSignIn | undefined => {
      const bytes = Buffer.from(cookie.slice(0, longestCookie), 'base64url')
      if (bytes.length <= ivBytes + tagBytes) return undefined
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes))
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      try {
        const text = decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8')
        return pendingSchema.parse(JSON.parse(text + decipher.final('utf8')))
      } catch {
        return undefined
      }
    },
  }
}

/** Sign-in at a provider, as `openOidc` returns it. */
export type Oidc = ReturnType<typeof openOidc>

const shortHash = (text: string): string => hash('sha256', text, 'hex').slice(0, 8)

/** Permissions of a user: all that the configuration gives to the user's groups. */
function permissionsOf(
  { permissions }: OidcOptions['settings'],
  { groups }: client.IDToken,
): readonly string[] {
  const userGroups: readonly unknown[] = [groups].flat()
  const granted = Object.entries(permissions).filter(([group]) => userGroups.includes(group))
  return [...new Set(granted.flatMap(([, permissionList]) => permissionList))]
}

/** Exchanges the code for a token and returns its claims. Throws `SignInProblem`. */
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

/** Whether an error means that the provider did not answer. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof Failure || error.name === 'TimeoutError' || isUnreachable(error.cause))

/**
 * Makes the function that reads the metadata of the provider (OpenID Connect Discovery), at most once an hour; failures are not
 * cached.
 */
function providerLoader(options: OidcOptions): () => Promise<client.Configuration> {
  const { now } = options
  const loader = new SingleFlight<'provider', client.Configuration>({ keepMs: metadataMs, now })
  return () =>
    loader
      .get('provider', () => discoverProvider(options))
      .catch((cause: unknown) => {
        throw new SignInProblem('away', { cause })
      })
}

function discoverProvider(options: OidcOptions): Promise<client.Configuration> {
  const { settings, secret } = options
  const url = new URL(settings.issuer)
  // The configuration permits http only for this machine.
  // oxlint-disable-next-line typescript/no-deprecated -- marked so that it is seen
  const http = url.protocol === 'http:' ? [client.allowInsecureRequests] : []
  return client.discovery(url, settings.client, {}, clientAuth(secret), {
    [client.customFetch]: guardedFetch(options),
    timeout: answerMs / 1000,
    execute: [client.enableNonRepudiationChecks, ...http],
  })
}

/** Authenticates the client with its secret: in a header, or in the form where the provider supports only that. */
const clientAuth =
  (secret: string): client.ClientAuth =>
  (server, ...parameters) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const isBasic = methods.includes('client_secret_basic')
    const authenticate = isBasic ? client.ClientSecretBasic : client.ClientSecretPost
    authenticate(secret)(server, ...parameters)
  }

/** Sends requests through the guarded client, because the metadata of the provider may name any host. */
const guardedFetch =
  ({ settings: { issuer }, outbound, allow }: OidcOptions): client.CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const isIssuer = new URL(url).origin === new URL(issuer).origin
    const { status, text, ...answer } = await outbound.read(
      {
        url,
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        ...(body instanceof URLSearchParams && { body: body.toString() }),
        reach: isIssuer
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
