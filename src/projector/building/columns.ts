/** The columns of an index, compiled from a shape: one list for settings and documents, so that they cannot differ. */

import { type Field, languageMaps, type Shape } from '../../profile/profile.ts'
import { type IndexRule, mappingClasses } from '../mappings/classes.ts'
import { scores } from '../../profile/field-models.ts'

/** The columns of an object by name, in profile order. */
export type FieldColumns = ReadonlyMap<string, FieldColumn>

/** A field with its rule and its place. */
export type FieldColumn = {
  readonly name: string
  /** Dotted. */
  readonly path: string
  readonly rule: IndexRule
  readonly children: FieldColumns
  /** Whether one record has one such value at most: only then it can be sorted by. */
  readonly sortable: boolean
  readonly isRoot: boolean
}

/** What the platform knows by itself and nobody reads as text. */
const silentNames = new Set(['id', 'resource'])

function ruleOf(field: Field, inside: string): IndexRule {
  const isSilent = silentNames.has(field.name) && field.paths.length === 0
  if (!isSilent && inside !== 'catalog.') return mappingClasses[field.mapping].index ?? {}
  return field.name === 'id' && inside !== 'distributions.' ? { order: [''] } : {}
}

function columnOf(field: Field, inside: string, sortable: boolean): FieldColumn {
  const path = inside + field.name
  const single = field.single || languageMaps.has(field.mapping)
  const goesOn = field.mapping === 'Nested' ? single : true
  return {
    name: field.name,
    path,
    rule: ruleOf(field, inside),
    children: fieldColumns(field.children, `${path}.`, sortable && goesOn),
    sortable,
    isRoot: inside === '',
  }
}

/** The columns of fields; `inside` is the dotted path of the field around, with a dot at its end. */
export const fieldColumns = (fields: Shape['fields'], inside = '', sortable = true): FieldColumns =>
  new Map(fields.map((field) => [field.name, columnOf(field, inside, sortable)]))

/** All columns of a tree, outer ones first. */
export const flat = (columns: FieldColumns): readonly FieldColumn[] =>
  [...columns.values()].flatMap((column) => [column, ...flat(column.children)])

/** Dotted names by which the texts of a column are sorted. */
export const orderNames = ({ rule, path, sortable }: FieldColumn): readonly string[] =>
  sortable ? (rule.order ?? []).map((key) => (key === '' ? path : `${path}.${key}`)) : []

/** Dotted names of the numbers of a column. */
export function numberNames({ rule, path, sortable }: FieldColumn): readonly string[] {
  if (!sortable) return []
  if (rule.column === 'numbers') return scores.map((score) => `${path}.${score}`)
  return rule.column === 'number' ? [path] : []
}

/** Whether a column holds dates that a record is found or sorted by; a record may have several. */
export const holdsDates = ({ rule }: FieldColumn): boolean =>
  rule.column === 'instant' || rule.column === 'period'
