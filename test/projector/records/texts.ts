/** Records full of texts: titles, identifiers, keywords, links. */

import { eu, type Expected } from './record.ts'

const water = 'http://data.europa.eu/bna/c_dd313021'

export const textRecords: readonly Expected[] = [
  {
    name: 'a title in four tags, and a description in two countries',
    kind: 'dataset',
    bare: true,
    turtle: `d:x a dcat:Dataset ; dct:title " Wasser "@de, "Water"@en, "Agua"@es-t-de-t0-mtec, "Vatten"@sv-FI ;
      dct:description "Österreich"@de-AT, "Schweiz"@de-CH, "   "@fr .`,
    record: {
      title: { de: 'Wasser', en: 'Water', es: 'Agua', sv: 'Vatten' },
      description: { de: 'Schweiz', 'de-AT': 'Österreich' },
      translation_meta: {
        full_available_languages: ['de', 'en', 'es', 'sv'],
        details: {
          de: { machine_translated: false },
          en: { machine_translated: false },
          es: { machine_translated: true, original_language: 'de' },
          sv: { machine_translated: false },
        },
        status: 'unknown',
      },
    },
  },
  {
    name: 'texts without a tag in a German catalogue, and two for one language',
    kind: 'dataset',
    bare: true,
    catalogue: 'c:cat a dcat:Catalog ; dct:title "K" ; dct:language lang:DEU .',
    turtle: `d:x dct:title "Pegel", "Gauges"@en ; dct:description "zwei"@de, "eins"@de, <urn:x:text> .`,
    record: {
      title: { de: 'Pegel', en: 'Gauges' },
      description: { de: 'eins' },
      translation_meta: {
        full_available_languages: ['de', 'en'],
        details: { de: { machine_translated: false }, en: { machine_translated: false } },
        status: 'unknown',
      },
    },
    leftOut: ['description not-a-literal urn:x:text', 'description same-language-twice zwei'],
  },
  {
    name: 'nothing at all',
    kind: 'dataset',
    bare: true,
    turtle: '',
    record: {
      title: undefined,
      description: undefined,
      translation_meta: { full_available_languages: [], details: {}, status: 'unknown' },
    },
    leftOut: ['title missing-mandatory ', 'description missing-mandatory '],
  },
  {
    name: 'identifiers, version and notes',
    kind: 'dataset',
    turtle: `d:x dct:identifier "Pegel 2024/1", 7, ex:id, " " ; owl:versionInfo "2.1" ;
      adms:versionNotes "Neu"@de, "New"@en .`,
    record: {
      identifier: ['7', 'Pegel 2024/1', 'https://a.example/id'],
      version_info: '2.1',
      version_notes: { de: 'Neu', en: 'New' },
    },
  },
  {
    name: 'the version as DCAT 3 has it, twice, and an identifier that is a blank node',
    kind: 'dataset',
    turtle: 'd:x dcat:version "2.1", "2.0" ; dct:identifier [ ] .',
    record: { version_info: '2.0' },
    leftOut: ['identifier not-a-literal []', 'version_info too-many-values 2.1'],
  },
  {
    name: 'keywords in several scripts, a list in one literal, a concept',
    kind: 'dataset',
    turtle: `d:x dcat:keyword "Feinstaub (PM10)"@de, "Forêts"@fr, "forêts"@fr, "roads, bridges"@en-GB, "вода"@ru,
      "--", <${water}>, ex:unknown .`,
    record: {
      keywords: [
        {
          id: 'earth-observation-and-environment',
          label: 'Earth observation and environment',
          language: 'en',
        },
        { id: 'feinstaub-pm10', label: 'Feinstaub (PM10)', language: 'de' },
        { id: 'forêts', label: 'Forêts', language: 'fr' },
        { id: 'roads-bridges', label: 'roads, bridges', language: 'en' },
        { id: 'вода', label: 'вода', language: 'ru' },
      ],
    },
    leftOut: ['keywords unknown-concept https://a.example/unknown'],
  },
  {
    name: 'links to other datasets, in the terms of DCAT 2 and DCAT 3',
    kind: 'dataset',
    turtle: `d:x dct:hasVersion ex:v2 ; dcat:hasVersion ex:v3, ex:v2 ; dcat:isVersionOf ex:v0 ; dct:source ex:b, ex:a ;
      dct:isReferencedBy "https://a.example/paper"^^xsd:anyURI, "a paper", [ ] ; dcat:inSeries ex:series .`,
    record: {
      has_version: ['https://a.example/v2', 'https://a.example/v3'],
      is_version_of: ['https://a.example/v0'],
      source: ['https://a.example/a', 'https://a.example/b'],
      is_referenced_by: ['https://a.example/paper'],
      in_series: ['https://a.example/series'],
    },
    leftOut: ['is_referenced_by not-an-iri a paper'],
  },
  {
    name: 'plain values of any kind, which are for filters',
    kind: 'dataset',
    turtle: `d:x dct:relation ex:r, "see there" ; adms:sample s:a ; prov:wasGeneratedBy ex:run ;
      prov:qualifiedAttribution [ ] ; dcat:temporalResolution "P1D"^^xsd:duration ; stat:attribute ex:unit ;
      stat:dimension ex:time ; stat:statUnitMeasure ex:euro ; stat:hasQualityAnnotation ex:note .`,
    record: {
      relation: ['https://a.example/r', 'see there'],
      sample: ['http://localhost:8080/set/distribution/a'],
      was_generated_by: ['https://a.example/run'],
      temporal_resolution: 'P1D',
      attribute: ['https://a.example/unit'],
      dimension: ['https://a.example/time'],
      stat_unit_measure: ['https://a.example/euro'],
      has_quality_annotation: ['https://a.example/note'],
    },
    leftOut: ['qualified_attribution not-an-iri []'],
  },
  {
    name: 'pages with and without a description',
    kind: 'dataset',
    turtle: `d:x dcat:landingPage ex:home, "https://a.example/text", "somewhere" ;
      foaf:page ex:about . ex:about a foaf:Document ; dct:title "About"@en, "Über"@de ;
      dct:description "Text" ; dct:format file:PDF .`,
    record: {
      landing_page: [
        { resource: 'https://a.example/home' },
        { resource: 'https://a.example/text' },
      ],
      page: [
        {
          resource: 'https://a.example/about',
          title: { de: 'Über', en: 'About' },
          description: { en: 'Text' },
          format: { id: 'PDF', label: 'PDF', resource: eu('file-type/PDF') },
        },
      ],
    },
    leftOut: ['landing_page not-an-iri somewhere'],
  },
  {
    name: 'standards and statements, with and without a label',
    kind: 'dataset',
    turtle: `d:x dct:conformsTo ex:gts, [ dct:title "Norm"@de, "Standard"@en ], [ ], "ISO 19115" ;
      dct:provenance [ rdfs:label "Measured"@en ] . ex:gts rdfs:label "GTS" .`,
    record: {
      conforms_to: [
        { label: 'ISO 19115' },
        { label: 'Standard' },
        { label: 'GTS', resource: 'https://a.example/gts' },
      ],
      provenance: [{ label: 'Measured' }],
    },
    leftOut: ['conforms_to unknown-concept []'],
  },
  {
    name: 'identifiers of other systems',
    kind: 'dataset',
    turtle: `d:x adms:identifier <https://doi.org/10.1/x>, [ skos:notation "urn-7" ], "plain", [ ] .
      <https://doi.org/10.1/x> skos:notation "10.1/x"^^<http://purl.org/spar/datacite/doi> .`,
    record: {
      adms_identifier: [
        { identifier: 'plain' },
        { identifier: 'urn-7' },
        {
          resource: 'https://doi.org/10.1/x',
          identifier: '10.1/x',
          scheme: 'http://purl.org/spar/datacite/doi',
        },
      ],
    },
    leftOut: ['adms_identifier not-a-literal []'],
  },
  {
    name: 'relations with a role, and who uses the dataset',
    kind: 'dataset',
    turtle: `d:x dcat:qualifiedRelation [ dct:relation ex:o ; dcat:hadRole <https://r.example/original> ], [ ] ;
      dext:metadataExtension [ dext:isUsedBy ex:app, ex:a ] .`,
    record: {
      qualified_relation: [
        { relation: ['https://a.example/o'], had_role: ['https://r.example/original'] },
      ],
      extended_metadata: { is_used_by: ['https://a.example/a', 'https://a.example/app'] },
    },
    leftOut: ['qualified_relation not-an-iri []'],
  },
]
