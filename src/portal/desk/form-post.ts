/**
 * Saves a posted form into the graph of a draft as a difference: a control whose text is as it was rendered leaves its term alone,
 * and what no control shows is not touched.
 */

import { hash, randomUUID } from 'node:crypto'
import type { Quad, Quad_Object, Quad_Subject, Term } from '@rdfjs/types'
import type { FormField } from '../../profile/form-model.ts'
import { toLine } from '../../rdf/lines.ts'
import { rdf, rdfs } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { blankNode, namedNode, quad } from '../../rdf/terms.ts'
import type { CopiedValues } from './catalogue-values.ts'
import type { Concepts } from './concepts.ts'
import {
  authoredTag,
  bothChanged,
  hasText,
  isSameTyped,
  isShownBy,
  isUnchanged,
  languageOfKey,
  type PostedRow,
  type PostedRows,
  postedRows,
  sentText,
  tooMany,
  type Typed,
  typedKey,
} from './form-names.ts'
import { readTerms, type Refusal } from './form-terms.ts'

/** Most described values with a page of their own, and most values of one field that a form may change. */
const [mostDescribed, mostRows] = [100, 200]

/** Graph that changes while a form is saved, by line; `before` is that of the draft. */
type Editing = Required<Pick<PostedForm, 'concepts' | 'pageLanguage' | 'isStale' | 'attempt'>> & {
  readonly quads: Map<string, Quad>
  readonly before: ReadonlyMap<string, Quad>
  readonly typed: Typed[]
  /** Described values that rows became, by the name of the row. */
  readonly made: Map<string, Term>
}

/** Row of a posted form: its token, the name that leads to it, and the rows of its field. */
type Row = {
  readonly token: string
  readonly name: string
  readonly row: PostedRow
  readonly posted: PostedRows
}

const aboutOf = ({ quads }: Editing, node: Term) =>
  [...quads.values()].filter(({ subject }) => subject.equals(node))

const objectsOf = (editing: Editing, node: Quad_Subject, paths: readonly string[]) =>
  aboutOf(editing, node).filter(({ predicate }) => paths.includes(predicate.value))

const typedOf = ({ typed }: Editing, node: Term) =>
  typed.filter((entry) => entry.node === keyOf(node))

const add = ({ quads }: Editing, ...added: readonly Quad[]) => {
  for (const triple of added) quads.set(toLine(triple), triple)
}

/** Removes a statement, and what is said of its object where nothing else leads to it (decision 0016). */
function removeStatement(editing: Editing, triple: Quad): void {
  const { quads } = editing
  quads.delete(toLine(triple))
  const { object } = triple
  if (object.termType === 'Literal') return
  if ([...quads.values()].some((other) => other.object.equals(object))) return
  for (const about of aboutOf(editing, object))
    if (quads.has(toLine(about))) removeStatement(editing, about)
  editing.typed.splice(0, Infinity, ...editing.typed.filter(({ node }) => node !== keyOf(object)))
}

/** Row of a leaf field: the token says whether it shows a term (`~`), a typed text (`!`) or nothing yet (`+`). */
function saveLeaf(
  editing: Editing,
  node: Quad_Subject,
  field: FormField,
  { token, row, posted }: Row,
): void {
  const text = sentText(row.value ?? '')
  const language = languageOfKey(token)
  const shown = objectsOf(editing, node, field.path).find((one) => isShownBy(token, one))
  const entry = typedOf(editing, node).find(
    (one) => one.path === field.path[0] && typedKey(one) === token,
  )
  const isSame = !entry && isUnchanged(token, text) && !isMade(editing, node)
  if (!row.isRemoved && (row.value === undefined || isSame)) return
  if (entry) editing.typed.splice(editing.typed.indexOf(entry), 1)
  if (row.isRemoved || text.trim() === '') {
    if (shown) removeStatement(editing, shown)
    return
  }
  const isNew = shown === undefined && entry === undefined
  const instead = isNew ? statementInstead(editing, node, field, language) : undefined
  const found = shown ?? (isText(field) ? instead : undefined)
  const old = found?.object
  const { concepts, pageLanguage } = editing
  const terms = readTerms(field, text, { language, pageLanguage, old, concepts })
  const saved = { found, terms, text, language }
  if (instead && isContested(editing, instead, posted, saved)) throw bothChanged()
  saveTerms(editing, node, field, saved)
}

