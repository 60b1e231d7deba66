/** Pages, actions and the feed of stewards: every action is a form that leads to a page that says what happened. */

import { Failure } from '../errors.ts'
import type { App, AppContext } from '../http/app.ts'
import type { Action } from '../http/api-key.ts'
import { feedFormats } from '../http/feed-formats.ts'
import { isOwnForm } from '../http/headers.ts'
import type { StewardContext } from './context.ts'
import type { PageContent } from './page.ts'
import {
  deletedPage,
  deletedRecords,
  recordPlace,
  runsPage,
  sourcesPage,
  waitingPage,
} from './pages/steward/lists.ts'
import { ownTrigger, pipePage } from './pages/steward/pipe-page.ts'
import { heldPage, runPage } from './pages/steward/run-page.ts'
import { decisionOn, failureFeed } from './pages/steward/runs.ts'
import { type Answers, formFields } from './page-routes.ts'
import { textAt } from '../text/json.ts'
import { forSpreadsheet } from './ports.ts'
import { isSame, type Sessions } from './sessions.ts'
import { endSession } from './sign-in-routes.ts'

type Page = (context: StewardContext, id: string) => Promise<PageContent | undefined>

/** Pages by their paths below `/harvest`; the id is that of a pipe or a run. */
const pages: Readonly<Record<string, Page>> = {
  '': sourcesPage,
  '/pipes/:id': pipePage,
  '/runs': runsPage,
  '/runs/:id': runPage,
  '/runs/:id/held': heldPage,
  '/waiting': waitingPage,
  '/deleted': deletedPage,
}

type ReadField = Awaited<ReturnType<typeof formFields>>

/** What is asked of a service. */
type Order = Action & { readonly body?: object | undefined }
type Deed = (path: string, field: ReadField) => Order

const post =
  (step: string, body?: object): Deed =>
  (path) => ({ method: 'POST', path: path + step, body })

const triggerPath = (pipe: string, id: string) => `${pipe}/triggers/${encodeURIComponent(id)}`
const remove = (path: string): Order => ({ method: 'DELETE', path })

