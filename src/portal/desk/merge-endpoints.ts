/** Endpoints of the merge of a draft with what others published meanwhile: the page, and the form with the decisions. */

import { Failure } from '../../errors.ts'
import { pageEndpoint } from '../../http/endpoint.ts'
import { type FormFields, readForm } from '../../http/form.ts'
import type { StewardContext } from '../context.ts'
import type { PortalServices } from '../portal-services.ts'
import { actionContext, stewardContext, withSession } from '../steward-endpoints.ts'
import { nextPath, sendStep } from './check-endpoints.ts'
import type { Posted } from './outcome.ts'
import { conceptsOfForm } from './concepts.ts'
import { draftPath, placeOf, readAnyDraft, type RecordPlace } from './drafts.ts'
import { decisions, mergePage, readMerge, shortProperties } from './merge-page.ts'

const common = {
  path: '/:language/desk/:type/:id/merge',
  tag: 'desk',
  auth: withSession,
  example: '/en/desk/datasets/levels/merge',
} as const

/** Page of the merge. Rejects with `not-found` for who may neither write the draft nor publish it. */
async function showMerge(context: StewardContext, place: RecordPlace, posted?: Posted) {
  const draft = await readAnyDraft(context, place)
  if (!draft.may.some((action) => action === 'write' || action === 'publish'))
    throw new Failure('not-found', 'there is no draft that you may change at this address')
  const concepts = await conceptsOfForm(context, draft.model)
  return mergePage({ context, draft, concepts, added: [] }, posted)
}

/** Sends the decisions; resolves with the properties that others had changed. Rejects where the record has changed once more. */
async function sendDecisions(context: StewardContext, place: RecordPlace, field: FormFields) {
  const merge = await readMerge(context, place)
  const baseTag = field('baseTag')
  if (merge.baseTag !== baseTag)
    throw new Failure('precondition-failed', 'the published record has changed once more')
  const body = { baseTag, ...decisions(merge, field) }
  const step = { method: 'POST', path: draftPath(place, '/merge'), body } as const
  await sendStep(context, step, field('revision'))
  return shortProperties(merge.theirs.map(({ predicate }) => predicate.value))
}

/** Endpoints of the merge. */
export const mergeEndpoints = [
  pageEndpoint<PortalServices>({
    ...common,
    operation: 'getDraftMerge',
    summary: 'What a draft and its published record changed differently',
    page: (c, { respond }) => respond(c, (page) => showMerge(stewardContext(page), placeOf(c))),
  }),
  pageEndpoint<PortalServices>({
    ...common,
    method: 'post',
    operation: 'postDraftMerge',
    summary: 'Decide what counts, field by field',
    page: async (c, services) => {
      const context = await actionContext(c, services)
      const [field, place] = [await readForm(c), placeOf(c)]
      try {
        const others = await sendDecisions(context, place, field)
        return c.redirect(nextPath(context, place, 'merge', others), 303)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        const posted = { field, error }
        return services.respond(c, (page) => showMerge(stewardContext(page), place, posted), 400)
      }
    },
  }),
]
