/** The pages that people read: every page at `/{language}/…`, its style and script, and problems as pages. */

import { hash } from 'node:crypto'
import { Failure } from '../errors.ts'
import { newApp, type App, type AppContext, type AppOptions } from '../http/app.ts'
import { pathOf } from '../http/context.ts'
import { addVary } from '../http/headers.ts'
import type { Oidc } from '../http/oidc.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'
import { recordPath, searchPath } from './addresses.ts'
import { pageContext, type PageContext } from './context.ts'
import { addFileRoutes } from './file-routes.ts'
import { prefersPage, wantedLanguage } from './negotiation.ts'
import { addCheck, addPageRoutes, type Answers, type MakePage } from './page-routes.ts'
import { baseOf, serveCrawlers, servePageFiles, type PageShell } from './page-shell.ts'
import { frame, linkHeader, type PageStatus } from './page.ts'
import { errorPage, helpFor } from './pages/error-page.ts'
import { pageSources, type PageSources, type Port, type Ports, portsFor } from './ports.ts'
import type { Previews } from './preview/previews.ts'
import { renderQueue, type RenderQueue, type Writers } from './render-queue.ts'
import type { Sessions } from './sessions.ts'
import { addSignIn, sessionOf } from './sign-in-routes.ts'
import { addStewardRoutes } from './steward-routes.ts'
import type { Theme } from './theme.ts'

type PortalDeps = {
  readonly shell: PageShell
  readonly ports: Ports
  readonly http: Omit<AppOptions, 'name'>
  /** Whether a path below the root is the IRI of a resource, which leads elsewhere. */
  readonly isResource?: (path: string) => boolean
  /** Absent where nothing is fetched for previews. */
  readonly previews: Previews | undefined
  /** Absent where nobody can sign in. */
  readonly sessions: Sessions | undefined
  /** Absent where no provider is configured. */
  readonly oidc?: Oidc | undefined
  /** Those who write from outside, to whom pages give way; by default nobody. */
  readonly writers?: Writers
}

/** What the pages of a process share. */
type Portal = PortalDeps &
  PageShell & {
    readonly renders: RenderQueue
    /** Pages that readers may have already, by address. */
    readonly known: BoundedCache<KnownPage>
  }

type KnownPage = {
  readonly tag: string
  readonly theme: Theme
  readonly isUnchanged: PageSources['isUnchanged']
}

const mostKnown = 2000

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
  const renders = renderQueue(deps.writers)
  const known = new BoundedCache<KnownPage>('pages', mostKnown)
  const portal: Portal = { ...deps, ...deps.shell, renders, known }
  const app = newApp({ ...deps.http, name: 'portal', problemPage: problemPages(portal) })
  const further: Answers = {
    contextOf: (c) => contextOf(c, portal),
    respond: (c, make, status) =>
      renders.run(() => answer(c, portal, make, status), c.get('signal'), c.get('client')),
    renders,
  }
  // First: `/:language` would take their addresses.
  servePageFiles(app, portal)
  serveCrawlers(app, portal)
  serveRedirects(app, portal)
  addFileRoutes(app, further)
  addPageRoutes(app, '', further, deps.previews)
  addCheck(app, further)
  if (portal.config.embed.length > 0) addPageRoutes(app, '/embed', further)
  const { sessions, oidc } = deps
  if (!sessions) return app
  addSignIn(app, { ...further, config: portal.config, sessions, oidc })
  addStewardRoutes(app, sessions, further)
  return app
}

/**
 * Problems as pages, for every service: whoever wants to read a page gets one, even while nothing else is there. What helps is asked
 * for where services are given and answer.
 */
