/** Fields that the platform fills, whatever a profile says about where they come from. */

import type { MappingClass } from './fields.ts'

/** Which record a shape is the root of; `record` = one in a catalogue, `concept` = all is filled by other code. */
export type Root = 'record' | 'catalogue' | 'standalone' | 'concept'

/** Names without `sh:path` that the platform knows how to fill. */
const filled: ReadonlySet<string> = new Set([
  'id',
  'resource',
  'catalog',
  'catalog_record',
  'country',
  'spatial_resource',
  'quality_meas',
  'translation_meta',
  'is_hvd',
  'revision_number',
  'access_level',
  'publication_status',
  'revisions',
])

/** Classes whose values do not come from a path that a profile names. */
const computed: ReadonlySet<MappingClass> = new Set([
  'DistributionType',
  'Metrics',
  'TranslationMeta',
])

/** Whether a field may do without `sh:path`. */
export const needsNoPath = (name: string, mapping: MappingClass): boolean =>
  computed.has(mapping) || filled.has(name)

/** Whether the `sh:path` of a field has no effect, because the platform fills it all the same. */
export function isReserved(name: string, mapping: MappingClass, root: Root | undefined): boolean {
  if (name === 'id' || name === 'resource') return true
  if (root === undefined || root === 'concept') return false
  if (name === 'country') return mapping === 'SpatialResource'
  if (name === 'translation_meta') return mapping === 'TranslationMeta'
  return name === 'catalog' && mapping === 'Nested' && root === 'record'
}
