/** Where words are looked for: a field in one bucket. */

import { otherBucket } from '../../../text/language.ts'
import { idField, reaches, reachOf } from '../../field-reach.ts'
import type { IndexSettings } from '../../index-settings.ts'

export type Place = { readonly field: string; readonly bucket: string }

/** The places that field names of a request reach; all when there are no names. The id lies in the bucket of no language. */
export function placesOf(
  names: readonly string[] | undefined,
  { texts }: Pick<IndexSettings, 'texts'>,
  languages: readonly string[],
): readonly Place[] {
  const fields = [...new Set(texts.map((text) => text.name))].filter((name) => name !== idField)
  const reach = names?.flatMap((name) => reachOf(name, fields, languages))
  const all = fields.flatMap((field) =>
    [...languages, otherBucket].map((bucket): Place => ({ field, bucket })),
  )
  return [{ field: idField, bucket: otherBucket }, ...all].filter(({ field, bucket }) =>
    reaches(reach, field, bucket),
  )
}
