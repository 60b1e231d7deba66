/** Every known spelling of a segment's name means one segment. */

import { expect, it } from 'vitest'
import { normalName } from '../../src/pipe/segment-resolver.ts'

it.each([
  ['importing-rdf', 'importing-rdf'],
  ['piveau-consus-importing-rdf', 'importing-rdf'],
  ['platform-consus-importing-ckan', 'importing-ckan'],
  ['consus-exporting-hub', 'exporting-hub'],
  ['Piveau-Metrics-Score', 'metrics-score'],
  ['platform-metrics-annotator', 'metrics-annotator'],
  ['piveau-consus-importing-dcat', 'importing-rdf'],
  ['importing-huwise', 'importing-opendatasoft'],
  ['importing-arcgis-hub', 'importing-arcgis'],
  ['transforming-javascript', 'transforming-js'],
  ['exporting-repo', 'exporting-hub'],
  ['validating-shacl', 'metrics-validating-shacl'],
  ['my-own-segment', 'my-own-segment'],
])('%s is %s', (name, normal) => {
  expect(normalName(name)).toBe(normal)
})

it('only the first prefix that fits is taken off', () => {
  expect(normalName('piveau-consus-piveau-x')).toBe('piveau-x')
})

it('the normal form of a normal form is itself', () => {
  for (const name of ['piveau-consus-importing-ods', 'rdf-importer', 'score']) {
    expect(normalName(normalName(name))).toBe(normalName(name))
  }
})
