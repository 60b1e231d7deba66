/** `repair store` over real triplestores. */

import { afterAll, describe, inject } from 'vitest'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { repairContract } from '../contracts/store-repair.ts'
import { openRemote } from '../store/opening.ts'
import { fresh, isMissing, stores } from './stores.ts'

for (const name of stores) {
  describe.skipIf(isMissing(name))(`${name} as the store`, () => {
    const ends: (() => Promise<unknown>)[] = []
    afterAll(async () => {
      for (const end of ends.reverse()) await end()
    })
    repairContract(name, async () => {
      if ('missing' in inject(name)) throw new Error('no server')
      const engine = await fresh(name)
      const store: GraphStore = await openRemote(engine.config)
      ends.push(engine.stop, () => store.close())
      return { around: () => store }
    })
  })
}
