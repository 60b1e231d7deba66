/** Jobs of a platform that is killed, on the embedded store. */

import { embedded } from '../journeys/store-under-test.ts'
import { killedJobs } from './killed-jobs.ts'

killedJobs(embedded)
