/**
 * Endpoints for stewards: pages about pipes, runs and deleted records, forms that act on them, items of a run as CSV, the form of
 * sign-out, and the feed of failed runs.
 */

import { Failure } from '../errors.ts'
import type { AppContext } from '../http/app.ts'
import type { Action } from '../http/api-key.ts'
import { anyone, type Auth, type Endpoint, pageEndpoint } from '../http/endpoint.ts'
import { type FormFields, readForm, readFormData, textField } from '../http/form.ts'
import { feedFormats } from '../http/feed-formats.ts'
import { isSameHostForm } from '../http/headers.ts'
import type { PageContext, StewardContext } from './context.ts'
import type { MaybePage } from './layout.ts'
import {
  deletedPage,
  deletedRecords,
  storedPath,
  runsPage,
  sourcesPage,
  waitingPage,
} from './pages/steward/lists.ts'
import { portalTrigger, pipePage } from './pages/steward/pipe-page.ts'
import { heldPage, runPage } from './pages/steward/run-page.ts'
import { removalDecision, failureFeed } from './pages/steward/runs.ts'
import { textAt } from '../text/json.ts'
import type { PortalServices } from './portal-services.ts'
import { withByteOrderMark } from './ports.ts'
import { equalInConstantTime, type Sessions } from './sessions.ts'
import { endSession, prolongSession, restoredPath } from './sign-in-endpoints.ts'

/** Path below `/harvest`, summary, and function of a page, which takes the id of a pipe or a run. */
type Row = readonly [
  path: string,
  summary: string,
  page: (context: StewardContext, id: string) => MaybePage,
]

const rows: readonly Row[] = [
  ['', 'The pipes and their last runs', sourcesPage],
  ['/pipes/:id', 'A pipe', pipePage],
  ['/runs', 'The runs', runsPage],
  ['/runs/:id', 'A run', runPage],
  ['/runs/:id/held', 'The held removals of a run', heldPage],
  ['/waiting', 'The runs whose removals wait for consent', waitingPage],
  ['/deleted', 'The deleted records that can be restored', deletedPage],
]

/** A request to a service. */
type ServiceRequest = Action & { readonly body?: object | undefined }

/** Makes the request to the scheduler for an action on the pipe or the run at `path`. */
type MakeRequest = (path: string, field: FormFields) => ServiceRequest

const post =
  (step: string, body?: object): MakeRequest =>
  (path) => ({ method: 'POST', path: path + step, body })

const triggerPath = (pipe: string, id: string) => `${pipe}/triggers/${encodeURIComponent(id)}`
const remove = (path: string): ServiceRequest => ({ method: 'DELETE', path })

/** Kind of the target and name of the action → request to the scheduler. */
const actions: ReadonlyMap<string, MakeRequest> = new Map([
  ['pipes run', post('/runs', {})],
  ['pipes dry', post('/runs', { dryRun: true })],
  ['pipes schedule', schedule],
  ['pipes unschedule', (path, field) => remove(triggerPath(path, field('trigger')))],
  ['runs cancel', remove],
  ['runs confirm', post('/confirm')],
  ['runs keep', post('/keep')],
  ['runs resume', post('/resume')],
  ['runs retry', post('/retry')],
])

/** Request that sets the trigger of the portal. Browsers send the time without seconds and zone; it is taken as UTC. */
function schedule(pipe: string, field: FormFields): ServiceRequest {
  const next = field('next') !== '' && { next: `${field('next').slice(0, 16)}:00Z` }
  const interval = { unit: field('unit'), value: 1 }
  const body = { id: portalTrigger, status: 'enabled', interval, ...next }
  return { method: 'PUT', path: triggerPath(pipe, portalTrigger), body }
}

const notAllowed = () => new Failure('forbidden', 'your key may not do this')

/**
 * Sends a request to a service in the name of the steward and resolves with its answer. Rejects with `forbidden` where the session
 * does not permit it, and with the failure of the service.
 */
async function send(
  context: StewardContext,
  service: 'deskScheduler' | 'deskRepository',
  request: ServiceRequest,
) {
  const { steward, log, signal, ask } = context
  const { method, path, body } = request
  if (!steward.may(request)) throw notAllowed()
  log.info({ key: steward.id, method, path }, 'portal.action')
  const headers = { 'Content-Type': 'application/json' }
  const payload = body && { headers, body: JSON.stringify(body) }
  return ask(service, path, { method, signal, ...payload })
}

/** Runs the action of a form, and resolves with the path of the page to show next. */
type RunForm = (context: StewardContext, field: FormFields, c: AppContext) => Promise<string>

