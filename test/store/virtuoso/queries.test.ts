/** Every query of the platform finds on Virtuoso what it finds on the embedded store. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import { bind, loadQuery, paged } from '../../../src/store/queries.ts'
import { openEmbedded } from '../opening.ts'
import { system } from '../graphs.ts'
import { changes, indexed, names, rowsOf, run, values } from '../query-cases.ts'
import { isAbsent, open } from './server.ts'

describe.skipIf(isAbsent)('a query of the platform on Virtuoso', () => {
  let [remote, embedded]: (GraphStore | undefined)[] = []
  beforeAll(async () => {
    remote = await open()
    embedded = await openEmbedded()
    for (const store of [remote, embedded]) await store.write(changes)
  })
  afterAll(async () => {
    // The index of a platform that starts on this store later would seem to be an old copy.
    await remote?.write([{ graph: system, remove: [indexed] }])
    await remote?.close()
    await embedded?.close()
  })

  it('is one of those that are asked here', () => {
    expect(Object.keys(values).sort()).toEqual([...names].sort())
  })

  it.each(names)('%s finds the same as on the embedded store, also page by page', async (name) => {
    const bound = bind(loadQuery(name), values[name] ?? {})
    const expected = await rowsOf(embedded, bound)
    expect(expected.length).toBeGreaterThan(0)
    expect(expected).not.toEqual(['false'])
    const isOrdered = bound.includes('ORDER BY')
    const inOrder = (rows: readonly string[]) => (isOrdered ? rows : [...rows].sort())
    expect(inOrder(await rowsOf(remote, bound))).toEqual(inOrder(expected))
    if (!isOrdered) return
    const far = { limit: 1000, offset: 9000 }
    await expect(remote?.select(paged(bound, far))).resolves.toEqual([])
    if (!bound.includes(run)) return
    const page = paged(bound, { limit: 5, offset: 1 })
    expect(await rowsOf(remote, page)).toEqual(await rowsOf(embedded, page))
  })
})