const isMade = ({ made }: Editing, node: Term) => has([...made.values()], node)

const isText = ({ editor }: FormField) => editor === 'texts' || editor === 'prose'

/** Statement where a row shows none: the text of its language, or the value of a single field. */
function statementInstead(
  editing: Editing,
  node: Quad_Subject,
  field: FormField,
  tag: string,
): Quad | undefined {
  if (!isText(field) && !field.single) return undefined
  return objectsOf(editing, node, field.path).find(
    ({ object }) =>
      !isText(field) || (object.termType === 'Literal' && object.language === tag && tag !== ''),
  )
}

/**
 * Whether a row would replace what others wrote meanwhile, or what another row of the form says; not where the draft has the same
 * already, because the form was sent before.
 */
function isContested(
  editing: Editing,
  instead: Quad,
  posted: PostedRows,
  { found, terms, text }: Saved,
): boolean {
  const { subject, predicate, object } = instead
  const isRefused = 'message' in terms
  const isThere = isRefused
    ? typedOf(editing, subject).some((one) => one.path === predicate.value && one.text === text)
    : has(terms, object)
  if (isThere) return false
  if (!editing.before.has(toLine(instead))) return found !== undefined || !isRefused
  return editing.isStale && ![...posted.keys()].some((token) => isShownBy(token, instead))
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
    const isThere = typedOf(editing, node).some((other) => isSameTyped(other, entry))
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
    const { language } = other.object
    const isSame = authoredTag(language).toLowerCase() === written.language.toLowerCase()
    if (isSame && /-t-/i.test(language)) removeStatement(editing, other)
  }
}

function saveNested(
  editing: Editing,
  node: Quad_Subject,
  field: FormField,
  { token, row, name }: Row,
): void {
  const found = objectsOf(editing, node, field.path).find((one) => isShownBy(token, one))
  const value = found?.object
  if (found && row.isRemoved) removeStatement(editing, found)
  else if (found && (value?.termType === 'NamedNode' || value?.termType === 'BlankNode')) {
    const size = editing.quads.size
    saveFields(editing, value, field.nested?.fields ?? [], { rows: row.fields, prefix: `${name}.` })
    if (editing.quads.size < size) removeIfEmpty(editing, found)
  } else if (!row.isRemoved && hasText([token, row], isMade(editing, node))) {
    // Its value is gone: who changed it sees it once more, and makes a new one of it.
    if (token.startsWith('~') && editing.isStale && !isMade(editing, node)) throw bothChanged()
    makeNested(editing, node, field, { row, name })
  }
}

/** Makes a described value of a row; what the same form had made, where its answer was lost, is made anew. */
function makeNested(
  editing: Editing,
  node: Quad_Subject,
  { path, nested }: FormField,
  { row, name }: Pick<Row, 'row' | 'name'>,
): void {
  if (!nested) return
  const { attempt, isStale } = editing
  const label = attempt === '' ? randomUUID() : hash('sha256', `${attempt} ${name}`).slice(0, 32)
  const made = blankNode(`n${label.replaceAll('-', '')}`)
  const isLink = ({ object }: Quad) => object.equals(made)
  const earlier = objectsOf(editing, node, path).find(isLink)
  if (earlier) removeStatement(editing, earlier)
  const others = objectsOf(editing, node, path)
  add(editing, quad(node, namedNode(path[0] ?? ''), made))
  if (nested.class !== rdfs('Resource').value)
    add(editing, quad(made, rdf('type'), namedNode(nested.class)))
  editing.made.set(name, made)
  saveFields(editing, made, nested.fields, { rows: row.fields, prefix: `${name}.` })
  const link = objectsOf(editing, node, path).find(isLink)
  const twin = others.find(({ object }) => isStale && says(editing, object, made))
  if (link && twin) {
    removeStatement(editing, link)
    editing.made.set(name, twin.object)
  } else if (nested.fields.length > 4 && others.length >= mostDescribed)
    throw tooMany(`${mostDescribed} files`)
}

