/** App of the portal: pages at `/{language}/…`, their style and script, and problems as pages. */

import { hash } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import {
  newApp,
  type App,
  type AppContext,
  type AppOptions,
  type SharedAppOptions,
} from '../http/app.ts'
import { type AppEnv, pathOf } from '../http/context.ts'
import { mount } from '../http/endpoint.ts'
import type { Oidc } from '../http/oidc.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'
import { checkEndpoint } from './check-endpoint.ts'
import { pageContext, type PageContext } from './context.ts'
import { fileEndpoints } from './file-endpoints.ts'
import { prefersPage, preferredLanguage } from './negotiation.ts'
import { pageEndpoints, showPreview } from './page-endpoints.ts'
import { assetEndpoints, crawlerEndpoints, type PageShell } from './page-shell.ts'
import { layout, linkHeader, type PageStatus } from './layout.ts'
import { deskEndpoints } from './desk/desk-endpoints.ts'
import { errorPage, helpFor } from './pages/error-page.ts'
import { pageSources, type PageSources, type Port, type Ports, portsFor } from './ports.ts'
import type { Previews } from './preview/previews.ts'
import { renderQueue, type RenderQueue, type ExternalWriters } from './render-queue.ts'
import type { MakePage, PortalServices } from './portal-services.ts'
import { notFoundAt, redirectToCanonical, redirectEndpoints } from './redirects.ts'
import type { Sessions } from './sessions.ts'
import { providerEndpoints, sessionOf, signInEndpoints } from './sign-in-endpoints.ts'
import { stewardEndpoints } from './steward-endpoints.ts'
import type { Theme } from './theme.ts'

type PortalDeps = {
  readonly shell: PageShell
  readonly ports: Ports
  readonly http: SharedAppOptions
  /** Redirects requests for IRIs of resources to their pages or their RDF. */
  readonly redirectFromIris?: MiddlewareHandler<AppEnv>
  /** Absent where previews are switched off. */
  readonly previews: Previews | undefined
  /** Absent where sign-in is switched off. */
  readonly sessions: Sessions | undefined
  /** Absent where no provider is configured. */
  readonly oidc?: Oidc
  /** Writing clients, which take precedence over pages; by default none. */
  readonly writers?: ExternalWriters
}

/** Dependencies that all pages of a process share. */
type Portal = PortalDeps &
  PageShell & {
    readonly renders: RenderQueue
    /** Pages that were sent, by URL, for answers with 304. */
    readonly sentPages: BoundedCache<SentPage>
  }

type SentPage = {
  /** Entity tag. */
  readonly tag: string
  readonly theme: Theme
  readonly isUnchanged: PageSources['isUnchanged']
}

const mostSentPages = 2000

/** Milliseconds in which the services have to answer with the data of a page; its optional parts have less. */
const deadlineMs = 2000

/** Path of pages that the configured origins may show in frames. */
const embedPath = '/embed/'

