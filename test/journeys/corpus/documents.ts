/** Documents in the shapes of real RDF sources: how they name things, and what they get wrong. */

import { both, type More as MoreOfSample, type Sample } from './sample.ts'

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
@prefix adms: <http://www.w3.org/ns/adms#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix locn: <http://www.w3.org/ns/locn#> .
@prefix gsp: <http://www.opengis.net/ont/geosparql#> . @prefix hydra: <http://www.w3.org/ns/hydra/core#> .
@prefix c: <https://city.example/> .
`

const dcat = 'http://www.w3.org/ns/dcat#'
const dct = 'http://purl.org/dc/terms/'
const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'

type More = MoreOfSample & { readonly type?: string }

const document = (
  name: string,
  body: string | Buffer,
  { type = 'text/turtle', ...more }: More = {},
): Sample => ({
  name,
  importer: 'rdf',
  answers: { '/catalogue': { body, type } },
  address: '/catalogue',
  addresses: [],
  findings: [],
  ...more,
})

const turtle = (name: string, body: string, more: More = {}): Sample =>
  document(name, prefixes + body, more)

const file = (url: string) =>
  `a dcat:Distribution ; dcat:accessURL <${url}> ; dcat:downloadURL <${url}>`

/** How sources name things. */
const named: readonly Sample[] = [
  turtle(
    'file-by-its-url',
    `c:1 a dcat:Dataset ; dct:title "Trees" ; dcat:distribution c:t.csv .
     c:t.csv ${file('https://city.example/t.csv')} .`,
    { addresses: both('https://city.example/t.csv') },
  ),
  turtle(
    'dataset-by-its-page',
    `<https://city.example/ds/9> a dcat:Dataset ; dct:title "Lakes" ;
       dcat:landingPage <https://city.example/ds/9> ; foaf:page <https://city.example/ds/9> ;
       adms:sample <https://city.example/f/s.csv> ; dcat:distribution <https://city.example/f/9.csv> .
     <https://city.example/f/9.csv> ${file('https://city.example/f/9.csv')} .
     <https://city.example/f/s.csv> a dcat:Distribution ; dcat:accessURL <https://city.example/f/s.csv> .`,
    {
      addresses: ['landingPage https://city.example/ds/9', ...both('https://city.example/f/9.csv')],
      samples: ['accessURL https://city.example/f/s.csv'],
    },
  ),
  turtle(
    'page-is-access',
    `c:p a dcat:Dataset ; dct:title "Page" ; dcat:landingPage c:p ;
       dcat:distribution [ a dcat:Distribution ; dcat:accessURL c:p ] .`,
    { addresses: ['landingPage https://city.example/p', 'accessURL https://city.example/p'] },
  ),
  turtle(
    'one-file-of-two',
    `c:a a dcat:Dataset ; dct:title "A" ; dcat:distribution c:shared.zip .
     c:b a dcat:Dataset ; dct:title "B" ; dcat:distribution c:shared.zip .
     c:shared.zip ${file('https://city.example/shared.zip')} .`,
    {
      addresses: [
        ...both('https://city.example/shared.zip'),
        ...both('https://city.example/shared.zip'),
      ],
    },
  ),
  turtle(
    'service-by-its-address',
    `c:w a dcat:Dataset ; dct:title "Map" ; dcat:distribution c:wms .
     c:wms a dcat:Distribution ; dcat:accessURL c:wms ; dcat:accessService [ a dcat:DataService ;
       dct:title "WMS" ; dcat:endpointURL c:wms ; dcat:endpointDescription <https://city.example/wms?request=GetCapabilities> ] .`,
    { addresses: ['accessURL https://city.example/wms'] },
  ),
  turtle(
    'in-a-series',
    `c:s a dcat:DatasetSeries ; dct:title "Years" ; dcat:landingPage c:s .
     c:y a dcat:Dataset ; dct:title "2024" ; dcat:inSeries c:s ; dcat:landingPage c:y .`,
    { addresses: ['landingPage https://city.example/s', 'landingPage https://city.example/y'] },
  ),
  turtle(
    'record-of-the-sender',
    `c:cat a dcat:Catalog ; dct:title "City" ; dcat:record c:r ; dcat:dataset c:d .
     c:r a dcat:CatalogRecord ; foaf:primaryTopic c:d ; dct:modified "2024-01-01"^^xsd:date .
     c:d a dcat:Dataset ; dct:title "D" ; dcat:landingPage c:d .`,
    { addresses: ['landingPage https://city.example/d'] },
  ),
]

