/** Original texts of documents, as tokens. */

import { z } from 'zod'
import { otherBucket } from '../../text/language.ts'
import { tokens } from '../../text/tokens.ts'
import { idField } from '../field-reach.ts'
import type { TokenisedValue } from '../text-scores.ts'
import { textsAttribute } from './attributes.ts'
import { parseAnswer } from './engine-client.ts'

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
