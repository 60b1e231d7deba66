/** Pages and actions of stewards: behind a session, every action a form that leads to a page that says what happened. */

import { getCookie, setCookie, deleteCookie } from 'hono/cookie'
import { Failure } from '../errors.ts'
import type { App, AppContext } from '../http/app.ts'
import { may } from '../http/api-key.ts'
import { isLoopback } from '../http/peer.ts'
import { SignInProblem, type Oidc } from '../http/oidc.ts'
import type { PageContext } from './context.ts'
import type { PageContent, PageStatus } from './page.ts'
import { signedInPage, signInPage } from './pages/sign-in-page.ts'
import { deletedPage, deletedRecords } from './pages/steward/deleted-page.ts'
import { heldPage, runPage } from './pages/steward/run-page.ts'
import { pipePage, runsPage, sourcesPage, waitingPage } from './pages/steward/sources-page.ts'
import { mayRead } from './pages/steward/steward-parts.ts'
import { askJson, ServiceRefusal } from './ports.ts'
import { textAt } from './record.ts'
import { demandOwnForm, type Session, type Sessions } from './sessions.ts'

type StewardPages = {
  readonly sessions: Sessions
  /** Absent where keys are the only way in. */
  readonly oidc: Oidc | undefined
  /** Answers a page that nobody else may keep. */
  readonly respond: (
    c: AppContext,
    make: (context: PageContext) => Promise<PageContent | undefined>,
    status?: PageStatus,
  ) => Promise<Response>
  /** The language that the client reads. */
  readonly preferred: (c: AppContext) => string
  /** The context of a page; `undefined` where its language is none of ours. */
  readonly contextOf: (c: AppContext) => Promise<PageContext | undefined>
}

const isSecure = (c: AppContext): boolean => c.get('root').startsWith('https:')

/** `__Host-` binds the cookie to this host and to TLS (RFC 6265bis 4.1.3); without TLS there is only this machine. */
const cookieName = (c: AppContext): string => (isSecure(c) ? '__Host-session' : 'session')

/** The session of a request; absent for strangers. */
export const sessionOf = (c: AppContext, sessions: Sessions): Session | undefined =>
  sessions.find(getCookie(c, cookieName(c)))

export function addStewardRoutes(app: App, { sessions, oidc, ...further }: StewardPages): void {
  const { respond, contextOf } = further
  const own = (
    path: string,
    make: (context: PageContext, c: AppContext) => Promise<PageContent | undefined>,
  ) =>
    app.get(`/:language${path}`, async (c) => {
      if (!sessionOf(c, sessions)) return c.redirect(await signInPath(c, contextOf), 303)
      return respond(c, (context) => make(context, c))
    })
  addSignIn(app, { sessions, ...further })
  if (oidc) addProvider(app, oidc, { sessions, ...further })
  app.post('/:language/sign-out', async (c) => {
    await ownForm(c, sessions)
    sessions.signOut(getCookie(c, cookieName(c)))
    deleteCookie(c, cookieName(c), { path: '/', secure: isSecure(c) })
    return c.redirect(`${new URL(c.get('root')).pathname}${c.req.param('language')}/`, 303)
  })
  own('/harvest', (context) => sourcesPage(context))
  own('/harvest/pipes/:name', (context, c) => pipePage(context, c.req.param('name') ?? ''))
  own('/harvest/runs', runsPage)
  own('/harvest/waiting', waitingPage)
  own('/harvest/deleted', deletedPage)
  own('/harvest/runs/:id', (context, c) => runPage(context, c.req.param('id') ?? ''))
  own('/harvest/runs/:id/held', (context, c) => heldPage(context, c.req.param('id') ?? ''))
  addItems(app, { sessions, contextOf })
  addActions(app, { sessions, contextOf, respond })
}

type Entrance = Omit<StewardPages, 'oidc'>

