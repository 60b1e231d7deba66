/** Queries and texts that are no use to anybody. */

import { badInputContract } from './suite/bad-input.ts'

badInputContract()
