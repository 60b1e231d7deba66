/** Agents and contact points: what a row of the table does not show. */

import { describe, expect, test } from 'vitest'
import { mapped } from './mapped.ts'

describe('Agent', () => {
  test('an undescribed IRI of a vocabulary is an organisation with the name from there', async () => {
    const { json } = await mapped(
      'Agent',
      '<http://publications.europa.eu/resource/authority/country/CHE>',
    )
    expect(json).toMatchObject([{ type: 'Organization', name: 'Switzerland' }])
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
})