const runAction: RunForm = async (context, field, c) => {
  const { kind = '', id = '' } = c.req.param()
  const [action, path] = [field('do'), `/${kind}/${encodeURIComponent(id)}`]
  const nextPath = (...steps: readonly string[]) =>
    `${context.pathTo('harvest', ...steps)}?did=${action}`
  if (action === 'confirm' && field('sure') !== 'yes')
    throw new Failure('invalid-parameter', 'tick that you have looked at the source')
  const request = actions.get(`${kind} ${action}`)?.(path, field)
  if (!request) throw new Failure('invalid-parameter', 'there is no such action')
  // A permission for one catalogue suffices for actions on its runs, not for those on pipes.
  const run = kind === 'runs' ? await context.ask('scheduler', path) : undefined
  const serviceRequest = { ...request, catalogue: textAt(run, 'catalogue') }
  if (!context.steward.may(serviceRequest)) throw notAllowed()
  if (decisions.has(action) && removalDecision(run)) return heldPath(context, id)
  try {
    const answer = await send(context, 'deskScheduler', serviceRequest)
    const isTriggerChange = kind === 'pipes' && request.method !== 'POST'
    if (action === 'keep') return nextPath('waiting')
    return isTriggerChange ? nextPath('pipes', id) : nextPath('runs', textAt(answer, 'id') ?? id)
  } catch (error) {
    const { kind: failureKind } = error instanceof Failure ? error : {}
    // A second click, or one on an old page: the page that is shown next has the present state.
    if (failureKind === 'unknown-trigger' && action === 'unschedule') return nextPath('pipes', id)
    if (failureKind !== 'conflict') throw error
    if (decisions.has(action) && removalDecision(await context.ask('scheduler', path)))
      return heldPath(context, id)
    return `${context.pathTo('harvest', kind, id)}?did=late`
  }
}

/**
 * Actions that decide about held removals; a run takes another decision only after removals that failed or were interrupted
 * (`removalDecision`).
 */
const decisions: ReadonlySet<string> = new Set(['confirm', 'keep'])

const heldPath = ({ pathTo }: StewardContext, run: string) => pathTo('harvest', 'runs', run, 'held')

const restoreRecord: RunForm = async (context, _field, c) => {
  const { kind = '', id = '' } = c.req.param()
  const records = await deletedRecords(context)
  const record = records.find((entry) => entry.kind === kind && entry.id === id)
  const nextPath = (did: string) => `${context.pathTo('harvest', 'deleted')}?did=${did}`
  if (!record) {
    // After a second click the record is restored already.
    await context.ask('repositoryAdmin', storedPath(kind, id))
    return nextPath('restored')
  }
  await send(context, 'deskRepository', record.restore)
  return nextPath('restore')
}

const privateCaching = { 'Cache-Control': 'private, no-store' }

/** Items of a run as CSV of the scheduler, with a byte order mark for spreadsheets. Rejects with `not-found`. */
async function itemsOf(context: StewardContext, c: AppContext): Promise<Response> {
  const { ports, steward, ask, signal } = context
  const path = `/runs/${encodeURIComponent(c.req.param('id') ?? '')}`
  const isThere = steward.mayRead(path, await ask('scheduler', path))
  const headers = { Accept: 'text/csv' }
  const answer = isThere ? await ports.scheduler?.(`${path}/items`, { headers, signal }) : undefined
  if (!answer) throw new Failure('not-found', 'there is no such run')
  const type = answer.headers.get('Content-Type') ?? 'text/csv'
  const { status, body } = withByteOrderMark(answer)
  return new Response(body, { status, headers: { 'Content-Type': type, ...privateCaching } })
}

/** Most bytes of a form of the desk that is read; a form above 2 MB is shown again, a text as Turtle is saved. */
const deskFormBytes = 8 * 2 ** 20

/** Texts of a form, without its token. */
export const sentFields = (form: FormData): URLSearchParams =>
  new URLSearchParams(
    [...form].flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && name !== '_csrf' ? [[name, value]] : [],
    ),
  )

/**
 * Checks that a form was made for this session, by a page of this host. One of the desk whose session has ended is kept for its
 * person, who is led to the sign-in or, with a new session, back to the page. Throws `forbidden` for all others.
 */