/** How addresses are written. */
const written: readonly Sample[] = [
  ...(
    [
      ['upper-case', 'HTTP://WWW.City.Example:80/A%2fb/../c?x=1&y#part'],
      ['beyond-ascii', 'https://city.example/Straße/über%20uns.csv'],
      ['ftp', 'ftp://files.city.example/pub/a.zip'],
      ['urn', 'urn:isbn:9780141036144'],
      ['escaped', 'https://city.example/a%20b%2Fc.csv?q=%C3%BC&r=[1]'.replace('[1]', '%5B1%5D')],
      ['trailing-dot', 'https://city.example./x/.'],
      ['query-only', 'https://city.example?download'],
    ] as const
  ).map(([name, url]) =>
    turtle(name, `c:1 a dcat:Dataset ; dct:title "T" ; dcat:distribution [ ${file(url)} ] .`, {
      addresses: both(url),
    }),
  ),
  turtle(
    'blank-in-it',
    `c:1 a dcat:Dataset ; dct:title "T" ; dcat:distribution [ a dcat:Distribution ;
       dcat:accessURL <https://city.example/a b.csv> ] .`,
    {
      addresses: ['accessURL https://city.example/a%20b.csv'],
      findings: ['repaired-iri https://city.example/a b.csv became https://city.example/a%20b.csv'],
    },
  ),
  turtle(
    'typed-literal',
    `c:1 a dcat:Dataset ; dct:title "T" ; dcat:distribution [ a dcat:Distribution ;
       dcat:accessURL "https://city.example/l.csv"^^xsd:anyURI ] .`,
    { addresses: ['accessURL https://city.example/l.csv'] },
  ),
  document(
    'xml',
    `<?xml version="1.0" encoding="ISO-8859-1"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcat="http://www.w3.org/ns/dcat#"
  xmlns:dct="http://purl.org/dc/terms/">
  <dcat:Dataset rdf:about="https://city.example/x"><dct:title>Luft &amp; Wasser</dct:title>
    <dcat:distribution><dcat:Distribution rdf:about="https://city.example/x.csv?a=1&amp;b=2">
      <dcat:accessURL rdf:resource="https://city.example/x.csv?a=1&amp;b=2"/>
      <dcat:downloadURL rdf:resource="https://city.example/x.csv?a=1&amp;b=2"/>
    </dcat:Distribution></dcat:distribution></dcat:Dataset></rdf:RDF>`,
    { type: 'application/rdf+xml', addresses: both('https://city.example/x.csv?a=1&b=2') },
  ),
  document(
    'jsonld',
    JSON.stringify({
      '@context': { dcat, dct },
      '@graph': [
        {
          '@id': 'https://city.example/j',
          '@type': 'dcat:Dataset',
          'dct:title': 'J',
          'dcat:distribution': {
            '@id': 'https://city.example/j.json',
            '@type': 'dcat:Distribution',
            'dcat:accessURL': { '@id': 'https://city.example/j.json' },
          },
        },
      ],
    }),
    { type: 'application/ld+json', addresses: ['accessURL https://city.example/j.json'] },
  ),
  document(
    'trig',
    `${prefixes} c:g { c:d a dcat:Dataset ; dct:title "D" ; dcat:landingPage c:d . }`,
    { type: 'application/trig', addresses: ['landingPage https://city.example/d'] },
  ),
]

