/** Endpoints of the form of a draft: sections, pages of described values, and the pages on which concepts are chosen. */

import type { Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { pageEndpoint } from '../../http/endpoint.ts'
import { readFormData, textField } from '../../http/form.ts'
import type { StewardContext } from '../context.ts'
import type { PageContent, PageStatus } from '../layout.ts'
import { shaclResults } from '../parts/findings.ts'
import type { PortalServices } from '../portal-services.ts'
import { sentFields, stewardContext, withSession } from '../steward-endpoints.ts'
import { catalogueValues, offeredValues } from './catalogue-values.ts'
import { conceptsOfForm } from './concepts.ts'
import { isPublishedOnly, placeOf, pointsOfDraft, readDraft, saveDraft } from './drafts.ts'
import { deskGet, deskPost } from './desk-routes.ts'
import { fieldLinks } from './field-links.ts'
import { fixQuery } from './fix.ts'
import { listQuery } from './form-fields.ts'
import {
  type Draft,
  fieldAt,
  fieldsOfModel,
  formPath,
  nodeOf,
  rowNamed,
  rowsOfDraft,
  sectionPage,
  sectionWith,
  valuePage,
} from './form-page.ts'
import { firstSection, isChoice, isUnchanged, rowKey, split } from './form-names.ts'
import { savedForm } from './form-post.ts'
import { pickPage } from './pick-page.ts'
import { failedForm, keptForm, statusOf, type Unsaved, withUnsaved } from './unsaved.ts'

/** Most fields of a form, and most characters of all of them. */
const [mostFields, mostCharacters] = [2000, 2 * 2 ** 20]
/** Most rows that an address adds. */
const mostAdded = 20

const addedIn = (context: StewardContext): readonly string[] =>
  context.query.getAll('add').slice(0, mostAdded)

type View = Parameters<typeof sectionPage>[0]
type Show = (view: View, name: string) => PageContent | undefined

/** Makes a page of the draft of a request; with a form that is not saved, with its texts. Rejects with `Failure`. */
async function shown(
  c: AppContext,
  context: StewardContext,
  show: Show,
  unsaved: Unsaved | undefined,
): Promise<PageContent | undefined> {
  const draft = await readDraft(context, placeOf(c))
  const [results, concepts, values] = await Promise.all([
    resultsFor(context, draft),
    conceptsOfForm(context, draft.model),
    catalogueValues(context, draft),
  ])
  const common = { context, draft, concepts, values, results }
  const sent = unsaved && new Map(unsaved.fields)
  const view = { ...common, added: addedIn(context), sent }
  return withUnsaved(context, show(view, c.req.param('name') ?? ''), unsaved)
}

/** Results of the validation of the published dataset, where one of them is to be corrected. */
async function resultsFor(context: StewardContext, { type, id }: Draft) {
  if (context.query.get('fix') !== 'dcatApCompliance' || type !== 'datasets') return []
  const headers = { Accept: 'application/n-triples' }
  const path = `/datasets/${encodeURIComponent(id)}/metrics`
  const report = context.ask('repository', path, { headers }).then((text) => shaclResults(text))
  return (await context.optional(report)) ?? []
}

/** Page of a draft. */
const draftPage = (path: `/${string}`, operation: string, summary: string, show: Show) =>
  deskGet(`/:type/:id${path}`, operation, summary, (context, c) =>
    shown(c, context, show, keptForm(context)),
  )

type Saved = {
  /** Draft as it was before. */
  readonly draft: Draft
  /** Whether the draft had been changed after the form was made, in other ways. */
  readonly isMerged: boolean
  /** Points before the correction that the form is for; absent for other forms. */
  readonly points: string | undefined
  /** Described values that rows of the form became, by the name of the row. */
  readonly made: ReadonlyMap<string, Term>
}

/**
 * Saves a posted form. Rejects with `too-large` for one with too many fields, and with `conflict` where others change the draft all
 * the time.
 */
async function savePosted(
  context: StewardContext,
  c: AppContext,
  form: FormData,
  pressed: string,
): Promise<Saved> {
  const entries = [...sentFields(form)].filter(([name]) => name.includes('.'))
  const size = entries.reduce((sum, [name, text]) => sum + name.length + text.length, 0)
  if (entries.length > mostFields || size > mostCharacters) {
    const limits = `${mostFields} fields and ${mostCharacters} characters`
    throw new Failure('too-large', `a form has at most ${limits}; edit the record as Turtle`)
  }
  const made = textField(form, 'revision')
  for (let attempt = 0; attempt < 4; attempt++) {
    const draft = await readDraft(context, placeOf(c))
    const { quads, typed, model } = draft
    const isStale = form.has('revision') && made !== draft.revision
    const change = savedForm({
      quads,
      typed,
      node: nodeOf(draft),
      fields: fieldsOfModel(model),
      entries,
      pressed,
      pageLanguage: context.language,
      concepts: await conceptsOfForm(context, model),
      isStale,
      attempt: textField(form, 'attempt'),
      copied: await copiedBy(context, draft, pressed),
    })
    const isMerged = isStale && made !== '' && change.removed.length + change.added.length > 0
    const isFix = context.query.has('fix') && !isPublishedOnly(draft)
    const before = isFix ? textField(form, 'from') || (await pointsOfDraft(context, draft)) : ''
    if (await saveDraft(context, draft, change)) {
      // The check notes the points of the draft, so that the next page and the lists have them.
      const after = await pointsOfDraft(context, draft)
      return { draft, isMerged, points: isFix && after ? before : undefined, made: change.made }
    }
  }
  throw new Failure('conflict', 'others change this draft at the moment: send it again')
}

/** Values that the pressed button (`copy:FIELD=OFFER`) takes from another dataset. */
async function copiedBy(context: StewardContext, draft: Draft, pressed: string) {
  const [, name, offer = ''] = /^copy:([^=]+)=(.*)$/s.exec(pressed) ?? []
  const field = fieldsOfModel(draft.model).find((candidate) => candidate.name === name)
  const target = { catalogue: draft.catalogue, node: nodeOf(draft) }
  return field && (await offeredValues(context, target, field, offer))
}

/** Texts that were typed into fields that the form had before the profile changed. */
const textsWithoutField = (draft: Draft, form: FormData): URLSearchParams =>
  new URLSearchParams(
    [...sentFields(form)].filter(
      ([name, text]) =>
        name.includes('.') &&
        !isChoice(name) &&
        text.trim() !== '' &&
        !isUnchanged(name, text) &&
        !fieldAt({ draft }, name.replace(/\.(?:west|south|east|north)$/, '')),
    ),
  )

type FormSteps = {
  /** Page of the form, which is shown again where it cannot be saved. */
  readonly show: Show
  readonly next: Next
}

/** Form that is saved and leads on: to the field of the pressed button, or after *Save and continue* to the next page. */
const draftForm = (path: `/${string}`, operation: string, summary: string, steps: FormSteps) =>
  deskPost(`/:type/:id${path}`, operation, summary, async ({ context, c, show }) => {
    const form = await readFormData(c)
    const pressed = textField(form, 'do') || 'save'
    // The list of concepts does not show what others chose meanwhile.
    const again = (unsaved: Unsaved, status: PageStatus) =>
      show((page) => shown(c, page, status === 412 ? showValues : steps.show, unsaved), status)
    try {
      const saved = await savePosted(context, c, form, pressed)
      const fields = textsWithoutField(saved.draft, form)
      if (fields.size > 0) return await again({ fields, why: 'unsaved-field', isListed: true }, 409)
      const after = { context, c, form, pressed, saved, path, next: steps.next }
      return c.redirect(pathAfter(after), 303)
    } catch (error) {
      const turtle = formPath({ context, draft: placeOf(c) }, 'turtle')
      const failed = failedForm(form, error)
      return again(failed.why === 'unsaved-large' ? { ...failed, turtle } : failed, statusOf(error))
    }
  })

/** Page with the values of a form: that of the field for which concepts are chosen, else of the section or value that is named. */
const showValues: Show = (view, name) =>
  sectionPage(view, name) ??
  valuePage(view, name) ??
  valuePage(view, name.slice(0, name.lastIndexOf('.'))) ??
  sectionPage(view, sectionWith(view.draft.model, name)?.id ?? '')

type AfterSaving = {
  readonly context: StewardContext
  readonly c: AppContext
  readonly form: FormData
  readonly pressed: string
  readonly saved: Saved
  readonly path: string
  readonly next: Next
}

/** Path of the page that follows a saved form, with its query and anchor. */
function pathAfter(after: AfterSaving): string {
  const { context, c, form, pressed, saved, next } = after
  const { draft, isMerged, points } = saved
  const name = c.req.param('name') ?? ''
  const [action, rest] = split(pressed, ':')
  const query = new URLSearchParams({ catalogue: draft.catalogue })
  if (points !== undefined) query.set('from', points)
  const to = (steps: readonly string[]) =>
    `${context.pathTo('desk', draft.type, draft.id, ...steps)}?${query.toString()}`
  if (action === 'next') return to(next(draft, name, context))
  const typed = rest.split('=')[0] ?? ''
  const tag = textField(form, `${typed}.@`)
  const field = nameAfter(typed, saved)
  for (const added of addedIn(context)) query.append('add', added)
  if (action === 'add') query.append('add', tag === '' ? field : `${field}.${tag}`)
  query.set('saved', isMerged ? 'merged' : '1')
  const isGone = action === 'remove' && field === name
  // A row that the button has filled has another name now.
  const shown = action === 'use' ? (typed.split('.+')[0] ?? '') : field
  const anchor = field === '' ? '' : `#f-${shown.split('.').slice(0, fieldDepth(shown)).join('.')}`
  const steps = isGone ? next(draft, name, context) : here(after)
  // Enter in the field of a search saves the form as well.
  const find = textField(form, 'find').trim()
  const isSearch = form.has('find') && find !== (context.query.get('q') ?? '')
  const list = isSearch ? `&q=${encodeURIComponent(find)}` : listQuery(context)
  return to(steps) + list + fixQuery(context) + anchor
}

/** Name of a control after its form was saved: rows that became described values have names of their own. */
const nameAfter = (name: string, { made }: Pick<Saved, 'made'>): string =>
  [...made]
    .toSorted(([one], [other]) => other.length - one.length)
    .reduce(
      (now, [row, term]) =>
        now === row || now.startsWith(`${row}.`)
          ? `${row.slice(0, row.lastIndexOf('.'))}.${rowKey(term, '')}${now.slice(row.length)}`
          : now,
      name,
    )

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
  return [sectionWith(model, name)?.id ?? firstSection]
}

