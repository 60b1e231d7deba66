/** Records of declared types, as segments of others name them. */

import { expect, test } from 'vitest'
import { declared } from '../../repository/declared.ts'
import { complete, harvestFixture, record } from './harvest-fixture.ts'

const gauge = (id: string, resourceType: string, title = 'Bridge') =>
  record(id, id, {
    text: `<https://source.example/${id}> a <https://example.org/Gauge> ; <http://purl.org/dc/terms/title> "${title}" .`,
    mediaType: 'text/turtle',
    extra: { content: 'resource', resourceType },
  })

test('are written as what they are, beside the datasets, and once when nothing changed', async () => {
  const fixture = await harvestFixture({ resources: declared })
  fixture.offers(() => [record('a'), gauge('West.Bridge', 'gauge'), complete()])
  expect(await fixture.run()).toMatchObject({
    outcome: 'complete',
    counts: { created: 2, failed: 0 },
  })
  const read = () => fixture.hub.ask('/customresources/gauge/west-bridge')
  expect(await (await read()).text()).toContain('"Bridge"')
  expect(await fixture.ids()).toEqual(['a'])
  fixture.offers(() => [record('a'), gauge('West.Bridge', 'gauge'), complete()])
  expect(await fixture.run()).toMatchObject({ counts: { unchanged: 2 } })
  // Nothing tells that it is gone: it is no dataset of this pipe.
  fixture.offers(() => [record('a'), complete()])
  expect(await fixture.run()).toMatchObject({ counts: { removed: 0 } })
  expect((await read()).status).toBe(200)
})

test('fail alone where the type is not declared or the id is none, and a dry run writes none', async () => {
  const fixture = await harvestFixture({ resources: declared })
  fixture.offers(() => [
    gauge('a', 'showcase'),
    gauge('%', 'gauge'),
    gauge('b', 'gauge'),
    complete(),
  ])
  const run = await fixture.run()
  expect(run.counts).toMatchObject({ failed: 2, created: 1 })
  expect(fixture.items(run, 'failed').map(({ problem }) => problem?.type)).toEqual([
    'urn:cartulary:problem:export-refused',
    'urn:cartulary:problem:item-no-identifier',
  ])
  fixture.offers(() => [gauge('c', 'gauge'), complete()])
  await fixture.run('p', { dryRun: true })
  expect((await fixture.hub.ask('/customresources/gauge/c')).status).toBe(404)
})
