/** Endpoints of the catalogues of stewards, and of their rules. */

import type { AppContext } from '../../http/app.ts'
import { pageEndpoint } from '../../http/endpoint.ts'
import { readForm, readFormData } from '../../http/form.ts'
import type { StewardContext } from '../context.ts'
import type { MaybePage } from '../layout.ts'
import type { PortalServices } from '../portal-services.ts'
import { actionContext, stewardContext, withSession } from '../steward-endpoints.ts'
import { beginDraft } from './begin-page.ts'
import { deskCataloguesPage } from './catalogues-page.ts'
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

const [listPath, onePath] = [
  '/:language/desk/catalogues',
  '/:language/desk/catalogues/:id/rules',
] as const
const common = { tag: 'desk', auth: withSession }

/** Page of the rules; with a form that is not saved, with its fields. Rejects with `Failure`. */
async function shownRules(context: StewardContext, c: AppContext, unsaved?: Unsaved): MaybePage {
  const id = c.req.param('id') ?? ''
  const sent = unsaved && (await saveRules(context, id, withoutStep(unsaved)))
  return withUnsaved(context, await rulesPage(context, id, sent), unsaved)
}

/** Endpoints of catalogues. */
export const catalogueDeskEndpoints = [
  pageEndpoint<PortalServices>({
    ...common,
    path: listPath,
    operation: 'deskCatalogues',
    summary: 'The catalogues that a person is steward of',
    page: (c, { respond }) => respond(c, (page) => deskCataloguesPage(stewardContext(page))),
  }),
  pageEndpoint<PortalServices>({
    ...common,
    method: 'post',
    path: listPath,
    operation: 'beginCatalogue',
    summary: 'Begin a catalogue, or the change of the record of one',
    page: async (c, services) => {
      const context = await actionContext(c, services)
      const result = await beginDraft(context, await readForm(c), 'catalogues')
      if (typeof result === 'string') return c.redirect(result, 303)
      return services.respond(c, (page) => deskCataloguesPage(stewardContext(page), result), 400)
    },
  }),
  pageEndpoint<PortalServices>({
    ...common,
    path: onePath,
    operation: 'getCatalogueRules',
    summary: 'The rules of a catalogue',
    page: (c, { respond }) =>
      respond(c, (page) => shownRules(stewardContext(page), c, keptForm(stewardContext(page)))),
  }),
  pageEndpoint<PortalServices>({
    ...common,
    method: 'post',
    path: onePath,
    operation: 'saveCatalogueRules',
    summary: 'Save the rules of a catalogue',
    page: async (c, services) => {
      const [context, id] = [await actionContext(c, services), c.req.param('id') ?? '']
      const form = await readFormData(c)
      const sent = await saveRules(context, id, form).catch((error: unknown) =>
        services.respond(
          c,
          (page) => shownRules(stewardContext(page), c, failedForm(form, error)),
          statusOf(error),
        ),
      )
      if (sent instanceof Response) return sent
      if (!sent)
        return c.redirect(`${context.pathTo('desk', 'catalogues', id, 'rules')}?saved=1`, 303)
      const status = sent.isEdited ? 200 : 400
      return services.respond(c, (page) => rulesPage(stewardContext(page), id, sent), status)
    },
  }),
]
