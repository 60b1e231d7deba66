/** The pages that people read: every page at `/{language}/…`, its style and script, and problems as pages. */

import { hash } from 'node:crypto'
import { z } from 'zod'
import { Failure } from '../errors.ts'
import { newApp, type App, type AppContext, type AppOptions } from '../http/app.ts'
import { may } from '../http/api-key.ts'
import { pathOf } from '../http/context.ts'
import { addVary } from '../http/headers.ts'
import type { PortalConfig } from '../config/portal.ts'
import { failures } from '../http/api-key.ts'
import type { Oidc } from '../http/oidc.ts'
import { recordPath } from './addresses.ts'
import { serveFiles } from './asset-routes.ts'
import { type PageContext, pageContext } from './context.ts'
import { addFileRoutes } from './file-routes.ts'
import { html } from './html.ts'
import { wantedLanguage } from './languages.ts'
import { prefersPage } from './negotiation.ts'
import type { PageShell } from './page-shell.ts'
import { frame, type PageContent, type PageStatus } from './page.ts'
import { cataloguePage, cataloguesPage } from './pages/catalogue-pages.ts'
import { checkPage } from './pages/check-page.ts'
import { datasetPage } from './pages/dataset-page.ts'
import { errorPage, helpFor, type PageProblem } from './pages/error-page.ts'
import { homePage } from './pages/home-page.ts'
import { previewPage } from './pages/preview-page.ts'
import { publisherPage, publishersPage } from './pages/publisher-pages.ts'
import { qualityPage } from './pages/quality-page.ts'
import { catalogueReportPage, reportsPage } from './pages/report-pages.ts'
import { resourcePage, resourcesPage } from './pages/resource-pages.ts'
import { facetPage, searchPage } from './pages/search-page.ts'
import { sparqlPage } from './pages/sparql-page.ts'
import { conceptPage, vocabulariesPage, vocabularyPage } from './pages/vocabulary-pages.ts'
import { operatorPage } from './parts/prose.ts'
import { type Port, type Ports, ServiceRefusal } from './ports.ts'
import type { Previews } from './preview/previews.ts'
import type { Sessions } from './sessions.ts'
import { addStewardRoutes, sessionOf } from './steward-routes.ts'
import { renderQueue, type RenderQueue } from './render-queue.ts'

type PortalDeps = {
  readonly shell: PageShell
  readonly ports: Ports
  readonly http: Omit<AppOptions, 'name'>
  /** Absent where nothing is fetched for previews. */
  readonly previews: Previews | undefined
  /** Absent where nobody can sign in. */
  readonly sessions: Sessions | undefined
  /** Absent where no provider is configured. */
  readonly oidc?: Oidc | undefined
  /** Whether somebody writes, or has a moment ago: pages give way. */
  readonly isWriting?: () => boolean
  readonly version: string
}

/** What the pages of a process share. */
type Portal = PortalDeps & PageShell & { readonly renders: RenderQueue }

/** What is no text, such as a file, counts as nothing. */
const formFields = z.object({
  rdf: z.string().default('').catch(''),
  level: z.string().optional().catch(undefined),
})

/** Texts that one client may have checked in a minute: each is parsed and validated. */
const checksPerMinute = 20

/** Milliseconds in which the main data of a page has to be there. */
const deadlineMs = 2000

/** What pages may load, and who may show them in a frame: the origins that the operator names. */
const policyOf = ({ embed }: PortalConfig): string =>
  [
    `default-src 'none'`,
    `style-src 'self'`,
    `script-src 'self'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors ${embed.length === 0 ? `'none'` : embed.map((one) => new URL(one).origin).join(' ')}`,
  ].join('; ')

const pageHeaders = (config: PortalConfig) => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policyOf(config),
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'geolocation=(), camera=(), microphone=()',
})

/** The app of the portal, at the root of the common port beside the services. */
export function portalApp(deps: PortalDeps): App {
  const renders = renderQueue(deps.isWriting ?? (() => false))
  const portal: Portal = { ...deps, ...deps.shell, renders }
  const app = newApp({ ...deps.http, name: 'portal' })
  // First: `/:language` would take their addresses.
  serveFiles(app, portal)
  addFileRoutes(app, { contextOf: (c) => contextOf(c, portal), renders })
  serveRedirects(app, portal)
  servePages(app, portal)
  if (portal.sessions)
    addStewardRoutes(app, {
      sessions: portal.sessions,
      oidc: portal.oidc,
      preferred: (c) => wantedLanguage(portal.config, c.req.header('Accept-Language')),
      contextOf: (c) => contextOf(c, portal),
      respond: (c, make, status) => answered(c, portal, make, status),
    })
  return app
}

/** Problems as pages, for every service: whoever wants to read a page gets one, even while nothing else is there. */
export const problemPages =
  (shell: PageShell): NonNullable<AppOptions['problemPage']> =>
  async (c, { status, body, headers }) => {
    if (!prefersPage(c.req.header('Accept')) || !readers.has(c.req.method)) return undefined
    const after = Number(new Headers(headers).get('Retry-After'))
    const problem = { status, detail: body.detail ?? '', ...(after > 0 && { retryAfter: after }) }
    const page = await problemPage(c, { ...shell, ports: noPorts, sessions: undefined }, problem)
    for (const [name, value] of new Headers(headers))
      if (!page.headers.has(name)) page.headers.set(name, value)
    return page
  }

