/** The components of an OpenAPI document that describe the fields of a profile. */

import { languageMaps, type Field, type MappingClass } from '../fields.ts'
import { localName } from '../shacl/statements.ts'
import { naming } from './component-names.ts'
import { list, object, reference, type JsonSchema } from './json-schema.ts'
import { classesWithModel, modelOf, referredBy } from './models.ts'

export type Components = {
  /** Adds a schema under the first wanted name that is free, and says which one that is. */
  readonly add: (schema: JsonSchema, ...wanted: readonly string[]) => string
  /** The schema of a field with all its values; components that it needs are added. */
  readonly field: (field: Field) => JsonSchema
  readonly all: () => Readonly<Record<string, JsonSchema>>
}

/** Classes of which there is one value, whatever the profile says. */
const always: ReadonlySet<MappingClass> = new Set([...languageMaps, 'Metrics', 'TranslationMeta'])

/** What the platform makes of fields without a path, whatever their class. */
const filled: ReadonlyMap<string, MappingClass> = new Map([
  ['country', 'SpatialResource'],
  ['spatial_resource', 'SpatialResource'],
  ['is_hvd', 'Boolean'],
])

const filledOnce: ReadonlySet<string> = new Set(['id', 'resource', 'is_hvd'])

const isOne = ({ name, mapping, paths, single }: Field) =>
  single || always.has(mapping) || (paths.length === 0 && filledOnce.has(name))

const classOf = ({ name, mapping, paths }: Field): MappingClass =>
  (paths.length === 0 ? filled.get(name) : undefined) ?? mapping

/** `https://example.org/shapes#Distribution_Shape` → `Distribution` */
const nameOf = (link: string) => localName(link).replace(/(?<=.)_?Shape$/, '')

/** An empty set of components; the names of the mapping classes are kept for their models. */
export function components(): Components {
  const found: Record<string, JsonSchema> = {}
  const shapes = new Map<string, string>()
  const free = naming(classesWithModel)

  const add = (schema: JsonSchema, ...wanted: readonly string[]) => {
    const name = free(...wanted)
    found[name] = schema
    return name
  }

  const model = (mapping: MappingClass): JsonSchema => {
    const schema = modelOf(mapping)
    if (schema) found[mapping] = schema
    for (const other of referredBy(mapping)) model(other)
    return reference(mapping)
  }

  const nested = ({ link, children, tooDeep }: Field): JsonSchema => {
    const properties = Object.fromEntries(children.map((child) => [child.name, field(child)]))
    const schema = object('', properties)
    if (link === undefined || tooDeep) return schema
    // One shape may end sooner in one place than in another.
    const key = link + JSON.stringify(schema)
    const name = shapes.get(key) ?? add(schema, nameOf(link), localName(link))
    shapes.set(key, name)
    return reference(name)
  }

  const field = (one: Field): JsonSchema => {
    const value = one.mapping === 'Nested' ? nested(one) : model(classOf(one))
    const description = one.description === undefined ? {} : { description: one.description }
    return isOne(one) ? { ...value, ...description } : { ...list(value), ...description }
  }

  return { add, field, all: () => found }
}
