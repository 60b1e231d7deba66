/** Custom resource types: their shapes, and the facets that their fields can feed. */

import { compileShape } from './compile.ts'
import { demandOfResource } from './demands.ts'
import type { Placed } from './entry/core.ts'
import type { DeclaredType } from './entry/resources.ts'
import type { Field, ResourceType } from './fields.ts'
import type { Problems } from './problems.ts'
import { targetsOf } from './schemas/records.ts'
import { rootOf, type ShapeFiles } from './shacl/files.ts'

/** Whether a dotted path is a field, or a key of what the class of a field makes. */
function exists(fields: readonly Field[], path: string): boolean {
  const [name, ...rest] = path.split('.')
  const field = fields.find((one) => one.name === name)
  if (!field) return false
  const [key, ...more] = rest
  if (key === undefined) return true
  return field.mapping === 'Nested'
    ? exists(field.children, rest.join('.'))
    : more.length === 0 && targetsOf(field.mapping).has(key)
}

function compileType(
  placed: Placed<DeclaredType>,
  files: ShapeFiles,
  problems: Problems,
): ResourceType | undefined {
  const { entry, at } = placed
  const { find } = files
  const node = rootOf(placed, files, problems)
  if (!node) return undefined
  const root = entry.inCatalogue ? ('record' as const) : ('standalone' as const)
  const shape = compileShape(node, { find, problems, root })
  demandOfResource({ shape, node, find, problems }, entry.inCatalogue)
  const facets = entry.search.facets.filter((facet) => {
    const isServed = exists(shape.fields, facet.path)
    if (!isServed)
      problems.warn(
        at('searchSettings'),
        `facet "${facet.name}" is left out: there is no field ${facet.path}`,
      )
    return isServed
  })
  return { ...entry, shape, search: { ...entry.search, facets } }
}

/** The declared types with their compiled shapes. */
export const compileTypes = (
  declared: readonly Placed<DeclaredType>[],
  files: ShapeFiles,
  problems: Problems,
): readonly ResourceType[] =>
  declared.flatMap((placed) => compileType(placed, files, problems) ?? [])
