/** What pages ask of a search beside its hits. */

import { expect, it } from 'vitest'
import { extrasContract, extrasDataset } from './suite/extras.ts'
import { searchFixture } from './suite/search-fixture.ts'

extrasContract()

it('takes near words with another first letter too', async () => {
  const search = await searchFixture([extrasDataset('e01', 'Water levels of rivers')])
  try {
    const found = async () =>
      (await search.get('/search?filters=dataset&q=qater&related=true')).body.result
    await expect.poll(async () => (await found())['instead']).toEqual({ qater: ['water'] })
  } finally {
    await search.close()
  }
})
