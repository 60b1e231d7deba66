/** What the platform demands of a profile, because its services rely on these fields. */

import type { FindShape } from './compile-profile.ts'
import type { Field, MappingClass, Shape } from './profile.ts'
import type { ProfilePlace, Problems } from './profile-problems.ts'
import type { PropertyNode, ShapeNode } from './profile-shapes.ts'

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

const inCatalogue: readonly Demand[] = [id, { name: 'catalog', mapping: 'Nested', parts: [id] }]

/** A compiled shape, where it stands, and where to tell what it lacks. */
type Checked = {
  readonly shape: Shape
  readonly node: ShapeNode
  readonly find: FindShape
  readonly problems: Problems
}

type Standing = { readonly property: PropertyNode; readonly node: ShapeNode }

const standing = (properties: readonly PropertyNode[], node: ShapeNode): readonly Standing[] =>
  properties.map((property) => ({ property, node }))

/** Where a field of the tree stands, or where it would have to. */
function placeOf({ node: root, find }: Checked, path: string): ProfilePlace {
  let node = root
  let line = root.line
  let candidates = standing(root.properties, root)
  const steps = path.split('.')
  for (const [depth, name] of steps.entries()) {
    const found = candidates.find(({ property }) => property.name === name)
    if (!found) break
    const { link, inline, lines } = found.property
    const linked = link === undefined ? undefined : find(link, found.node.file)
    node = found.node
    line = lines.node
    candidates = [...standing(inline, node), ...(linked ? standing(linked.properties, linked) : [])]
    if (!linked || depth === steps.length - 1) continue
    node = linked
    line = linked.line
  }
  return { file: node.file, line, shape: node.iri, property: path }
}

function check(
  checked: Checked,
  fields: readonly Field[],
  demands: readonly Demand[],
  around = '',
) {
  for (const demand of demands) {
    const path = around + demand.name
    const report = (problem: string) => checked.problems.add(placeOf(checked, path), problem)
    const field = fields.find(({ name }) => name === demand.name)
    if (!field) {
      report(`is missing; it must be there with class ${demand.mapping}`)
      continue
    }
    if (field.mapping !== demand.mapping)
      report(`has class ${field.mapping}; it must be ${demand.mapping}`)
    if (demand.single !== false && !field.single) report('needs sh:maxCount 1')
    if (demand.required && !field.required) report('needs sh:minCount 1')
    check(checked, field.children, demand.parts ?? [], `${path}.`)
  }
}

const missing = ({ node, problems }: Checked, property: string, problem: string) =>
  problems.add({ file: node.file, line: node.line, shape: node.iri, property }, problem)

/** Reports every demand that the catalogue shape does not meet. */
export function demandOfCatalogue(checked: Checked) {
  const { node, shape } = checked
  if (!node.properties.some((property) => property.paths?.includes(`${dcat}dataset`)))
    missing(checked, 'dcat:dataset', 'is missing; a property with this sh:path must be there')
  check(checked, shape.fields, [id])
}

/** Reports every demand that the dataset shape and its distributions do not meet. */
export function demandOfDataset(checked: Checked) {
  const { fields } = checked.shape
  check(checked, fields, ofDataset)
  const distributions = fields.find(
    (field) => field.mapping === 'Nested' && field.paths.includes(`${dcat}distribution`),
  )
  if (distributions) check(checked, distributions.children, [id], `${distributions.name}.`)
  else
    missing(
      checked,
      'dcat:distribution',
      'is missing; a Nested property with this sh:path must be there',
    )
}

/** Reports every demand that the shape of a custom resource type does not meet. */
export function demandOfResource(checked: Checked, isInCatalogue: boolean) {
  check(checked, checked.shape.fields, isInCatalogue ? inCatalogue : [id])
}
