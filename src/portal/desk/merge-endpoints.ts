/** Endpoints of the merge of a draft with what others published meanwhile: the page, and the form with the decisions. */

import { Failure } from '../../errors.ts'
import { type FormFields, readForm } from '../../http/form.ts'
import type { StewardContext } from '../context.ts'
import { nextPath, sendStep } from './check-endpoints.ts'
import type { Posted } from './outcome.ts'
import { conceptsOfForm } from './concepts.ts'
import { deskGet, deskPost } from './desk-routes.ts'
import { draftPath, placeOf, readAnyDraft, type RecordPlace } from './drafts.ts'
import { decisions, mergePage, readMerge, shortProperties } from './merge-page.ts'

const path = '/:type/:id/merge'

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
  deskGet(
    path,
    'getDraftMerge',
    'What a draft and its published record changed differently',
    (context, c) => showMerge(context, placeOf(c)),
  ),
  deskPost(
    path,
    'postDraftMerge',
    'Decide what counts, field by field',
    async ({ context, c, show }) => {
      const [field, place] = [await readForm(c), placeOf(c)]
      try {
        const others = await sendDecisions(context, place, field)
        return c.redirect(nextPath(context, place, 'merge', others), 303)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        return show((again) => showMerge(again, place, { field, error }), 400)
      }
    },
  ),
]
