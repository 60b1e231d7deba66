/** Which records are those of countries. */

import { expect, test } from 'vitest'
import { documentBuilder } from '../../src/projector/building/document.ts'
import { concepts, graph, iris, profile } from './built.ts'

const flagOf = async (country: string, nonCountries?: readonly string[]) => {
  const deps = { profile, concepts, names: iris }
  const builder = documentBuilder({ ...deps, ...(nonCountries && { nonCountries }) })
  const { document } = builder.dataset({
    id: 'x',
    iri: iris.dataset('x'),
    version: 7,
    hash: 'h',
    graph: await graph(`d:x dct:spatial eu:country\\/${country} .`),
    catalogue: { id: 'cat', graph: await graph('c:cat a dcat:Catalog .') },
  })
  return document.flags['countryData']
}

test.each([
  ['EUR', undefined, false],
  ['DEU', undefined, true],
  ['EUR', ['de'], true],
  ['DEU', ['de'], false],
  ['EUR', [], true],
])('%s beside the non-countries %s', async (country, nonCountries, expected) => {
  expect(await flagOf(country, nonCountries)).toBe(expected)
})
