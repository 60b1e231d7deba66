/**
 * Endpoints of the check of a draft: the page, the form that publishes, submits, schedules, takes back or withdraws, and the draft
 * as text.
 */

import { Failure } from '../../errors.ts'
import { pageEndpoint } from '../../http/endpoint.ts'
import { type FormFields, readForm } from '../../http/form.ts'
import { problemOf } from '../../http/problem.ts'
import type { PageContext, StewardContext } from '../context.ts'
import type { PageContent } from '../layout.ts'
import type { PortalServices } from '../portal-services.ts'
import { actionContext, stewardContext, withSession } from '../steward-endpoints.ts'
import { checkPage, type Posted } from './check-page.ts'
import { shippedConcepts } from './concepts.ts'
import { draftPath, placeOf, readAnyDraft, readDraft, type RecordPlace } from './drafts.ts'
import { publishedPage } from './published-page.ts'
import { turtlePage } from './turtle-page.ts'

/** Page of a draft or, where there is none, of the published record. Rejects with `not-found` where there is neither. */
async function pageOf(
  context: StewardContext,
  place: RecordPlace,
  posted?: Posted,
): Promise<PageContent | undefined> {
  const draft = await readAnyDraft(context, place).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (!draft) return publishedPage(context, place, posted)
  return checkPage({ context, draft, concepts: await shippedConcepts(), added: [] }, posted)
}

const isMissing = (error: unknown) =>
  error instanceof Failure && ['not-found', 'unknown-resource'].includes(error.kind)

/** Instant (ISO 8601) of a local time of a time zone, `2026-12-01T08:00`; `''` for a text that is none. */
function instantOf(local: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const offsetAt = (time: number) => {
    const zone = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(zone) ?? []
    return (sign === '-' ? -60_000 : 60_000) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0))
  }
  const time = Date.parse(`${local.slice(0, 16)}:00Z`)
  if (Number.isNaN(time)) return ''
  // The offset is that of the instant itself, which differs near a change of the clocks.
  return new Date(time - offsetAt(time - offsetAt(time))).toISOString()
}

type Step = {
  readonly method: 'PUT' | 'POST'
  readonly path: string
  readonly body?: object | string
}

/** Request to the repository for the pressed button; `undefined` for one that changes nothing. */
function stepOf(place: RecordPlace, field: FormFields, timeZone: string): Step | undefined {
  const post = (name: string, body: object): Step => ({
    method: 'POST',
    path: draftPath(place, `/${name}`),
    body,
  })
  switch (field('do')) {
    case 'publish': {
      const { type, id } = place
      const own = { ...place, type, id: 'publish' }
      return { method: 'PUT', path: draftPath(own, `/${encodeURIComponent(id)}`) }
    }
    case 'submit':
    case 'return':
      return post(field('do'), { note: field('note') })
    case 'schedule':
      return post('schedule', { publishAt: instantOf(field('at'), timeZone) })
    case 'withdraw': {
      const replacement = field('replacement').trim()
      return post('withdraw', { reason: field('reason'), ...(replacement && { replacement }) })
    }
    default:
      return undefined
  }
}

/** Kind of the failure of a step → ending of the key of its message. */
const reasons: Readonly<Record<string, string>> = {
  'precondition-failed': 'changed',
  'invalid-content': 'findings',
  conflict: 'state',
  'not-found': 'role',
  'unknown-resource': 'gone',
}

/** Key of the message for a step that was refused; what is none of these may work later. */
function refusalKey(error: unknown, action: string): string {
  if (!(error instanceof Failure)) throw error
  const reason = error.kind === 'invalid-parameter' ? action : reasons[error.kind]
  return `publish-refused-${reason ?? 'later'}`
}

