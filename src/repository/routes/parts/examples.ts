/** Bodies to begin with, shown on the page of the contract: sent one after the other they make a small catalogue. */

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
`

export const catalogue = `${prefixes}
<> a dcat:Catalog ;
  dct:title "Rivers"@en .
`

export const dataset = `${prefixes}
<> a dcat:Dataset ;
  dct:title "Water levels"@en ;
  dcat:distribution [
    a dcat:Distribution ;
    dct:title "As CSV"@en ;
    dcat:accessURL <https://example.org/levels.csv>
  ] .
`

export const distribution = `${prefixes}
<> a dcat:Distribution ;
  dct:title "As JSON"@en ;
  dcat:accessURL <https://example.org/levels.json> .
`

/** The address is relative to that of the metrics graph. */
export const metrics = `@prefix dqv: <http://www.w3.org/ns/dqv#> .

<> a dqv:QualityMetadata .
<../../set/data/levels> dqv:hasQualityMeasurement [
  a dqv:QualityMeasurement ;
  dqv:isMeasurementOf <https://piveau.eu/ns/voc#scoring> ;
  dqv:computedOn <../../set/data/levels> ;
  dqv:value 380
] .
`

export const vocabulary = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .

<https://example.org/quality> a skos:ConceptScheme .
<https://example.org/quality/checked> a skos:Concept ;
  skos:inScheme <https://example.org/quality> ;
  skos:prefLabel "Checked"@en .
`
