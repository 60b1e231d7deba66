/** What of a record is validated. */

import { describe, expect, it } from 'vitest'
import { toLine } from '../../../src/rdf/lines.ts'
import { withoutRecords, withSchemes } from '../../../src/metrics/validate/validated-record.ts'
import { parse } from '../../../src/rdf/parse.ts'

const prefixes = `
  @prefix : <https://example.org/> .
  @prefix dcat: <http://www.w3.org/ns/dcat#> .
  @prefix dct: <http://purl.org/dc/terms/> .`
const turtle = (text: string) => parse(`${prefixes}\n${text}`, 'turtle', { baseIri: '' })
const kept = async (text: string) => withoutRecords(await turtle(text)).map(toLine)

describe('the record of a catalogue', () => {
  it('goes with the blank nodes that only it leads to', async () => {
    const lines = await kept(`
      :d a dcat:Dataset ; dct:publisher [ dct:title "stays" ] .
      :r a dcat:CatalogRecord ; :topic :d ; :checksum [ :value "goes" ; :deeper [ :value "goes too" ] ] .
      [] dct:title "nobody's" .`)
    expect(lines.join('\n')).not.toMatch(/goes|<https:\/\/example.org\/r>/)
    expect(lines).toHaveLength(4)
  })

  it('leaves what the dataset leads to as well, in circles too', async () => {
    const lines = await kept(`
      :d a dcat:Dataset ; :both _:b . _:b :next _:c . _:c :next _:b .
      :r a dcat:CatalogRecord ; :both _:b ; :own _:o . _:o :next _:p , _:b . _:p :next _:o .`)
    expect(lines).toHaveLength(4)
  })

  it('can be a blank node, and nothing changes where there is none', async () => {
    expect(
      await kept('[ a dcat:CatalogRecord ; :own [ :value 1 ] ] . :d :p [ :q 1 ] .'),
    ).toHaveLength(2)
    const quads = await turtle(':d a dcat:Dataset .')
    expect(withoutRecords(quads)).toBe(quads)
  })

  it('is found in a record of a hundred thousand blank nodes', async () => {
    const nodes = Array.from({ length: 100_000 }, (_, n) => `_:n${n} :next _:n${n + 1} .`)
    const quads = await turtle(`:r a dcat:CatalogRecord ; :own _:n0 .\n${nodes.join('\n')}`)
    expect(withoutRecords(quads)).toHaveLength(0)
  })
})

describe('schemes', () => {
  it('are said once of every known concept that is a value of something', async () => {
    const schemes = new Map([
      ['https://example.org/known', 'https://example.org/scheme'],
      ['https://example.org/d', 'https://example.org/other'],
    ])
    const quads = await turtle(
      ':d dct:language :known , :unknown ; dct:type :known ; dct:title "known" .',
    )
    expect(withSchemes(quads, schemes).slice(quads.length).map(toLine)).toEqual([
      '<https://example.org/known> <http://www.w3.org/2004/02/skos/core#inScheme> <https://example.org/scheme> .',
    ])
    expect(withSchemes(quads, new Map())).toBe(quads)
  })
})
