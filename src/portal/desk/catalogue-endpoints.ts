/** Endpoints of the catalogues of stewards, and of their rules. */

import type { AppContext } from '../../http/app.ts'
import { readForm, readFormData } from '../../http/form.ts'
import type { StewardContext } from '../context.ts'
import type { MaybePage } from '../layout.ts'
import { beginDraft } from './begin-page.ts'
import { deskCataloguesPage } from './catalogues-page.ts'
import { deskGet, deskPost } from './desk-routes.ts'
import { rulesPage } from './rules-page.ts'
import { saveRules } from './rules-form.ts'
import {
  failedForm,
  keptForm,
  statusOf,
  type Unsaved,
  withoutStep,
  withUnsaved,
} from './unsaved.ts'

const rulesPath = '/catalogues/:id/rules'

/** Page of the rules; with a form that is not saved, with its fields. Rejects with `Failure`. */
async function shownRules(context: StewardContext, c: AppContext, unsaved?: Unsaved): MaybePage {
  const id = c.req.param('id') ?? ''
  const sent = unsaved && (await saveRules(context, id, withoutStep(unsaved)))
  return withUnsaved(context, await rulesPage(context, id, sent), unsaved)
}

/** Endpoints of catalogues. */
export const catalogueDeskEndpoints = [
  deskGet(
    '/catalogues',
    'deskCatalogues',
    'The catalogues that a person is steward of',
    (context) => deskCataloguesPage(context),
  ),
  deskPost(
    '/catalogues',
    'beginCatalogue',
    'Begin a catalogue, or the change of the record of one',
    async ({ context, c, show }) => {
      const result = await beginDraft(context, await readForm(c), 'catalogues')
      if (typeof result === 'string') return c.redirect(result, 303)
      return show((again) => deskCataloguesPage(again, result), 400)
    },
  ),
  deskGet(rulesPath, 'getCatalogueRules', 'The rules of a catalogue', (context, c) =>
    shownRules(context, c, keptForm(context)),
  ),
  deskPost(
    rulesPath,
    'saveCatalogueRules',
    'Save the rules of a catalogue',
    async ({ context, c, show }) => {
      const [id, form] = [c.req.param('id') ?? '', await readFormData(c)]
      const sent = await saveRules(context, id, form).catch((error: unknown) =>
        show((again) => shownRules(again, c, failedForm(form, error)), statusOf(error)),
      )
      if (sent instanceof Response) return sent
      if (!sent)
        return c.redirect(`${context.pathTo('desk', 'catalogues', id, 'rules')}?saved=1`, 303)
      return show((again) => rulesPage(again, id, sent), sent.isEdited ? 200 : 400)
    },
  ),
]
