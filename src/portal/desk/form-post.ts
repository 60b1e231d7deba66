/**
 * Saves a posted form into the graph of a draft as a difference: a control whose text is as it was rendered leaves its term alone,
 * and what no control shows is not touched.
 */

import { randomUUID } from 'node:crypto'
import type { Quad, Quad_Object, Quad_Subject, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { FormField } from '../../profile/form-model.ts'
import { termText, toLine } from '../../rdf/lines.ts'
import { rdf, rdfs } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { blankNode, namedNode, quad } from '../../rdf/terms.ts'
import type { CopiedValues } from './catalogue-values.ts'
import type { Concepts } from './concepts.ts'
import {
  authoredTag,
  isUnchanged,
  languageOfKey,
  type PostedRow,
  type PostedRows,
  postedRows,
  sentText,
  shortDigest,
  tooMany,
  type Typed,
  typedKey,
} from './form-names.ts'
import { readTerms, type Refusal } from './form-terms.ts'

/** Most described values with a page of their own. */
const mostDescribed = 100

/** Graph that changes while a form is saved, by line. */
type Editing = {
  readonly quads: Map<string, Quad>
  readonly typed: Typed[]
  readonly concepts: Concepts
  readonly pageLanguage: string
  /** Whether the draft was changed after the form had been made: the form may have been sent twice. */
  readonly isStale: boolean
  /** Described value that an empty row became last. */
  made?: Term
}

const objectsOf = ({ quads }: Editing, node: Quad_Subject, paths: readonly string[]) =>
  [...quads.values()].filter(
    ({ subject, predicate }) => subject.equals(node) && paths.includes(predicate.value),
  )

const add = ({ quads }: Editing, ...added: readonly Quad[]) => {
  for (const triple of added) quads.set(toLine(triple), triple)
}

/** Removes a statement, and what is said of its object where nothing else leads to it (decision 0016). */
function removeStatement(editing: Editing, triple: Quad): void {
  const { quads } = editing
  quads.delete(toLine(triple))
  const { object } = triple
  if (object.termType === 'Literal') return
  const all = [...quads.values()]
  if (all.some((other) => other.object.equals(object))) return
  for (const about of all.filter(({ subject }) => subject.equals(object)))
    if (quads.has(toLine(about))) removeStatement(editing, about)
  editing.typed.splice(0, Infinity, ...editing.typed.filter(({ node }) => node !== keyOf(object)))
}

/** Row of a leaf field: the token says whether it shows a term (`~`), a typed text (`!`) or nothing yet (`+`). */
function saveLeaf(
  editing: Editing,
  node: Quad_Subject,
  field: FormField,
  [token, row]: readonly [string, PostedRow],
): void {
  const text = sentText(row.value ?? '')
  const language = languageOfKey(token)
  const shown = objectsOf(editing, node, field.path).find(
    ({ object }) => token.startsWith('~') && token.slice(1, 9) === shortDigest(termText(object)),
  )
  const entry = token.startsWith('!')
    ? editing.typed.find((typed) => typedKey(typed) === token)
    : undefined
  if (row.isRemoved) {
    if (shown) removeStatement(editing, shown)
    if (entry) editing.typed.splice(editing.typed.indexOf(entry), 1)
    return
  }
  if (row.value === undefined || isUnchanged(token, text)) return
  if (entry) editing.typed.splice(editing.typed.indexOf(entry), 1)
  if (text.trim() === '') {
    if (shown) removeStatement(editing, shown)
    return
  }
  const tag = entry?.language ?? language
  const isNew = shown === undefined && entry === undefined
  const instead = isNew ? statementInstead(editing, node, field, tag) : undefined
  const found = shown ?? (isText(field) ? instead : undefined)
  const old = found?.object
  const { concepts, pageLanguage } = editing
  const terms = readTerms(field, text, { language: tag, pageLanguage, old, concepts })
  if (editing.isStale && instead && ('message' in terms || !has(terms, instead.object)))
    throw new Failure('precondition-failed', 'others changed the same field meanwhile')
  saveTerms(editing, node, field, { found, terms, text, language: tag })
}

const isText = ({ editor }: FormField) => editor === 'texts' || editor === 'prose'

/** Editors whose values are chosen, not typed. */
const chosen: ReadonlySet<string> = new Set(['boolean', 'choice', 'concept', 'licence', 'place'])

/** Statement of others where a row shows none: the text of its language, or the typed value of a single field. */
function statementInstead(
  editing: Editing,
  node: Quad_Subject,
  field: FormField,
  tag: string,
): Quad | undefined {
  if (!isText(field) && (!field.single || chosen.has(field.editor))) return undefined
  return objectsOf(editing, node, field.path).find(
    ({ object }) =>
      !isText(field) || (object.termType === 'Literal' && object.language === tag && tag !== ''),
  )
}

type Saved = {
  readonly found: Quad | undefined
  readonly terms: readonly Quad_Object[] | Refusal
  readonly text: string
  readonly language: string
}

function saveTerms(
  editing: Editing,
  node: Quad_Subject,
  field: FormField,
  { found, terms, text, language }: Saved,
): void {
  const [path = ''] = field.path
  const predicate = found?.predicate ?? namedNode(path)
  if ('message' in terms) {
    if (found) removeStatement(editing, found)
    const tag = found?.object.termType === 'Literal' ? found.object.language : language
    const entry = { node: keyOf(node), path, language: tag, text, message: terms.message }
    const isThere = editing.typed.some((other) => typedKey(other) === typedKey(entry))
    if (!isThere) editing.typed.push(entry)
    return
  }
  if (found) removeStatement(editing, found)
  else if (field.single && !isText(field))
    for (const other of objectsOf(editing, node, field.path)) removeStatement(editing, other)
  add(editing, ...terms.map((term) => quad(node, predicate, term)))
  for (const term of terms) removeTranslations(editing, node, field, term)
}

/** Removes the machine translations in place of which a person wrote a text. */
function removeTranslations(
  editing: Editing,
  node: Quad_Subject,
  field: FormField,
  written: Quad_Object,
): void {
  if (written.termType !== 'Literal' || written.language === '') return
  for (const other of objectsOf(editing, node, field.path)) {
    if (other.object.termType !== 'Literal') continue
    const authored = authoredTag(other.object.language).toLowerCase()
    if (authored === written.language.toLowerCase() && /-t-/i.test(other.object.language))
      removeStatement(editing, other)
  }
}

/** Whether a posted row or one of its fields has a text. */
const hasText = ({ value, fields }: PostedRow): boolean =>
  (value ?? '').trim() !== '' ||
  [...fields.values()].some((rows) =>
    [...rows].some(([token, row]) => !/^[@=]/.test(token) && hasText(row)),
  )

function saveNested(
  editing: Editing,
  node: Quad_Subject,
  field: FormField,
  [token, row]: readonly [string, PostedRow],
): void {
  const { nested } = field
  if (!nested) return
  if (token.startsWith('~')) {
    const found = objectsOf(editing, node, field.path).find(
      ({ object }) => token.slice(1, 9) === shortDigest(termText(object)),
    )
    if (!found || found.object.termType === 'Literal') return
    if (row.isRemoved) removeStatement(editing, found)
    else if (found.object.termType === 'NamedNode' || found.object.termType === 'BlankNode') {
      const size = editing.quads.size
      saveFields(editing, found.object, nested.fields, row.fields)
      if (editing.quads.size < size) removeIfEmpty(editing, found)
    }
  } else if (token.startsWith('+') && !row.isRemoved && hasText(row)) {
    const others = objectsOf(editing, node, field.path)
    const made = blankNode(`n${randomUUID().replaceAll('-', '')}`)
    const isTyped = nested.class !== rdfs('Resource').value
    add(
      editing,
      quad(node, namedNode(field.path[0] ?? ''), made),
      ...(isTyped ? [quad(made, rdf('type'), namedNode(nested.class))] : []),
    )
    saveFields(editing, made, nested.fields, row.fields)
    const link = objectsOf(editing, node, field.path).find(({ object }) => object.equals(made))
    const twin = others.find(({ object }) => editing.isStale && says(editing, object, made))
    editing.made = twin?.object ?? made
    if (link && twin) removeStatement(editing, link)
    else if (nested.fields.length > 4 && others.length >= mostDescribed)
      throw tooMany(`${mostDescribed} files`)
  }
}

/** Whether one resource says all that another one says. */
const says = ({ quads }: Editing, one: Term, other: Term): boolean => {
  const about = (term: Term) => [...quads.values()].filter(({ subject }) => subject.equals(term))
  const said = about(one)
  return about(other).every(({ predicate, object }) =>
    said.some(
      (triple) =>
        triple.predicate.equals(predicate) &&
        (object.termType === 'BlankNode' || triple.object.equals(object)),
    ),
  )
}

/** Removes a blank node that has nothing but its class after its fields were emptied. */
function removeIfEmpty(editing: Editing, link: Quad): void {
  if (link.object.termType !== 'BlankNode') return
  const about = [...editing.quads.values()].filter(({ subject }) => subject.equals(link.object))
  const isTyped = editing.typed.some(({ node }) => node === keyOf(link.object))
  if (!isTyped && about.length > 0 && about.every(({ predicate }) => predicate.equals(rdf('type'))))
    removeStatement(editing, link)
}

/** Saves the posted rows of the fields of a node. */
function saveFields(
  editing: Editing,
  node: Quad_Subject,
  fields: readonly FormField[],
  rows: Map<string, PostedRows>,
): void {
  const posts = fields.flatMap((field) => {
    const posted = rows.get(field.name)
    return posted ? [{ field, posted, before: valuesOf(editing, node, field.path) }] : []
  })
  for (const { field, posted, before } of posts) {
    const language = posted.get('@')?.value ?? ''
    for (const [token, row] of posted) {
      if (/^[@=]/.test(token)) continue
      const isNested = row.fields.size > 0 || (field.nested && row.value === undefined)
      const named = field.editor === 'keywords' && token.startsWith('+') ? `+${language}` : token
      if (isNested) saveNested(editing, node, field, [token, row])
      else saveLeaf(editing, node, field, [named, row])
    }
    const after = valuesOf(editing, node, field.path)
    if (!isSameSet(before, after)) spread(editing, node, fields, { field, before })
  }
  for (const { field, posted } of posts) {
    const source = posts.find((one) => one.field.path.includes(field.copyOf ?? ''))
    saveCopies(editing, node, field, { posted, source: source?.before })
  }
}

/** Gives a field the values of the one that it copies, or takes them away; the token of the choice is what the form had shown. */
function saveCopies(
  editing: Editing,
  node: Quad_Subject,
  { path, copyOf = '' }: FormField,
  { posted, source }: { posted: PostedRows; source: readonly Term[] | undefined },
): void {
  const [token, choice] = [...posted].find(([key]) => key.startsWith('=')) ?? []
  const now = valuesOf(editing, node, [copyOf])
  const before = source ?? now
  if (!choice || (token === `=${choice.value}` && isSameSet(before, now))) return
  for (const statement of objectsOf(editing, node, path))
    if (has([...before, ...now], statement.object)) removeStatement(editing, statement)
  const hasOther = [...posted].some(([key, row]) => key.startsWith('+') && hasText(row))
  if (choice.value === 'data' && !hasOther)
    add(editing, ...now.map((term) => quad(node, namedNode(path[0] ?? ''), term)))
}

const valuesOf = (editing: Editing, node: Quad_Subject, paths: readonly string[]) =>
  objectsOf(editing, node, paths).map(({ object }) => object)

const has = (terms: readonly Term[], term: Term) => terms.some((other) => other.equals(term))

const isSameSet = (first: readonly Term[], second: readonly Term[]) =>
  first.length === second.length && first.every((term) => has(second, term))

type Changed = { readonly field: FormField; readonly before: readonly Term[] }

/**
 * Gives the value of a field with `eachOf` to each nested resource that has none, or that has the value which was replaced: after
 * a change of the field, and after a change of the resources.
 */
function spread(
  editing: Editing,
  node: Quad_Subject,
  fields: readonly FormField[],
  { field: changed, before }: Changed,
): void {
  for (const field of fields) {
    const { eachOf = '', path } = field
    const isOwn = field === changed
    if (eachOf === '' || !(isOwn || changed.path.includes(eachOf))) continue
    const values = objectsOf(editing, node, path)
    for (const { object: child } of values.length > 0 ? objectsOf(editing, node, [eachOf]) : []) {
      if (child.termType !== 'NamedNode' && child.termType !== 'BlankNode') continue
      if (!isOwn && has(before, child)) continue
      const own = objectsOf(editing, child, path)
      if (!own.every(({ object }) => isOwn && has(before, object))) continue
      for (const statement of own) removeStatement(editing, statement)
      add(editing, ...values.map(({ predicate, object }) => quad(child, predicate, object)))
    }
  }
}

/** Form that was posted, and the draft into which it is saved. */
export type PostedForm = {
  readonly quads: readonly Quad[]
  /** Resource that the form is about. */
  readonly node: Quad_Subject
  /** Fields that the form shows. */
  readonly fields: readonly FormField[]
  readonly typed: readonly Typed[]
  readonly entries: Iterable<readonly [string, string]>
  /** Value of the pressed button. */
  readonly pressed: string
  readonly pageLanguage: string
  readonly concepts: Concepts
  readonly isStale?: boolean
  /** Values of a field that are taken from another record, where the field has none. */
  readonly copied?: CopiedValues | undefined
}

/** Statements and typed texts that a posted form changes. */
export type FormChange = {
  readonly removed: readonly Quad[]
  readonly added: readonly Quad[]
  readonly typed: readonly Typed[]
  /** Described value that an empty row became; the last one of several. */
  readonly made?: Term | undefined
}

/**
 * Saves a posted form; nothing is removed or added where nothing was changed, or where the same form was saved before. Throws
 * `too-large` for one with too many values.
 */
export function savedForm(form: PostedForm): FormChange {
  const { node, copied, isStale = false } = form
  const before = new Map(form.quads.map((triple) => [toLine(triple), triple]))
  const editing: Editing = { ...form, quads: new Map(before), typed: [...form.typed], isStale }
  saveFields(editing, node, form.fields, postedRows(form.entries, form.pressed))
  if (copied && objectsOf(editing, node, copied.field.path).length === 0)
    add(editing, ...copied.statements)
  return {
    removed: [...before].flatMap(([line, triple]) => (editing.quads.has(line) ? [] : [triple])),
    added: [...editing.quads].flatMap(([line, triple]) => (before.has(line) ? [] : [triple])),
    typed: editing.typed,
    made: editing.made,
  }
}