/** What buttons ask of the scheduler about the pipe or the run at a path. */
const deeds: ReadonlyMap<string, Deed> = new Map([
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

/** Sets the trigger of the portal. Times are UTC: browsers send them without seconds and zone. */
function schedule(pipe: string, field: ReadField): Order {
  const next = field('next') !== '' && { next: `${field('next').slice(0, 16)}:00Z` }
  const interval = { unit: field('unit'), value: 1 }
  const body = { id: ownTrigger, status: 'enabled', interval, ...next }
  return { method: 'PUT', path: triggerPath(pipe, ownTrigger), body }
}

const notAllowed = () => new Failure('forbidden', 'your key may not do this')

/** Asks a service what the session may do; the answer is the service's. Rejects with `forbidden`. */
async function carryOut(context: StewardContext, service: 'scheduler' | 'keeper', order: Order) {
  const { steward, log, signal, ask } = context
  const { method, path, body } = order
  if (!steward.may(order)) throw notAllowed()
  log.info({ key: steward.id, method, path }, 'portal.action')
  const headers = { 'Content-Type': 'application/json' }
  const sent = body && { headers, body: JSON.stringify(body) }
  return ask(service, path, { method, signal, ...sent })
}

/** Does what a form asks, and says where that leads. */
type Act = (context: StewardContext, field: ReadField, c: AppContext) => Promise<string>

const act: Act = async (context, field, c) => {
  const { kind = '', id = '' } = c.req.param()
  const [did, path] = [field('do'), `/${kind}/${encodeURIComponent(id)}`]
  const to = (...steps: readonly string[]) => `${context.pathTo('harvest', ...steps)}?did=${did}`
  if (did === 'confirm' && field('sure') !== 'yes')
    throw new Failure('invalid-parameter', 'tick that you have looked at the source')
  const order = deeds.get(`${kind} ${did}`)?.(path, field)
  if (!order) throw new Failure('invalid-parameter', 'there is no such action')
  // Permissions may be for single catalogues; pipes are nobody's.
  const of = kind === 'runs' ? await context.ask('scheduler', path) : undefined
  const whole = { ...order, catalogue: textAt(of, 'catalogue') }
  if (!context.steward.may(whole)) throw notAllowed()
  if (isDecision.has(did) && decisionOn(of)) return heldPath(context, id)
  try {
    const answer = await carryOut(context, 'scheduler', whole)
    const isOfPipe = kind === 'pipes' && order.method !== 'POST'
    if (did === 'keep') return to('waiting')
    return isOfPipe ? to('pipes', id) : to('runs', textAt(answer, 'id') ?? id)
  } catch (error) {
    const { kind: why } = error instanceof Failure ? error : {}
    // A second click, or one on a page that somebody left open: the page of today says how it stands.
    if (why === 'unknown-trigger' && did === 'unschedule') return to('pipes', id)
    if (why !== 'conflict') throw error
    if (isDecision.has(did) && decisionOn(await context.ask('scheduler', path)))
      return heldPath(context, id)
    return `${context.pathTo('harvest', kind, id)}?did=late`
  }
}

/** Actions that decide about held removals, once. */
const isDecision: ReadonlySet<string> = new Set(['confirm', 'keep'])

const heldPath = ({ pathTo }: StewardContext, run: string) => pathTo('harvest', 'runs', run, 'held')

const restore: Act = async (context, _field, c) => {
  const { kind = '', id = '' } = c.req.param()
  const all = await deletedRecords(context)
  const record = all.find((one) => one.kind === kind && one.id === id)
  const to = (did: string) => `${context.pathTo('harvest', 'deleted')}?did=${did}`
  if (!record) {
    // A second click: what was restored is there.
    await context.ask('keeper', recordPlace(kind, id))
    return to('restored')
  }
  await carryOut(context, 'keeper', record.restore)
  return to('restore')
}

const onlyForOne = { 'Cache-Control': 'private, no-store' }

/** Everything that a run did, as the scheduler writes it for spreadsheets. */
async function itemsOf(context: StewardContext, c: AppContext): Promise<Response> {
  const { ports, steward, ask, signal } = context
  const path = `/runs/${encodeURIComponent(c.req.param('id') ?? '')}`
  const isThere = steward.mayRead(path, await ask('scheduler', path))
  const headers = { Accept: 'text/csv' }
  const answer = isThere ? await ports.scheduler?.(`${path}/items`, { headers, signal }) : undefined
  if (!answer) throw new Failure('not-found', 'there is no such run')
  const type = answer.headers.get('Content-Type') ?? 'text/csv'
  const { status, body } = forSpreadsheet(answer)
  return new Response(body, { status, headers: { 'Content-Type': type, ...onlyForOne } })
}

/** Binds all of them. */
export function addStewardRoutes(app: App, sessions: Sessions, answers: Answers): void {
  const { contextOf, respond } = answers
  /** Strangers are led to the form of sign-in. */
  const signedIn =
    (answer: (context: StewardContext, c: AppContext) => Promise<Response>) =>
    async (c: AppContext) => {
      const { steward, ...context } = await contextOf(c)
      if (!steward) return c.redirect(context.pathTo('sign-in'), 303)
      return answer({ ...context, steward, signal: c.get('signal') }, c)
    }
  const form = (path: string, act: Act) =>
    app.post(
      `/:language${path}`,
      signedIn(async (context, c) => {
        const field = await formFields(c)
        demandOwn(c, field, context)
        return c.redirect(await act(context, field, c), 303)
      }),
    )
  for (const [path, make] of Object.entries(pages)) {
    const page = signedIn(({ steward }, c) =>
      respond(c, (context) => make({ ...context, steward }, c.req.param('id') ?? '')),
    )
    app.get(`/:language/harvest${path}`, page)
  }
  app.get('/:language/harvest/runs/:id/items.csv', signedIn(itemsOf))
  form('/harvest/:kind{pipes|runs}/:id', act)
  form('/harvest/deleted/:kind/:id', restore)
  form('/sign-out', async ({ pathTo }, _field, c) => {
    endSession(c, sessions)
    return pathTo('')
  })
  app.get('/:language/harvest/failures/:file{.+\\.atom}', async (c) => {
    const steward = sessions.findFeed((c.req.param('file') ?? '').slice(0, -'.atom'.length))
    if (!steward) throw new Failure('not-found', 'there is no such feed')
    const text = await failureFeed({ ...(await contextOf(c)), steward })
    return new Response(text, { headers: { 'Content-Type': feedFormats.atom.type, ...onlyForOne } })
  })
}

/** Throws `forbidden` unless a form was made for this session, by a page of this host. */
function demandOwn(c: AppContext, field: ReadField, { steward }: StewardContext): void {
  if (!isOwnForm(c) || !isSame(field('_csrf'), steward.token))
    throw new Failure('forbidden', 'this form was not made for your session: load the page again')
}
