/** Which nodes of a harvested document are records, when nodes have several types or hold each other. */

import { describe, expect, it } from 'vitest'
import { extractDatasets } from '../../../src/harvest/importing/cutting/splitter.ts'
import { spooled } from './builders.ts'

const cutAll = async (text: string) => {
  const spool = await spooled(text)
  const found = [...extractDatasets(spool)].map(
    ({ place, piece }) => [place.term, piece!.body] as const,
  )
  const catalogues = spool.catalogues().map(({ term }) => term)
  return { found: new Map(found), catalogues, count: spool.datasetCount() }
}
const iri = (name: string) => `<https://example.org/${name}>`

describe('the records of a document', () => {
  it('are all datasets of an access point that types them as records too', async () => {
    const many = Array.from(
      { length: 20 },
      (_, n) => `ex:d${n} a dcat:Dataset, dcat:CatalogRecord ; dct:title "T${n}" ;
        foaf:primaryTopic ${n % 2 === 0 ? `ex:d${n}` : `<https://real.example/d${n}>`} .`,
    )
    const { found } = await cutAll(
      `ex:c a dcat:Catalog ; dcat:dataset ex:d0, ex:d1 . ${many.join('\n')}`,
    )
    expect(found.size).toBe(20)
    expect(found.get(iri('d1'))).toContain('"T1"')
    expect(found.get(iri('d1'))).toContain('dcat#CatalogRecord')
  })

  it('are a dataset that names parts, with its links, and the parts', async () => {
    const { found, catalogues } = await cutAll(
      'ex:w a dcat:Dataset ; dcat:dataset ex:p, ex:q . ex:p a dcat:Dataset . ex:q a dcat:Dataset .',
    )
    expect([...found.keys()].sort()).toEqual([iri('p'), iri('q'), iri('w')])
    expect(found.get(iri('w'))).toContain(`dcat#dataset> ${iri('q')}`)
    expect(catalogues).toEqual([])
  })

  it('are no catalogues and no distributions that have the type of a dataset', async () => {
    const { found, catalogues, count } = await cutAll(
      `ex:c a dcat:Catalog, dcat:Dataset ; dcat:dataset ex:d .
       ex:d a dcat:Dataset ; dcat:distribution ex:f, [ a dcat:Distribution, dcat:Dataset ; dct:title "blank" ] .
       ex:f a dcat:Distribution, dcat:Dataset ; dct:title "file" .`,
    )
    expect([...found.keys()]).toEqual([iri('d')])
    expect(found.get(iri('d'))).toMatch(/"blank"[^]*"file"|"file"[^]*"blank"/)
    expect(catalogues).toEqual([iri('c')])
    expect(count).toBeGreaterThan(0)
  })

  it('are two datasets that describe or list each other', async () => {
    for (const link of ['foaf:primaryTopic', 'dcat:dataset']) {
      const { found } = await cutAll(
        `ex:a a dcat:Dataset, dcat:CatalogRecord, dcat:Catalog ; ${link} ex:b .
         ex:b a dcat:Dataset, dcat:CatalogRecord, dcat:Catalog ; ${link} ex:a .`,
      )
      expect([...found.keys()].sort()).toEqual([iri('a'), iri('b')])
    }
  })
})
