/** What the config of an ArcGIS Hub importer may say beside the common keys. */
import { z } from 'zod'
import { mappingKeys } from '../../mapping/config.ts'

export const arcgisConfig = z.object({
  ...mappingKeys,
  /** What is asked first; the next ones are tried when a site has it not. */
  feed: z
    .enum(['dcat-ap/2.1.1', 'dcat-ap/3.0.0', 'dcat-ap/2.0.1', 'dcat-us/1.1', 'records'])
    .default('dcat-ap/2.1.1'),
  /** Passed on to feed and records. */
  q: z.string().optional(),
  filter: z.string().optional(),
  /** Of records; feeds have no pages. */
  pageSize: z
    .int()
    .positive()
    .default(100)
    .transform((size) => Math.min(size, 100)),
})
export type ArcgisConfig = z.infer<typeof arcgisConfig>
