/** What an exporter's config may say. */

import { z } from 'zod'
import type { JsonObject } from '../../pipe/document.ts'
import { hubConfig } from './door/choice.ts'

const percent = z.number().min(0).max(100)

/** Unknown keys are kept. */
export const exportConfig = z.looseObject({
  hub: hubConfig.default({}),
  /** Of what was measured nothing is written. Harvests do not know it. */
  skip: z.boolean().default(false),
  /** Records of the catalogue that no pipe owns become this pipe's at the end of a complete run. */
  adoptUnowned: z.boolean().default(false),
  /** What becomes of a stored record that a foreign transformer did not give back. */
  onDropped: z.enum(['keep', 'remove']).default('keep'),
  /** Share of the pipe's records that a run may remove without asking; 100: no guard. */
  guardPercent: percent.optional(),
  /** Number of records that a run may always remove without asking. */
  guardMinimum: z.int().min(0).optional(),
  /** Complete runs in a row that must miss a record before it goes. */
  missingRuns: z.int().min(1).optional(),
})
export type ExportConfig = z.infer<typeof exportConfig>

export const exportSchema = (): JsonObject => {
  const schema = z.toJSONSchema(exportConfig, { io: 'input', unrepresentable: 'any' })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON Schema is JSON
  return JSON.parse(JSON.stringify(schema)) as JsonObject
}
