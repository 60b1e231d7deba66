/** What the config of a DKAN importer may say beside the common keys. */
import { z } from 'zod'
import { mappingKeys } from '../../mapping/config.ts'

export const dkanConfig = z.object({
  ...mappingKeys,
  /** Of the software; found out when `auto`. */
  version: z
    .union([z.enum(['auto', '1', '2']), z.literal(1), z.literal(2)])
    .default('auto')
    .transform(String),
  /** Records per page; version 2 gives at most 100. */
  pageSize: z.int().min(1).max(10_000).default(100),
})
export type DkanConfig = z.infer<typeof dkanConfig>