async function demandOwnForm(
  c: AppContext,
  { sessions }: PortalServices,
  { steward, base, pathTo, language, pathInLanguage }: PageContext,
): Promise<Response | undefined> {
  const isDesk = pathInLanguage.startsWith('desk/')
  const path = `${language}/${pathInLanguage}`
  const isOwnHost = isSameHostForm(c)
  const read = readFormData(c, steward && isDesk ? deskFormBytes : undefined)
  // A form of a stranger that cannot be read is none of a session.
  const form = await read.catch((error: unknown) => {
    if (steward) throw error
    return new FormData()
  })
  const token = textField(form, '_csrf')
  if (steward && isOwnHost && equalInConstantTime(token, steward.token)) {
    steward.kept.drop(path)
    return undefined
  }
  const fields = sentFields(form)
  const hasText = [...fields].some(([name, text]) => name !== 'do' && text.trim() !== '')
  const owner = isDesk && isOwnHost && hasText ? sessions?.keep(token, path, fields) : undefined
  if (!steward)
    return c.redirect(`${pathTo('sign-in')}${owner === undefined ? '' : '?kept=1'}`, 303)
  if (owner === undefined || owner !== steward.kept.fingerprint)
    throw new Failure('forbidden', 'this form was not made for your session: load the page again')
  return c.redirect(base + restoredPath(path), 303)
}

/** A session of the portal; strangers are led to the form of sign-in. A POST brings a form of the session. */
export const withSession: Auth<PortalServices> = {
  needs: 'session',
  check: async (c, services) => {
    const context = await services.contextOf(c)
    if (c.req.method === 'POST') return demandOwnForm(c, services, context)
    return context.steward ? undefined : c.redirect(context.pathTo('sign-in'), 303)
  },
}

/** Context of a page for its steward. Throws `unauthorized` where the session ended after it was checked. */
export function stewardContext({ steward, ...context }: PageContext): StewardContext {
  if (!steward) throw new Failure('unauthorized', 'the session has ended: sign in again')
  return { ...context, steward }
}

/** Context of a steward's request that is answered without a page; the deadline of requests applies. */
export const actionContext = async (c: AppContext, { contextOf }: PortalServices) => ({
  ...stewardContext(await contextOf(c)),
  signal: c.get('signal'),
})

/** Defines the endpoint of a form, which redirects to a page with the result. */
const formEndpoint = (ending: `/${string}`, summary: string, run: RunForm) => {
  const path = `/:language${ending}` as const
  return pageEndpoint<PortalServices>({
    method: 'post',
    path,
    operation: run.name,
    tag: 'harvest',
    summary,
    auth: withSession,
    page: async (c, services) =>
      c.redirect(await run(await actionContext(c, services), await readForm(c), c), 303),
  })
}

const stewardPages = rows.map(([ending, summary, page]) => {
  const path = `/:language/harvest${ending}` as const
  return pageEndpoint<PortalServices>({
    path,
    operation: page.name,
    tag: 'harvest',
    summary,
    auth: withSession,
    page: (c, { respond }) =>
      respond(c, (context) => page(stewardContext(context), c.req.param('id') ?? '')),
  })
})

const readItems = pageEndpoint<PortalServices>({
  path: '/:language/harvest/runs/:id/items.csv',
  operation: 'getRunItems',
  tag: 'harvest',
  summary: 'Everything that a run did, as CSV',
  example: '/en/harvest/runs/levels/items.csv',
  auth: withSession,
  page: async (c, services) => itemsOf(await actionContext(c, services), c),
})

/** Endpoints for stewards. The feed needs no session: its address contains a secret token. */
export const stewardEndpoints = (sessions: Sessions): readonly Endpoint<PortalServices>[] => [
  ...stewardPages,
  readItems,
  formEndpoint('/harvest/:kind{pipes|runs}/:id', 'Run an action on a pipe or a run', runAction),
  formEndpoint('/harvest/deleted/:kind/:id', 'Restore a deleted record', restoreRecord),
  formEndpoint('/sign-out', 'Sign out', async function signOut({ pathTo }, _field, c) {
    endSession(c, sessions)
    return pathTo('')
  }),
  formEndpoint('/desk/stay', 'Stay signed in', async function staySignedIn({ pathTo }, _field, c) {
    prolongSession(c, sessions)
    return pathTo('desk')
  }),
  pageEndpoint<PortalServices>({
    path: '/:language/harvest/failures/:file{.+\\.atom}',
    operation: 'getFailures',
    tag: 'harvest',
    summary: 'The feed of failed runs',
    example: '/en/harvest/failures/token.atom',
    auth: anyone,
    page: async (c, { contextOf }) => {
      const steward = sessions.findFeed((c.req.param('file') ?? '').slice(0, -'.atom'.length))
      if (!steward) throw new Failure('not-found', 'there is no such feed')
      const text = await failureFeed({ ...(await contextOf(c)), steward })
      return new Response(text, {
        headers: { 'Content-Type': feedFormats.atom.type, ...privateCaching },
      })
    },
  }),
]
