/** Changes by differences on real triplestores. */

import { describe, inject } from 'vitest'
import { declared } from '../repository/declared.ts'
import { patchContract } from '../repository/patches.ts'
import { openRemote } from '../store/opening.ts'
import { repository } from '../support/repository.ts'
import { isMissing, stores } from './stores.ts'

for (const name of stores) {
  describe.skipIf(isMissing(name))(`PATCH on ${name}`, () => {
    patchContract(async () => {
      const server = inject(name)
      if ('missing' in server) throw new Error(server.missing)
      const store = await openRemote(server.config)
      const repo = await repository({
        resources: declared,
        around: (own) => ({ ...own, ...store }),
      })
      const close = () => repo.close().then(() => store.close())
      return { ...repo, store, close }
    })
  })
}
