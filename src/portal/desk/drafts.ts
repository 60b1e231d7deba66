/** Drafts as the desk reads and saves them, through the repository and as the person who is signed in. */

import { Failure } from '../../errors.ts'
import { problemOf } from '../../http/problem.ts'
import type { FormModel } from '../../profile/form-model.ts'
import { readLines, toLine } from '../../rdf/lines.ts'
import { listed, memberFields, textAt, valueAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { numberAt } from '../record.ts'
import type { Draft } from './form-page.ts'
import type { FormChange, Typed } from './form-post.ts'

/** Type, id and catalogue of a record. */
export type RecordPlace = Pick<Draft, 'type' | 'id' | 'catalogue'>

const pathOf = ({ type, id, catalogue }: RecordPlace): string => {
  const query = catalogue === '' ? '' : `?catalogue=${encodeURIComponent(catalogue)}`
  return `/drafts/${encodeURIComponent(type)}/${encodeURIComponent(id)}${query}`
}

const typedIn = (value: unknown): readonly Typed[] =>
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

/** Reads a draft with its graph and form; its catalogue need not be known. Rejects with `not-found` for who may not see it. */
export async function readDraft(context: StewardContext, place: RecordPlace): Promise<Draft> {
  const { ask } = context
  const read = (type: string) => ask('deskRepository', pathOf(place), { headers: { Accept: type } })
  const [about, lines, model] = await Promise.all([
    read('application/json'),
    read('application/n-triples'),
    readModel(context, place.type),
  ])
  const catalogue = textAt(about, 'catalogue') ?? place.catalogue
  // The repository refuses what the person may not; the form of who may only read is absent.
  const action = { method: 'PATCH', path: pathOf(place), catalogue, role: 'publisher' } as const
  const actions = valueAt(about, 'may')
  const isWritable = actions === undefined || listed(actions).includes('write')
  if (!isWritable || !context.steward.may(action))
    throw new Failure('not-found', 'there is no draft that you may write at this address')
  const score = numberAt(about, 'score')
  return {
    ...place,
    catalogue,
    title: context.textOf(valueAt(about, 'title'))?.text ?? '',
    state: textAt(about, 'state') ?? 'draft',
    revision: String(numberAt(about, 'revision')),
    score: score > 0 ? score : undefined,
    typed: typedIn(memberFields(about)['typed']),
    quads: await readLines(typeof lines === 'string' ? lines : ''),
    model,
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
  const change = { remove: removed.map(toLine), add: added.map(toLine), typed }
  const headers = { 'Content-Type': 'application/json', 'If-Match': `"${draft.revision}"` }
  const init = { method: 'PATCH', headers, body: JSON.stringify(change) }
  try {
    await context.ask('deskRepository', pathOf(draft), init)
    return true
  } catch (error) {
    if (problemOf(error, '').status === 412) return false
    throw error
  }
}
