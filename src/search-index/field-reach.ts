/**
 * Resolution of the field names that a request gives (parameter `fields`, `title:word` in `q`) to full-text fields, for both
 * engines.
 */

import { bucketOf, otherBucket } from '../text/language.ts'

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
  const fieldNames = [idField, ...fields]
  if (fieldNames.includes(name)) return [{ field: name }]
  const innerFields = fields.filter((field) => field.startsWith(`${name}.`))
  if (innerFields.length > 0) return innerFields.map((field) => ({ field }))
  const dot = name.lastIndexOf('.')
  if (dot < 0) return []
  const [field, suffix] = [name.slice(0, dot), name.slice(dot + 1).toLowerCase()]
  if (!fieldNames.includes(field)) return []
  const bucket = bucketOf(suffix, languages)
  if (bucket !== otherBucket) return [{ field, bucket }]
  // `publisher.name`, `keywords.label`: the text of an object is indexed under the object's own name.
  return objectMembers.has(suffix) ? [{ field }] : []
}
