/** A cluster that others write into as well: what is not ours is left alone, and changes no answer. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  configured,
  documents,
  languages,
  request,
  settings,
  type Made,
} from '../../contracts/search-index-corpus.ts'
import { isClusterMissing, newClusterPrefix, onOpensearch } from './opensearch-under-test.ts'

describe.skipIf(isClusterMissing)('OpenSearch with guests', () => {
  let made: Made
  const place = isClusterMissing ? undefined : newClusterPrefix()
  const open = () => onOpensearch(languages, 1, undefined, place)()
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${place?.urls[0]}/${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as Record<string, unknown>
  }
  const alias = () => `${place?.prefix}dataset`
  const searchedIndex = async () => Object.keys(await ask('GET', `_alias/${alias()}`))
  const count = async (one = made) => (await one.index.search(request())).count
  beforeAll(async () => {
    made = await open()
    await configured(made.index)
    await made.index.write(documents.map((put) => ({ put })))
  })
  afterAll(() => made.release())

  it('finds no document that somebody else wrote into its index, and lists none', async () => {
    const [own] = await searchedIndex()
    await ask('PUT', `${own}/_doc/guest?refresh=true`, {})
    await ask('PUT', `${own}/_doc/guest2?refresh=true`, { t: { title: ['water'] } })
    expect(await count()).toBe(14)
    const { hits } = await made.index.search(request({ limit: 100 }))
    expect(hits).toHaveLength(14)
    expect(await made.index.entries('dataset', '', 100)).toHaveLength(14)
    const { offset: _, ...asked } = request({ limit: 100 })
    const cursor = await made.index.openCursor({ ...asked, client: 'me', note: '' })
    expect(cursor.hits).toHaveLength(14)
    expect(await made.index.health()).toMatchObject({ documents: { dataset: 14 } })
  })

  it('starts beside indices of others whose names begin with its prefix, and leaves them', async () => {
    const known = (text: string) => ({ mappings: { _meta: { known: text } } })
    await ask('PUT', `${alias()}-guests`, {})
    await ask('PUT', `${alias()}-12345678`, known('{"no":"note"}'))
    await ask('PUT', `${alias()}-87654321`, known('nonsense'))
    await ask('POST', '_aliases', {
      actions: [{ add: { index: `${alias()}-12345678`, alias: alias() } }],
    })
    const other = await open()
    expect(await other.index.configure(settings)).toEqual({ rebuild: [] })
    expect(await count(other)).toBe(14)
    await other.index.close()
    expect(Object.keys(await ask('GET', `${alias()}-*`))).toContain(`${alias()}-guests`)
  })

  it('goes on where the alias points at two of its own generations', async () => {
    const [own] = await searchedIndex()
    expect(await made.index.configure(settings, ['dataset'])).toEqual({ rebuild: ['dataset'] })
    const all = Object.keys(await ask('GET', `${alias()}-*`))
    const next = all.find(
      (one) => /-[0-9a-f]{8}$/.test(one) && !/12345678|87654321/.test(one) && one !== own,
    )
    await ask('POST', '_aliases', { actions: [{ add: { index: next, alias: alias() } }] })
    const other = await open()
    const { rebuild } = await other.index.configure(settings)
    for (const index of rebuild) {
      await other.index.write(documents.map((put) => ({ put, onlyIfMissing: true })))
      await other.index.finish(index)
    }
    expect(await count(other)).toBe(14)
    await other.index.close()
  })
})
