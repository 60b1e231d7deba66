/** Places that a query names, where the table of countries cannot be read at first. */

import { expect, it, vi } from 'vitest'
import { failingFiles } from '../support/failing-files.ts'
import { documentOf } from './suite/corpus.ts'

it('countries are read again after a failure', async () => {
  // Another test file of this process may have read them.
  vi.resetModules()
  const { searchFixture } = await import('./suite/search-fixture.ts')
  const text = { title: { en: ['Trees'] } }
  const made = documentOf({ index: 'dataset', id: 'a', text, facets: { country: ['de'] } })
  const search = await searchFixture([made])
  const ask = () => search.get('/search?filters=dataset&q=trees Germany&places=true')
  const mend = failingFiles('readdir', /vocabularies/)
  expect((await ask()).status).toBe(500)
  mend()
  // A busy machine may answer without them while it reads.
  const places = async () => (await ask()).body.result['places']
  await expect.poll(places).toMatchObject([{ facet: 'country', q: 'trees', count: 1 }])
  await search.close()
})
