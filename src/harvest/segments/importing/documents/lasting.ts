/** A record without what changes by itself: visits, scores, views. */
import { fieldsOf, type Fields } from '../../../../vocabularies/loose-values.ts'

/** The fields without the volatile ones, in the record itself and in its resources. */
export function lasting(fields: Fields, volatile: ReadonlySet<string>): unknown {
  const { resources } = fields
  const kept = keptOf(fields, volatile)
  if (!Array.isArray(resources)) return kept
  const files: readonly unknown[] = resources
  return {
    ...kept,
    resources: files.map((one) =>
      typeof one === 'object' && one !== null ? keptOf(fieldsOf(one), volatile) : one,
    ),
  }
}

const keptOf = (fields: Fields, volatile: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => !volatile.has(key)))
