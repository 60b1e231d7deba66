/** What keeps a profile from being used: every demand and rule broken in turn, and all of them in one message. */

import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { directoryOf, entryFile, shapes, smallProfile } from './small.ts'

const nested = 'm:mappingClass "Nested"'

describe('each demand of the platform', () => {
  test.each([
    ['sh:property [ sh:path dcat:dataset ] ;', '', 'property dcat:dataset: is missing'],
    [
      'sh:targetClass dcat:Catalog ;\n  sh:property [ sh:path dcat:dataset ] ;\n  sh:property [ sh:maxCount 1 ;',
      'sh:targetClass dcat:Catalog ; sh:property [ sh:path dcat:dataset ] ; sh:property [',
      '#Catalog>, property id: needs sh:maxCount 1',
    ],
    [
      'sh:targetClass dcat:Dataset ;\n  sh:property [ sh:maxCount 1 ; m:mappingName "id"',
      'sh:targetClass dcat:Dataset ; sh:property [ sh:maxCount 1 ; m:mappingName "code"',
      '#Dataset>, property id: is missing',
    ],
    [
      'm:mappingName "catalog_record"',
      'm:mappingName "record"',
      'property catalog_record: is missing',
    ],
    [
      'm:mappingName "issued"',
      'm:mappingName "made"',
      'property catalog_record.issued: is missing',
    ],
    [
      '[ m:mappingName "modified" ; m:mappingClass "DateTime" ]',
      '[ m:mappingName "modified" ; m:mappingClass "StandardText" ]',
      'catalog_record.modified: has class StandardText; it must be DateTime',
    ],
    ['m:mappingName "catalog" ;', 'm:mappingName "home" ;', 'property catalog: is missing'],
    [
      '[ sh:minCount 1 ; sh:maxCount 1 ; m:mappingName "id"',
      '[ sh:maxCount 1 ; m:mappingName "id"',
      'property catalog.id: needs sh:minCount 1',
    ],
    [
      'm:mappingClass "SpatialResource"',
      'm:mappingClass "StandardText"',
      'property country: has class StandardText',
    ],
    [
      'sh:property [ sh:maxCount 1 ; m:mappingName "quality_meas" ; m:mappingClass "Metrics" ] ;',
      '',
      'property quality_meas: is missing',
    ],
    [
      'sh:path dcat:distribution ;',
      'sh:path dct:hasPart ;',
      'property dcat:distribution: is missing',
    ],
    [
      'dcat:Distribution ;\n  sh:property [ sh:maxCount 1 ;',
      'dcat:Distribution ; sh:property [',
      'property distributions.id: needs sh:maxCount 1',
    ],
  ])('without %s', async (from, to, message) => {
    await expect(loadProfile(await smallProfile(from, to))).rejects.toThrow(message)
  })
})

describe('each rule of the shapes', () => {
  test.each([
    ['m:mappingName "title" ; ', '', 'has mappingClass "SimpleMultiLangTitle" but no mappingName'],
    [' ; m:mappingClass "Agent"', '', 'property publisher: has mappingName but no mappingClass'],
    ['"Agent"', '"Actor"', 'property publisher: unknown mapping class "Actor"'],
    ['"publisher"', '"2publisher"', 'property 2publisher: a name is a letter'],
    [
      'sh:path dct:publisher',
      'sh:path ( dct:publisher dct:creator )',
      'publisher: sh:path must be a predicate',
    ],
    ['"access_url"', '"id"', 'property id: is given twice'],
    [
      `${nested} ; m:mappingLink ex:Distribution`,
      nested,
      'distributions: Nested needs mappingLink or mappingProperty',
    ],
    [
      'ex:Distribution ]',
      'ex:Nowhere ]',
      '<https://example.org/shapes#Nowhere> is not a sh:NodeShape',
    ],
    ['m:profileVersion "1"', 'm:profileVersion "2"', 'profileVersion: is "2"'],
  ])('%s → %s', async (from, to, message) => {
    await expect(loadProfile(await smallProfile(from, to))).rejects.toThrow(message)
  })
})

const [dataset, catalog] = entryFile.core

describe('each rule of the entry file', () => {
  test.each([
    [{ ...entryFile, version: '2' }, 'version must be "1"'],
    [{ version: '1' }, 'property id'],
    [{ ...entryFile, core: [dataset] }, 'has no entry "catalog"'],
    [{ ...entryFile, core: [dataset, dataset, catalog] }, 'core "dataset": is given twice'],
    [
      { ...entryFile, core: [dataset, { ...catalog, path: '../tiny.ttl' }] },
      'leaves the directory',
    ],
    [
      { ...entryFile, core: [dataset, { ...catalog, path: '/etc/passwd' }] },
      'leaves the directory',
    ],
    [{ ...entryFile, core: [dataset, { ...catalog, path: 'linked.ttl' }] }, 'leaves the directory'],
    [{ ...entryFile, core: [dataset, { ...catalog, path: 'absent.ttl' }] }, 'absent.ttl'],
    [{ ...entryFile, core: [dataset, { ...catalog, shapeUri: 'ex:Catalog' }] }, 'prefixed name'],
    [
      { ...entryFile, core: [dataset, { ...catalog, shapeUri: 'https://example.org/none' }] },
      'there is no such sh:NodeShape',
    ],
    ['{', 'platform.json'],
  ])('%j', async (file, message) => {
    const outside = await directoryOf({ 'outside.ttl': shapes })
    const directory = await directoryOf({ 'platform.json': file, 'tiny.ttl': shapes })
    await symlink(join(outside, 'outside.ttl'), join(directory, 'linked.ttl'))
    await expect(loadProfile(directory)).rejects.toThrow(message)
  })

  test('no entry file is a problem that names the directory', async () => {
    const directory = await directoryOf({})
    await expect(loadProfile(directory)).rejects.toThrow(
      `platform.json: is missing in ${directory}`,
    )
    const nowhere = join(directory, 'nowhere')
    await expect(loadProfile(nowhere)).rejects.toThrow(`platform.json: is missing in ${nowhere}`)
  })
})

test('one message names all problems with file, line, shape and property', async () => {
  const broken = shapes
    .replace('"Agent"', '"Actor"')
    .replace('m:mappingName "country"', 'm:mappingName "land"')
    .replace('ex:Distribution ]', 'ex:Nowhere ]')
  const directory = await directoryOf({ 'platform.json': entryFile, 'tiny.ttl': broken })
  const message = await loadProfile(directory).catch((cause: unknown) => String(cause))
  for (const line of [
    '- tiny.ttl:9, shape <https://example.org/shapes#Catalog>, property publisher: unknown mapping class "Actor"',
    '- tiny.ttl:10, shape <https://example.org/shapes#Dataset>, property country: is missing; it must be there with class SpatialResource',
    '- tiny.ttl:20, shape <https://example.org/shapes#Dataset>, property distributions: mappingLink <https://example.org/shapes#Nowhere> is not a sh:NodeShape of the profile',
  ])
    expect(message).toContain(line)
})
