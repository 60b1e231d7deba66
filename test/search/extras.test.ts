/** What pages ask of a search beside its hits. */

import { extrasContract } from './suite/extras.ts'

extrasContract()
