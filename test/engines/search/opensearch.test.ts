/** The contracts of search on OpenSearch, with one and with several shards. */

import { describe, expect, it } from 'vitest'
import { languages as referenceLanguages } from '../../contracts/reference/corpus.ts'
import { cursorContract } from '../../contracts/search-index-cursors.ts'
import { configured, documentOf, languages, settings } from '../../contracts/search-index-corpus.ts'
import { searchIndexDifferential } from '../../contracts/search-index-differential.ts'
import { searchIndexContract } from '../../contracts/search-index.ts'
import { vectorContract } from '../../contracts/search-index-vectors.ts'
import { isClusterMissing, newClusterPrefix, onOpensearch } from './opensearch-under-test.ts'

describe.skipIf(isClusterMissing).each([1, 3])('on a real server with %i shards', (shards) => {
  searchIndexContract('OpenSearch', onOpensearch(languages, shards))
  cursorContract('OpenSearch', (options) => onOpensearch(languages, shards, options)())
  vectorContract('OpenSearch', onOpensearch(languages, shards))
  searchIndexDifferential('OpenSearch', onOpensearch(referenceLanguages, shards))
})

describe.skipIf(isClusterMissing)('beside another process', () => {
  it('records are filled again when the terms are gone, of which words have no forms', async () => {
    const place = newClusterPrefix()
    const make = onOpensearch(languages, 1, undefined, place)
    const first = await make()
    await configured(first.index)
    await first.index.write([
      { put: documentOf({ index: 'dataset', id: 'a', text: { title: { en: ['rivers'] } } }) },
    ])
    const again = await make()
    expect(await again.index.configure(settings)).toEqual({ rebuild: [] })
    const path = `${place.urls[0]}/${place.prefix}-terms/_delete_by_query?refresh=true`
    const body = JSON.stringify({ query: { match_all: {} } })
    const headers = { 'Content-Type': 'application/json' }
    expect((await fetch(path, { method: 'POST', headers, body })).status).toBe(200)
    expect(await again.index.configure(settings)).toEqual({ rebuild: ['dataset'] })
    await first.index.close()
    await again.release()
  })

  it('a removal that is written late does not lower the newest version', async () => {
    const make = onOpensearch(languages, 1, undefined, newClusterPrefix())
    const [late, writer, reader] = [await make(), await make(), await make()]
    for (const { index } of [late, writer, reader]) await configured(index)
    expect(await late.index.newestVersion()).toBe(0)
    const remove = { index: 'dataset', id: 'a' } as const
    await writer.index.write([{ remove: { ...remove, version: 9 } }])
    await late.index.write([{ remove: { ...remove, version: 5 } }])
    expect(await reader.index.newestVersion()).toBe(9)
    for (const { index } of [late, writer]) await index.close()
    await reader.release()
  })
})
