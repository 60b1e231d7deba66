/** What the config of a CKAN importer may say beside the common keys. */
import { z } from 'zod'
import { mappingKeys } from '../../mapping/config.ts'

export const ckanConfig = z.object({
  ...mappingKeys,
  /** `dkan`: the portal is a DKAN, whatever the pipe calls it. */
  dialect: z.enum(['ckan', 'dkan']).default('ckan'),
  /** Which field is the source id. */
  identifier: z.enum(['id', 'name']).default('id'),
  /** Records per page; portals cut it in silence. */
  pageSize: z.int().min(1).max(10_000).default(100),
  /** Types of packages that are datasets; harvest sources and showcases are packages too. */
  types: z.array(z.string().toLowerCase()).default(['dataset']),
})
export type CkanConfig = z.infer<typeof ckanConfig>
