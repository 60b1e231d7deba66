/** Which licences are known, by every way of naming one. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { licenceTest } from '../../../src/metrics/measure/measured-values.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { graphOf } from '../../../src/rdf/read.ts'
import { blankNode, literal, namedNode } from '../../../src/rdf/terms.ts'
import { licenceKey } from '../../../src/vocabularies/licences.ts'
import { prefixes } from '../pipe/segment-fixture.ts'

const eu = 'http://publications.europa.eu/resource/authority/licence/'
const concept = (code: string, exactMatch: readonly string[] = [], closeMatch: string[] = []) => ({
  iri: eu + code,
  id: code,
  exactMatch,
  closeMatch,
})

const shipped = [
  concept('CC_BY_4_0', ['http://creativecommons.org/licenses/by/4.0/']),
  concept('CC_BY_3_0_AT', ['https://creativecommons.org/licenses/by/3.0/at/legalcode']),
  concept('NLOD', [], ['http://europeandataportal.eu/ontologies/od-licenses#NLOD']),
]
const own = {
  ...concept('house'),
  iri: 'https://example.org/licence/house',
  closeMatch: ['https://example.org/licence/alike'],
}
const isKnown = licenceTest([own], shipped)
const empty = graphOf([])

describe('a licence', () => {
  it.each([
    `${eu}CC_BY_4_0`,
    `${eu.replace('http:', 'https:')}CC_BY_4_0`,
    'http://creativecommons.org/licenses/by/4.0/',
    'https://creativecommons.org/licenses/by/4.0',
    'https://www.creativecommons.org/licenses/by/4.0/',
    'https://creativecommons.org/licenses/by/4.0/deed',
    'https://creativecommons.org/licenses/by/4.0/deed.de',
    'https://creativecommons.org/licenses/by/4.0/deed.pt_BR',
    'https://creativecommons.org/licenses/by/4.0/legalcode',
    'https://creativecommons.org/licenses/by/4.0/legalcode.de',
    'http://creativecommons.org/licenses/by/3.0/at/',
    'http://europeandataportal.eu/ontologies/od-licenses#NLOD',
    'https://example.org/licence/house',
  ])('is known as %s', (iri) => {
    expect(isKnown(namedNode(iri), empty)).toBe(true)
    expect(isKnown(literal(iri), empty)).toBe(true)
  })

  it.each([
    'https://creativecommons.org/licenses/by/',
    'https://creativecommons.org/licenses/by/4.0/at/',
    'https://creativecommons.org/licenses/by-nc/4.0/',
    'https://example.org/terms',
    'https://example.org/licence/alike',
    eu,
  ])('is not known as %s', (iri) => {
    expect(isKnown(namedNode(iri), empty)).toBe(false)
  })

  it('is known as text by its identifier, as it is written', () => {
    expect(isKnown(literal(' CC_BY_4_0 '), empty)).toBe(true)
    expect(isKnown(literal('house'), empty)).toBe(true)
    expect(isKnown(literal('cc-by'), empty)).toBe(false)
    expect(isKnown(namedNode('CC_BY_4_0'), empty)).toBe(false)
  })

  it.each([
    ['skos:exactMatch <https://creativecommons.org/licenses/by/4.0/deed.fr>', true],
    ['dct:identifier "CC_BY_4_0"', true],
    ['dc:identifier "https://creativecommons.org/licenses/by/4.0/"', true],
    ['dct:title "CC BY 4.0"', false],
    ['skos:closeMatch <https://creativecommons.org/licenses/by/4.0/>', false],
  ])('that is a node with %s is known: %s', async (says, expected) => {
    const text = `${prefixes} :ds dct:license [ a dct:LicenseDocument ; ${says} ] . :own ${says} .`
    const graph = graphOf(await parse(text, 'turtle', { baseIri: 'urn:x:' }))
    const [node] = graph.objects('https://example.org/ds', 'http://purl.org/dc/terms/license')
    expect(isKnown(node ?? blankNode(), graph)).toBe(expected)
    expect(isKnown(namedNode('https://example.org/own'), graph)).toBe(expected)
  })

  it('has a form that is its own form, and any text has one in no time', () => {
    const step = fc.constantFrom('by', '4.0', 'de', 'deeds', 'legal', '', 'x?y', '%20', 'é', '💧')
    const end = fc.constantFrom('', '/', '//', '/deed', '/deed.de/', '/legalcode', '/DEED.pt_BR')
    fc.assert(
      fc.property(fc.array(step), fc.constantFrom('', 'www.'), end, (steps, www, tail) => {
        const place = ['example.org', ...steps].join('/')
        const form = licenceKey(`http://${place}`)
        expect(licenceKey(`https://${www}${place}${tail}`)).toBe(form)
        expect(licenceKey(form)).toBe(form)
      }),
    )
    expect(isKnown(literal(`${'/'.repeat(1_000_000)}x`), empty)).toBe(false)
  })
})