/** Everything that a run did, as the scheduler writes it for spreadsheets. */
function addItems(app: App, { sessions, contextOf }: Signed): void {
  app.get('/:language/harvest/runs/:id/items.csv', async (c) => {
    if (!sessionOf(c, sessions)) return c.redirect(await signInPath(c, contextOf), 303)
    const context = await contextOf(c)
    const { scheduler, authority } = context?.ports ?? {}
    const path = `/runs/${encodeURIComponent(c.req.param('id'))}`
    const headers = { ...authority?.(), Accept: 'text/csv' }
    const answer = await scheduler?.(`${path}/items`, { headers, signal: c.get('signal') })
    const isThere = answer?.ok === true && mayRead(context, path, await catalogueOf(context, path))
    if (!answer || !isThere) {
      await answer?.body?.cancel()
      throw new Failure('not-found', 'there is no such run')
    }
    const type = answer.headers.get('Content-Type') ?? 'text/csv'
    const kept = { 'Content-Type': type, 'Cache-Control': 'private, no-store' }
    return new Response(answer.body, { headers: kept })
  })
}

function demandTls(c: AppContext): void {
  if (!isSecure(c) && !isLoopback(c.get('client')))
    throw new Failure('forbidden', 'signing in needs TLS: this portal is reached by http')
}

const keepSession = (c: AppContext, cookie: string): void =>
  setCookie(c, cookieName(c), cookie, {
    httpOnly: true,
    secure: isSecure(c),
    sameSite: 'Strict',
    path: '/',
  })

/** The cookie between leaving for the provider and coming back: `Lax`, because the way back begins at another site. */
const beginName = (c: AppContext): string => (isSecure(c) ? '__Host-sign-in' : 'sign-in')

const problemStatus = { away: 503, state: 400, token: 401, refused: 401, nobody: 403 } as const

const toBegin = (c: AppContext) => ({ secure: isSecure(c), path: '/' })

/** Why nobody was signed in, above the form. */
function told(c: AppContext, error: unknown, respond: StewardPages['respond']) {
  if (!(error instanceof SignInProblem)) throw error
  const { why } = error
  const make = async (page: PageContext) => {
    page.log.warn({ why }, 'portal.sign-in-failed')
    return signInPage(page, page.t(`oidc-${why}`))
  }
  return respond(c, make, problemStatus[why])
}

/** The way to the provider and back. The provider knows one address, which leads on to the language of the reader. */
function addProvider(app: App, oidc: Oidc, further: Entrance): void {
  app.get('/:language/sign-in/oidc', async (c) => {
    demandTls(c)
    try {
      const callback = `${c.get('root')}sign-in/callback`
      const { address, cookie } = await oidc.begin(c.req.param('language'), callback)
      const kept = { httpOnly: true, sameSite: 'Lax', maxAge: 600, ...toBegin(c) } as const
      setCookie(c, beginName(c), cookie, kept)
      c.header('Cache-Control', 'no-store')
      return c.redirect(address, 303)
    } catch (error) {
      return told(c, error, further.respond)
    }
  })
  app.get('/sign-in/callback', async (c) => {
    const language = oidc.languageOf(getCookie(c, beginName(c))) ?? further.preferred(c)
    const { pathname } = new URL(c.get('root'))
    c.header('Cache-Control', 'no-store')
    return c.redirect(`${pathname}${language}/sign-in/callback${new URL(c.req.url).search}`, 303)
  })
  addReturn(app, oidc, further)
}

function addReturn(app: App, oidc: Oidc, { sessions, respond }: Entrance): void {
  app.get('/:language/sign-in/callback', async (c) => {
    demandTls(c)
    try {
      const answer = new URL(c.req.url).searchParams
      const person = await oidc.finish(getCookie(c, beginName(c)), answer)
      deleteCookie(c, beginName(c), toBegin(c))
      keepSession(c, sessions.begin(person))
      // The session is `Strict`: browsers send it only when the next page is asked for by one of ours.
      const page = await respond(c, async (context) => {
        context.log.info({ key: person.id }, 'portal.sign-in')
        return signedInPage(context)
      })
      page.headers.set('Cache-Control', 'private, no-store')
      return page
    } catch (error) {
      return told(c, error, respond)
    }
  })
}