/** The page of the form itself; of a value that its first saving made, the page of this value. */
function here({ context, c, path, saved }: AfterSaving): readonly string[] {
  const name = c.req.param('name') ?? ''
  if (!path.startsWith('/files')) return [name]
  const [{ draft }, own] = [saved, nameAfter(name, saved)]
  if (own !== name) return ['files', own]
  const isThere = rowNamed(rowsOfDraft({ context, draft, added: [] }), name)?.row.term
  return isThere ? ['files', name] : parentOf(draft, name, context)
}

/** Address that leads on to the field of something that is wrong with a dataset, else to its check. */
const leadToField = pageEndpoint<PortalServices>({
  path: '/:language/desk/datasets/:id/fix',
  operation: 'getFieldToCorrect',
  tag: 'desk',
  summary: 'The field of the form that corrects a finding',
  auth: withSession,
  page: async (c, { contextOf }) => {
    const context = stewardContext(await contextOf(c))
    const place = { ...placeOf(c), type: 'datasets' }
    const links = await fieldLinks(context, place)
    if (!links) throw new Failure('not-found', 'there is no dataset that you may change here')
    const text = (name: string) => context.query.get(name) ?? undefined
    const wrong = { fix: text('fix') ?? '', path: text('path') ?? '', value: text('value') }
    const check = context.pathTo('desk', place.type, place.id, 'check')
    return c.redirect(links.toFinding(wrong) ?? check, 303)
  },
})

/** Endpoints of forms. Those with more steps come first: a section is one step. */
export const formEndpoints = [
  leadToField,
  draftPage('/files/:name', 'getDraftValue', 'A described value of a draft', valuePage),
  draftForm('/files/:name', 'saveDraftValue', 'Save a described value of a draft', {
    show: valuePage,
    next: parentOf,
  }),
  draftPage('/pick/:name', 'getConceptsToPick', 'The concepts of a field to choose from', pickPage),
  draftForm('/pick/:name', 'pickConcepts', 'Add concepts to a draft', {
    show: pickPage,
    next: parentOf,
  }),
  draftPage('/:name', 'getDraftSection', 'A section of the form of a draft', sectionPage),
  draftForm('/:name', 'saveDraftSection', 'Save a section of the form of a draft', {
    show: sectionPage,
    next: nextSection,
  }),
]