/** What browsers send by themselves and by forms. */
const readers: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST'])
const noPort: Port = () => Promise.reject(new Error('no service is asked for a problem'))
const noPorts: Ports = { search: noPort, repository: noPort, metrics: noPort, sparql: noPort }

type Make = (context: PageContext, c: AppContext) => Promise<PageContent | undefined>

/** Answers a page; an unchanged one is 304 (RFC 9110 13.1.2). Pages of a session are nobody else's. */
async function answer(
  c: AppContext,
  portal: Portal,
  make: Make,
  status: PageStatus = 200,
): Promise<Response> {
  const context = await contextOf(c, portal)
  if (!context) throw new Failure('not-found', `there is nothing at ${pathOf(c.req.url)}`)
  const content = await make(context, c)
  if (!content) throw new Failure('not-found', `there is nothing at ${pathOf(c.req.url)}`)
  const body = String(await frame(context, content))
  const headers = { ...pageHeaders(portal.config), 'Content-Language': context.language }
  if (context.steward || status !== 200 || c.req.method === 'POST')
    return c.body(body, status, { ...headers, 'Cache-Control': 'private, no-store' })
  const tag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  const kept = { ...headers, ETag: tag, 'Cache-Control': 'public, no-cache' }
  if (c.req.header('If-None-Match')?.includes(tag)) return c.body(null, 304, kept)
  return c.body(body, 200, kept)
}

/** `undefined` where the address has no language of the portal. */
async function contextOf(c: AppContext, portal: Portal): Promise<PageContext | undefined> {
  const language = c.req.param('language') ?? ''
  if (!portal.config.languages.some((one) => one === language)) return undefined
  return contextIn(c, portal, language)
}

async function contextIn(
  c: AppContext,
  portal: PageShell & Pick<Portal, 'ports' | 'sessions'>,
  language: string,
): Promise<PageContext> {
  const theme = await portal.theme.current()
  const url = new URL(c.req.url)
  const start = url.pathname.indexOf(`/${language}/`)
  const session = portal.sessions && sessionOf(c, portal.sessions)
  return pageContext({
    ...portal.speech(language, theme),
    language,
    config: { ...portal.config, ...theme },
    assets: portal.assets,
    ports: portal.ports,
    log: portal.log,
    root: c.get('root'),
    place: start < 0 ? '' : url.pathname.slice(start + language.length + 2) + url.search,
    signal: AbortSignal.any([c.get('signal'), AbortSignal.timeout(deadlineMs)]),
    requestId: c.get('requestId'),
    steward: session && { token: session.token, may: (action) => may(session, action) },
  })
}

/** What went wrong as a page; what helps is asked for where the services can be reached. */
async function problemPage(
  c: AppContext,
  portal: Parameters<typeof contextIn>[1],
  problem: PageProblem,
): Promise<Response> {
  const asked = new URL(c.req.url).pathname
    .split('/')
    .find((step) => portal.config.languages.some((one) => one === step))
  const preferred = wantedLanguage(portal.config, c.req.header('Accept-Language'))
  const context = await contextIn(c, portal, asked ?? preferred)
  const path = pathOf(c.req.url)
  const whole =
    portal.ports === noPorts ? problem : { ...problem, ...(await helpFor(context, path, problem)) }
  const body = String(await frame(context, errorPage(context, path, whole)))
  const headers = {
    ...pageHeaders(portal.config),
    'Cache-Control': 'no-store',
    Vary: 'Accept, Accept-Language',
    ...(whole.retryAfter !== undefined && { 'Retry-After': String(whole.retryAfter) }),
  }
  return new Response(body, { status: whole.status, headers })
}

/** The root, and what older feeds and sitemaps of this kind publish. */
function serveRedirects(app: App, portal: Portal): void {
  const { config } = portal
  const preferred = (c: AppContext) => wantedLanguage(config, c.req.header('Accept-Language'))
  app.get('/', (c) => {
    addVary(c.res.headers, 'Accept, Accept-Language')
    return c.redirect(`${new URL(c.get('root')).pathname}${preferred(c)}/`, 303)
  })
  for (const kind of ['dataset', 'catalogue'] as const)
    app.get(`/${kind}s/:id`, (c) => {
      const locale = config.languages.find((one) => one === c.req.query('locale')) ?? preferred(c)
      return c.redirect(
        new URL(c.get('root')).pathname + recordPath(kind, c.req.param('id'), locale),
        301,
      )
    })
  app.get('/:language', async (c) => {
    const { pathname } = new URL(c.req.url)
    if (!config.languages.some((one) => one === c.req.param('language')))
      throw new Failure('not-found', `there is nothing at ${pathname}`)
    return pathname.endsWith('/') ? answered(c, portal, homePage) : c.redirect(`${pathname}/`, 301)
  })
}

