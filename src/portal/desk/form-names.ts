/** Names of the controls of a form, by which the values that they show are found again when it is posted; and the posted tree. */

import { hash } from 'node:crypto'
import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { termText } from '../../rdf/lines.ts'

/** Step of an address that leads to the first section of every form, whatever its id. */
export const firstSection = 'essentials'

/** Input that is no RDF: the draft keeps it until it is corrected. `node` is an IRI, or `_:label` of a blank node. */
export type Typed = {
  readonly node: string
  readonly path: string
  readonly language: string
  readonly text: string
  readonly message: string
}

/** Text as browsers send it back: with one kind of line break, and without the spaces that `url` and `email` fields cut. */
export const sentText = (text: string): string => text.replaceAll(/\r\n?/g, '\n')

/** Digest of a text, long enough to tell the values of a form apart. */
const shortDigest = (text: string) => hash('sha256', text, 'base64url').slice(0, 8)

/**
 * Part of a control's name by which its term is found again: digests of the term and of the text that it was rendered as, and its
 * language.
 */
export const rowKey = (term: Term, text: string): string =>
  `~${shortDigest(termText(term))}${shortDigest(sentText(text))}${term.termType === 'Literal' ? term.language : ''}`

/** Whether a row shows the value of a statement. */
export const isShownBy = (token: string, { object }: Quad) =>
  token.startsWith('~') && token.slice(1, 9) === shortDigest(termText(object))

/** Language tag of a text in languages, by the part of its control's name; `''` for one without. */
export const languageOfKey = (key: string): string =>
  key.startsWith('~')
    ? key.slice(17)
    : key.startsWith('!')
      ? key.slice(9)
      : key.startsWith('+')
        ? key.slice(1).replace(/^\d+$/, '')
        : ''

/** Language tag of what a person writes in place of a text: that of a machine translation (`-t-`, RFC 6497) without its source. */
export const authoredTag = (tag: string): string => tag.replace(/-t-.*$/i, '')

/** Whether a control was sent with the text that it was rendered with. */
export const isUnchanged = (name: string, text: string): boolean => {
  const key = name.split('.').at(-1) ?? ''
  const shown = { '~': key.slice(9, 17), '!': key.slice(1, 9) }[key.slice(0, 1)]
  return shown === shortDigest(sentText(text))
}

/** Whether a control has no value of its field: the language of new texts (`title.@`), or a choice (`download_url.=data`). */
export const isChoice = (name: string): boolean => /\.[@=][a-z]*$/.test(name)

/** Part of a control's name by which a typed text of its field is found again. */
export const typedKey = ({ text, language }: Typed): string =>
  `!${shortDigest(sentText(text))}${language}`

/** Whether two typed texts of a resource are the same. */
export const isSameTyped = (one: Typed, other: Typed) =>
  one.path === other.path && one.language === other.language && one.text === other.text

/** Posted controls as a tree: field → row → value, and fields of nested rows. */
export type PostedRows = Map<string, PostedRow>
export type PostedRow = {
  value?: string
  isRemoved?: true
  readonly fields: Map<string, PostedRows>
}

/** Failure of a form with too many of something. */
export const tooMany = (what: string) =>
  new Failure('too-large', `a form has at most ${what}; edit the record as Turtle`)

/** Failure of a form that changes what others changed meanwhile. */
export const bothChanged = () =>
  new Failure('precondition-failed', 'others changed the same field meanwhile')

/** Most characters between which a name of a control is cut. */
const mostDepth = 12

const newRow = (): PostedRow => ({ fields: new Map() })

/** Row that the parts of a name lead to; makes what is missing. `undefined` for names that are no control of a form. */
function rowAt(fields: Map<string, PostedRows>, name: string): PostedRow | undefined {
  const parts = name.split('.')
  if (parts.length % 2 === 1 || parts.length > mostDepth) return undefined
  let at = fields
  let row: PostedRow | undefined
  for (let index = 0; index < parts.length; index += 2) {
    const [field = '', token = ''] = parts.slice(index, index + 2)
    const rows: PostedRows = at.get(field) ?? new Map()
    at.set(field, rows)
    row = rows.get(token) ?? newRow()
    rows.set(token, row)
    at = row.fields
  }
  return row
}

/** Sides of a box, in the order of its text. */
export const sides = ['west', 'south', 'east', 'north'] as const

/** Reads posted controls and the pressed button (`remove:NAME`, `use:NAME=VALUE`) into the tree. */
export function postedRows(
  entries: Iterable<readonly [string, string]>,
  pressed: string,
): Map<string, PostedRows> {
  const fields = new Map<string, PostedRows>()
  const boxes = new Map<string, Map<string, string>>()
  for (const [name, value] of entries) {
    const side = sides.find((candidate) => name.endsWith(`.${candidate}`))
    const owner = side && name.slice(0, -side.length - 1)
    if (side && owner !== undefined)
      boxes.set(owner, (boxes.get(owner) ?? new Map()).set(side, value.trim()))
    else {
      const row = rowAt(fields, name)
      if (row) row.value = value
    }
  }
  for (const [name, box] of boxes) {
    const row = rowAt(fields, name)
    const numbers = sides.map((side) => (box.get(side) ?? '').replace(',', '.'))
    const [text, own] = [numbers.join(' ').trim(), row?.value ?? '']
    const isOwn = own.trim() === '' || (text !== '' && isUnchanged(name, own))
    // The four sides and a text beside them are kept together; the field says that they are no area.
    if (row && isOwn) row.value = text
    else if (row && text !== '' && !isUnchanged(name, text)) row.value = `${text} ${own}`
  }
  const [action, rest] = split(pressed, ':')
  const [name, value] = split(rest, '=')
  const row = action === 'remove' || action === 'use' ? rowAt(fields, name) : undefined
  if (row && action === 'remove') row.isRemoved = true
  if (row && action === 'use') row.value = value
  return fields
}

/** Whether a posted row, or one in its fields, has a text other than the form had shown; `isAny` for any text. */
export const hasText = (
  [token, { value = '', fields }]: readonly [string, PostedRow],
  isAny = false,
): boolean =>
  (value.trim() !== '' && !/^[@=]/.test(token) && (isAny || !isUnchanged(token, value))) ||
  [...fields.values()].some((rows) => [...rows].some((row) => hasText(row, isAny)))

/** Cuts a text at the first separator. */
export const split = (text: string, separator: string): readonly [string, string] => {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}
