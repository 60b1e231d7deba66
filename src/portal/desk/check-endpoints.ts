/**
 * Endpoints of the check of a draft: the page, the form that publishes, submits, schedules, takes back or withdraws, and the draft
 * as text.
 */

import { Failure } from '../../errors.ts'
import { type FormFields, readForm } from '../../http/form.ts'
import { listed, valueAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import type { PageContent } from '../layout.ts'
import { checkPage } from './check-page.ts'
import { deskGet, deskPost } from './desk-routes.ts'
import type { Posted } from './outcome.ts'
import { shippedConcepts } from './concepts.ts'
import { draftPath, findDraft, placeOf, readDraft, type RecordPlace } from './drafts.ts'
import { shortProperties } from './merge-page.ts'
import { publishedPage } from './published-page.ts'
import { turtlePage } from './turtle-page.ts'
import { keptForm, statusOf, withUnsaved } from './unsaved.ts'

/** Makes a page of a record; after a form was refused, with that form. Rejects with `not-found` for who may not see it. */
type Show = (
  context: StewardContext,
  place: RecordPlace,
  posted?: Posted,
) => Promise<PageContent | undefined>

/** Check of a draft or, where there is none, page of the published record. */
const showCheck: Show = async (context, place, posted) => {
  const draft = await findDraft(context, place)
  return draft
    ? checkPage({ context, draft, concepts: await shippedConcepts(), added: [] }, posted)
    : publishedPage(context, place, posted)
}

const showTurtle: Show = async (context, place, posted) =>
  turtlePage(context, await readDraft(context, place), posted)

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
  readonly method: 'PUT' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object | string
}

/** Request to the repository for the pressed button; `undefined` for one that changes nothing. */
export function stepOf(place: RecordPlace, field: FormFields, timeZone: string): Step | undefined {
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
    case 'delete':
      return { method: 'DELETE', path: draftPath(place) }
    case 'restore':
      return post('restore', {})
    case 'link':
      return post('links', {})
    case 'revoke':
      return { method: 'DELETE', path: draftPath(place, '/links') }
    case 'schedule':
      return post('schedule', { publishAt: instantOf(field('at'), timeZone) })
    case 'save':
      // With a catalogue the id of the path would be that at the origin.
      return { method: 'PUT', path: draftPath({ ...place, catalogue: '' }), body: field('rdf') }
    case 'withdraw': {
      const replacement = field('replacement').trim()
      return post('withdraw', { reason: field('reason'), ...(replacement && { replacement }) })
    }
    default:
      return undefined
  }
}

/** Sends a step as the person who is signed in, and resolves with the answer. Rejects as the repository does. */
export async function sendStep(
  context: StewardContext,
  step: Step,
  revision: string,
): Promise<unknown> {
  const { steward, log, signal } = context
  const { method, path, body } = step
  log.info({ key: steward.id, method, path }, 'portal.action')
  const headers = {
    // The answer to a publication then names the fields that others had changed.
    Prefer: 'return=representation',
    // A form can be sent with any text.
    ...(revision !== '' && { 'If-Match': `"${encodeURIComponent(revision)}"` }),
    ...(body && { 'Content-Type': typeof body === 'string' ? 'text/turtle' : 'application/json' }),
  }
  const payload = body && { body: typeof body === 'string' ? body : JSON.stringify(body) }
  return context.ask('deskRepository', path, { method, headers, signal, ...payload })
}

/** Status of a refused step: that of a full disk, else 400. */
const refusalStatus = (error: Failure) => (error.kind === 'store-full' ? statusOf(error) : 400)

/** Endpoints of a page of a record: one shows it, the other sends the step of its form, and shows it again where that is refused. */
const recordPage = (name: string, operation: string, summary: string, page: Show) => [
  deskGet(`/:type/:id/${name}`, `get${operation}`, summary, async (context, c) => {
    const kept = keptForm(context)
    const field = (one: string) => kept?.fields.get(one) ?? ''
    return withUnsaved(context, await page(context, placeOf(c), kept && { field }), kept)
  }),
  deskPost(
    `/:type/:id/${name}`,
    `post${operation}`,
    `${summary}, after a step`,
    async ({ context, c, show }) => {
      const [field, place] = [await readForm(c), placeOf(c)]
      const step = stepOf(place, field, context.config.timeZone)
      if (!step) return show((again) => page(again, place, { field }))
      try {
        const answer = await sendStep(context, step, field('revision'))
        // The address of a preview is a secret, so that no address of a page has it.
        if (field('do') === 'link')
          return await show((again) => page(again, place, { field, answer }))
        const others = listed(valueAt(answer, 'others')).map(String)
        return c.redirect(nextPath(context, place, field('do'), shortProperties(others)), 303)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        return show((again) => page(again, place, { field, error }), refusalStatus(error))
      }
    },
  ),
]

/**
 * Path of the page after a step: the check, after a withdrawal what waits, and without its draft the list of those. `others` are the
 * properties that others had changed before.
 */
export function nextPath(
  { pathTo }: StewardContext,
  { type, id, catalogue }: RecordPlace,
  did: string,
  others = '',
): string {
  if (did === 'delete') {
    const list = type === 'catalogues' ? type : 'datasets'
    return `${pathTo('desk', list)}?state=away&did=delete`
  }
  const isGone = did === 'withdraw'
  const query = new URLSearchParams({
    ...(!isGone && { catalogue }),
    did,
    ...(others !== '' && { others }),
  })
  const path = isGone ? pathTo('desk', 'waiting') : pathTo('desk', type, id, 'check')
  return `${path}?${query.toString()}`
}

/** Endpoints of the check of a draft, and of its text. */
export const checkEndpoints = [
  ...recordPage('check', 'DraftCheck', 'The check of a draft', showCheck),
  ...recordPage('turtle', 'DraftTurtle', 'A draft as Turtle', showTurtle),
]
