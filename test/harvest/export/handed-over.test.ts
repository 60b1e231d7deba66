/** Into the repository of its own process a run hands its records over; what becomes of them is the same. */

import { describe, expect, it } from 'vitest'
import { complete, dataset, harvestGround, record, whole } from './ground.ts'

const writes = ({ requests }: Awaited<ReturnType<typeof harvestGround>>) =>
  requests.filter(({ method }) => method === 'PUT').map(({ path }) => path)

describe('a run into the repository of its own process', () => {
  it('writes, knows again, updates and removes without a request for what it writes', async () => {
    const ground = await harvestGround({ handsOver: true })
    ground.offers(whole('a', 'b', 'c', 'd', 'e', 'f', 'g'))
    expect((await ground.run()).counts).toMatchObject({ created: 7 })
    expect(ground.handed).toEqual([['a', 'b', 'c', 'd', 'e', 'f', 'g']])
    expect((await ground.run()).counts).toMatchObject({ unchanged: 7 })
    const changed = ['a', 'b'].map((id) => record(id, `${id} new`))
    const same = ['c', 'd', 'e', 'f'].map((id) => record(id))
    ground.offers(() => [...changed, ...same, complete()])
    expect((await ground.run()).counts).toMatchObject({ updated: 2, unchanged: 4, removed: 1 })
    expect(ground.handed.slice(1)).toEqual([['a', 'b']])
    expect(writes(ground)).toEqual([])
    expect(await ground.text('a')).toContain('a new')
    expect(await ground.ids()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  })

  it('tells of a record that cannot be taken, and writes the others', async () => {
    const ground = await harvestGround({ handsOver: true })
    const text = `${dataset('b', 'b')}<https://source.example/b> <not an iri> "x" .\n`
    ground.offers(() => [record('a'), record('b', 'b', { text }), record('c'), complete()])
    const run = await ground.run()
    expect(run.counts).toMatchObject({ created: 2, failed: 1 })
    const problem = { type: 'urn:cartulary:problem:export-refused' }
    expect(ground.items(run, 'failed')).toMatchObject([{ sourceId: 'b', problem }])
    expect(ground.items(run, 'failed')[0]?.problem?.detail).toContain('line 3')
    expect(await ground.ids()).toEqual(['a', 'c'])
  })

  it.each([429, 500, 503])('sends each by itself where %i is the answer', async (status) => {
    const ground = await harvestGround({ handsOver: true })
    ground.refusal = status
    ground.offers(whole('a', 'b'))
    expect((await ground.run()).counts).toMatchObject({ created: 2, failed: 0 })
    expect(writes(ground)).toHaveLength(2)
  })

  it('ends when its catalogue is gone', async () => {
    const ground = await harvestGround({ handsOver: true })
    ground.refusal = 404
    ground.offers(whole('a', 'b'))
    expect(await ground.run()).toMatchObject({
      status: 'failed',
      problem: { type: 'urn:cartulary:problem:unknown-catalogue' },
    })
  })
})
