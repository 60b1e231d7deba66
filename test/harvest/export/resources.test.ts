/** Records of declared types, as segments of others name them. */

import { expect, test } from 'vitest'
import { declared } from '../../repository/declared.ts'
import { complete, harvestGround, record } from './ground.ts'

const gauge = (id: string, resourceType: string, title = 'Bridge') =>
  record(id, id, {
    text: `<https://source.example/${id}> a <https://example.org/Gauge> ; <http://purl.org/dc/terms/title> "${title}" .`,
    mediaType: 'text/turtle',
    extra: { content: 'resource', resourceType },
  })

test('are written as what they are, beside the datasets, and once when nothing changed', async () => {
  const ground = await harvestGround({ resources: declared })
  ground.offers(() => [record('a'), gauge('West.Bridge', 'gauge'), complete()])
  expect(await ground.run()).toMatchObject({
    outcome: 'complete',
    counts: { created: 2, failed: 0 },
  })
  const read = () => ground.hub.ask('/customresources/gauge/west-bridge')
  expect(await (await read()).text()).toContain('"Bridge"')
  expect(await ground.ids()).toEqual(['a'])
  ground.offers(() => [record('a'), gauge('West.Bridge', 'gauge'), complete()])
  expect(await ground.run()).toMatchObject({ counts: { unchanged: 2 } })
  // Nothing tells that it is gone: it is no dataset of this pipe.
  ground.offers(() => [record('a'), complete()])
  expect(await ground.run()).toMatchObject({ counts: { removed: 0 } })
  expect((await read()).status).toBe(200)
})

test('fail alone where the type is not declared or the id is none, and a dry run writes none', async () => {
  const ground = await harvestGround({ resources: declared })
  ground.offers(() => [
    gauge('a', 'showcase'),
    gauge('%', 'gauge'),
    gauge('b', 'gauge'),
    complete(),
  ])
  const run = await ground.run()
  expect(run.counts).toMatchObject({ failed: 2, created: 1 })
  expect(ground.items(run, 'failed').map(({ problem }) => problem?.type)).toEqual([
    'urn:cartulary:problem:export-refused',
    'urn:cartulary:problem:item-no-identifier',
  ])
  ground.offers(() => [gauge('c', 'gauge'), complete()])
  await ground.run('p', { dryRun: true })
  expect((await ground.hub.ask('/customresources/gauge/c')).status).toBe(404)
})
