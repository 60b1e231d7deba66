/** Rows of a form: for each field the terms that its controls show, the texts that are no value yet, and empty rows for new ones. */

import type { Quad_Subject, Term } from '@rdfjs/types'
import type { FormField } from '../../profile/form-model.ts'
import { type Graph, keyOf } from '../../rdf/read.ts'
import { isChoice, isUnchanged, languageOfKey, rowKey, type Typed, typedKey } from './form-names.ts'
import { textOfTerm } from './form-terms.ts'

/** Row of a field; `name` is that of its control. */
export type FormRow = {
  readonly name: string
  readonly text: string
  /** Language tag of a text in languages; `''` for one without. */
  readonly language: string
  readonly term?: Term
  /** Key of the message that says why the text is no value. */
  readonly message?: string
  /** Fields of a described value. */
  readonly parts?: readonly FormRows[]
}

/** Field with its rows. `name` leads to it in the form: `contact_point.~….email`. */
export type FormRows = {
  readonly field: FormField
  readonly name: string
  readonly rows: readonly FormRow[]
  /** Whether the field has the value of the one that it copies (`data`), none (`page`) or both have none; absent for others. */
  readonly copy?: 'data' | 'page' | 'open'
}

/** First text of a described value. */
export const rowTitle = ({ parts = [] }: FormRow): string | undefined =>
  parts.flatMap(({ rows }) => rows.filter(({ text }) => text !== ''))[0]?.text

/** Sources of rows. */
export type RowSource = {
  readonly graph: Graph
  readonly typed: readonly Typed[]
  readonly pageLanguage: string
  /** Languages that texts are asked for in. */
  readonly languages: readonly string[]
  /** Whether a catalogue asks for these languages: their texts come first, also beside one without language. */
  readonly isRuled?: boolean
  /** Names of the fields with a further empty row, with a language tag for texts: `title.fr`. */
  readonly added: readonly string[]
  /** Texts that were sent and not saved, by the name of their control. */
  readonly sent?: ReadonlyMap<string, string> | undefined
}

const inLanguages: ReadonlySet<string> = new Set(['texts', 'prose'])

/** Rows of fields of a node; `prefix` is the name of the row around with a dot, empty for the record itself. */
export const rowsOf = (
  source: RowSource,
  node: Quad_Subject | undefined,
  fields: readonly FormField[],
  prefix = '',
): readonly FormRows[] => {
  const shown = fields.map((field) => {
    const name = prefix + field.name
    const filled = node
      ? [...termRows(source, node, field, name), ...typedRows(source, node, field, name)]
      : []
    const rows = [...filled, ...emptyRows(source, field, name, filled)]
    const own = source.sent ? withSent({ source, node, field, name, rows }) : rows
    return { field, name, rows: inOrder(source, field, own) }
  })
  return shown.map((one) => {
    const copied = shown.find(({ field }) => field.path.includes(one.field.copyOf ?? ''))
    const copy = copied && copyIn(one, copied)
    return copy ? { ...one, copy } : one
  })
}

/** State of a field that copies another one, where each has one value at most, and none but the same one. */
function copyIn({ rows }: FormRows, copied: FormRows): FormRows['copy'] {
  const [[own, ...others], [value, ...further]] = [rows, copied.rows]
  const isOne = others.length + further.length === 0 && own?.message === undefined
  if (!isOne || value?.term?.termType === 'BlankNode') return undefined
  if (own?.term) return value?.term?.equals(own.term) ? 'data' : undefined
  return value?.term ? 'page' : 'open'
}

/** Rows of texts in the order of the languages that a catalogue asks for, then the others. */
function inOrder(
  { languages, isRuled = false }: RowSource,
  { editor }: FormField,
  rows: readonly FormRow[],
): readonly FormRow[] {
  if (!isRuled || !inLanguages.has(editor)) return rows
  const asked = languages.map((one) => one.toLowerCase())
  const placeOf = ({ language }: FormRow) =>
    asked.indexOf(language.toLowerCase()) + 1 || asked.length + 1
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b))
}

type SentRows = FormRows & {
  readonly source: RowSource
  /** Absent for a described value that is new, or gone. */
  readonly node: Quad_Subject | undefined
}

