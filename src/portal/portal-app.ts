/** The pages that people read: every page at `/{language}/…`, its style and script, and problems as pages. */

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
  /** Answers requests for IRIs of resources, which lead elsewhere. */
  readonly redirectFromIris?: MiddlewareHandler<AppEnv>
  /** Absent where nothing is fetched for previews. */
  readonly previews: Previews | undefined
  /** Absent where nobody can sign in. */
  readonly sessions: Sessions | undefined
  /** Absent where no provider is configured. */
  readonly oidc?: Oidc
  /** Those who write from outside, to whom pages give way; by default nobody. */
  readonly writers?: ExternalWriters
}

/** What the pages of a process share. */
type Portal = PortalDeps &
  PageShell & {
    readonly renders: RenderQueue
    /** Pages that readers may have already, by address. */
    readonly sentPages: BoundedCache<SentPage>
  }

type SentPage = {
  readonly tag: string
  readonly theme: Theme
  readonly isUnchanged: PageSources['isUnchanged']
}

const mostSentPages = 2000

/** Milliseconds in which the main data of a page has to be there. */
const deadlineMs = 2000

/** Pages at these addresses may be shown in frames by the origins that the operator names. */
const embedPath = '/embed/'

/** What pages may load and do, and who may show them in a frame. */
function pageHeaders({ config: { embed }, isEmbedded }: PageContext) {
  const frames = isEmbedded ? embed.map((one) => new URL(one).origin).join(' ') : `'none'`
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors ${frames}`,
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'geolocation=(), camera=(), microphone=()',
  }
}

/** The app of the portal, at the root of the common port beside the services. */
export function portalApp(deps: PortalDeps): App {
  const { http, shell, redirectFromIris, previews, sessions, oidc } = deps
  const renders = renderQueue(deps.writers)
  const sentPages = new BoundedCache<SentPage>('pages', mostSentPages)
  const portal: Portal = { ...deps, ...shell, renders, sentPages }
  const app = newApp({ ...http, name: 'portal', problemPage: problemPages(portal) })
  const services: PortalServices = {
    ...shell,
    renders,
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
  if (sessions) mount(app, [...signInEndpoints(sessions), ...stewardEndpoints(sessions)], services)
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
 * Problems as pages, for every service: whoever wants to read a page gets one, even while nothing else is there. What helps is asked
 * for where services are given and answer.
 */
export const problemPages =
  (
    portal: PageShell & Partial<Pick<Portal, 'ports' | 'sessions' | 'renders'>>,
    queueFullPages = new BoundedCache<QueueFullPage>('pages', mostQueueFullPages),
  ): Problems =>
  async (c, { status, body, headers }) => {
    if (!prefersPage(c.req.header('Accept')) || !pageMethods.has(c.req.method)) return undefined
    const isAway = status >= 500
    const { ports = unusedPorts, sessions, renders } = isAway ? {} : portal
    const { languages } = portal.config
    const path = pathOf(c.req.url)
    const asked = path.split('/').find((step) => languages.some((one) => one === step))
    const language = asked ?? preferredLanguage(c, portal.config)
    const context = await contextIn(c, { ...portal, ports, sessions }, language)
    const retryAfter = Number(new Headers(headers).get('Retry-After')) || undefined
    const problem = { status, detail: body.detail, retryAfter }
    const find = () => helpFor(context, path, problem)
    const help =
      renders?.isFull() === false ? await renders.run(find, context.signal, c.get('client')) : {}
    const make = async (of: PageContext) =>
      String(await layout(of, errorPage(of, path, { ...problem, ...help })))
    const isCrowd = body.type.endsWith(':queue-full')
    const page = isCrowd ? await queueFullPage(queueFullPages, context, make) : await make(context)
    const own = {
      ...pageHeaders(context),
      // To compress it would cost more than to make it, and there may be a crowd.
      'Cache-Control': isAway ? 'no-store, no-transform' : 'no-store',
      Vary: 'Accept, Accept-Language',
    }
    const whole = { status: help.status ?? status, headers: { ...headers, ...own } }
    return new Response(page, whole)
  }

type Problems = NonNullable<AppOptions['problemPage']>

type QueueFullPage = { readonly style: unknown; readonly text: string }

/** By language and the address that readers came by, which is of their choice. */
const mostQueueFullPages = 64

/** Stands for the number of a request in the text that is kept. */
const requestIdPlaceholder = '~~~~~~~~'

/** The page that says there are too many readers is made once: to make it for each of them would keep the crowd going. */
async function queueFullPage(
  known: BoundedCache<QueueFullPage>,
  context: PageContext,
  make: (context: PageContext) => Promise<string>,
): Promise<string> {
  const { root, language, config, isEmbedded, requestId } = context
  const [key, style] = [`${root} ${language} ${isEmbedded}`, config.pages]
  const all = {
    ...context,
    place: '',
    query: new URLSearchParams(),
    requestId: requestIdPlaceholder,
  }
  const kept = known.get(key, (one) => one.style === style)
  const { text } = kept ?? { text: await make(all) }
  if (!kept) known.set(key, { style, text })
  return text.replace(requestIdPlaceholder, requestId.slice(0, requestIdPlaceholder.length))
}

/** What browsers send by themselves and by forms. */
const pageMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST'])
const unusedPort: Port = () => Promise.reject(new Error('no service is asked for a problem'))
const unusedPorts: Ports = {
  search: unusedPort,
  repository: unusedPort,
  metrics: unusedPort,
  reports: unusedPort,
  sparql: unusedPort,
}

/** Answers a page; an unchanged one is 304 (RFC 9110 13.1.2). Pages of a session are nobody else's. */
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
  const kept = (tag: string) => ({ ...headers, ETag: tag, 'Cache-Control': 'public, no-cache' })
  const asked = isPrivate ? undefined : c.req.header('If-None-Match')
  const isKnown = (page: SentPage) => asked?.includes(page.tag) === true && page.theme === theme
  const known = asked === undefined ? undefined : portal.sentPages.get(key, isKnown)
  if (known && (await known.isUnchanged(context))) return c.body(null, 304, kept(known.tag))
  const content = await make(context)
  if (!content) throw notFoundAt(c)
  const body = String(await layout(context, content))
  const link = linkHeader(context, content)
  if (link !== undefined) c.header('Link', link)
  if (isPrivate) return c.body(body, status, { ...headers, 'Cache-Control': 'private, no-store' })
  const tag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  portal.sentPages.set(key, { tag, theme, isUnchanged: sources.isUnchanged })
  return asked?.includes(tag) ? c.body(null, 304, kept(tag)) : c.body(body, 200, kept(tag))
}

type ContextSources = PageShell &
  Pick<Portal, 'ports' | 'sessions'> &
  Partial<Pick<PageSources, 'onMissingPart'>>

/** Throws `not-found` where the address has no language of the portal. */
async function contextOf(c: AppContext, portal: ContextSources): Promise<PageContext> {
  const language = portal.config.languages.find((one) => one === c.req.param('language'))
  if (language === undefined) throw notFoundAt(c)
  return contextIn(c, portal, language)
}

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
    ports: portsFor(portal.ports, c.get('client'), c.get('requestId')),
    onMissingPart: portal.onMissingPart ?? (() => undefined),
    log: portal.log,
    root: c.get('root'),
    pathInLanguage: start < 0 ? '' : url.pathname.slice(start + language.length + 2) + url.search,
    query: url.searchParams,
    isEmbedded,
    signal: AbortSignal.any([c.get('signal'), AbortSignal.timeout(deadlineMs)]),
    requestId: c.get('requestId'),
    steward: session,
  })
}
