/** Sign-in with an API key or with an account of an OpenID Connect provider. Sessions are in cookies of this host alone. */

import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { Failure } from '../errors.ts'
import type { AppContext } from '../http/app.ts'
import { anyone, type Auth, type Endpoint, pageEndpoint } from '../http/endpoint.ts'
import { readForm } from '../http/form.ts'
import { SignInProblem, type Oidc } from '../http/oidc.ts'
import { refusePrefetch, isSameHostForm } from '../http/headers.ts'
import { isLoopback } from '../http/peer.ts'
import type { PageContext } from './context.ts'
import { preferredLanguage } from './negotiation.ts'
import { html, icon } from './html.ts'
import { rootPath } from './page-shell.ts'
import type { PageContent, PageStatus } from './layout.ts'
import { notice } from './parts/blocks.ts'
import type { PortalServices } from './portal-services.ts'
import type { Session, Sessions } from './sessions.ts'

const isSecure = (c: AppContext): boolean => c.get('root').startsWith('https:')

/**
 * Whether the request came by plain http from this machine, as from a browser here: a loopback peer, a loopback `Host`, no
 * forwarding headers. A proxy that replaces `Host` and adds no such header is taken for a browser.
 */
const isPlainLocal = (c: AppContext): boolean =>
  !isSecure(c) &&
  isLoopback(c.get('client')) &&
  ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Proto'].every((name) => !c.req.header(name)) &&
  /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i.test(c.req.header('Host') ?? '')

/**
 * Options of all cookies. The prefix `__Host-` binds a cookie to this host and to TLS (RFC 6265bis 4.1.3); plain http on this
 * machine (`isPlainLocal`) does without it.
 */
const cookieOptions = (c: AppContext): { path: '/'; prefix?: 'host' } =>
  isPlainLocal(c) ? { path: '/' } : { prefix: 'host', path: '/' }

/** Value of a cookie: `session`, or `sign-in` of a sign-in at the provider that is under way. */
const cookieOf = (c: AppContext, name: 'session' | 'sign-in'): string | undefined =>
  getCookie(c, name, cookieOptions(c).prefix)

/** Session of a request; `undefined` for anonymous readers. */
export const sessionOf = (c: AppContext, sessions: Sessions): Session | undefined =>
  sessions.find(cookieOf(c, 'session'))

const setSessionCookie = (c: AppContext, cookie: string): void =>
  setCookie(c, 'session', cookie, { httpOnly: true, sameSite: 'Strict', ...cookieOptions(c) })

/** Ends the session of a request. */
export const endSession = (c: AppContext, sessions: Sessions): void =>
  sessions.signOut(deleteCookie(c, 'session', cookieOptions(c)))

/** Lets the session of a request last for a whole time from now. */
export const prolongSession = (c: AppContext, sessions: Sessions): void =>
  sessions.prolong(cookieOf(c, 'session'))

