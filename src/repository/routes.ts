/** The repository's contract as data: paths, parameters, answers. */

import { catalogueRoutes } from './routes/catalogues.ts'
import { datasetRoutes } from './routes/datasets.ts'
import { profileRoutes } from './routes/profile.ts'
import { vocabularyRoutes } from './routes/vocabularies.ts'

export const routes = {
  ...catalogueRoutes,
  ...datasetRoutes,
  ...vocabularyRoutes,
  ...profileRoutes,
}
