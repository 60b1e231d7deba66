/** The store contract on the embedded store. */

import { openEmbedded } from '../store/opening.ts'
import { exactContract } from './graph-store-exact.ts'
import { queryContract } from './graph-store-queries.ts'
import { valueContract } from './graph-store-values.ts'
import { streamContract } from './graph-store-streams.ts'
import { writingContract } from './graph-store.ts'

writingContract('embedded', openEmbedded)
valueContract('embedded', openEmbedded)
exactContract('embedded', openEmbedded)
queryContract('embedded', openEmbedded)
streamContract('embedded', openEmbedded)
