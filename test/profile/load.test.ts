/** Loading profiles: what is read, what is demanded, and that one message names all problems. */

import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { Field } from '../../src/profile/profile.ts'
import { builtInDirectory, loadProfile } from '../../src/profile/load-profile.ts'
import { readShapeNodes } from '../../src/profile/profile-shapes.ts'
import { placedQuads } from '../../src/rdf/reading/placed-quads.ts'
import { directoryOf, entryFile, shapes, smallProfile } from './small.ts'

const fieldAt = (fields: readonly Field[], path: string): Field | undefined => {
  const [name, ...rest] = path.split('.')
  const field = fields.find((one) => one.name === name)
  return field && rest.length > 0 ? fieldAt(field.children, rest.join('.')) : field
}

describe('the default profile', () => {
  test('loads without a warning and is not called enabled', async () => {
    const profile = await loadProfile()
    expect(profile).toMatchObject({ id: 'dcat-ap', builtIn: true, enabled: false, warnings: [] })
    expect(profile.dataset.fields).toHaveLength(56)
    expect(fieldAt(profile.dataset.fields, 'distributions.access_service.license')).toMatchObject({
      mapping: 'License',
      single: true,
      paths: ['http://purl.org/dc/terms/license'],
    })
    expect(fieldAt(profile.dataset.fields, 'version_info')?.paths).toEqual([
      'http://www.w3.org/2002/07/owl#versionInfo',
      'http://www.w3.org/ns/dcat#version',
    ])
  })

  test('every shape file parses, and every property in it is a field or a plain constraint', async () => {
    const names = (await readdir(builtInDirectory)).filter((file) => file.endsWith('.ttl'))
    const files = await Promise.all(
      names.map(async (name) => {
        const text = await readFile(`${builtInDirectory}/${name}`, 'utf8')
        return readShapeNodes(name, placedQuads(text, 'urn:x:'))
      }),
    )
    expect(files.map(({ shapes, profile }) => shapes.size + (profile ? 1 : 0))).toEqual(
      names.map(() => 1),
    )
    const properties = files.flatMap(({ shapes }) =>
      [...shapes.values()].flatMap((one) => one.properties),
    )
    const odd = properties.filter(
      ({ name, mapping, paths }) => (name === undefined) !== (mapping === undefined) || !paths,
    )
    expect(properties.length).toBeGreaterThan(100)
    expect(odd).toEqual([])
  })

  test('the merged shapes parse back to every shape', async () => {
    const { shapes: merged } = await loadProfile()
    const file = readShapeNodes('merged', placedQuads(merged, 'urn:x:'))
    expect(file.shapes.size).toBe(6)
  })
})

describe('a profile of one’s own', () => {
  test('is read with its description, fields and a concept shape of the platform', async () => {
    const profile = await loadProfile(await smallProfile())
    expect(profile).toMatchObject({
      id: 'tiny',
      title: 'Tiny',
      versionInfo: '1.0.0',
      builtIn: false,
      enabled: true,
      warnings: [],
    })
    expect(profile.dataset.fields.map(({ name }) => name)).toEqual([
      'id',
      'catalog',
      'catalog_record',
      'country',
      'quality_meas',
      'title',
      'distributions',
    ])
    expect(fieldAt(profile.concept.fields, 'pref_label')?.mapping).toBe('MultiLangTitle')
  })

  test('may use terms of another namespace', async () => {
    const foreign = shapes
      .replace('urn:cartulary:profile#', 'https://other.example/voc#')
      .replace('PlatformProfile', 'OtherProfile')
    const directory = await directoryOf({ 'piveau.json': entryFile, 'tiny.ttl': foreign })
    const profile = await loadProfile(directory)
    const own = await loadProfile(await smallProfile())
    expect(profile.dataset).toEqual(own.dataset)
    expect(profile.hash).toBe(own.hash)
    expect(profile.title).toBe('Tiny')
  })

  test('another field gives another hash, another description does not', async () => {
    const own = await loadProfile(await smallProfile())
    const more = await loadProfile(await smallProfile('"access_url"', '"access"'))
    const told = await loadProfile(
      await smallProfile(
        'sh:path dcat:accessURL',
        'sh:description "where" ; sh:path dcat:accessURL',
      ),
    )
    expect(more.hash).not.toBe(own.hash)
    expect(told.hash).toBe(own.hash)
  })

  test('without core the built-in shapes serve', async () => {
    const directory = await directoryOf({ 'platform.json': { version: '1', id: 'extra' } })
    const profile = await loadProfile(directory)
    expect(profile).toMatchObject({ id: 'extra', builtIn: false })
    expect(profile.hash).toBe((await loadProfile()).hash)
  })

  test('a shape that two files define is read once, and a broken file that nobody names is left out', async () => {
    const directory = await directoryOf({
      'platform.json': entryFile,
      'tiny.ttl': shapes,
      'twin.ttl': shapes,
      'broken.ttl': 'this is no Turtle',
    })
    const profile = await loadProfile(directory)
    expect(profile.hash).toBe((await loadProfile(await smallProfile())).hash)
    expect(profile.warnings.join()).toContain('broken.ttl:1: the file is left out')
  })

  test('what is odd is a warning', async () => {
    const directory = await directoryOf({
      'platform.json': {
        ...entryFile,
        core: [...entryFile.core, { ...entryFile.core[0], id: 'organization' }],
      },
      'tiny.ttl': shapes.replace('sh:path dct:title ; sh:minCount 1', 'sh:minCount 1'),
    })
    const { warnings } = await loadProfile(directory)
    expect(warnings.join('\n')).toMatch(/organization.*not indexed/)
    expect(warnings.join('\n')).toMatch(/property title: has no sh:path/)
  })

  test('embedding ends where a shape would contain itself and after four levels', async () => {
    const circle = await loadProfile(
      await smallProfile(
        '[ sh:path dcat:accessURL ;',
        '[ sh:path dct:relation ; m:mappingName "others" ; m:mappingClass "Nested" ; m:mappingLink ex:Distribution ] ; sh:property [ sh:path dcat:accessURL ;',
      ),
    )
    const others = fieldAt(circle.dataset.fields, 'distributions.others')
    expect(others).toMatchObject({ tooDeep: true })
    expect(others?.children.map(({ name }) => name)).toEqual(['id', 'resource'])

    const chain = [1, 2, 3, 4, 5].map(
      (n) =>
        `ex:S${n} a sh:NodeShape ; sh:property [ sh:path dct:relation ; m:mappingName "n${n}" ; m:mappingClass "Nested" ; m:mappingLink ex:S${n + 1} ] .`,
    )
    const deep = await loadProfile(
      await directoryOf({
        'platform.json': entryFile,
        'tiny.ttl': `${shapes.replace('m:mappingLink ex:Distribution ]', 'm:mappingLink ex:Distribution ] ; sh:property [ sh:path dct:hasPart ; m:mappingName "n0" ; m:mappingClass "Nested" ; m:mappingLink ex:S1 ]')} ${chain.join('\n')} ex:S6 a sh:NodeShape .`,
      }),
    )
    expect(fieldAt(deep.dataset.fields, 'n0.n1.n2.n3')?.tooDeep).toBeUndefined()
    expect(fieldAt(deep.dataset.fields, 'n0.n1.n2.n3.n4')?.tooDeep).toBe(true)
  })
})
