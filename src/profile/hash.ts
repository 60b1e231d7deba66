/** The hash of a profile: another one means other documents or another index. */

import { createHash } from 'node:crypto'
import type { Field, Profile, ResourceType } from './fields.ts'

/** All of a field that decides what documents and indices look like; texts for readers do not. */
const essence = ({ name, mapping, paths, required, single, tooDeep, children }: Field): unknown => [
  name,
  mapping,
  paths,
  [required, single, tooDeep === true],
  children.map(essence),
]

const ofType = ({ id, typeUri, inCatalogue, shape, search }: ResourceType): unknown => [
  id,
  typeUri,
  inCatalogue,
  shape.fields.map(essence),
  search,
]

/** SHA-256 over the compiled fields and the custom resource types, hexadecimal. */
export function hashOf({
  dataset,
  catalogue,
  concept,
  resources,
}: Pick<Profile, 'dataset' | 'catalogue' | 'concept' | 'resources'>): string {
  const core = [dataset, catalogue, concept].map(({ fields }) => fields.map(essence))
  return createHash('sha256')
    .update(JSON.stringify([core, resources.map(ofType)]))
    .digest('hex')
}
