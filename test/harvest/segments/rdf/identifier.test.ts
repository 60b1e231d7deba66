import { expect, test } from 'vitest'
import { identifierOf } from '../../../../src/harvest/importers/rdf-records.ts'

const prefixes =
  '@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .\n'

test.each([
  ['its dct:identifier', '<urn:d> a dcat:Dataset ; dct:identifier "trees-1" .', 'trees-1'],
  ['its IRI where it has none', '<urn:d> a dcat:DatasetSeries .', 'urn:d'],
  ['nothing where it is a blank node', '[] a dcat:Dataset .', undefined],
  ['nothing among two', '<urn:d> a dcat:Dataset . <urn:e> a dcat:Dataset .', undefined],
  ['nothing without any', '<urn:d> dct:title "Trees" .', undefined],
  ['nothing that cannot be read', '<urn:d> a', undefined],
])('the identifier of a dataset is %s', async (_, text, expected) => {
  expect(await identifierOf({ text: prefixes + text, mediaType: 'text/turtle' })).toBe(expected)
})

test('what is no RDF has none', async () => {
  expect(await identifierOf({ text: '{}', mediaType: 'application/json' })).toBeUndefined()
})
