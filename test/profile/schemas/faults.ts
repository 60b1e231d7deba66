/** Schemas of components as checks of values. */

import type { JsonSchema } from '../../../src/profile/json-schema.ts'
import { servedSchemas } from '../../support/served-schemas.ts'

/** Everything that is wrong with a value by a component, keys that it does not know too; `missing …` for what is absent. */
export function faults(
  components: Readonly<Record<string, JsonSchema>>,
  name: string,
  value: unknown,
): string[] {
  const served = servedSchemas({ paths: {}, components: { schemas: components } })
  return served
    .component(name, value)
    .map(({ path, missing, message }) => (missing ? `missing ${path}` : `${path}: ${message}`))
}
