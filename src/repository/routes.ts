/** The repository's contract as data: paths, parameters, answers. */

import { bulkRoutes } from './routes/bulk.ts'
import { catalogueRoutes } from './routes/catalogues.ts'
import { datasetRoutes } from './routes/datasets.ts'
import { distributionRoutes } from './routes/distributions.ts'
import { dumpRoutes } from './routes/dump.ts'
import { listRoutes } from './routes/lists.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { profileRoutes } from './routes/profile.ts'
import { recordRoutes } from './routes/records.ts'
import { tombstoneRoutes } from './routes/tombstones.ts'
import { vocabularyRoutes } from './routes/vocabularies.ts'

export const routes = {
  ...bulkRoutes,
  ...catalogueRoutes,
  ...datasetRoutes,
  ...distributionRoutes,
  ...dumpRoutes,
  ...listRoutes,
  ...metricsRoutes,
  ...recordRoutes,
  ...tombstoneRoutes,
  ...vocabularyRoutes,
  ...profileRoutes,
}
