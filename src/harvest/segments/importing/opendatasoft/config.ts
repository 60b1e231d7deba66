/** What the config of an OpenDataSoft importer may say beside the common keys. */
import { z } from 'zod'
import { mappingKeys } from '../../mapping/config.ts'

const most = 100
const some = z.union([z.string(), z.array(z.string())])

export const opendatasoftConfig = z.object({
  ...mappingKeys,
  /** The platform gives 100 at most; more is cut to that. */
  pageSize: z
    .int()
    .positive()
    .default(most)
    .transform((size) => Math.min(size, most)),
  /** Which of the two is the source id; the other is an alias. */
  identifier: z.enum(['dataset_uid', 'dataset_id']).default('dataset_uid'),
  /** Condition in ODSQL. */
  where: z.string().optional(),
  /** Facet values that datasets must have, `publisher:City`. */
  refine: some.optional(),
  /** Facet values that datasets must not have. */
  exclude: some.optional(),
  /** Whether datasets that come from another domain are taken. */
  federated: z.boolean().default(true),
  /** Export formats that become distributions, instead of the usual ones. */
  formats: some.optional(),
})
export type OpendatasoftConfig = z.infer<typeof opendatasoftConfig>
