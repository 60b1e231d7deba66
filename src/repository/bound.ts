/** What the bindings of the repository's routes work with. */

import type { ApiKeys } from '../http/api-key.ts'
import type { App, AppContext, AppOptions } from '../http/app.ts'
import type { Limits } from '../http/limits.ts'
import type { Profile } from '../profile/fields.ts'
import type { Catalogues } from './catalogues.ts'
import type { Datasets } from './datasets.ts'
import type { Deletion } from './deleting/deletion.ts'
import type { RepositoryDeps, WritingDeps } from './deps.ts'
import type { Lists } from './listing/lists.ts'
import type { Kept } from './listing/followed-store.ts'
import type { CustomResources } from './resources/resources.ts'
import type { Vocabularies } from './vocabularies.ts'
import type { Guard } from './answering/guard.ts'
import type { Locate } from './answering/located.ts'
import type { Distributions } from './distributions/distributions.ts'
import type { QualityMetrics } from './metrics/quality-metrics.ts'
import type { Indexing } from './answering/waiting.ts'

export type RepositoryAppDeps = RepositoryDeps &
  Indexing & {
    readonly deletion: Deletion
    readonly keys: ApiKeys
    readonly limits: Limits
    readonly profile: Profile
    /** What is remembered of long lists; it hears of the writes of `store`. */
    readonly kept: Kept
    /** Version of the platform, for the OpenAPI document. */
    readonly version: string
    readonly http: Omit<AppOptions, 'name'>
  }

/** What every binding works with. */
export type Bound = RepositoryAppDeps &
  WritingDeps & {
    readonly app: App
    readonly guard: Guard
    readonly catalogues: Catalogues
    readonly datasets: Datasets
    readonly vocabularies: Vocabularies
    readonly customResources: CustomResources
    readonly distributions: Distributions
    readonly metrics: QualityMetrics
    readonly locate: Locate
    readonly lists: Lists
    readonly expected: (c: AppContext) => (hash: string | undefined) => void
  }