function addSignIn(app: App, { sessions, respond, contextOf }: Entrance): void {
  app.get('/:language/sign-in', (c) => respond(c, async (context) => signInPage(context)))
  app.post('/:language/sign-in', async (c) => {
    const form = await c.req.parseBody()
    const context = await contextOf(c)
    if (!context) throw new Failure('not-found', 'there is no such language')
    demandTls(c)
    if (!context.config.signIn.key) throw new Failure('forbidden', 'keys open no session here')
    try {
      const cookie = sessions.signIn(
        typeof form['key'] === 'string' ? form['key'].trim() : '',
        c.get('client'),
      )
      keepSession(c, cookie)
      return c.redirect(context.pathTo('harvest'), 303)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const isMany = error.kind === 'too-many-requests'
      if (!isMany && error.kind !== 'unauthorized') throw error
      return respond(
        c,
        async (page) => signInPage(page, page.t(isMany ? 'error-429' : 'wrong-key')),
        isMany ? 429 : 401,
      )
    }
  })
}

async function signInPath(c: AppContext, contextOf: StewardPages['contextOf']): Promise<string> {
  const context = await contextOf(c)
  if (!context) throw new Failure('not-found', 'there is no such language')
  return context.pathTo('sign-in')
}

/** The fields of a form of this session. Throws `unauthorized` and `forbidden`. */
async function ownForm(c: AppContext, sessions: Sessions) {
  const session = sessionOf(c, sessions)
  if (!session) throw new Failure('unauthorized', 'sign in first')
  const form = await c.req.parseBody()
  demandOwnForm(session, {
    token: form['_csrf'],
    origin: c.req.header('Origin'),
    root: c.get('root'),
  })
  return { session, form }
}

type Call = {
  readonly method: string
  readonly path: string
  readonly catalogue?: string | undefined
  readonly body?: object
}