/** Sends a step as the person who is signed in. Rejects as the repository does. */
async function send(context: StewardContext, step: Step, revision: string): Promise<void> {
  const { steward, log, signal } = context
  const { method, path, body } = step
  log.info({ key: steward.id, method, path }, 'portal.action')
  const headers = {
    ...(revision !== '' && { 'If-Match': `"${revision}"` }),
    ...(body && { 'Content-Type': typeof body === 'string' ? 'text/turtle' : 'application/json' }),
  }
  const payload = body && { body: typeof body === 'string' ? body : JSON.stringify(body) }
  await context.ask('deskRepository', path, { method, headers, signal, ...payload })
}

const common = { path: '/:language/desk/:type/:id/check', tag: 'desk', auth: withSession } as const

const showCheck = pageEndpoint<PortalServices>({
  ...common,
  operation: 'getDraftCheck',
  summary: 'The check of a draft, with what one may do with it',
  page: (c, { respond }) => respond(c, (context) => pageOf(stewardContext(context), placeOf(c))),
})

const takeStep = pageEndpoint<PortalServices>({
  ...common,
  method: 'post',
  operation: 'postDraftCheck',
  summary: 'Publish, submit, schedule, take back or withdraw',
  page: async (c, services) => {
    const [context, field, place] = [
      await actionContext(c, services),
      await readForm(c),
      placeOf(c),
    ]
    const again = (refusal?: string) => {
      const posted = { field, ...(refusal !== undefined && { refusal }) }
      const make = (page: PageContext) => pageOf(stewardContext(page), place, posted)
      return services.respond(c, make, refusal === undefined ? 200 : 400)
    }
    const step = stepOf(place, field, context.config.timeZone)
    if (!step) return again()
    try {
      await send(context, step, field('revision'))
    } catch (error) {
      return again(refusalKey(error, field('do')))
    }
    const { type, id, catalogue } = place
    const isGone = field('do') === 'withdraw'
    const next = isGone ? ['waiting'] : [type, id, 'check']
    const query = new URLSearchParams({ ...(!isGone && { catalogue }), did: field('do') })
    return c.redirect(`${context.pathTo('desk', ...next)}?${query.toString()}`, 303)
  },
})

const turtleCommon = { ...common, path: '/:language/desk/:type/:id/turtle' } as const

const showTurtle = pageEndpoint<PortalServices>({
  ...turtleCommon,
  operation: 'getDraftTurtle',
  summary: 'A draft as Turtle',
  page: (c, { respond }) =>
    respond(c, async (page) => {
      const context = stewardContext(page)
      return turtlePage(context, await readDraft(context, placeOf(c)))
    }),
})

const saveTurtle = pageEndpoint<PortalServices>({
  ...turtleCommon,
  method: 'post',
  operation: 'saveDraftTurtle',
  summary: 'Save a draft as Turtle',
  page: async (c, services) => {
    const [context, field, place] = [
      await actionContext(c, services),
      await readForm(c),
      placeOf(c),
    ]
    const [text, revision] = [field('rdf'), field('revision')]
    // With a catalogue the id of the path would be that at the origin.
    const path = draftPath({ ...place, catalogue: '' })
    try {
      await send(context, { method: 'PUT', path, body: text }, revision)
    } catch (error) {
      const draft = await readDraft(context, place)
      const make = async (page: PageContext) =>
        turtlePage(stewardContext(page), draft, { text, revision, fault: faultOf(error) })
      return services.respond(c, make, 400)
    }
    const query = new URLSearchParams({ catalogue: place.catalogue, did: 'saved' })
    return c.redirect(
      `${context.pathTo('desk', place.type, place.id, 'check')}?${query.toString()}`,
      303,
    )
  },
})

/** Why a text was not saved: the failure that names a place in it, else the key of a message. */
function faultOf(error: unknown): Failure | string {
  const key = refusalKey(error, 'turtle')
  const isAboutText =
    error instanceof Failure &&
    (reasons[error.kind] === undefined || error.kind === 'invalid-content')
  return isAboutText && problemOf(error, '').status < 500 ? error : key
}

/** Endpoints of the check of a draft, and of its text. */
export const checkEndpoints = [showCheck, takeStep, showTurtle, saveTurtle]
