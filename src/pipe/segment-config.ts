/** Problems and JSON Schema of segment configs that zod validates; used by each kind of segment. */

import { z } from 'zod'
import { toJson, type JsonObject } from '../text/json.ts'
import type { ConfigProblem } from './segment.ts'

/** Problems of a config by key. */
export const configProblems = ({ issues }: z.ZodError): readonly ConfigProblem[] =>
  issues.map(({ path, message }) => ({ key: path.join('.'), detail: message }))

/** JSON Schema of a config. */
export function configSchema(config: z.ZodType): JsonObject {
  return toJson(z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' }))
}
