/** What the platform demands of a profile, because its services rely on these fields. */

import type { Problems } from './problems.ts'
import type { ShapeNode } from './shapes.ts'
import type { Field, MappingClass, Shape } from './fields.ts'

const dcat = 'http://www.w3.org/ns/dcat#'

type Demand = {
  readonly name: string
  readonly mapping: MappingClass
  readonly required?: true
  readonly parts?: readonly Demand[]
  /** Whether `sh:maxCount 1` is demanded too; inner dates may go without. */
  readonly single?: false
}

const id: Demand = { name: 'id', mapping: 'StandardText' }

const ofDataset: readonly Demand[] = [
  id,
  {
    name: 'catalog_record',
    mapping: 'Nested',
    parts: [
      { name: 'issued', mapping: 'DateTime', single: false },
      { name: 'modified', mapping: 'DateTime', single: false },
    ],
  },
  { name: 'catalog', mapping: 'Nested', parts: [{ ...id, required: true }] },
  { name: 'country', mapping: 'SpatialResource' },
  { name: 'quality_meas', mapping: 'Metrics' },
]

type Report = (property: string, problem: string) => void

function check(fields: readonly Field[], demands: readonly Demand[], report: Report, inside = '') {
  for (const demand of demands) {
    const path = inside + demand.name
    const field = fields.find(({ name }) => name === demand.name)
    if (!field) {
      report(path, `is missing; it must be there with class ${demand.mapping}`)
      continue
    }
    if (field.mapping !== demand.mapping)
      report(path, `has class ${field.mapping}; it must be ${demand.mapping}`)
    if (demand.single !== false && !field.single) report(path, 'needs sh:maxCount 1')
    if (demand.required && !field.required) report(path, 'needs sh:minCount 1')
    check(field.children, demand.parts ?? [], report, `${path}.`)
  }
}

/** Reports every demand that the catalogue shape does not meet. */
export function demandOfCatalogue(shape: Shape, node: ShapeNode, problems: Problems) {
  const report: Report = (property, problem) =>
    problems.add({ file: node.file, shape: node.iri, property }, problem)
  if (!node.properties.some((property) => property.paths?.includes(`${dcat}dataset`)))
    report('dcat:dataset', 'is missing; a property with this sh:path must be there')
  check(shape.fields, [id], report)
}

/** Reports every demand that the dataset shape and its distributions do not meet. */
export function demandOfDataset(shape: Shape, node: ShapeNode, problems: Problems) {
  const report: Report = (property, problem) =>
    problems.add({ file: node.file, shape: node.iri, property }, problem)
  check(shape.fields, ofDataset, report)
  const distributions = shape.fields.find(
    (field) => field.mapping === 'Nested' && field.paths.includes(`${dcat}distribution`),
  )
  if (!distributions)
    report('dcat:distribution', 'is missing; a Nested property with this sh:path must be there')
  else check(distributions.children, [id], report, `${distributions.name}.`)
}
