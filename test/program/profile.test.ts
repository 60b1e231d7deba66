/** `cartulary profile` as a person meets it: words, exit codes, files. */

import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { directoryOf, smallProfile } from '../profile/small.ts'
import { cartulary } from '../support/program.ts'

const profile = (words: readonly string[]) => cartulary(['profile', ...words])

describe('check', () => {
  test('sums up a profile that can be used', async () => {
    const { code, out } = await profile(['check', await smallProfile()])
    expect(code).toBe(0)
    expect(out).toContain('The profile tiny 1.0.0 can be used.')
    expect(out).toContain('mandatory: title')
    expect(out).toContain('the facet keywords of dataset is left out')
  })

  test('names every problem of one that cannot, with file and line', async () => {
    const broken = await smallProfile('"SimpleMultiLangTitle"', '"Titel"')
    const { code, err } = await profile(['check', broken])
    expect(code).toBe(5)
    expect(err).toMatch(/tiny\.ttl:\d+.*unknown mapping class "Titel"/)
  })
})

describe('show', () => {
  test('prints documents and what is left out of them, by the profile that is named', async () => {
    const files = await directoryOf({
      'record.ttl': `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
        <urn:x:cat> a dcat:Catalog ; dct:title "Katalog"@de ; dct:publisher "Us" ; dcat:dataset <urn:x:one>, <urn:x:two> .
        <urn:x:one> a dcat:Dataset ; dct:identifier "A 1" ; dct:title "Eins" ; dct:issued "soon" .
        <urn:x:two> a dcat:Dataset ; dct:identifier "A-1" ; dct:title "Two"@en ; dcat:distribution [ dcat:accessURL [ ] ] .`,
    })
    const small = await smallProfile()
    const { code, out } = await profile([
      'show',
      join(files, 'record.ttl'),
      '--profile',
      small,
      '--json',
    ])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject([
      { index: 'dataset', id: 'a-1', record: { catalog: { id: 'cat' } }, leftOut: [] },
      {
        index: 'dataset',
        id: 'a-1~~1',
        record: { distributions: [] },
        leftOut: [{ field: 'distributions.access_url', problem: 'not-an-iri', value: '[]' }],
      },
      { index: 'catalogue', id: 'cat', record: { title: { de: 'Katalog' } }, leftOut: [] },
    ])
    const text = await profile(['show', join(files, 'record.ttl')])
    expect(text.out).toContain('# dataset a-1\n{\n  "id": "a-1",')
    expect(text.out).toContain('#   issued  bad-date  soon')
  })

  test('shows the concepts of a vocabulary', async () => {
    const files = await directoryOf({
      'voc.ttl': `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <urn:x:s> a skos:ConceptScheme . <urn:x:s:a> skos:inScheme <urn:x:s> ; skos:prefLabel "A"@en .`,
    })
    const { out } = await profile(['show', join(files, 'voc.ttl'), '--json'])
    expect(JSON.parse(out)).toMatchObject([
      { index: 'vocabulary', record: { pref_label: { en: 'A' } } },
    ])
  })

  test('says where a file is no RDF, and when there is no record in it', async () => {
    const files = await directoryOf({
      'bad.ttl': '<urn:x> a <urn:y>\n; ; "',
      'other.ttl': '<urn:x> a <urn:y> .',
    })
    expect(await profile(['show', join(files, 'bad.ttl')])).toMatchObject({
      code: 1,
      err: expect.stringContaining('bad.ttl:2:'),
    })
    expect(await profile(['show', join(files, 'other.ttl')])).toMatchObject({
      code: 1,
      err: expect.stringContaining('urn:y'),
    })
  })
})

describe('the arguments', () => {
  test.each([
    [['mend', 'x'], 'mend'],
    [['check'], 'directory'],
    [['check', 'a', 'b'], 'too many arguments'],
    [['show', 'a', '--colour', 'red'], '--colour'],
    [['show', 'a', '--base', 'nowhere'], '--base'],
  ])('%j end with 2 and what is wrong', async (words, named) => {
    const { code, err } = await profile(words)
    expect([code, err]).toEqual([2, expect.stringContaining(named)])
  })
})
