/** The contract of cursors on Meilisearch. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  configured,
  documents,
  languages,
  request,
  type Made,
} from '../../contracts/search-index-corpus.ts'
import { cursorContract } from '../../contracts/search-index-cursors.ts'
import { isSearchMissing, newIndexPrefix, onMeilisearch } from './meilisearch-under-test.ts'

describe.skipIf(isSearchMissing)('on a real server', () => {
  cursorContract('Meilisearch', (options) => onMeilisearch(languages, options)())
})

describe.skipIf(isSearchMissing)('beside another process', () => {
  let [writer, reader]: Made[] = []
  beforeAll(async () => {
    const made = onMeilisearch(languages, undefined, newIndexPrefix())
    writer = await made()
    await configured(writer.index)
    await writer.index.write(documents.map((put) => ({ put })))
    reader = await made()
    await configured(reader.index)
  })
  afterAll(async () => {
    await reader?.index.close()
    await writer?.release()
  })

  it('that replaces records, a cursor ends instead of showing gaps', async () => {
    const { offset: _, ...asked } = request({ limit: 5 })
    const open = () => reader!.index.openCursor({ ...asked, client: 'me', note: '' })
    const first = await open()
    expect([first.count, first.hits.length]).toEqual([14, 5])
    const shown = new Set(first.hits.map(({ id }) => id))
    const others = documents.filter(({ index, id }) => index === 'dataset' && !shown.has(id))
    await writer!.index.write(others.map((put) => ({ put: { ...put, version: 9 } })))
    await expect(reader!.index.readPage(first.cursor)).rejects.toMatchObject({
      kind: 'unknown-cursor',
    })
    // What comes anew sees what is there now.
    const again = await open()
    expect((await reader!.index.readPage(again.cursor)).hits).toHaveLength(5)
  })
})
