/**
 * Values of a dataset that its document cannot show because they are not written as their field asks, told before it is stored.
 * Costs little beside the building of a document: texts and concepts are not looked at.
 */

import type { Quad } from '@rdfjs/types'
import type { Field, MappingClass } from '../../profile/profile.ts'
import { graphOf } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { Report } from '../mappings/mapping.ts'
import { mappedFields } from '../mappings/mapping.ts'
import { slotsOf } from '../mappings/slots.ts'
import { type BuilderContext, sceneOf } from './document.ts'

/** Classes that look at how a value is written, and at nothing that is stored elsewhere. */
const strict: ReadonlySet<MappingClass> = new Set([
  'DateTime',
  'DateRange',
  'Integer',
  'Numeric',
  'Boolean',
  'Spatial',
])

/** One value with the dotted path of its field. */
export type UnfitValues = (quads: readonly Quad[], dataset: string) => readonly Report[]

/** Made ready once for a profile. */
export function unfitValues(
  context: Pick<BuilderContext, 'profile' | 'concepts' | 'names'>,
): UnfitValues {
  const slots = slotsOf(strictOnly(context.profile.dataset.fields))
  return (quads, dataset) => {
    const record = { id: '', iri: dataset, graph: graphOf(quads), language: 'en' }
    const { scene, reports } = sceneOf(context, record)
    mappedFields(namedNode(dataset), slots, scene)
    return reports
  }
}

/** What is strict, and what leads to it. */
const strictOnly = (fields: readonly Field[]): readonly Field[] =>
  fields.flatMap((field) => {
    if (field.paths.length === 0 || field.tooDeep) return []
    if (field.mapping !== 'Nested') return strict.has(field.mapping) ? [field] : []
    const children = strictOnly(field.children)
    return children.length > 0 ? [{ ...field, children }] : []
  })
