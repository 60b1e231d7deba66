/** Drafts as the desk reads and saves them, through the repository and as the person who is signed in. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { problemOf } from '../../http/problem.ts'
import type { FormField, FormModel } from '../../profile/form-model.ts'
import { readLines, toLine } from '../../rdf/lines.ts'
import { dct } from '../../rdf/namespaces.ts'
import { listed, memberFields, textAt, valueAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { numberAt } from '../record.ts'
import { isLong } from './form-fields.ts'
import { type Draft, type FormRules, nodeOf } from './form-page.ts'
import type { Typed } from './form-names.ts'
import type { FormChange } from './form-post.ts'

/** Type, id and catalogue of a record. */
export type RecordPlace = Pick<Draft, 'type' | 'id' | 'catalogue'>

/** Record that an address of the desk names. */
export const placeOf = (c: AppContext): RecordPlace => ({
  type: c.req.param('type') ?? '',
  id: c.req.param('id') ?? '',
  catalogue: c.req.query('catalogue') ?? '',
})

/** Record of a page of the desk: `datasets`, `catalogues` or a declared type, and its id. */
export type VersionPlace = { readonly type: string; readonly id: string }

/** Path of a record at the repository. */
export const repositoryPath = ({ type, id }: VersionPlace): string => {
  const isBuiltIn = type === 'datasets' || type === 'catalogues'
  return `${isBuiltIn ? '' : '/customresources'}/${encodeURIComponent(type)}/${encodeURIComponent(id)}`
}

/** Path of a draft at the repository, or of a `step` below it, such as `/findings`. */
export const draftPath = ({ type, id, catalogue }: RecordPlace, step = ''): string => {
  const query = catalogue === '' ? '' : `?catalogue=${encodeURIComponent(catalogue)}`
  return `/drafts/${encodeURIComponent(type)}/${encodeURIComponent(id)}${step}${query}`
}

/** Reads inputs that are no RDF from JSON. */
export const typedIn = (value: unknown): readonly Typed[] =>
  listed(value).map((entry) => ({
    node: textAt(entry, 'node') ?? '',
    path: textAt(entry, 'path') ?? '',
    language: textAt(entry, 'language') ?? '',
    text: textAt(entry, 'text') ?? '',
    message: textAt(entry, 'message') ?? 'no-match',
  }))

/** Form model of a type, by the entity tag of the answer that it was read from. */
export async function readModel(context: StewardContext, type: string): Promise<FormModel> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the repository answers what form-model.ts describes
  return (await context.ask(
    'repository',
    `/profile/forms/${encodeURIComponent(type)}`,
  )) as FormModel
}

/** Rules of a catalogue as forms follow them; none where there is no such catalogue yet, or none at all. */
async function rulesFor(
  { askOptional }: StewardContext,
  { type, catalogue }: Pick<RecordPlace, 'type' | 'catalogue'>,
): Promise<FormRules> {
  const path = `/catalogues/${encodeURIComponent(catalogue)}/rules`
  const rules = catalogue === '' ? undefined : await askOptional('deskRepository', path)
  const texts = (name: string) => listed(rules?.[name]).map(String)
  return { languages: texts('languages'), required: type === 'datasets' ? texts('required') : [] }
}

/** Form in which the fields that the rules ask for are required, and on the first page. */
function ruledModel(model: FormModel, { languages, required }: FormRules): FormModel {
  const texts = languages.length > 0 ? [dct('title').value, dct('description').value] : []
  const asked = new Set([...required, ...texts])
  const isAsked = ({ path }: FormField) => path.some((one) => asked.has(one))
  const sections = model.sections.map((section) => ({
    ...section,
    fields: section.fields.map((field) =>
      isAsked(field) ? { ...field, need: 'required' as const } : field,
    ),
  }))
  const first = sections.find(({ id }) => id === 'essentials')
  if (!first) return { ...model, sections }
  const isMoved = (field: FormField) => isAsked(field) && !isLong(field)
  const others = sections.filter((section) => section !== first)
  const moved = others.flatMap(({ fields }) => fields.filter(isMoved))
  const own = [
    { ...first, fields: [...first.fields, ...moved] },
    ...others.map((one) => ({ ...one, fields: one.fields.filter((field) => !isMoved(field)) })),
  ]
  return { ...model, sections: own.filter(({ fields }) => fields.length > 0) }
}

const noDraft = () =>
  new Failure('not-found', 'there is no draft that you may write at this address')

const missing: ReadonlySet<string> = new Set(['not-found', 'unknown-resource', 'unknown-dataset'])

/** Reads a draft; `undefined` where there is none at the address, or none that the person may see. */
export const findDraft = (
  context: StewardContext,
  place: RecordPlace,
): Promise<Draft | undefined> =>
  readAnyDraft(context, place).catch((error: unknown) => {
    if (error instanceof Failure && missing.has(error.kind)) return undefined
    throw error
  })

/**
 * Reads a draft for its form; of a published record without one, what its first change makes a draft of. Rejects with `not-found`
 * for who may not write it, and while it is in review or scheduled.
 */
