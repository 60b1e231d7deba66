/** What the config of a Socrata importer may say beside the common keys. */
import { z } from 'zod'
import { mappingKeys } from '../../mapping/config.ts'

/** What a field of a portal's own metadata can mean. */
const meanings = [
  'frequency',
  'temporal',
  'spatial',
  'language',
  'issued',
  'modified',
  'publisher',
  'contactName',
  'contactEmail',
  'licence',
  'accessRights',
  'conformsTo',
  'keyword',
] as const
export type Meaning = (typeof meanings)[number]

const listed = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat().flatMap((text) => text.split(',').map((one) => one.trim())))
  .refine((types) => types.every((type) => /^[a-z_]+$/i.test(type)), 'must be types of assets')
  .refine((types) => types.length > 0, 'must name a type')

export const socrataConfig = z.object({
  ...mappingKeys,
  pageSize: z.int().min(1).max(10_000).default(100),
  /** Types of assets: `dataset`, `file`, `href`, and further ones that have no data of their own. */
  only: listed.default(['dataset', 'file', 'href']),
  /** Whether views that are derived from another asset are taken. */
  derived: z.boolean().default(false),
  /** Key of the portal's own metadata → what it means. */
  fields: z.record(z.string(), z.enum(meanings)).default({}),
})
export type SocrataConfig = z.infer<typeof socrataConfig>
