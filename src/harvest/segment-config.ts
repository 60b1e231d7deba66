/** Configs of segments: validated by zod, described as JSON Schema. */

import { z } from 'zod'
import type { JsonObject } from '../text/json.ts'
import type { ConfigProblem } from '../pipe/segment.ts'

/** Problems of a config by key. */
export const configProblems = ({ issues }: z.ZodError): readonly ConfigProblem[] =>
  issues.map(({ path, message }) => ({ key: path.join('.'), detail: message }))

/** JSON Schema of a config. */
export function configSchema(config: z.ZodType): JsonObject {
  const schema = z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON Schema is JSON
  return JSON.parse(JSON.stringify(schema)) as JsonObject
}
