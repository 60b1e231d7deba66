/** The fields that a name in a request means, on every engine. */

/** A full-text field, in all buckets or in one. */
export type FieldReach = { readonly field: string; readonly bucket?: string }

/** The record's id is searchable in every index, under this name, in the bucket of no language. */
export const idField = 'id'

/** Keys inside an object whose text is the object's. */
const keys = new Set([
  'name',
  'label',
  'id',
  'organisation_name',
  'title',
  'description',
  'identifier',
])

/**
 * The fields that `name` means: a field (`title`), the fields below a name (`distributions` → `distributions.title`), or a field in one
 * configured language (`title.de`). Empty for an unknown name. The bucket of unconfigured languages has no name.
 */
export function reachOf(
  name: string,
  fields: readonly string[],
  languages: readonly string[],
): readonly FieldReach[] {
  const all = [idField, ...fields]
  if (all.includes(name)) return [{ field: name }]
  const below = fields.filter((field) => field.startsWith(`${name}.`))
  if (below.length > 0) return below.map((field) => ({ field }))
  const dot = name.lastIndexOf('.')
  if (dot < 0) return []
  const [field, last] = [name.slice(0, dot), name.slice(dot + 1).toLowerCase()]
  if (!all.includes(field)) return []
  if (languages.includes(last)) return [{ field, bucket: last }]
  // `publisher.name`, `keywords.label`: the text of an object lies under the object's own name.
  return keys.has(last) ? [{ field }] : []
}
