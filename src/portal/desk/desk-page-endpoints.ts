/** Endpoints of the desk itself, of its list of datasets, and of the page on which a dataset is begun. */

import { readForm, readFormData } from '../../http/form.ts'
import type { StewardContext } from '../context.ts'
import type { MaybePage } from '../layout.ts'
import { beginDraft, beginPage } from './begin-page.ts'
import { type BulkResult, runBulk } from './bulk-actions.ts'
import { deskDatasetsPage, deskPage } from './desk-page.ts'
import { deskGet, deskPost, type Sent } from './desk-routes.ts'
import { keptForm, withUnsaved } from './unsaved.ts'
import { deskWaitingPage } from './waiting-page.ts'

/** Answer to the form below a list: the list with the result. */
const bulk =
  (page: (context: StewardContext, result: BulkResult) => MaybePage) =>
  async ({ context, c, show }: Sent) => {
    const result = await runBulk(context, await readFormData(c))
    return show((again) => page(again, result), result.refusal === undefined ? 200 : 400)
  }

/** Endpoints of the desk, its lists, and its first step. */
export const deskPageEndpoints = [
  deskGet('', 'deskPage', 'What waits for a person, and the drafts and datasets', (context) =>
    deskPage(context),
  ),
  deskGet('/datasets', 'deskDatasets', 'Drafts, or published datasets', (context) =>
    deskDatasetsPage(context),
  ),
  deskPost(
    '/datasets',
    'changeDatasets',
    'Take an action on the records of a list that are ticked',
    bulk(deskDatasetsPage),
  ),
  deskGet('/waiting', 'deskWaiting', 'All that waits for a person', (context) =>
    deskWaitingPage(context),
  ),
  deskPost(
    '/waiting',
    'decideReviews',
    'Publish or send back the reviews that are ticked',
    bulk(deskWaitingPage),
  ),
  deskGet('/new', 'beginPage', 'The ways to begin a dataset', async (context) => {
    const kept = keptForm(context)
    const field = (name: string) => kept?.fields.get(name) ?? ''
    return withUnsaved(context, await beginPage(context, kept && { field }), kept)
  }),
  deskPost(
    '/new',
    'beginDraft',
    'Begin a dataset, or the change of a published one',
    async ({ context, c, show }) => {
      const result = await beginDraft(context, await readForm(c))
      if (typeof result === 'string') return c.redirect(result, 303)
      return show((again) => beginPage(again, result), 400)
    },
  ),
]
