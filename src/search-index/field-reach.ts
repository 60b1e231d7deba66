/** Resolution of field names in requests to full-text fields, for all engines. */

/**
 * Full-text field to search, in all language buckets or in one. A bucket holds the texts in one configured language, or in all other
 * languages.
 */
export type SearchedField = { readonly field: string; readonly bucket?: string }

/** Full-text field that holds the record's id, in every index, in the bucket of texts without a configured language. */
export const idField = 'id'

/** Members of an object whose text is indexed under the object's own name. */
const objectMembers = new Set([
  'name',
  'label',
  'id',
  'organisation_name',
  'title',
  'description',
  'identifier',
])

/**
 * Resolves a name to fields: a field (`title`), the fields below a name (`distributions` → `distributions.title`), or a field in one
 * configured language (`title.de`). Returns none for an unknown name. The bucket of other languages cannot be named.
 */
export function searchedFieldsOf(
  name: string,
  fields: readonly string[],
  languages: readonly string[],
): readonly SearchedField[] {
  const all = [idField, ...fields]
  if (all.includes(name)) return [{ field: name }]
  const below = fields.filter((field) => field.startsWith(`${name}.`))
  if (below.length > 0) return below.map((field) => ({ field }))
  const dot = name.lastIndexOf('.')
  if (dot < 0) return []
  const [field, last] = [name.slice(0, dot), name.slice(dot + 1).toLowerCase()]
  if (!all.includes(field)) return []
  if (languages.includes(last)) return [{ field, bucket: last }]
  // `publisher.name`, `keywords.label`: the text of an object is indexed under the object's own name.
  return objectMembers.has(last) ? [{ field }] : []
}