/** What sources get wrong. */
const wrong: readonly Sample[] = [
  turtle(
    'untitled-and-served',
    `c:d a dcat:Dataset ; dcat:distribution c:x . c:x ${file('https://city.example/x')} .
     c:s a dcat:DataService ; dct:title "S" ; dcat:servesDataset c:d .`,
    {
      addresses: both('https://city.example/x'),
      findings: [
        'no-title The record has no title.',
        'services-not-harvested 1: https://city.example/s',
      ],
    },
  ),
  turtle('labelled', `c:d a dcat:Dataset ; rdfs:label "Named"@en ; dcat:landingPage c:d .`, {
    addresses: ['landingPage https://city.example/d'],
    findings: ['no-title rdfs:label stands in for the title: Named'],
  }),
  turtle(
    'mentioned',
    `c:d a dcat:Dataset ; dct:title "D" ; dct:relation c:e . c:e a dcat:Dataset .`,
    {
      lost: ['skipped https://city.example/e stub'],
    },
  ),
  turtle(
    'services-alone',
    `c:c a dcat:Catalog ; dcat:service c:s, c:t, c:u . c:s a dcat:DataService . c:t a dcat:DataService .
     c:u a dcat:DataService .`,
    {
      findings: [
        'services-not-harvested 3: https://city.example/s, https://city.example/t, https://city.example/u',
      ],
    },
  ),
  turtle(
    'odd-dates',
    `c:d a dcat:Dataset ; dct:title "D" ; dct:issued "yesterday" ; dct:modified "31.02.2025" ;
       dcat:distribution [ a dcat:Distribution ; dcat:accessURL c:f ; dcat:byteSize "many" ] .`,
    {
      addresses: ['accessURL https://city.example/f'],
      findings: [
        'left-out distributions.byte_size: many (bad-number)',
        'left-out issued: yesterday (bad-date)',
        'left-out modified: 31.02.2025 (bad-date)',
      ],
    },
  ),
  turtle(
    'mail-without-scheme',
    `c:d a dcat:Dataset ; dct:title "D" ; dcat:landingPage c:d ;
       dcat:contactPoint [ a vcard:Kind ; vcard:fn "A" ; vcard:hasEmail <a@city.example> ] .`,
    {
      addresses: ['landingPage https://city.example/d'],
      findings: ['repaired-iri a@city.example became mailto:a@city.example'],
    },
  ),
  turtle(
    'unknown-licence',
    `c:d a dcat:Dataset ; dct:title "D" ; dcat:distribution [ a dcat:Distribution ; dcat:accessURL c:f ;
       dct:license <http://WWW.city.example/licence.html> ] .`,
    { addresses: ['accessURL https://city.example/f'] },
  ),
  turtle(
    'no-place',
    `c:d a dcat:Dataset ; dct:title "D" ; dcat:landingPage c:d ; dct:spatial [ a dct:Location ;
       locn:geometry "not a place"^^gsp:wktLiteral ] .`,
    {
      addresses: ['landingPage https://city.example/d'],
      findings: ['left-out spatial: not a place (bad-geometry)'],
    },
  ),
  turtle('nameless', `c:1 a dcat:Dataset ; dct:title "A" .\n[] a dcat:Dataset ; dct:title "B" .`, {
    lost: ['failed The record has no identifier. "B", record 2 of the run, line 8.'],
  }),
  document(
    'nameless-lines',
    `<https://city.example/1> <${rdfType}> <${dcat}Dataset> .
<https://city.example/1> <${dct}title> "A" .
_:b <${dct}title> "B" .
_:b <${rdfType}> <${dcat}Dataset> .
`,
    {
      type: 'application/n-triples',
      lost: ['failed The record has no identifier. "B", record 2 of the run, line 4.'],
    },
  ),
  document(
    'nameless-json',
    JSON.stringify({
      '@context': { dcat, dct },
      '@graph': [
        { '@id': 'https://city.example/1', '@type': 'dcat:Dataset', 'dct:title': 'A' },
        { '@type': 'dcat:Dataset', 'dct:title': 'B' },
      ],
    }),
    {
      type: 'application/ld+json',
      lost: ['failed The record has no identifier. "B", record 2 of the run, /@graph/1.'],
    },
  ),
  turtle(
    'twice',
    `c:1 a dcat:Dataset ; dct:title "A" ; dct:identifier "x" ; dcat:landingPage c:1 .
     c:2 a dcat:Dataset ; dct:title "B" ; dct:identifier "x" .`,
    { addresses: ['landingPage https://city.example/1'] },
  ),
  document(
    'not-utf-8',
    Buffer.from(
      `${prefixes} c:1 a dcat:Dataset ; dct:title "Straße" ; dcat:landingPage c:1 .`,
      'latin1',
    ),
    {
      addresses: ['landingPage https://city.example/1'],
      findings: [
        'invalid-text The text is not UTF-8 from line 7 on; it was read as windows-1252, which nothing declares.',
      ],
    },
  ),
  turtle(
    'page-missing',
    `<> a hydra:PartialCollectionView ; hydra:next <catalogue?page=2> .
     c:1 a dcat:Dataset ; dct:title "A" ; dcat:landingPage c:1 .`,
    {
      answers: {
        '/catalogue?page=2': { body: 'gone', type: 'text/plain', status: 404 },
        '/catalogue': {
          body: `${prefixes} <> a hydra:PartialCollectionView ; hydra:next <catalogue?page=2> .
            c:1 a dcat:Dataset ; dct:title "A" ; dcat:landingPage c:1 .`,
          type: 'text/turtle',
        },
      },
      addresses: ['landingPage https://city.example/1'],
      problem: 'source-not-found',
    },
  ),
]

export const documents: readonly Sample[] = [...named, ...written, ...wrong]
