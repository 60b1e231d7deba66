/** Form of the rules of a catalogue: what it shows, how it is read, and how it is saved. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { textField } from '../../http/form.ts'
import type { FormField } from '../../profile/form-model.ts'
import { termIn, termText } from '../../rdf/lines.ts'
import { namedNode, quad } from '../../rdf/terms.ts'
import { listed, textAt, valueAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { mostPoints } from '../parts/quality.ts'
import { numberAt } from '../record.ts'
import { sentFields } from '../steward-endpoints.ts'
import { isStewardOf } from './catalogues-page.ts'
import { conceptsOfForm } from './concepts.ts'
import { readModel, typedIn } from './drafts.ts'
import { fieldsOfModel } from './form-page.ts'
import type { Typed } from './form-names.ts'
import { savedForm } from './form-post.ts'

/** Resource that represents a new dataset while its first values are edited. */
export const newDataset = namedNode('urn:x-rules:dataset')

/** Rules as the form shows them. */
export type RulesForm = {
  readonly review: string
  readonly languages: readonly string[]
  readonly required: readonly string[]
  readonly programs: boolean
  /** Text of the field. */
  readonly points: string
  /** First values as statements about `newDataset`, and inputs that are no value. */
  readonly defaults: readonly Quad[]
  readonly typed: readonly Typed[]
  /** Names of the fields with a control for first values, and of those with a further row. */
  readonly shown: readonly string[]
  readonly added: readonly string[]
  /** Revision of the rules that the form began with. */
  readonly revision: string
}

/** Form that was sent: its rules, and why they were not saved. */
export type SentRules = {
  readonly rules: RulesForm
  /** Whether the form is shown again because a button of a field was pressed. */
  readonly isEdited: boolean
  readonly error?: Failure
}

/** Path of the rules of a catalogue at the repository. */
export const rulesPath = (id: string) => `/catalogues/${encodeURIComponent(id)}/rules`

const statement = (path: string, value: string): readonly Quad[] => {
  const term = termIn(value)
  return term ? [quad(newDataset, namedNode(path), term)] : []
}

const textsAt = (value: unknown, name: string) => listed(valueAt(value, name)).map(String)

/** Rules as the repository has them. */
export const rulesIn = (answer: unknown): RulesForm => ({
  review: textAt(answer, 'review') ?? 'new',
  languages: textsAt(answer, 'languages'),
  required: textsAt(answer, 'required'),
  programs: valueAt(answer, 'programs') === true,
  points: String(numberAt(answer, 'points') || ''),
  defaults: listed(valueAt(answer, 'defaults')).flatMap((one) =>
    statement(textAt(one, 'path') ?? '', textAt(one, 'value') ?? ''),
  ),
  typed: [],
  shown: [],
  added: [],
  revision: textAt(answer, 'revision') ?? '',
})

/** Classes of described values that records may link by the address of a resource. */
const linked: ReadonlySet<string> = new Set([
  'Agent',
  'AgentMultiLang',
  'ContactPoint',
  'LabeledResource',
])

/** Fields of datasets that may have a first value: those that one control shows, others by the address of a resource. */
export const defaultFields = (fields: readonly FormField[]): readonly FormField[] =>
  fields
    .filter(
      ({ nested, editor, mappingClass = '' }) =>
        !nested || editor === 'place' || linked.has(mappingClass),
    )
    .map(({ nested, ...field }) => {
      const editor = field.editor === 'place' ? 'concept' : nested ? 'address' : field.editor
      return { ...field, editor, need: 'optional' }
    })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Statements of the hidden field, as far as they are about a new dataset. */
const statementsIn = (text: string): readonly Quad[] =>
  text.split(/\r?\n/).flatMap((line) => {
    const [, path = '', value = ''] = /^<([^>]*)> (.*)$/s.exec(line) ?? []
    return path === '' ? [] : statement(path, value)
  })

/** Statements about `newDataset` as lines of a path and a value. */
export const statementText = (quads: readonly Quad[]): string =>
  quads.map(({ predicate, object }) => `<${predicate.value}> ${termText(object)}`).join('\n')

/** Reads the form. Rejects with `Failure`. */
async function sentRules(context: StewardContext, form: FormData): Promise<RulesForm> {
  const model = await readModel(context, 'datasets')
  const [fields, concepts] = [fieldsOfModel(model), await conceptsOfForm(context, model)]
  const pressed = textField(form, 'do')
  const entries = [...sentFields(form)].filter(([name]) => name.includes('.'))
  const quads = statementsIn(textField(form, 'defaults'))
  const typed = typedIn(parsed(textField(form, 'typed')))
  const change = savedForm({
    quads,
    typed,
    node: newDataset,
    fields: defaultFields(fields),
    entries,
    pressed,
    pageLanguage: context.language,
    concepts,
  })
  const removed = new Set(change.removed)
  const [, field = ''] = /^add:(.*)$/s.exec(pressed) ?? []
  const tag = textField(form, `${field}.@`)
  const texts = (name: string) => [...new Set(form.getAll(name).map(String))]
  return {
    review: textField(form, 'review'),
    languages: texts('language'),
    required: texts('required'),
    programs: form.has('programs'),
    points: textField(form, 'points').trim(),
    defaults: [...quads.filter((one) => !removed.has(one)), ...change.added],
    typed: change.typed,
    shown: [...texts('shown'), ...(pressed === 'fill' ? [textField(form, 'fill')] : [])],
    added: field === '' ? [] : [tag === '' ? field : `${field}.${tag}`],
    revision: textField(form, 'revision'),
  }
}

/** Points of a text, 0 for none; `undefined` for a text that says no points. */
export const pointsIn = (text: string): number | undefined => {
  const number = text === '' ? 0 : /^\d{1,3}$/.test(text) ? Number(text) : mostPoints + 1
  return number > mostPoints ? undefined : number
}

/**
 * Saves the rules of a form; resolves with what is shown again where they are wrong, were changed meanwhile, or where another button
 * was pressed. Rejects with `not-found` for who is no steward of the catalogue.
 */
export async function saveRules(
  context: StewardContext,
  id: string,
  form: FormData,
): Promise<SentRules | undefined> {
  if (!isStewardOf(context, id)) throw new Failure('not-found', 'there is no such catalogue')
  const rules = await sentRules(context, form)
  if (textField(form, 'do') !== 'save') return { rules, isEdited: true }
  const points = pointsIn(rules.points)
  if (points === undefined || rules.typed.length > 0) return { rules, isEdited: false }
  const { review, languages, required, programs, defaults, revision } = rules
  const body = {
    review,
    languages,
    required,
    programs,
    points,
    defaults: defaults.map(({ predicate, object }) => ({
      path: predicate.value,
      value: termText(object),
    })),
  }
  try {
    await context.ask('deskRepository', rulesPath(id), {
      method: 'PUT',
      headers: {
        'Content-Type': 'application/json',
        'If-Match': `"${encodeURIComponent(revision)}"`,
      },
      body: JSON.stringify(body),
    })
    return undefined
  } catch (error) {
    const isRefusal =
      error instanceof Failure && ['precondition-failed', 'invalid-parameter'].includes(error.kind)
    if (!isRefusal) throw error
    return { rules, isEdited: false, error }
  }
}
