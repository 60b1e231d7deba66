/** Kill and return on the embedded store. */

import { killJourney } from './kill/journey.ts'

killJourney('embedded', () => Promise.resolve({ env: {}, end: () => Promise.resolve() }))
