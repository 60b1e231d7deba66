import { describe } from 'vitest'
import { repository } from '../support/repository.ts'
import { declared } from './declared.ts'
import { patchContract } from './patches.ts'

describe('PATCH on the embedded store', () => {
  patchContract(() => repository({ resources: declared }))
})
