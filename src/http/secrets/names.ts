/** Names of headers, parameters and keys whose values are secrets. */

import { secretNames } from '../../log.ts'

/** Whether what stands under this name is never shown. Case, `$` and surrounding blanks do not matter. */
export const isSecretName = (name: string): boolean =>
  secretNames.has(name.trim().replace(/^\$+/, '').toLowerCase())
