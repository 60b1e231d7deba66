/** Agents and contact points: the rows of the mapping tables. */

import { describe, expect, test } from 'vitest'
import { mapped } from './mapped.ts'

describe('Agent', () => {
  test.each([
    ['[ a foaf:Organization ; foaf:name "City"@en ]', { type: 'Organization', name: 'City' }],
    ['"City of Example"', { type: 'Agent', name: 'City of Example' }],
    ['<https://a.example/x>', { type: 'Agent', resource: 'https://a.example/x' }],
    [
      'ex:a . ex:a a schema:Person ; schema:name "Ada" ; schema:email "ada@a.example" ; schema:url "https://ada.example/"',
      {
        type: 'Person',
        name: 'Ada',
        email: 'mailto:ada@a.example',
        homepage: 'https://ada.example/',
        resource: 'https://a.example/a',
      },
    ],
    ['[ foaf:name "Stadt"@de, "Ville"@fr ]', { type: 'Agent', name: 'Stadt' }],
    [
      '[ a vcard:Individual ; vcard:fn "Bo" ; vcard:hasEmail [ vcard:hasValue <mailto:b@a.example> ] ]',
      { type: 'Person', name: 'Bo', email: 'mailto:b@a.example' },
    ],
    ['[ ]', undefined],
  ])('%s', async (turtle, json) => {
    const found = await mapped('Agent', turtle, { single: true })
    expect(found).toEqual({ json, problems: [] })
  })

  test('a homepage that is no web address is left out and reported', async () => {
    const found = await mapped('Agent', '[ foaf:name "City" ; foaf:homepage "www.city.example" ]')
    expect(found).toEqual({
      json: [{ type: 'Agent', name: 'City' }],
      problems: ['not-an-iri: www.city.example'],
    })
  })

  test('an undescribed IRI of a vocabulary is an organisation with the name from there', async () => {
    const { json } = await mapped(
      'Agent',
      '<http://publications.europa.eu/resource/authority/country/CHE>',
    )
    expect(json).toMatchObject([{ type: 'Organization', name: 'Switzerland' }])
  })

  test('AgentMultiLang has its name per language', async () => {
    const found = await mapped('AgentMultiLang', '[ foaf:name "City"@en, "Stadt"@de ], "Ville"')
    expect(found.json).toEqual([
      { type: 'Agent', name: { de: 'Stadt', en: 'City' } },
      { type: 'Agent', name: { en: 'Ville' } },
    ])
  })
})

describe('ContactPoint', () => {
  test('a full card keeps its schemes and joins its address', async () => {
    const { json } = await mapped(
      'ContactPoint',
      `[ a vcard:Organization ; vcard:fn "Data team" ; vcard:hasEmail "data@a.example" ;
         vcard:hasTelephone [ vcard:hasValue <tel:+43512> ] ; vcard:hasURL <https://a.example/c>, "nothing" ;
         vcard:hasOrganizationName "Board" ;
         vcard:hasAddress [ vcard:street-address "Uferweg 3" ; vcard:postal-code "6020" ; vcard:locality "Innsbruck" ;
           vcard:region "Tyrol" ; vcard:country-name "Austria" ] ]`,
    )
    expect(json).toEqual([
      {
        type: 'Organization',
        name: 'Data team',
        email: 'mailto:data@a.example',
        telephone: 'tel:+43512',
        address: 'Uferweg 3, 6020 Innsbruck, Tyrol, Austria',
        url: ['https://a.example/c'],
        organisation_name: 'Board',
      },
    ])
  })

  test('a person may be written in parts', async () => {
    const { json } = await mapped(
      'ContactPoint',
      '[ a vcard:Individual ; vcard:given-name "Ada" ; vcard:family-name "L" ; vcard:hasAddress "Uferweg 3" ]',
    )
    expect(json).toEqual([{ type: 'Individual', name: 'Ada L', address: 'Uferweg 3' }])
  })

  test('an undescribed IRI is kept, a literal is not', async () => {
    const found = await mapped('ContactPoint', '<https://a.example/c>, "call us"')
    expect(found).toEqual({
      json: [{ type: 'Kind', resource: 'https://a.example/c' }],
      problems: ['not-an-iri: call us'],
    })
  })
})
