/** Endpoints of the catalogues of stewards, and of their rules. */

import { pageEndpoint } from '../../http/endpoint.ts'
import { readForm, readFormData } from '../../http/form.ts'
import type { PortalServices } from '../portal-services.ts'
import { actionContext, stewardContext, withSession } from '../steward-endpoints.ts'
import { beginDraft } from './begin-page.ts'
import { deskCataloguesPage } from './catalogues-page.ts'
import { rulesPage } from './rules-page.ts'
import { saveRules } from './rules-form.ts'

const [listPath, onePath] = [
  '/:language/desk/catalogues',
  '/:language/desk/catalogues/:id/rules',
] as const
const common = { tag: 'desk', auth: withSession }

/** Endpoints of catalogues. */
export const catalogueEndpoints = [
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
      respond(c, (page) => rulesPage(stewardContext(page), c.req.param('id') ?? '')),
  }),
  pageEndpoint<PortalServices>({
    ...common,
    method: 'post',
    path: onePath,
    operation: 'saveCatalogueRules',
    summary: 'Save the rules of a catalogue',
    page: async (c, services) => {
      const [context, id] = [await actionContext(c, services), c.req.param('id') ?? '']
      const sent = await saveRules(context, id, await readFormData(c))
      if (!sent)
        return c.redirect(`${context.pathTo('desk', 'catalogues', id, 'rules')}?saved=1`, 303)
      const status = sent.isEdited ? 200 : 400
      return services.respond(c, (page) => rulesPage(stewardContext(page), id, sent), status)
    },
  }),
]
