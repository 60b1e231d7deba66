/** Endpoints of the form of a draft: sections, pages of described values, and the pages on which concepts are chosen. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { pageEndpoint } from '../../http/endpoint.ts'
import { readForm, readFormData } from '../../http/form.ts'
import { graphOf } from '../../rdf/read.ts'
import type { StewardContext } from '../context.ts'
import type { PageContent } from '../layout.ts'
import type { PortalServices } from '../portal-services.ts'
import { actionContext, stewardContext, withSession } from '../steward-endpoints.ts'
import { shippedConcepts } from './concepts.ts'
import { placeOf, readDraft, saveDraft } from './drafts.ts'
import { type Draft, fieldsOfModel, nodeOf, rowNamed, sectionPage, valuePage } from './form-page.ts'
import { savedForm } from './form-post.ts'
import { rowsOf } from './form-rows.ts'
import { pickPage } from './pick-page.ts'

/** Most fields of a form. */
const mostFields = 2000
/** Most rows that an address adds. */
const mostAdded = 20

const addedIn = (context: StewardContext): readonly string[] =>
  context.query.getAll('add').slice(0, mostAdded)

type View = Parameters<typeof sectionPage>[0]
type Show = (view: View, name: string) => PageContent | undefined

/** Page of a draft. */
const draftPage = (path: `/${string}`, operation: string, summary: string, show: Show) =>
  pageEndpoint<PortalServices>({
    path: `/:language/desk/:type/:id/${path.slice(1)}`,
    operation,
    tag: 'desk',
    summary,
    auth: withSession,
    page: (c, { respond }) =>
      respond(c, async (page) => {
        const context = stewardContext(page)
        const draft = await readDraft(context, placeOf(c))
        const view = { context, draft, concepts: await shippedConcepts(), added: addedIn(context) }
        return show(view, c.req.param('name') ?? '')
      }),
  })

/** Saves a posted form; resolves with the draft as it was before. Rejects with `conflict` where others change it all the time. */
async function savePosted(
  context: StewardContext,
  c: AppContext,
): Promise<{ readonly draft: Draft; readonly form: FormData; readonly pressed: string }> {
  const form = await readFormData(c)
  const entries = [...form].flatMap(([name, value]) =>
    typeof value === 'string' && name.includes('.') ? [[name, value] as const] : [],
  )
  if (entries.length > mostFields)
    throw new Failure(
      'invalid-parameter',
      `a form has at most ${mostFields} fields; edit the record as Turtle`,
    )
  const pressed = (await readForm(c))('do') || 'save'
  const look = await shippedConcepts()
  for (let attempt = 0; attempt < 3; attempt++) {
    const draft = await readDraft(context, placeOf(c))
    const { quads, typed, model } = draft
    const change = savedForm({
      quads,
      typed,
      node: nodeOf(draft),
      fields: fieldsOfModel(model),
      entries,
      pressed,
      pageLanguage: context.language,
      concepts: look,
    })
    if (await saveDraft(context, draft, change)) return { draft, form, pressed }
  }
  throw new Failure('conflict', 'others change this draft at the moment: send it again')
}

const split = (text: string): readonly [string, string] => {
  const at = text.indexOf(':')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Form that is saved and leads on: to the field of the pressed button, or after *Save and continue* to the next page. */
const draftForm = (path: `/${string}`, operation: string, summary: string, next: Next) =>
  pageEndpoint<PortalServices>({
    method: 'post',
    path: `/:language/desk/:type/:id/${path.slice(1)}`,
    operation,
    tag: 'desk',
    summary,
    auth: withSession,
    page: async (c, services) => {
      const context = await actionContext(c, services)
      const name = c.req.param('name') ?? ''
      const { draft, form, pressed } = await savePosted(context, c)
      const { type, id, catalogue } = draft
      const [action, rest] = split(pressed)
      const to = (...steps: readonly string[]) => context.pathTo('desk', type, id, ...steps)
      const query = new URLSearchParams({ catalogue })
      if (action === 'next')
        return c.redirect(`${to(...next(draft, name, context))}?${query.toString()}`, 303)
      const field = rest.split('=')[0] ?? ''
      const tag = form.get(`${field}.@`)
      const isText = typeof tag === 'string' && action === 'add' && tag !== ''
      for (const added of addedIn(context)) query.append('add', added)
      if (action === 'add') query.append('add', isText ? `${field}.${tag}` : field)
      query.set('saved', '1')
      const steps =
        action === 'remove' && field === name
          ? next(draft, name, context)
          : here(path, name, draft, context)
      const anchor =
        field === '' ? '' : `#f-${field.split('.').slice(0, fieldDepth(field)).join('.')}`
      return c.redirect(`${to(...steps)}?${query.toString()}${anchor}`, 303)
    },
  })

/** Number of parts of a control's name that lead to its field: an odd one. */
const fieldDepth = (name: string): number => {
  const { length } = name.split('.')
  return length % 2 === 1 ? length : length - 1
}

type Next = (draft: Draft, name: string, context: StewardContext) => readonly string[]

/** Section after this one, then the check. */
const nextSection: Next = ({ model }, id) => {
  const index = model.sections.findIndex((section) => section.id === id)
  return [model.sections[index + 1]?.id ?? 'check']
}

/** Page of the section, or of the described value, whose fields a value belongs to. */
const parentOf: Next = ({ model }, name) => {
  const parts = name.split('.')
  if (parts.length > 2) return ['files', parts.slice(0, -2).join('.')]
  return [
    model.sections.find(({ fields }) => fields.some((field) => field.name === parts[0]))?.id ??
      'essentials',
  ]
}

/** The page of the form itself; for a value that had no page before its first saving, the list that it is in. */
function here(
  path: string,
  name: string,
  draft: Draft,
  context: StewardContext,
): readonly string[] {
  if (!path.startsWith('/files')) return [name]
  const source = {
    graph: graphOf(draft.quads),
    typed: [],
    pageLanguage: context.language,
    languages: [],
    added: [],
  }
  const isThere =
    rowNamed(rowsOf(source, nodeOf(draft), fieldsOfModel(draft.model)), name)?.row.term !==
    undefined
  return isThere ? ['files', name] : parentOf(draft, name, context)
}

/** Endpoints of forms. Those with more steps come first: a section is one step. */
export const formEndpoints = [
  draftPage('/files/:name', 'getDraftValue', 'A described value of a draft', valuePage),
  draftForm('/files/:name', 'saveDraftValue', 'Save a described value of a draft', parentOf),
  draftPage('/pick/:name', 'getConceptsToPick', 'The concepts of a field to choose from', pickPage),
  draftForm('/pick/:name', 'pickConcepts', 'Add concepts to a draft', parentOf),
  draftPage('/:name', 'getDraftSection', 'A section of the form of a draft', sectionPage),
  draftForm('/:name', 'saveDraftSection', 'Save a section of the form of a draft', nextSection),
]
