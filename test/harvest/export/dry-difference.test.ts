/** What a record would change, statement by statement. */

import { describe, expect, it } from 'vitest'
import { differenceOf } from '../../../src/harvest/export/dry-run.ts'
import { parse } from '../../../src/rdf/parse.ts'

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix spdx: <http://spdx.org/rdf/terms#> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .`
const difference = async (stored: string, sent: string) => {
  const read = (text: string) => parse(`${prefixes}\n${text}`, 'turtle', { baseIri: 'urn:x:' })
  return differenceOf(await read(stored), await read(sent))
}

const stored = `<urn:p:1> a dcat:Dataset ; dct:title "Old"@en ; dct:publisher [ foaf:name "City" ] ;
  dcat:distribution <urn:p:d1> . <urn:p:d1> a dcat:Distribution ; dcat:accessURL <https://x.example/1> .
  <urn:p:r> a dcat:CatalogRecord ; foaf:primaryTopic <urn:p:1> ; spdx:checksum <urn:p:s> .
  <urn:p:s> spdx:checksumValue "abc" .`

describe('the difference of two records', () => {
  it('is nothing when only names of nodes and the record of the platform differ', async () => {
    const sent = `<https://s.example/1> a dcat:Dataset ; dct:title "Old"@en ; dct:publisher _:p ; dcat:distribution [ a
      dcat:Distribution ; dcat:accessURL <https://x.example/1> ] . _:p foaf:name "City" .`
    expect(await difference(stored, sent)).toEqual({ gone: [], come: [] })
  })

  it('names what goes and what comes, as often as it does', async () => {
    const sent = `<https://s.example/1> a dcat:Dataset ; dct:title "New"@en ; dct:publisher [ foaf:name "City" ] ;
      dcat:distribution [ a dcat:Distribution ; dcat:accessURL <https://x.example/1> ] , [ a dcat:Distribution ;
      dcat:accessURL <https://x.example/2> ] .`
    expect(await difference(stored, sent)).toEqual({
      gone: ['<http://purl.org/dc/terms/title> "Old"@en'],
      come: [
        '<http://purl.org/dc/terms/title> "New"@en',
        '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dcat#Distribution>',
        '<http://www.w3.org/ns/dcat#accessURL> <https://x.example/2>',
      ],
    })
  })

  it('is cut where it is long', async () => {
    const many = Array.from({ length: 80 }, (_, n) => `"${'x'.repeat(600)}${n}"`).join(', ')
    const { come } = await difference(stored, `<urn:s> a dcat:Dataset ; dcat:keyword ${many} .`)
    expect(come).toHaveLength(50)
    expect(Math.max(...come.map((text) => text.length))).toBeLessThan(600)
  })
})
