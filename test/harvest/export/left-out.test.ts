/** Values that are stored and that search cannot show: whoever harvests them is told, with the record. */

import { beforeAll, describe, expect, it } from 'vitest'
import { loadProfile } from '../../../src/profile/load-profile.ts'
import {
  unfitValueFinder,
  type FindUnfitValues,
} from '../../../src/projector/building/unfit-values.ts'
import { ConceptCache } from '../../../src/projector/concept-cache.ts'
import { loadVocabularyFiles } from '../../../src/vocabularies/authorities.ts'
import { names } from '../../../src/rdf/names.ts'
import { complete, dataset, harvestFixture, record } from './harvest-fixture.ts'

const shapes = (folder: string) => new URL(`../../../shapes/${folder}`, import.meta.url).pathname
let unfit: FindUnfitValues
beforeAll(async () => {
  const profile = await loadProfile(shapes('default'))
  const concepts = new ConceptCache(await loadVocabularyFiles(shapes('vocabularies')))
  unfit = unfitValueFinder({ profile, concepts, names: names('http://localhost:8080/') })
})

const issued = (id: string, value: string) =>
  `<https://source.example/${id}> <http://purl.org/dc/terms/issued> ${value} .\n`
const file = `<https://source.example/a> <http://www.w3.org/ns/dcat#distribution> <https://source.example/f> .
<https://source.example/f> <http://purl.org/dc/terms/modified> "31.02.2025" .
<https://source.example/f> <http://www.w3.org/ns/dcat#byteSize> "many" .
`
const odd = record('a', 'a', { text: dataset('a', 'a') + issued('a', '"yesterday"@en') + file })
const fine = record('b', 'b', { text: dataset('b', 'b') + issued('b', '"2024-05-01"') })

describe('a value that cannot be mapped', () => {
  it.each([false, true])('is a finding of the run with its record (dry: %s)', async (dryRun) => {
    const fixture = await harvestFixture({ harvest: { unfitValues: unfit } })
    fixture.offers(() => [odd, fine, complete()])
    const run = await fixture.run('p', { dryRun })
    const [first, second] = fixture.items(run)
    expect(first).toMatchObject({ originalId: 'a', state: 'created' })
    const leftOut = (property: string, value: string, reason: string) => {
      const detail = `${property}: ${value} (${reason})`
      return { slug: 'left-out', detail, property, value, reason }
    }
    const expected = [
      leftOut('distributions.byte_size', 'many', 'bad-number'),
      leftOut('distributions.modified', '31.02.2025', 'bad-date'),
      leftOut('issued', 'yesterday', 'bad-date'),
    ]
    expect(first?.findings).toEqual(expected)
    const { examples = [] } = fixture.runs.report(run.id).findings['left-out'] ?? {}
    const named = {
      id: 'a',
      title: first?.title,
      ...(dryRun ? {} : { platformId: first?.platformId }),
    }
    expect(examples).toEqual(
      expected.map(({ detail, property, value, reason }) =>
        expect.objectContaining({ ...named, detail, property, value, reason }),
      ),
    )
    expect(second).not.toHaveProperty('findings')
    expect(run.counts).toMatchObject({ created: 2, failed: 0, findings: 3 })
    expect(await fixture.ids()).toEqual(dryRun ? [] : ['a', 'b'])
  })
})

describe('a record whose text describes other datasets beside its own', () => {
  it('has its own title, and findings about its own values alone', async () => {
    const fixture = await harvestFixture({ harvest: { unfitValues: unfit } })
    const sourceId = 'https://source.example/whole'
    const part = dataset('part', 'Part') + issued('part', '"some day"')
    const text =
      part +
      dataset('whole', 'Whole') +
      issued('whole', '"yesterday"') +
      `<${sourceId}> <http://purl.org/dc/terms/hasPart> <https://source.example/part> .\n`
    fixture.offers(() => [record(sourceId, 'Whole', { text }), complete()])
    const [item] = fixture.items(await fixture.run('p'))
    expect(item).toMatchObject({ state: 'created', title: 'Whole' })
    expect(item?.findings).toMatchObject([{ property: 'issued', value: 'yesterday' }])
  })
})