/** Asks the scheduler with the rights of the process what the session may do; answers the id of the run. Throws `forbidden`. */
async function act(
  context: PageContext | undefined,
  c: AppContext,
  session: Session,
  { method, path, catalogue, body }: Call,
): Promise<string | undefined> {
  const { scheduler, authority } = context?.ports ?? {}
  if (!context || !scheduler || !authority) throw new Failure('not-found', 'no scheduler runs here')
  if (!may(session, { method, path, catalogue }))
    throw new Failure('forbidden', 'your key may not do this')
  context.log.info({ key: session.id, method, path }, 'portal.action')
  const answer = await askJson(scheduler, path, {
    method,
    headers: { ...authority(), ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: c.get('signal'),
  })
  return textAt(answer, 'id')
}

/** Whose records a run writes: permissions may be for single catalogues. */
async function catalogueOf(context: PageContext | undefined, path: string) {
  const { scheduler } = context?.ports ?? {}
  const found = scheduler && context && (await askJson(scheduler, path, { signal: context.signal }))
  return textAt(found, 'catalogue')
}

/** What a button asks of the run at a path of the scheduler. */
const runCalls = (path: string): Readonly<Record<string, Call>> => ({
  cancel: { method: 'DELETE', path },
  confirm: { method: 'POST', path: `${path}/confirm` },
  resume: { method: 'POST', path: `${path}/resume` },
  retry: { method: 'POST', path: `${path}/retry` },
})

type StewardActions = Pick<StewardPages, 'sessions' | 'contextOf' | 'respond'>

/** What the form of triggers asks of the scheduler; `undefined` for other buttons. Times are UTC. */
function triggerCall(pipe: string, form: Readonly<Record<string, unknown>>): Call | undefined {
  const text = (name: string) => (typeof form[name] === 'string' ? form[name] : '')
  const path = (id: string) => `${pipe}/triggers/${encodeURIComponent(id)}`
  if (text('do') === 'unschedule') return { method: 'DELETE', path: path(text('trigger')) }
  if (text('do') !== 'schedule') return undefined
  // Browsers send it without seconds and zone.
  const next = text('next') === '' ? {} : { next: `${text('next').slice(0, 16)}:00Z` }
  const interval = { unit: text('unit'), value: 1 }
  const body = { id: 'portal', status: 'enabled', interval, ...next }
  return { method: 'PUT', path: path('portal'), body }
}

function addActions(app: App, { sessions, contextOf, respond }: StewardActions): void {
  const action: Bind = (path, act) =>
    app.post(`/:language/harvest/${path}`, async (c) => {
      try {
        return await act(c)
      } catch (error) {
        if (!(error instanceof ServiceRefusal)) throw error
        return respond(c, () => Promise.reject(error))
      }
    })
  addPipeActions(action, { sessions, contextOf })
  addRunActions(action, { sessions, contextOf })
  addRestoring(action, { sessions, contextOf })
}

type Bind = (path: string, act: (c: AppContext) => Promise<Response>) => void
type Signed = Omit<StewardActions, 'respond'>

function addPipeActions(action: Bind, { sessions, contextOf }: Signed): void {
  action('pipes/:name', async (c) => {
    const { session, form } = await ownForm(c, sessions)
    const context = await contextOf(c)
    const name = c.req.param('name') ?? ''
    const own = `/pipes/${encodeURIComponent(name)}`
    const change = triggerCall(own, form)
    if (change) {
      await act(context, c, session, change)
      return done(c, context, ['pipes', name], change.method === 'PUT' ? 'schedule' : 'unschedule')
    }
    const body = form['do'] === 'dry' ? { dryRun: true } : {}
    const run = await act(context, c, session, { method: 'POST', path: `${own}/runs`, body })
    return done(c, context, ['runs', run ?? ''])
  })
}

function addRestoring(action: Bind, { sessions, contextOf }: Signed): void {
  action('deleted/:kind/:id', async (c) => {
    const { session } = await ownForm(c, sessions)
    const context = await contextOf(c)
    const { kind = '', id = '' } = c.req.param()
    const found = context && (await deletedRecords(context))
    const record = found?.find((one) => one.kind === kind && one.id === id)
    if (!context || !record) throw new Failure('not-found', 'nothing of that name can be restored')
    const { method, path } = record.call
    context.log.info({ key: session.id, method, path }, 'portal.action')
    const headers = context.ports.authority?.() ?? {}
    await askJson(context.ports.repository, path, { method, headers, signal: c.get('signal') })
    return done(c, context, ['deleted'], 'restore')
  })
}

function addRunActions(action: Bind, { sessions, contextOf }: Signed): void {
  action('runs/:id', async (c) => {
    const { session, form } = await ownForm(c, sessions)
    const context = await contextOf(c)
    const id = c.req.param('id') ?? ''
    const wanted = typeof form['do'] === 'string' ? form['do'] : ''
    // Nothing is removed without consent: keeping the records is what happens anyway.
    if (wanted === 'keep') return done(c, context, ['waiting'], wanted)
    if (wanted === 'confirm' && form['sure'] !== 'yes')
      throw new Failure('invalid-parameter', 'tick that you have looked at the source')
    const path = `/runs/${encodeURIComponent(id)}`
    const calls = runCalls(path)
    const call = Object.hasOwn(calls, wanted) ? calls[wanted] : undefined
    if (!call) throw new Failure('invalid-parameter', 'there is no such action')
    const catalogue = await catalogueOf(context, path)
    const run = await act(context, c, session, { ...call, catalogue })
    return done(c, context, ['runs', run ?? id], wanted)
  })
}

/** Leads to the page that says what was done. */
function done(
  c: AppContext,
  context: PageContext | undefined,
  steps: readonly string[],
  did?: string,
): Response {
  if (!context) throw new Failure('not-found', 'there is no such language')
  const path = context.pathTo('harvest', ...steps)
  return c.redirect(did === undefined ? path : `${path}?did=${did}`, 303)
}