/** Path of the page, below the root, on which a form that was kept at a path is shown again. */
export const restoredPath = (path: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}restored=1`

/** Reason of a failed sign-in → status of the form and key of its message. */
const refusals: ReadonlyMap<string, readonly [status: PageStatus, text: string]> = new Map([
  ['too-many-requests', [429, 'error-429']],
  ['unauthorized', [401, 'wrong-key']],
  ['away', [503, 'oidc-away']],
  ['state', [400, 'oidc-state']],
  ['token', [401, 'oidc-token']],
  ['refused', [401, 'oidc-refused']],
  ['nobody', [403, 'oidc-nobody']],
])

/** Wraps a step of the sign-in: where it fails for a known reason, the form is answered with that reason. */
const withRefusalPage =
  (step: (context: PageContext, c: AppContext, services: PortalServices) => Promise<Response>) =>
  async (c: AppContext, services: PortalServices): Promise<Response> => {
    const context = await services.contextOf(c)
    try {
      return await step(context, c, services)
    } catch (error) {
      const kind = error instanceof Failure ? error.kind : ''
      const why = error instanceof SignInProblem ? error.why : kind
      const [status, text] = refusals.get(why) ?? []
      if (status === undefined) throw error
      context.log.warn({ why }, 'portal.sign-in-failed')
      return services.respond(c, async (page) => signInPage(page, text), status)
    }
  }

/** Throws `forbidden` without TLS, except for loopback peers: a browser here, or an unlisted proxy that may terminate TLS. */
function demandTls(c: AppContext): undefined {
  if (!isSecure(c) && !isLoopback(c.get('client')))
    throw new Failure('forbidden', 'signing in needs TLS: this portal is reached by http')
}

const overTls: Auth<PortalServices> = { ...anyone, check: demandTls }

/** Permits the form for keys: sent by a page of this host, over TLS, where the configuration permits keys. */
const ownFormOverTls: Auth<PortalServices> = {
  ...anyone,
  check: (c, { config }) => {
    demandTls(c)
    if (!config.signIn.key) throw new Failure('forbidden', 'keys open no session here')
    if (!isSameHostForm(c))
      throw new Failure('forbidden', 'this form came from another site: sign in on this page')
    return undefined
  },
}

const tag = 'sign-in'

/** Endpoints of the page of sign-in, and of the sign-in with a key. */
export const signInEndpoints = (sessions: Sessions): readonly Endpoint<PortalServices>[] => [
  pageEndpoint<PortalServices>({
    path: '/:language/sign-in',
    operation: 'signInPage',
    tag,
    summary: 'The form of sign-in',
    auth: anyone,
    page: (c, { respond }) => respond(c, async (context) => signInPage(context)),
  }),
  pageEndpoint<PortalServices>({
    method: 'post',
    path: '/:language/sign-in',
    operation: 'signIn',
    tag,
    summary: 'Sign in with a key',
    auth: ownFormOverTls,
    page: withRefusalPage(async (context, c) => {
      const field = await readForm(c)
      const cookie = sessions.signIn(field('key').trim(), c.get('client'))
      setSessionCookie(c, cookie)
      return c.redirect(firstPage(context, sessions.find(cookie)).path, 303)
    }),
  }),
]

const redirectToProvider = (oidc: Oidc) =>
  pageEndpoint<PortalServices>({
    path: '/:language/sign-in/oidc',
    operation: 'leaveForProvider',
    tag,
    summary: 'Go to the provider of accounts',
    auth: {
      ...anyone,
      check: (c) => {
        refusePrefetch(c)
        return demandTls(c)
      },
    },
    page: withRefusalPage(async ({ language, root, pathTo }, c) => {
      // A link on another site leads to the form; it must not begin a sign-in that the user did not ask for.
      if (!isSameHostForm(c)) return c.redirect(pathTo('sign-in'), 303)
      const { address, cookie } = await oidc.begin(language, `${root}sign-in/callback`)
      // `Lax`, because the redirect back comes from another site.
      const options = { httpOnly: true, sameSite: 'Lax', maxAge: 600, ...cookieOptions(c) } as const
      setCookie(c, 'sign-in', cookie, options)
      c.header('Cache-Control', 'no-store')
      return c.redirect(address, 303)
    }),
  })

/** Redirects from the one callback address that the provider knows to the page in the language in which the sign-in began. */
const redirectFromProvider = (oidc: Oidc) =>
  pageEndpoint<PortalServices>({
    path: '/sign-in/callback',
    operation: 'comeBack',
    tag,
    summary: 'Come back from the provider, before the language is known',
    example: '/sign-in/callback?code=x&state=y',
    auth: anyone,
    page: (c, { config }) => {
      const language = oidc.languageOf(cookieOf(c, 'sign-in')) ?? preferredLanguage(c, config)
      c.header('Cache-Control', 'no-store')
      return c.redirect(
        `${rootPath(c)}${language}/sign-in/callback${new URL(c.req.url).search}`,
        303,
      )
    },
  })

const finishSignIn = (sessions: Sessions, oidc: Oidc) =>
  pageEndpoint<PortalServices>({
    path: '/:language/sign-in/callback',
    operation: 'finishSignIn',
    tag,
    summary: 'Sign in with what the provider says',
    example: '/en/sign-in/callback?code=x&state=y',
    auth: overTls,
    page: withRefusalPage(async ({ log }, c, { respond }) => {
      const person = await oidc.finish(cookieOf(c, 'sign-in'), new URL(c.req.url).searchParams)
      deleteCookie(c, 'sign-in', cookieOptions(c))
      const cookie = sessions.beginUser(person)
      setSessionCookie(c, cookie)
      log.info({ key: person.id }, 'portal.sign-in')
      // The session is `Strict`: browsers send it only when the next page is asked for by one of ours.
      const session = sessions.find(cookie)
      const page = await respond(c, async (context) => signedInPage(context, session))
      page.headers.set('Cache-Control', 'private, no-store')
      return page
    }),
  })

/** First page of a session: that of a form which was kept, else the desk where the person has one, else the sources. */
function firstPage({ t, base, pathTo }: PageContext, session: Session | undefined) {
  const [kept] = session?.kept.paths() ?? []
  if (kept !== undefined) return { path: base + restoredPath(kept), label: t('desk') }
  return session?.hasDesk === true
    ? { path: pathTo('desk'), label: t('desk') }
    : { path: pathTo('harvest'), label: t('menu-harvest') }
}

/** Endpoints of the sign-in at the provider. */
export const providerEndpoints = (
  sessions: Sessions,
  oidc: Oidc,
): readonly Endpoint<PortalServices>[] => [
  redirectToProvider(oidc),
  redirectFromProvider(oidc),
  finishSignIn(sessions, oidc),
]

/** Page with the forms of sign-in. `messageKey` names the message about the last failed attempt. */
function signInPage({ t, config, pathTo, query }: PageContext, messageKey?: string): PageContent {
  const isKept = query.has('kept')
  const refusal =
    messageKey !== undefined && html`<div role="alert">${notice('bad', t(messageKey))}</div>`
  const provider = html`<p class="row"><a class="button primary" rel="nofollow"
    href="${pathTo('sign-in', 'oidc')}">${icon('log-in')}${t('oidc-sign-in')}</a></p>`
  const form = html`<form method="post" action="${pathTo('sign-in')}${isKept && '?kept=1'}" class="close">
    <input type="text" name="username" value="steward" autocomplete="username" hidden>
    <div class="field"><label for="key">${t('api-key')}</label>
      <input type="password" id="key" name="key" autocomplete="current-password" required aria-describedby="keyhint">
      <span class="hint" id="keyhint">${t('key-hint')}</span></div>
    <button class="button primary">${t('sign-in')}</button></form>`
  return {
    title: t('sign-in'),
    isIndexed: false,
    body: html`<div class="narrow"><h1>${t('sign-in')}</h1><p class="soft">${t('sign-in-lead')}</p>
      ${isKept && html`<div role="status">${notice('run', t('sign-in-ended'), html`<p>${t('sign-in-kept')}</p>`)}</div>`} ${refusal} ${config.signIn.oidc && provider} ${config.signIn.key && form}</div>`,
  }
}

/**
 * Page after the sign-in at the provider. It opens the next page by itself, because browsers do not send the session cookie on a
 * redirect from another site.
 */
function signedInPage(context: PageContext, session: Session | undefined): PageContent {
  const { t } = context
  const { path: next, label } = firstPage(context, session)
  return {
    title: t('sign-in'),
    isIndexed: false,
    head: html`<meta http-equiv="refresh" content="0; url=${next}" />`,
    body: html`<div class="narrow"><h1>${t('oidc-done')}</h1><p><a href="${next}">${label}</a></p></div>`,
  }
}
