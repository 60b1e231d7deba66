/** The repository's contract as data: paths, parameters, answers. */

import { catalogueRoutes } from './routes/catalogues.ts'
import { datasetRoutes } from './routes/datasets.ts'
import { distributionRoutes } from './routes/distributions.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { profileRoutes } from './routes/profile.ts'
import { recordRoutes } from './routes/records.ts'
import { vocabularyRoutes } from './routes/vocabularies.ts'

export const routes = {
  ...catalogueRoutes,
  ...datasetRoutes,
  ...distributionRoutes,
  ...metricsRoutes,
  ...recordRoutes,
  ...vocabularyRoutes,
  ...profileRoutes,
}
