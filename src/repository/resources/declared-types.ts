/** The resource types that the profile declares, and what is said about all others. */

import { Failure } from '../../errors.ts'
import type { ResourceType } from '../../profile/fields.ts'

/** A type as far as the repository needs to know it; the shape is the projector's. */
export type DeclaredType = Pick<
  ResourceType,
  'id' | 'name' | 'description' | 'typeUri' | 'inCatalogue'
>

export type ResourceName = { readonly type: DeclaredType; readonly id: string }

/** The declared type of that id; throws `not-found`, which names those that there are. */
export function declaredType(types: readonly DeclaredType[], id: string): DeclaredType {
  const found = types.find((type) => type.id === id)
  if (found) return found
  const known = types.map((type) => `"${type.id}"`).join(', ')
  throw new Failure('not-found', `the profile declares no such type, only ${known}`)
}
