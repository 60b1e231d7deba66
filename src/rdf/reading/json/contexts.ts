/** The JSON-LD contexts that catalogues name by address and that come with the product: none is ever fetched. */
import { prefixes } from '../../namespaces.ts'
import type { Json } from './tree.ts'

type Context = Readonly<Record<string, Json>>

const dct = prefixes['dct'] ?? ''
const dcat = prefixes['dcat'] ?? ''
const podNamespace = 'https://project-open-data.cio.gov/v1.1/schema#'
const dcatUs = 'http://data.resources.gov/ontology/dcat-us#'

const words = (list: string) => list.trim().split(/\s+/)
/** `name` → the term of that name in the namespace. */
const terms = (namespace: string, names: string): Context =>
  Object.fromEntries(words(names).map((name) => [name, namespace + name]))
/** The same for properties whose values are IRIs or nodes. */
const nodes = (namespace: string, names: string): Context =>
  Object.fromEntries(
    words(names).map((name) => [name, { '@id': namespace + name, '@type': '@id' }]),
  )
/** `titleMap` → texts of the property `title` by language. */
const maps = (namespace: string, names: string): Context =>
  Object.fromEntries(
    words(names).map((name) => [
      `${name}Map`,
      { '@id': namespace + name, '@container': '@language' },
    ]),
  )

const shared: Context = {
  dcat,
  dct,
  dcterms: dct,
  xsd: prefixes['xsd'] ?? '',
  foaf: prefixes['foaf'] ?? '',
  org: prefixes['org'] ?? '',
  skos: prefixes['skos'] ?? '',
  vcard: prefixes['vcard'] ?? '',
  prov: prefixes['prov'] ?? '',
}

/** Project Open Data, DCAT-US 1.1. */
const pod: Context = {
  ...shared,
  '@vocab': dcat,
  dc: dct,
  pod: podNamespace,
  ...terms(
    dct,
    'title description language rights spatial publisher identifier temporal format accrualPeriodicity isPartOf',
  ),
  ...nodes(dct, 'license conformsTo references'),
  ...nodes(dcat, 'downloadURL accessURL landingPage'),
  issued: { '@id': `${dct}issued`, '@type': 'xsd:date' },
  modified: { '@id': `${dct}modified`, '@type': 'xsd:date' },
  describedBy: { '@id': 'http://www.w3.org/2007/05/powder#describedby', '@type': '@id' },
  homepage: { '@id': 'foaf:homepage', '@type': '@id' },
  ...terms(
    podNamespace,
    'accessLevel bureauCode dataQuality describedByType primaryITInvestmentUII programCode systemOfRecords',
  ),
  ...terms(prefixes['vcard'] ?? '', 'fn hasEmail'),
  name: 'skos:prefLabel',
  subOrganizationOf: 'org:subOrganizationOf',
}

const dcatClasses =
  'Catalog CatalogRecord DataService Dataset DatasetSeries Distribution Relationship'
const dctClasses =
  'LicenseDocument Location MediaType MediaTypeOrExtent PeriodOfTime ProvenanceStatement RightsStatement Standard Frequency'
const ownClasses =
  'AccessRestriction CUIRestriction GeographicBoundingBox LiabilityStatement UseRestriction'