export const problemPages =
  (
    portal: PageShell & Partial<Pick<Portal, 'ports' | 'sessions' | 'renders'>>,
    crowdPages = new BoundedCache<CrowdPage>('pages', mostCrowdPages),
  ): Problems =>
  async (c, { status, body, headers }) => {
    if (!prefersPage(c.req.header('Accept')) || !readers.has(c.req.method)) return undefined
    const isAway = status >= 500
    const { ports = noPorts, sessions, renders } = isAway ? {} : portal
    const { languages } = portal.config
    const path = pathOf(c.req.url)
    const asked = path.split('/').find((step) => languages.some((one) => one === step))
    const language = asked ?? wantedLanguage(c, portal.config)
    const context = await contextIn(c, { ...portal, ports, sessions }, language)
    const retryAfter = Number(new Headers(headers).get('Retry-After')) || undefined
    const problem = { status, detail: body.detail, retryAfter }
    const find = () => helpFor(context, path, problem)
    const help =
      renders?.isFull() === false ? await renders.run(find, context.signal, c.get('client')) : {}
    const make = async (of: PageContext) =>
      String(await frame(of, errorPage(of, path, { ...problem, ...help })))
    const isCrowd = body.type.endsWith(':queue-full')
    const page = isCrowd ? await crowdPage(crowdPages, context, make) : await make(context)
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

type CrowdPage = { readonly style: unknown; readonly text: string }

/** By language and the address that readers came by, which is of their choice. */
const mostCrowdPages = 64

/** Stands for the number of a request in the text that is kept. */
const anyRequest = '~~~~~~~~'

/** The page that says there are too many readers is made once: to make it for each of them would keep the crowd going. */
async function crowdPage(
  known: BoundedCache<CrowdPage>,
  context: PageContext,
  make: (context: PageContext) => Promise<string>,
): Promise<string> {
  const { root, language, config, isEmbedded, requestId } = context
  const [key, style] = [`${root} ${language} ${isEmbedded}`, config.pages]
  const all = { ...context, place: '', query: new URLSearchParams(), requestId: anyRequest }
  const kept = known.get(key, (one) => one.style === style)
  const { text } = kept ?? { text: await make(all) }
  if (!kept) known.set(key, { style, text })
  return text.replace(anyRequest, requestId.slice(0, anyRequest.length))
}

/** What browsers send by themselves and by forms. */
const readers: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST'])
const noPort: Port = () => Promise.reject(new Error('no service is asked for a problem'))
const noPorts: Ports = {
  search: noPort,
  repository: noPort,
  metrics: noPort,
  reports: noPort,
  sparql: noPort,
}

const nothingAt = (c: AppContext) =>
  new Failure('not-found', `there is nothing at ${pathOf(c.req.url)}`)

/** Answers a page; an unchanged one is 304 (RFC 9110 13.1.2). Pages of a session are nobody else's. */
async function answer(
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
  const isKnown = (page: KnownPage) => asked?.includes(page.tag) === true && page.theme === theme
  const known = asked === undefined ? undefined : portal.known.get(key, isKnown)
  if (known && (await known.isUnchanged(context))) return c.body(null, 304, kept(known.tag))
  const content = await make(context)
  if (!content) throw nothingAt(c)
  const body = String(await frame(context, content))
  const link = linkHeader(context, content)
  if (link !== undefined) c.header('Link', link)
  if (isPrivate) return c.body(body, status, { ...headers, 'Cache-Control': 'private, no-store' })
  const tag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  portal.known.set(key, { tag, theme, isUnchanged: sources.isUnchanged })
  return asked?.includes(tag) ? c.body(null, 304, kept(tag)) : c.body(body, 200, kept(tag))
}

type Given = PageShell & Pick<Portal, 'ports' | 'sessions'> & Partial<Pick<PageSources, 'miss'>>

/** Throws `not-found` where the address has no language of the portal. */
async function contextOf(c: AppContext, portal: Given): Promise<PageContext> {
  const language = portal.config.languages.find((one) => one === c.req.param('language'))
  if (language === undefined) throw nothingAt(c)
  return contextIn(c, portal, language)
}

async function contextIn(c: AppContext, portal: Given, language: string): Promise<PageContext> {
  const theme = await portal.theme.current()
  const url = new URL(c.req.url)
  const start = url.pathname.indexOf(`/${language}/`)
  const isEmbedded = c.req.path.startsWith(embedPath)
  const session = isEmbedded ? undefined : portal.sessions && sessionOf(c, portal.sessions)
  return pageContext({
    ...portal.speech(language, theme),
    config: { ...portal.config, ...theme },
    assets: portal.assets,
    ports: portsFor(portal.ports, c.get('client'), c.get('requestId')),
    miss: portal.miss ?? (() => undefined),
    log: portal.log,
    root: c.get('root'),
    place: start < 0 ? '' : url.pathname.slice(start + language.length + 2) + url.search,
    query: url.searchParams,
    isEmbedded,
    signal: AbortSignal.any([c.get('signal'), AbortSignal.timeout(deadlineMs)]),
    requestId: c.get('requestId'),
    steward: session,
  })
}

/** The root, and what older feeds and sitemaps of this kind publish. */
function serveRedirects(app: App, portal: Portal): void {
  const { languages } = portal.config
  app.get('/', (c) => {
    addVary(c.res.headers, 'Accept, Accept-Language')
    return c.redirect(`${baseOf(c)}${wantedLanguage(c, portal.config)}/`, 303)
  })
  for (const kind of ['dataset', 'catalogue'] as const)
    app.get(`/${kind}s/:id`, (c) => {
      const named = languages.find((one) => one === c.req.query('locale'))
      const language = named ?? wantedLanguage(c, portal.config)
      return c.redirect(baseOf(c) + recordPath(kind, c.req.param('id'), language), 301)
    })
  servePlainRedirects(app, portal)
  // One address for each page: its language in small letters, no slash at its end.
  app.get('*', async (c, next) => {
    const { pathname, search } = new URL(c.req.url)
    const [, given = '', rest = ''] = /^\/([a-z]{2})(?:\/(.*?))?\/*$/i.exec(pathname) ?? []
    const language = languages.find((one) => one === given.toLowerCase())
    const path = `${language}/${rest}`
    if (language === undefined || pathname === `/${path}`) return next()
    return c.redirect(baseOf(c) + path + search, 301)
  })
}

/** Pages that are also asked for without a language. */
const pageNames = 'datasets catalogues publishers vocabularies quality check'.split(' ')

/** Pages of CKAN by the first step of their path, and ours in their place. */
const ckanPages: Readonly<Record<string, string>> = {
  dataset: 'datasets',
  organization: 'catalogues',
  group: 'datasets',
}

/** Parameters of a search in CKAN, and ours in their place. */
const ckanParameters = new Map(
  Object.entries({
    organization: 'catalog',
    groups: 'categories',
    tags: 'keywords',
    res_format: 'format',
    license_id: 'license',
  }),
)

/** The query of an address with the names that the search form has. */
function searchOf(address: string): string {
  const query = new URLSearchParams()
  for (const [name, value] of new URL(address).searchParams)
    query.append(ckanParameters.get(name) ?? name, name === 'groups' ? value.toUpperCase() : value)
  return query.size > 0 ? `?${query.toString()}` : ''
}

/** Pages without a language, and those of a CKAN that was replaced. */
function servePlainRedirects(app: App, portal: Portal): void {
  const languageOf = (c: AppContext) =>
    portal.config.languages.find((one) => one === c.req.param('language')?.slice(0, 2)) ??
    wantedLanguage(c, portal.config)
  const listOf = (name: string) => (c: AppContext) =>
    c.redirect(`${baseOf(c)}${languageOf(c)}/${name}${searchOf(c.req.url)}`, 301)
  for (const name of pageNames) app.get(`/${name}`, listOf(name))
  for (const [kind, name] of Object.entries(ckanPages))
    for (const prefix of ['', '/:language{[a-z][a-z](?:_[A-Za-z]+)*}']) {
      app.get(`${prefix}/${kind}`, listOf(name))
      // A record, what CKAN says about it, and its resources, which are on its page here.
      for (const rest of [':id', ':view{about|activity|groups}/:id', ':id/resource/*'])
        app.get(`${prefix}/${kind}/${rest}`, async (c, next) => {
          // An own IRI may begin like an address of CKAN.
          if (prefix === '' && portal.isResource?.(c.req.path)) return next()
          const language = languageOf(c)
          const context = await contextIn(c, portal, language)
          const path = await pageInstead(context, kind, c.req.param('id') ?? '')
          if (path === undefined) throw nothingAt(c)
          return c.redirect(baseOf(c) + path, 301)
        })
    }
}

/** The page for a record of a CKAN: of a dataset, of the catalogue of an organization, or a search in a theme. */
async function pageInstead(context: PageContext, kind: string, id: string) {
  const { language, find, readRecord } = context
  if (kind === 'group') {
    const theme = id.toUpperCase()
    const found = await find({ filters: 'dataset', limit: 0, facets: { categories: [theme] } })
    return found.count > 0 ? searchPath(language, [['categories', theme]]) : undefined
  }
  const own = kind === 'organization' ? 'catalogue' : 'dataset'
  await readRecord(`${own}s`, id)
  return recordPath(own, id, language)
}
