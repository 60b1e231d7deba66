/** `repair store` over the embedded store. */

import { repairContract } from '../contracts/store-repair.ts'

repairContract('embedded', () => Promise.resolve({}))