/** Headers of all pages: content security policy with the origins that may show the page in a frame, and the like. */
function pageHeaders({ config: { embed }, isEmbedded, pathInLanguage }: PageContext) {
  const frames = isEmbedded ? embed.map((url) => new URL(url).origin).join(' ') : `'none'`
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors ${frames}`,
    // The addresses of invitations and of shared previews are secrets.
    'Referrer-Policy': /^(?:invitation|preview)\//.test(pathInLanguage)
      ? 'no-referrer'
      : 'strict-origin-when-cross-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'geolocation=(), camera=(), microphone=()',
  }
}

/** Makes the app, which is mounted at the root of the common port. */
export function portalApp(deps: PortalDeps): App {
  const { http, shell, redirectFromIris, previews, sessions, oidc } = deps
  const renders = renderQueue(deps.writers)
  const sentPages = new BoundedCache<SentPage>('pages', mostSentPages)
  const portal: Portal = { ...deps, ...shell, renders, sentPages }
  const app = newApp({ ...http, name: 'portal', problemPage: problemPages(portal) })
  const services: PortalServices = {
    ...shell,
    renders,
    sessions,
    contextOf: (c) => contextOf(c, portal),
    contextIn: (c, language) => contextIn(c, portal, language),
    respond: (c, make, status) =>
      renders.run(() => answerPage(c, portal, make, status), c.get('signal'), c.get('client')),
  }
  if (redirectFromIris) app.use(redirectFromIris)
  app.use(redirectToCanonical(shell.config))
  mount(app, portalEndpoints, services)
  if (previews) mount(app, [showPreview], { ...services, previews })
  mount(app, [checkEndpoint()], services)
  if (shell.config.embed.length > 0) mount(app, pageEndpoints('/embed'), services)
  if (sessions)
    mount(
      app,
      [...signInEndpoints(sessions), ...stewardEndpoints(sessions), ...deskEndpoints],
      services,
    )
  if (sessions && oidc) mount(app, providerEndpoints(sessions, oidc), services)
  return app
}

/** Endpoints of every portal. Fixed addresses come first: `/:language` would take them. */
export const portalEndpoints = [
  ...assetEndpoints,
  ...crawlerEndpoints,
  ...redirectEndpoints,
  ...fileEndpoints,
  ...pageEndpoints(),
]

/**
 * Makes the `problemPage` of services: a page about a problem for GET, HEAD and POST of clients that prefer HTML; `undefined` for
 * other requests. Where `ports` and `renders` are passed, the status is 404 or 410 and the queue is not full, the page also
 * suggests records, or becomes a 410 for a removed one. Otherwise it needs no other service.
 */
export const problemPages =
  (
    portal: PageShell & Partial<Pick<Portal, 'ports' | 'sessions' | 'renders'>>,
    queueFullPages = new BoundedCache<QueueFullPage>('pages', mostQueueFullPages),
  ): Problems =>
  async (c, { status, body, headers }) => {
    if (!prefersPage(c.req.header('Accept')) || !pageMethods.has(c.req.method)) return undefined
    const isServerError = status >= 500
    const { ports = unusedPorts, sessions, renders } = isServerError ? {} : portal
    const { languages } = portal.config
    const path = pathOf(c.req.url)
    const languageInPath = path
      .split('/')
      .find((step) => languages.some((language) => language === step))
    const language = languageInPath ?? preferredLanguage(c, portal.config)
    const context = await contextIn(c, { ...portal, ports, sessions }, language)
    const retryAfter = Number(new Headers(headers).get('Retry-After')) || undefined
    const problem = { status, detail: body.detail, retryAfter }
    const find = () => helpFor(context, path, problem)
    const help =
      renders?.isFull() === false ? await renders.run(find, context.signal, c.get('client')) : {}
    const make = async (context: PageContext) =>
      String(await layout(context, errorPage(context, path, { ...problem, ...help })))
    const isQueueFull = body.type.endsWith(':queue-full')
    const page = isQueueFull
      ? await queueFullPage(queueFullPages, context, make)
      : await make(context)
    const pageOnly = {
      ...pageHeaders(context),
      // Compressing the page would cost more than making it, and there may be many requests.
      'Cache-Control': isServerError ? 'no-store, no-transform' : 'no-store',
      Vary: 'Accept, Accept-Language',
    }
    return new Response(page, {
      status: help.status ?? status,
      headers: { ...headers, ...pageOnly },
    })
  }

type Problems = NonNullable<AppOptions['problemPage']>

/** Page in the cache; `style` is the list of pages of the theme, a new one after each change of the theme. */
type QueueFullPage = { readonly style: unknown; readonly text: string }

/**
 * Most pages that are kept, one for each language and public address, in a frame or not; readers choose the address by their
 * `Host` header.
 */
const mostQueueFullPages = 64

/** Placeholder of the request id in the cached text. */
const requestIdPlaceholder = '~~~~~~~~'

/**
 * Page of the problem `queue-full`. It is made once for each language and address, and again after a change of the theme, because
 * making it for each request would add to the load.
 */
async function queueFullPage(
  cache: BoundedCache<QueueFullPage>,
  context: PageContext,
  make: (context: PageContext) => Promise<string>,
): Promise<string> {
  const { root, language, config, isEmbedded, requestId } = context
  const [key, style] = [`${root} ${language} ${isEmbedded}`, config.pages]
  const neutral = {
    ...context,
    pathInLanguage: '',
    query: new URLSearchParams(),
    requestId: requestIdPlaceholder,
  }
  const cached = cache.get(key, (page) => page.style === style)
  const { text } = cached ?? { text: await make(neutral) }
  if (!cached) cache.set(key, { style, text })
  return text.replace(requestIdPlaceholder, requestId.slice(0, requestIdPlaceholder.length))
}

/** Methods whose problems can be answered by a page: those of links and forms, and HEAD. */
const pageMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST'])
const unusedPort: Port = () => Promise.reject(new Error('no service is asked for a problem'))
const unusedPorts: Ports = {
  search: unusedPort,
  repository: unusedPort,
  metrics: unusedPort,
  reports: unusedPort,
  sparql: unusedPort,
}

/**
 * Makes and answers a page; an unchanged one is 304 (RFC 9110 13.1.2). Pages of a session, answers to POST and pages with another
 * status than 200 are private and never 304.
 */
async function answerPage(
  c: AppContext,
  portal: Portal,
  make: MakePage,
  status: PageStatus = 200,
): Promise<Response> {
  const theme = await portal.theme.current()
  const sources = pageSources(portal.ports)
  const context = await contextOf(c, { ...portal, ...sources })
  const isPrivate = context.steward !== undefined || status !== 200 || c.req.method === 'POST'
  const key = `${c.get('root')} ${c.req.url}`
  const headers = { ...pageHeaders(context), 'Content-Language': context.language }
  const cacheable = (tag: string) => ({
    ...headers,
    ETag: tag,
    'Cache-Control': 'public, no-cache',
  })
  const noneMatch = isPrivate ? undefined : c.req.header('If-None-Match')
  const isSent = (page: SentPage) => noneMatch?.includes(page.tag) === true && page.theme === theme
  const sent = noneMatch === undefined ? undefined : portal.sentPages.get(key, isSent)
  if (sent && (await sent.isUnchanged(context))) return c.body(null, 304, cacheable(sent.tag))
  const content = await make(context)
  if (!content) throw notFoundAt(c)
  const body = String(await layout(context, content))
  const link = linkHeader(context, content)
  if (link !== undefined) c.header('Link', link)
  if (isPrivate || content.isStored === false)
    return c.body(body, status, { ...headers, 'Cache-Control': 'private, no-store' })
  const tag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  portal.sentPages.set(key, { tag, theme, isUnchanged: sources.isUnchanged })
  return noneMatch?.includes(tag)
    ? c.body(null, 304, cacheable(tag))
    : c.body(body, 200, cacheable(tag))
}

type ContextSources = PageShell &
  Pick<Portal, 'ports' | 'sessions'> &
  Partial<Pick<PageSources, 'onMissingPart'>>

/** Makes the context of the page at `/{language}/…`. Rejects with `not-found` where the portal does not have the language. */
async function contextOf(c: AppContext, portal: ContextSources): Promise<PageContext> {
  const language = portal.config.languages.find((code) => code === c.req.param('language'))
  if (language === undefined) throw notFoundAt(c)
  return contextIn(c, portal, language)
}

/** Makes the context of a page in a language. */
async function contextIn(
  c: AppContext,
  portal: ContextSources,
  language: string,
): Promise<PageContext> {
  const theme = await portal.theme.current()
  const url = new URL(c.req.url)
  const start = url.pathname.indexOf(`/${language}/`)
  const isEmbedded = c.req.path.startsWith(embedPath)
  const session = isEmbedded ? undefined : portal.sessions && sessionOf(c, portal.sessions)
  return pageContext({
    ...portal.translations(language, theme),
    config: { ...portal.config, ...theme },
    assets: portal.assets,
    ports: portsFor(
      portal.ports,
      { visitor: c.get('client'), person: session?.id },
      c.get('requestId'),
    ),
    onMissingPart: portal.onMissingPart ?? (() => undefined),
    log: portal.log,
    sendsQueries: portal.sendsQueries,
    root: c.get('root'),
    pathInLanguage: start < 0 ? '' : url.pathname.slice(start + language.length + 2) + url.search,
    query: url.searchParams,
    isEmbedded,
    signal: AbortSignal.any([c.get('signal'), AbortSignal.timeout(deadlineMs)]),
    requestId: c.get('requestId'),
    steward: session,
  })
}
