/** Which key of a value a facet counts and which one it shows, by the class of its field. */

import type { Field, MappingClass } from '../../profile/fields.ts'
import { targetsOf } from '../../profile/schemas/records.ts'
import type { FacetConfig } from './facet-config.ts'

type Terms = Required<Pick<FacetConfig, 'term' | 'display'>>

const concept: Terms = { term: 'id', display: 'label' }
const named: Terms = { term: 'name', display: 'name' }
const resource: Terms = { term: 'resource', display: 'label' }
const value: Terms = { term: '', display: '' }

/** Classes whose values are objects; every other value is its own term. */
const objects: Partial<Readonly<Record<MappingClass, Terms>>> = {
  Keywords: concept,
  Theme: concept,
  Language: concept,
  Agent: named,
  AgentMultiLang: named,
  ContactPoint: named,
  Nested: concept,
  SpatialResource: concept,
  License: concept,
  Format: concept,
  AccessRight: concept,
  Frequency: concept,
  FrequencyMultiLang: concept,
  AdmsSkos: resource,
  LabeledResource: resource,
  DatasetType: concept,
  DistributionType: concept,
  HvdCategory: concept,
  EuroVoc: concept,
  GenericSkosMultiLang: concept,
  Document: resource,
  Page: { term: 'resource', display: 'title' },
  AdmsIdentifier: { term: 'identifier', display: 'identifier' },
}

type Found = { readonly field: Field; readonly path: string; readonly rest: readonly string[] }

/** The field at a dotted path, and what of the path lies inside its value. */
function fieldAt(fields: readonly Field[], path: readonly string[]): Found | undefined {
  const [name, ...rest] = path
  const field = fields.find((one) => one.name === name)
  if (!field) return undefined
  const inner = rest.length > 0 ? fieldAt(field.children, rest) : undefined
  if (inner) return { ...inner, path: `${field.name}.${inner.path}` }
  return { field, path: field.name, rest }
}

/** Exact values were once asked for by a column of their own (`name.raw`). */
const column = 'raw'

/** The facet with path, term and title of the fields; `undefined` when there is no such field, or no such key in its values. */
export function withTerms(facet: FacetConfig, fields: readonly Field[]): FacetConfig | undefined {
  const found = fieldAt(fields, facet.path.split('.'))
  if (!found) return undefined
  const { field, path, rest } = found
  if (field.mapping === 'Metrics') return facet
  const [key, ...more] = rest.filter((step) => step !== column)
  const known = objects[field.mapping]
  if (key === undefined) {
    return hasTerm(facet, field, known) ? { ...facet, path, ...termsOf(facet, known) } : undefined
  }
  if (more.length > 0 || field.mapping === 'Nested') return undefined
  if (key === known?.term) return { ...facet, path, ...known }
  return targetsOf(field.mapping).has(key)
    ? { ...facet, path: `${path}.${key}`, ...value }
    : undefined
}

const termsOf = ({ term, display }: FacetConfig, known: Terms = value): Terms => ({
  term: term ?? known.term,
  display: display ?? (term === undefined || term === known.term ? known.display : term),
})

/** Whether the values of the field have the key that the facet names as its term. */
function hasTerm({ term, kind = 'values' }: FacetConfig, field: Field, known?: Terms): boolean {
  if (term === undefined || kind !== 'values') return true
  if (field.mapping === 'Nested') return field.children.some(({ name }) => name === term)
  if (!known) return term === ''
  return term === known.term || targetsOf(field.mapping).has(term)
}
