/**
 * Values of a dataset that its document will not show because they are not written as their field requires; reported among the
 * findings of a harvest into this platform, before the dataset is stored.
 */

import type { Quad } from '@rdfjs/types'
import type { Field, MappingClass } from '../../profile/profile.ts'
import { graphOf } from '../../rdf/read.ts'
import { compileFields } from '../mappings/compiled-fields.ts'
import type { LeftOutValue } from '../mappings/mapping.ts'
import { type BuilderContext, mapRecord } from './document.ts'

/** Mapping classes that check only how a value is written and look up nothing in the store. */
const checkedClasses: ReadonlySet<MappingClass> = new Set([
  'DateTime',
  'DateRange',
  'Integer',
  'Numeric',
  'Boolean',
  'Spatial',
])

/** Keeps the fields with a strict class, and the fields that lead to them. */
const checkedFields = (fields: readonly Field[]): readonly Field[] =>
  fields.flatMap((field) => {
    if (field.paths.length === 0 || field.tooDeep) return []
    if (field.mapping !== 'Nested') return checkedClasses.has(field.mapping) ? [field] : []
    const children = checkedFields(field.children)
    return children.length > 0 ? [{ ...field, children }] : []
  })

/** Returns the values of a dataset that do not fit their fields, each with the dotted path of its field; `dataset` is its IRI. */
export type FindUnfitValues = (quads: readonly Quad[], dataset: string) => readonly LeftOutValue[]

/** Compiles the check for a profile. Its cost is small compared with building a document: texts and concepts are not checked. */
export function unfitValueFinder(
  context: Pick<BuilderContext, 'profile' | 'concepts' | 'names'>,
): FindUnfitValues {
  const compiled = compileFields(checkedFields(context.profile.dataset.fields))
  return (quads, iri) =>
    mapRecord(context, compiled, { id: '', iri, graph: graphOf(quads), language: 'en' }).reports
}