/** Rows with the texts that were sent, and further ones for those that no row has; of a value that is gone, for all of its texts. */
function withSent({ source, node, field, name, rows }: SentRows): readonly FormRow[] {
  const sent: ReadonlyMap<string, string> = source.sent ?? new Map<string, string>()
  const own = [...sent.keys()].filter((key) => key.startsWith(`${name}.`))
  const isTyped = (key: string) => {
    const text = sent.get(key) ?? ''
    return text.trim() !== '' && !isChoice(key) && !(node && isUnchanged(key, text))
  }
  const tokens = new Set(own.map((key) => key.slice(name.length + 1).split('.')[0] ?? ''))
  const more = [...tokens].flatMap((token): readonly FormRow[] => {
    const rowName = `${name}.${token}`
    const parts = own.filter((key) => key.startsWith(`${rowName}.`))
    const isKnown = /^[@=]/.test(token) || rows.some((row) => row.name === rowName)
    if (isKnown || ![rowName, ...parts].some(isTyped)) return []
    const row = { name: rowName, text: sent.get(rowName) ?? '', language: languageOfKey(token) }
    return field.nested && parts.length > 0
      ? [{ ...row, parts: rowsOf(source, undefined, field.nested.fields, `${rowName}.`) }]
      : [row]
  })
  return [...rows.map((row) => ({ ...row, text: sent.get(row.name) ?? row.text })), ...more]
}

function termRows(
  source: RowSource,
  node: Quad_Subject,
  field: FormField,
  name: string,
): readonly FormRow[] {
  const terms = field.path.flatMap((path) => source.graph.objects(node, path))
  const own = terms.length > 0 ? terms : inheritedTerms(source, node, field)
  return own.map((term) => {
    const isDescribed = field.nested !== undefined && isResource(source, term)
    const text = isDescribed ? '' : textOfTerm(field, term, source.pageLanguage)
    const rowName = `${name}.${rowKey(term, text)}`
    const language = term.termType === 'Literal' ? term.language : ''
    const parts =
      isDescribed && field.nested
        ? rowsOf(source, term, field.nested.fields, `${rowName}.`)
        : undefined
    return { name: rowName, text, language, term, ...(parts && { parts }) }
  })
}

/** Whether a term is a blank node, or a resource that the record describes. */
const isResource = ({ graph }: RowSource, term: Term): term is Quad_Subject & Term =>
  term.termType === 'BlankNode' || (term.termType === 'NamedNode' && graph.about(term).size > 0)

/** Value that all nested resources share, for a field that asks for theirs. */
function inheritedTerms(
  { graph }: RowSource,
  node: Quad_Subject,
  { eachOf, path }: FormField,
): readonly Term[] {
  if (eachOf === undefined) return []
  const values = graph
    .objects(node, eachOf)
    .map((child) => path.flatMap((one) => graph.objects(child, one))[0])
  const [first] = values
  return first && values.every((value) => value?.equals(first)) ? [first] : []
}

const isSameTag = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

const typedRows = ({ typed }: RowSource, node: Quad_Subject, field: FormField, name: string) =>
  typed
    .filter((entry) => entry.node === keyOf(node) && entry.path === field.path[0])
    .map((entry): FormRow => ({
      name: `${name}.${typedKey(entry)}`,
      text: entry.text,
      language: entry.language,
      message: entry.message,
    }))

/** Empty rows: one where there is no value, one for each language that is asked for, and those that were added. */
function emptyRows(
  source: RowSource,
  field: FormField,
  name: string,
  filled: readonly FormRow[],
): readonly FormRow[] {
  const empty = (token: string, language = ''): FormRow => ({
    name: `${name}.+${token}`,
    text: '',
    language,
  })
  const wanted = source.added.flatMap((added) =>
    added === name ? [''] : added.startsWith(`${name}.`) ? [added.slice(name.length + 1)] : [],
  )
  if (inLanguages.has(field.editor)) {
    const isPlain = source.isRuled !== true && filled.some(({ language }) => language === '')
    const asked = isPlain
      ? []
      : field.need === 'optional' && filled.length === 0
        ? source.languages.slice(0, 1)
        : source.languages
    return [...new Set([...asked, ...wanted.filter(Boolean)])]
      .filter((language) => !filled.some((row) => isSameTag(row.language, language)))
      .map((language) => empty(language, language))
  }
  const isTyping = filled.some(({ term }) => term === undefined)
  const isList =
    field.editor === 'concept' || field.editor === 'place' || field.editor === 'keywords'
  const isOpen = filled.length === 0 || (isList && !isTyping)
  const count = field.single && filled.length > 0 ? 0 : Math.max(isOpen ? 1 : 0, wanted.length)
  return Array.from({ length: Math.min(count, 20) }, (_, index): FormRow => {
    const row = empty(String(index))
    // The empty row of places takes a name; the form shows an area beside it.
    return field.nested && field.editor !== 'place' && wanted.length < 20
      ? {
          ...row,
          parts: rowsOf({ ...source, added: [] }, undefined, field.nested.fields, `${row.name}.`),
        }
      : row
  })
}
