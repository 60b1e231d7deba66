/** Jobs of a platform that is killed, on a real triplestore. */

import { describe } from 'vitest'
import { killedJobs } from '../jobs/killed-jobs.ts'
import { isMissing, onStore } from './stores.ts'

describe.skipIf(isMissing('fuseki'))('fuseki as the store', () => {
  killedJobs(onStore('fuseki'))
})
