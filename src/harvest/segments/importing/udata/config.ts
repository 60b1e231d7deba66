/** What the config of a uData importer may say beside the common keys. */
import { z } from 'zod'
import { mappingKeys } from '../../mapping/config.ts'

export const udataConfig = z.object({
  ...mappingKeys,
  /** Records per page. */
  pageSize: z.int().min(1).max(1000).default(100),
  /** Leave out what the portal harvested from this host. */
  skipHarvested: z.boolean().default(true),
})
export type UdataConfig = z.infer<typeof udataConfig>