/** Whether one resource says all that another one says, typed texts too. */
const says = (editing: Editing, one: Term, other: Term): boolean => {
  const [said, typed] = [aboutOf(editing, one), typedOf(editing, one)]
  const isSame = (own: Term, term: Term) =>
    own.equals(term) || (term.termType === 'BlankNode' && says(editing, own, term))
  return (
    typedOf(editing, other).every((entry) => typed.some((own) => isSameTyped(own, entry))) &&
    aboutOf(editing, other).every(({ predicate, object }) =>
      said.some((own) => own.predicate.equals(predicate) && isSame(own.object, object)),
    )
  )
}

/** Removes a blank node that has nothing but its class after its fields were emptied. */
function removeIfEmpty(editing: Editing, link: Quad): void {
  if (link.object.termType !== 'BlankNode') return
  const about = aboutOf(editing, link.object)
  const isTyped = typedOf(editing, link.object).length > 0
  if (!isTyped && about.length > 0 && about.every(({ predicate }) => predicate.equals(rdf('type'))))
    removeStatement(editing, link)
}

/** Saves the posted rows of the fields of a node. */
function saveFields(
  editing: Editing,
  node: Quad_Subject,
  fields: readonly FormField[],
  { rows, prefix = '' }: { readonly rows: Map<string, PostedRows>; readonly prefix?: string },
): void {
  const posts = fields.flatMap((field) => {
    const posted = rows.get(field.name)
    return posted ? [{ field, posted, before: valuesOf(editing, node, field.path) }] : []
  })
  for (const { field, posted, before } of posts) {
    const language = posted.get('@')?.value ?? ''
    if ([...posted].filter((row) => hasText(row)).length > mostRows)
      throw tooMany(`${mostRows} values of a field`)
    for (const [token, row] of posted) {
      if (/^[@=]/.test(token)) continue
      const isNested = row.fields.size > 0 || (field.nested && row.value === undefined)
      const named = field.editor === 'keywords' && token.startsWith('+') ? `+${language}` : token
      const name = `${prefix}${field.name}.${token}`
      if (isNested) saveNested(editing, node, field, { token, row, posted, name })
      else saveLeaf(editing, node, field, { token: named, row, posted, name })
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
  const hasOther = [...posted].some((row) => row[0].startsWith('+') && hasText(row))
  if (choice.value === 'data' && !hasOther)
    add(editing, ...now.map((term) => quad(node, namedNode(path[0] ?? ''), term)))
}

const valuesOf = (...of: Parameters<typeof objectsOf>) =>
  objectsOf(...of).map(({ object }) => object)

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
  /** Whether the draft was changed after the form had been made: the form may have been sent twice. */
  readonly isStale?: boolean
  /** Mark of a form that is sent again where its answer was lost. */
  readonly attempt?: string
  /** Values of a field that are taken from another record, where the field has none. */
  readonly copied?: CopiedValues | undefined
}

/** Statements and typed texts that a posted form changes. */
export type FormChange = {
  readonly removed: readonly Quad[]
  readonly added: readonly Quad[]
  readonly typed: readonly Typed[]
  /** Described values that rows became, by the name of the row. */
  readonly made: ReadonlyMap<string, Term>
}

/**
 * Saves a posted form; nothing is removed or added where nothing was changed, or where the same form was saved before. Throws
 * `too-large` for one with too many values.
 */
export function savedForm(form: PostedForm): FormChange {
  const { node, copied, isStale = false, attempt = '' } = form
  const before = new Map(form.quads.map((triple) => [toLine(triple), triple]))
  const made = new Map<string, Term>()
  const own = { quads: new Map(before), typed: [...form.typed], isStale, before, attempt, made }
  const editing: Editing = { ...form, ...own }
  saveFields(editing, node, form.fields, { rows: postedRows(form.entries, form.pressed) })
  if (copied && objectsOf(editing, node, copied.field.path).length === 0)
    add(editing, ...copied.statements)
  return {
    removed: [...before].flatMap(([line, triple]) => (editing.quads.has(line) ? [] : [triple])),
    added: [...editing.quads].flatMap(([line, triple]) => (before.has(line) ? [] : [triple])),
    typed: editing.typed,
    made: editing.made,
  }
}
