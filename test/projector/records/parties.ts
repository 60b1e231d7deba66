/** Records with persons, organisations and contact points. */

import type { Expected } from './record.ts'

export const partyRecords: readonly Expected[] = [
  {
    name: 'an organisation with everything, and a literal as creator',
    kind: 'dataset',
    turtle: `d:x dct:publisher ex:city ; dct:creator "Survey of Example" .
      ex:city a foaf:Organization ; foaf:name "City"@en, "Stadt"@de ; foaf:mbox <mailto:open@city.example> ;
        foaf:homepage <https://city.example/> .`,
    record: {
      publisher: {
        type: 'Organization',
        name: 'City',
        name_translated: { de: 'Stadt', en: 'City' },
        email: 'mailto:open@city.example',
        homepage: 'https://city.example/',
        resource: 'https://a.example/city',
      },
      creator: { type: 'Agent', name: 'Survey of Example' },
    },
  },
  {
    name: 'an undescribed publisher, and a person out of vCard',
    kind: 'dataset',
    turtle: `d:x dct:publisher ex:nobody ; dct:creator
      [ a vcard:Individual ; vcard:fn "Ada" ; vcard:hasEmail [ vcard:hasValue "ada@a.example" ] ] .`,
    record: {
      publisher: { type: 'Agent', resource: 'https://a.example/nobody' },
      creator: { type: 'Person', name: 'Ada', email: 'mailto:ada@a.example' },
    },
  },
  {
    name: 'two publishers where one is wanted, and a homepage that is none',
    kind: 'dataset',
    turtle: `d:x dct:publisher ex:b, ex:a ; dct:creator [ a schema:Organization ; schema:name "Firm" ;
      schema:url "www.firm.example" ] .`,
    record: {
      publisher: { type: 'Agent', resource: 'https://a.example/a' },
      creator: { type: 'Organization', name: 'Firm' },
    },
    leftOut: [
      'publisher too-many-values https://a.example/b',
      'creator.homepage not-an-iri www.firm.example',
    ],
  },
  {
    name: 'a full card',
    kind: 'dataset',
    turtle: `d:x dcat:contactPoint [ a vcard:Kind, vcard:Organization ; vcard:fn "Data team" ;
      vcard:hasEmail <mailto:data@a.example> ; vcard:hasTelephone [ vcard:hasValue <tel:+43512> ] ;
      vcard:hasURL ex:c, ex:b ; vcard:hasOrganizationName "Board" ;
      vcard:hasAddress [ vcard:street-address "Uferweg 3" ; vcard:postal-code "6020" ;
        vcard:locality "Innsbruck" ; vcard:country-name "Austria" ] ] .`,
    record: {
      contact_point: [
        {
          type: 'Organization',
          name: 'Data team',
          email: 'mailto:data@a.example',
          telephone: 'tel:+43512',
          address: 'Uferweg 3, 6020 Innsbruck, Austria',
          url: ['https://a.example/b', 'https://a.example/c'],
          organisation_name: 'Board',
        },
      ],
    },
  },
  {
    name: 'contact points in other words, and one that is a text',
    kind: 'dataset',
    turtle: `d:x dcat:contactPoint ex:desk, "call us", [ a foaf:Person ; foaf:name "Bo" ; foaf:mbox "bo@a.example" ],
      [ a vcard:Individual ; vcard:given-name "Ada" ; vcard:family-name "L" ; vcard:tel "+43 1" ] .`,
    record: {
      contact_point: [
        { type: 'Individual', name: 'Ada L', telephone: '+43 1' },
        { type: 'Individual', name: 'Bo', email: 'mailto:bo@a.example' },
        { type: 'Kind', name: 'call us' },
        { type: 'Kind', resource: 'https://a.example/desk' },
      ],
    },
  },
]