type Bind = (path: string, make: Make) => void

function servePages(app: App, portal: Portal): void {
  const page: Bind = (path, make) => app.get(`/:language${path}`, (c) => answered(c, portal, make))
  page('/datasets', (context, c) => searchPage(context, new URL(c.req.url).searchParams))
  page('/datasets/facets/:facet', (context, c) =>
    facetPage(context, c.req.param('facet') ?? '', new URL(c.req.url).searchParams),
  )
  page('/datasets/:id', (context, c) => datasetPage(context, c.req.param('id') ?? ''))
  page('/datasets/:id/quality', (context, c) => qualityPage(context, c.req.param('id') ?? ''))
  const { previews } = portal
  if (previews)
    page('/datasets/:id/distributions/:distribution/preview', async (context, c) => {
      // Browsers that fetch ahead must not make us fetch from others.
      if (/prefetch|prerender/.test(c.req.header('Sec-Purpose') ?? ''))
        throw new Failure('forbidden', 'previews are not fetched ahead')
      const { id = '', distribution = '' } = c.req.param()
      return previewPage(context, previews, { dataset: id, distribution })
    })
  page('/quality', reportsPage)
  page('/quality/catalogues/:id', (context, c) =>
    catalogueReportPage(context, c.req.param('id') ?? ''),
  )
  page('/pages/:name', ownPage)
  serveLists(page)
  serveTools(app, portal, page)
}

/** Catalogues, publishers and vocabularies. */
function serveLists(page: Bind): void {
  page('/catalogues', (context, c) => cataloguesPage(context, new URL(c.req.url).searchParams))
  page('/catalogues/:id', (context, c) => cataloguePage(context, c.req.param('id') ?? ''))
  page('/publishers', publishersPage)
  page('/publishers/:id', (context, c) => publisherPage(context, c.req.param('id') ?? ''))
  page('/vocabularies', vocabulariesPage)
  page('/vocabularies/:id', (context, c) =>
    vocabularyPage(context, c.req.param('id') ?? '', new URL(c.req.url).searchParams),
  )
  page('/vocabularies/:vocabulary/:id', (context, c) =>
    conceptPage(context, c.req.param('vocabulary') ?? '', c.req.param('id') ?? ''),
  )
  page('/resources/:type', (context, c) =>
    resourcesPage(context, c.req.param('type') ?? '', new URL(c.req.url).searchParams),
  )
  page('/resources/:type/:id', (context, c) =>
    resourcePage(context, c.req.param('type') ?? '', c.req.param('id') ?? ''),
  )
}

/** The query editor and the check of metadata. */
function serveTools(app: App, portal: Portal, page: Bind): void {
  page('/sparql', (context, c) => sparqlPage(context, new URL(c.req.url).searchParams))
  page('/check', (context) => checkPage(context, {}))
  const checks = failures({ perMinute: checksPerMinute, now: Date.now })
  app.post('/:language/check', async (c) => {
    const retryAfter = checks.blocked(c.get('client'))
    if (retryAfter !== undefined) {
      const detail = `at most ${checksPerMinute} texts are checked in a minute`
      throw new Failure('too-many-requests', detail, { retryAfter })
    }
    checks.count(c.get('client'))
    const form = formFields.parse(await c.req.parseBody())
    return answered(c, portal, (context) => checkPage(context, form))
  })
}

/** A page of the operator. */
const ownPage: Make = async (context, c) => {
  const found = context.config.pages.filter(({ name }) => name === c.req.param('name'))
  const own = found.find(({ language }) => language === context.language) ?? found[0]
  return (
    own && {
      title: own.title,
      body: html`<article class="prose stack"> <h1>${own.title}</h1> ${operatorPage(own.text)} </article>`,
    }
  )
}

/** A page, or the page of what went wrong. */
async function answered(
  c: AppContext,
  portal: Portal,
  make: Make,
  status?: PageStatus,
): Promise<Response> {
  if (portal.renders.isFull()) {
    const busy = { ...portal, ports: noPorts, sessions: undefined }
    const page = await problemPage(c, busy, { status: 503, retryAfter: 5 })
    // To compress it would cost more than to make it.
    page.headers.set('Cache-Control', 'no-store, no-transform')
    return page
  }
  try {
    return await portal.renders.run(() => answer(c, portal, make, status), c.get('signal'))
  } catch (error) {
    const problem = problemOf(error)
    if (!problem) throw error
    return problemPage(c, portal, problem)
  }
}

function problemOf(error: unknown): PageProblem | undefined {
  if (error instanceof ServiceRefusal) {
    const status = error.status === 401 || error.status === 403 ? 404 : error.status
    return { status, detail: error.message, ...(status === 503 && { retryAfter: 5 }) }
  }
  if (error instanceof Failure && error.kind === 'not-found') return { status: 404 }
  const isLate =
    error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
  if (isLate || (error instanceof Failure && error.kind === 'store-unavailable'))
    return { status: 503, retryAfter: 5 }
  return undefined
}