/** DCAT-US 3. */
const dcatUs3: Context = {
  ...shared,
  '@version': 1.1,
  ...terms(dcat, dcatClasses),
  ...terms(dct, dctClasses),
  ...terms(dcatUs, ownClasses),
  Agent: 'foaf:Agent',
  Organization: 'org:Organization',
  Concept: 'skos:Concept',
  ConceptScheme: 'skos:ConceptScheme',
  Document: 'foaf:Document',
  Identifier: `${prefixes['adms']}Identifier`,
  Checksum: `${prefixes['spdx']}Checksum`,
  Attribution: 'prov:Attribution',
  Kind: { '@id': 'vcard:Kind', '@context': { title: 'vcard:title' } },
  Individual: { '@id': 'vcard:Individual', '@context': { title: 'vcard:title' } },
  Address: 'vcard:Address',
  ...terms(dct, 'title description identifier created issued modified'),
  ...maps(dct, 'title description'),
  ...nodes(
    dct,
    `accessRights accrualPeriodicity conformsTo contributor creator format hasPart hasVersion isPartOf isReferencedBy
     language license provenance publisher references relation replaces rights rightsHolder source spatial subject
     temporal`,
  ),
  category: { '@id': `${dct}type`, '@type': '@id' },
  ...terms(dcat, 'keyword version'),
  ...maps(dcat, 'keyword'),
  ...nodes(
    dcat,
    `accessService accessURL catalog compressFormat contactPoint dataset distribution downloadURL endpointDescription
     endpointURL hadRole hasCurrentVersion inSeries landingPage mediaType packageFormat previousVersion prev
     qualifiedRelation record servesDataset service theme themeTaxonomy`,
  ),
  ...Object.fromEntries(
    [
      ['bbox', 'geosparql:wktLiteral'],
      ['centroid', 'geosparql:wktLiteral'],
      ['byteSize', 'xsd:nonNegativeInteger'],
      ['spatialResolutionInMeters', 'xsd:decimal'],
      ['temporalResolution', 'xsd:duration'],
    ].map(([name = '', type = '']) => [name, { '@id': dcat + name, '@type': type }]),
  ),
  geosparql: prefixes['geosparql'] ?? '',
  geometry: { '@id': `${prefixes['locn']}geometry`, '@type': 'geosparql:wktLiteral' },
  ...terms(dcat, 'startDate endDate'),
  ...terms(prefixes['skos'] ?? '', 'prefLabel altLabel notation definition'),
  ...maps(prefixes['skos'] ?? '', 'prefLabel altLabel definition'),
  ...nodes(prefixes['skos'] ?? '', 'inScheme'),
  label: `${prefixes['rdfs']}label`,
  labelMap: { '@id': `${prefixes['rdfs']}label`, '@container': '@language' },
  name: 'foaf:name',
  nameMap: { '@id': 'foaf:name', '@container': '@language' },
  ...nodes(prefixes['foaf'] ?? '', 'homepage mbox page primaryTopic'),
  subOrganizationOf: { '@id': 'org:subOrganizationOf', '@type': '@id' },
  ...terms(
    prefixes['vcard'] ?? '',
    'fn organization-name locality region postal-code country-name street-address',
  ),
  fnMap: { '@id': 'vcard:fn', '@container': '@language' },
  hasEmail: { '@id': 'vcard:hasEmail', '@type': '@id' },
  tel: { '@id': 'vcard:hasTelephone', '@type': '@id' },
  address: { '@id': 'vcard:hasAddress', '@type': '@id' },
  otherIdentifier: { '@id': `${prefixes['adms']}identifier`, '@type': '@id' },
  status: { '@id': `${prefixes['adms']}status`, '@type': '@id' },
  versionNotes: `${prefixes['adms']}versionNotes`,
  availability: { '@id': `${prefixes['dcatap']}availability`, '@type': '@id' },
  describedBy: { '@id': 'http://www.w3.org/2007/05/powder-s#describedby', '@type': '@id' },
  ...nodes(prefixes['prov'] ?? '', 'agent qualifiedAttribution wasGeneratedBy'),
  ...nodes(prefixes['spdx'] ?? '', 'checksum algorithm'),
  checksumValue: { '@id': `${prefixes['spdx']}checksumValue`, '@type': 'xsd:hexBinary' },
  ...nodes(
    dcatUs,
    `accessRestriction cuiRestriction geographicBoundingBox liabilityStatement restrictionStatus specificRestriction
     useRestriction`,
  ),
  ...terms(
    dcatUs,
    `cuiBannerMarking designationIndicator requiredIndicatorPerAuthority restrictionNote eastBoundingLongitude
     northBoundingLatitude southBoundingLatitude westBoundingLongitude`,
  ),
  ...maps(dcatUs, 'restrictionNote'),
}

/** The context at an address, in any of the places from which its standard is published; `undefined` for all others. */
export function bundledContext(address: string): Context | undefined {
  if (
    /^https?:\/\/(?:www\.)?project-open-data\.cio\.gov\/v1\.1\/schema\/catalog\.jsonld$/.test(
      address,
    )
  )
    return pod
  if (
    /^https?:\/\/(?:www\.)?resources\.data\.gov\/(?:schemas\/dcat-us\/)?v1\.1\/schema\/catalog\.jsonld$/.test(
      address,
    )
  )
    return pod
  return /^https?:\/\/\S*\/dcat-us[-_]3(?:\.0)?(?:\.jsonld|\.json)?$/.test(address)
    ? dcatUs3
    : undefined
}
