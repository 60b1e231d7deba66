/** Endpoints of the page of versions: the page, and the form that makes a draft which takes one back, or goes back to one. */

import { Failure } from '../../errors.ts'
import { readForm } from '../../http/form.ts'
import { textAt } from '../../text/json.ts'
import { deskGet, deskPost } from './desk-routes.ts'
import { placeOf } from './drafts.ts'
import { historyPage } from './history-page.ts'

const path = '/:type/:id/history'

/** Endpoints of the page of versions. */
export const historyEndpoints = [
  deskGet(path, 'getDeskHistory', 'The versions of a record', (context, c) =>
    historyPage(context, placeOf(c)),
  ),
  deskPost(
    path,
    'postDeskHistory',
    'Make a draft that takes a version back, or goes back to one',
    async ({ context, c }) => {
      const [field, { type, id }] = [await readForm(c), placeOf(c)]
      const did = field('do') === 'undo' ? 'undo' : 'restore'
      const number = field(did === 'undo' ? 'version' : 'former')
      const pathOf = (step: string) => context.pathTo('desk', type, id, step)
      const query = new URLSearchParams({ of: id, [did]: number })
      const drafts = `/drafts/${encodeURIComponent(type)}?${query.toString()}`
      try {
        const draft = await context.ask('deskRepository', drafts, { method: 'POST' })
        // Later versions changed the same: the person decides first.
        const isOpen = textAt(draft, 'baseTag')?.startsWith('version-') === true
        const words = did === 'undo' ? did : 'version'
        return c.redirect(`${pathOf(isOpen ? 'merge' : 'check')}?did=${words}`, 303)
      } catch (error) {
        if (error instanceof Failure && error.kind === 'conflict')
          return c.redirect(`${pathOf('history')}?did=draft`, 303)
        throw error
      }
    },
  ),
]