export async function readDraft(context: StewardContext, place: RecordPlace): Promise<Draft> {
  const draft = await findDraft(context, place)
  if (!draft || draft.state === 'away') return readUnchanged(context, place)
  if (!draft.may.includes('write')) throw noDraft()
  return draft
}

/** Whether there is no draft yet: the form shows the published record. */
export const isPublishedOnly = ({ state }: Pick<Draft, 'state'>): boolean => state === 'published'

/** Published record for its form. Nothing is written before it is changed. */
async function readUnchanged(context: StewardContext, place: RecordPlace): Promise<Draft> {
  const path = repositoryPath(place)
  const asLines = { headers: { Accept: 'application/n-triples' } }
  const [history, lines, model] = await Promise.all([
    context.ask('deskRepository', `${path}/versions`),
    context.ask('deskRepository', path, asLines),
    readModel(context, place.type),
  ])
  const catalogue = textAt(history, 'catalogue') ?? ''
  const isThere = place.catalogue === '' || place.catalogue === catalogue
  if (!isThere || valueAt(history, 'mayChange') !== true) throw noDraft()
  const rules = await rulesFor(context, { type: place.type, catalogue })
  const quads = await readLines(typeof lines === 'string' ? lines : '')
  const titles = quads.flatMap(({ subject, predicate, object }) =>
    subject.equals(nodeOf({ quads, model })) &&
    predicate.equals(dct('title')) &&
    object.termType === 'Literal'
      ? [[object.language, object.value]]
      : [],
  )
  return {
    ...place,
    catalogue,
    title: context.textOf(Object.fromEntries(titles))?.text ?? '',
    state: 'published',
    revision: '',
    score: undefined,
    typed: [],
    quads,
    model: ruledModel(model, rules),
    rules,
    may: ['write'],
    about: {},
  }
}

/** Makes the draft of a published record. Rejects with `Failure`. */
const openDraftOf = ({ ask }: StewardContext, { type, id }: RecordPlace): Promise<unknown> =>
  ask('deskRepository', `/drafts/${encodeURIComponent(type)}?of=${encodeURIComponent(id)}`, {
    method: 'POST',
  })

/** Points of a draft as the metrics would count them, without those for links that work; `undefined` where they are not known. */
export async function pointsOfDraft(
  { ask }: StewardContext,
  place: RecordPlace,
): Promise<string | undefined> {
  const checked = await ask('deskRepository', draftPath(place, '/findings')).catch(() => undefined)
  const score = valueAt(checked, 'score')
  return typeof score === 'number' ? String(score) : undefined
}

/**
 * Reads a draft with its graph and form; its catalogue need not be known. Rejects with `not-found` for who may not see it or may do
 * nothing with it.
 */
export async function readAnyDraft(context: StewardContext, place: RecordPlace): Promise<Draft> {
  const { ask } = context
  const read = (type: string) =>
    ask('deskRepository', draftPath(place), { headers: { Accept: type } })
  const [about, lines, model] = await Promise.all([
    read('application/json'),
    read('application/n-triples'),
    readModel(context, place.type),
  ])
  const catalogue = textAt(about, 'catalogue') ?? place.catalogue
  // The repository refuses what the person may not; the form of who may only read is absent.
  const action = { method: 'PATCH', path: draftPath(place), catalogue, role: 'publisher' } as const
  const may = listed(valueAt(about, 'may')).map(String)
  if (may.length === 0 || !context.steward.may(action)) throw noDraft()
  const score = numberAt(about, 'score')
  const rules = await rulesFor(context, { type: place.type, catalogue })
  return {
    ...place,
    catalogue,
    title: context.textOf(valueAt(about, 'title'))?.text ?? '',
    state: textAt(about, 'state') ?? 'draft',
    revision: String(numberAt(about, 'revision')),
    score: score > 0 ? score : undefined,
    typed: typedIn(memberFields(about)['typed']),
    quads: await readLines(typeof lines === 'string' ? lines : ''),
    model: ruledModel(model, rules),
    rules,
    may,
    about: memberFields(about),
  }
}

/** Saves the change of a form; `false` where the draft was changed since it was read. Rejects with `Failure`. */
export async function saveDraft(
  context: StewardContext,
  draft: Draft,
  { removed, added, typed }: FormChange,
): Promise<boolean> {
  const isTypedSame = JSON.stringify(typed) === JSON.stringify(draft.typed)
  if (removed.length + added.length === 0 && isTypedSame) return true
  // The next attempt finds the draft.
  if (isPublishedOnly(draft)) return openDraftOf(context, draft).then(() => false)
  const change = { remove: removed.map(toLine), add: added.map(toLine), typed }
  const headers = { 'Content-Type': 'application/json', 'If-Match': `"${draft.revision}"` }
  const init = { method: 'PATCH', headers, body: JSON.stringify(change) }
  try {
    await context.ask('deskRepository', draftPath(draft), init)
    return true
  } catch (error) {
    if (problemOf(error, '').status === 412) return false
    throw error
  }
}
