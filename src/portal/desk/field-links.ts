/** Links from what is wrong with a record to the fields of its form, for people who may change it. */

import { lastName } from '../../rdf/iri.ts'
import { keyOf } from '../../rdf/read.ts'
import type { PageContext } from '../context.ts'
import type { PageIndicator } from '../parts/quality.ts'
import { shippedConcepts } from './concepts.ts'
import { draftPath, readDraft } from './drafts.ts'
import { isMendedBy } from './fix.ts'
import { isLong } from './form-fields.ts'
import { formPath, nodeOf, rowsOfDraft, sectionWith, type View } from './form-page.ts'
import type { FormRows } from './form-rows.ts'

/** Field of the record or of a described value: `node` is its subject, `page` the value that has a page of its own. */
export type FieldPlace = {
  readonly node: string
  /** Class of the node. */
  readonly class: string
  readonly rows: FormRows
  readonly page: string | undefined
}

const placesIn = (
  fields: readonly FormRows[],
  { node, class: cls, page }: Omit<FieldPlace, 'rows'>,
): readonly FieldPlace[] =>
  fields.flatMap((rows) => [
    { node, class: cls, rows, page },
    ...rows.rows.flatMap(({ name, parts, term }) =>
      parts && (term?.termType === 'BlankNode' || term?.termType === 'NamedNode')
        ? placesIn(parts, {
            node: keyOf(term),
            class: rows.field.nested?.class ?? '',
            page: isLong(rows.field) ? name : page,
          })
        : [],
    ),
  ])

/** Places of all fields of a draft. */
export const placesOf = ({ draft }: View, rows: readonly FormRows[]): readonly FieldPlace[] =>
  placesIn(rows, { node: keyOf(nodeOf(draft)), class: draft.model.class, page: undefined })

/** Whether a field is that of a property, by its IRI or its name in the profile. */
const isOf = ({ field }: FormRows, path: string) =>
  field.path.includes(path) || field.name === path.slice(path.lastIndexOf('.') + 1)

/** FieldPlace of a finding: the field of its property at its node, else at another one. */
export function placeOfFinding(
  places: readonly FieldPlace[],
  { node, path }: { readonly node?: string | undefined; readonly path?: string | undefined },
): FieldPlace | undefined {
  const fitting = places.filter(({ rows }) => path !== undefined && isOf(rows, path))
  return fitting.find((one) => one.node === node) ?? fitting[0]
}

/** Path of the control of a field; `query` follows that of the page. */
export function controlPath(
  view: View,
  { rows, page }: Pick<FieldPlace, 'rows' | 'page'>,
  query = '',
) {
  const section = sectionWith(view.draft.model, rows.name)
  const steps = page === undefined ? [section?.id ?? ''] : ['files', page]
  return `${formPath(view, ...steps)}${query}#f-${rows.name}`
}

/** Something that is wrong with a record. `fix` is what its field is to say: the key of an indicator, or a reason. */
type Wrong = {
  readonly fix: string
  readonly node?: string | undefined
  /** IRI of its property, or its field in the profile such as `distributions.issued`. */
  readonly path: string
  /** Value, which may be cut. */
  readonly value?: string | undefined
}

/** Paths of the fields that correct a published dataset. */
export type FieldLinks = {
  /** Path of the field that mends an indicator, of the distribution with an id where one is passed; `undefined` where none does. */
  readonly toIndicator: (indicator: PageIndicator, distribution?: string) => string | undefined
  /** Path of the field of a finding; `undefined` where the form has none. */
  readonly toFinding: (wrong: Wrong) => string | undefined
}

/** Characters of a value by which it is found again. */
const comparedCharacters = 150

type DatasetPlace = { readonly id: string; readonly catalogue: string }

/** Whether the reader of a page may change the datasets of a catalogue. */
export const mayWriteIn = (
  { steward }: Pick<PageContext, 'steward'>,
  { id, catalogue }: DatasetPlace,
): boolean => {
  const path = draftPath({ type: 'datasets', id, catalogue })
  return steward?.may({ method: 'PATCH', path, catalogue, role: 'publisher' }) === true
}

/**
 * Path that leads on to the field of something that is wrong with a published dataset, for lists of many datasets, whose forms are
 * not read; `undefined` for who may not change it.
 */
export function pathToField(
  context: PageContext,
  place: DatasetPlace,
  { fix, path, value = '' }: Wrong,
): string | undefined {
  if (place.id === '' || path === '' || !mayWriteIn(context, place)) return undefined
  const wrong = { fix, path, ...(value !== '' && { value: startOf(value) }) }
  const query = new URLSearchParams({ catalogue: place.catalogue, ...wrong })
  return `${context.pathTo('desk', 'datasets', place.id, 'fix')}?${query.toString()}`
}

/** Makes the links for a dataset; `undefined` for who may not change it. */
export async function fieldLinks(
  { steward, ...page }: PageContext,
  { id, catalogue }: DatasetPlace,
): Promise<FieldLinks | undefined> {
  const place = { type: 'datasets', id, catalogue }
  if (!steward || !mayWriteIn({ steward }, place)) return undefined
  const context = { ...page, steward }
  const [draft, concepts] = await Promise.all([
    context.optional(readDraft(context, place)),
    shippedConcepts(),
  ])
  if (!draft) return undefined
  const view = { context, draft, concepts, added: [] }
  const places = placesOf(view, rowsOfDraft(view))
  return {
    toIndicator: (indicator, distribution) => {
      const fix = `&fix=${indicator.key}`
      const fitting = places.filter((one) => isMendedBy(indicator, one.class, one.rows.field))
      const isOpen = ({ rows }: FieldPlace) => !rows.rows.some(({ term }) => term)
      const own = fitting.find(({ node }) => lastName(node) === distribution)
      const best =
        own ?? fitting.find(({ rows }) => rows.field.eachOf !== undefined) ?? fitting.find(isOpen)
      const found =
        best ?? fitting[0] ?? (hasProperty(indicator) ? listOf(places, indicator) : undefined)
      return found && controlPath(view, found, fix)
    },
    toFinding: ({ fix, node, path, value }) => {
      const isOfValue = ({ rows }: FieldPlace) =>
        isOf(rows, path) &&
        rows.rows.some(({ term }) => term && startOf(term.value) === startOf(value ?? ''))
      const found =
        (value !== undefined && node === undefined && places.find(isOfValue)) ||
        placeOfFinding(places, { node, path })
      const field = found && encodeURIComponent(found.rows.name)
      return found && controlPath(view, found, `&fix=${fix}&field=${field}`)
    },
  }
}

const startOf = (text: string) => text.slice(0, comparedCharacters)

const hasProperty = ({ property, mends }: PageIndicator) => (property ?? mends) !== undefined

/** Field whose described values have the field of an indicator; the record has none of them yet. */
const listOf = (places: readonly FieldPlace[], indicator: PageIndicator): FieldPlace | undefined =>
  places.find(({ rows: { field } }) =>
    field.nested?.fields.some((inner) => isMendedBy(indicator, field.nested?.class ?? '', inner)),
  )
