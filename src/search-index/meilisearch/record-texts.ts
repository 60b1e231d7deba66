/** Original texts of documents, as tokens. */

import { z } from 'zod'
import { idField } from '../field-reach.ts'
import { parseAnswer } from '../remote/answers.ts'
import type { IndexPart } from '../remote/generation.ts'
import type { TokenisedValue } from '../text-scores.ts'
import { otherBucket } from '../../text/language.ts'
import { tokens } from '../../text/tokens.ts'
import { textsAttribute } from './attributes.ts'
import { filterText } from './condition.ts'
import { fetchDocuments, type ReadContext } from './engine-reads.ts'
import { hasNumberAmong } from './filter-conditions.ts'

/** Document with its texts, of which each field has an attribute (`textsAttribute`). */
export const textsRow = z.looseObject({ n: z.number(), i: z.string() })
type TextsRow = z.infer<typeof textsRow>

/** Texts of a field: bucket → values. */
const fieldTexts = z.record(z.string(), z.array(z.string()))

/** Values of the id and of some fields of a document. */
export const valuesOf = (row: TextsRow, fields: readonly string[]): readonly TokenisedValue[] => [
  { field: idField, bucket: otherBucket, tokens: tokens(row.i) },
  ...fields.flatMap((field) => {
    // Most records lack most fields.
    const stored = row[textsAttribute(field)]
    if (stored === undefined) return []
    return Object.entries(parseAnswer(fieldTexts, stored)).flatMap(([bucket, texts]) =>
      texts.map((text) => ({ field, bucket, tokens: tokens(text) })),
    )
  }),
]

/** Reads the values of the documents with some numbers. */
export async function recordTextsOf(
  { uid, settings }: IndexPart,
  numbers: readonly number[],
  context: Pick<ReadContext, 'client'>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<number, readonly TokenisedValue[]>> {
  const fields = settings.texts.map(({ name }) => name)
  const request = {
    row: textsRow,
    extraAttributes: fields.map(textsAttribute),
    filter: filterText(hasNumberAmong(numbers)),
    limit: numbers.length,
  }
  const { results } = await fetchDocuments(context, uid, request, signal)
  return new Map(results.map((row) => [row.n, valuesOf(row, fields)]))
}
