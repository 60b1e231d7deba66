/** Every indicator once more, as SPARQL over a store that holds datasets, their metrics graphs and the tables. */

/** Graphs that the tests fill from the tables they were given, not from those that are shipped. */
export const graphs = {
  fileTypes: 'urn:test:file-types',
  mediaTypes: 'urn:test:media-types',
  licences: 'urn:test:licences',
  answers: 'urn:test:answers',
} as const

export type Lists = Readonly<
  Record<
    'machineReadable' | 'nonProprietary',
    { readonly fileTypes: readonly string[]; readonly mediaTypes: readonly string[] }
  >
>

const prologue = `
PREFIX dc: <http://purl.org/dc/elements/1.1/>
PREFIX dcat: <http://www.w3.org/ns/dcat#>
PREFIX dct: <http://purl.org/dc/terms/>
PREFIX dqv: <http://www.w3.org/ns/dqv#>
PREFIX prov: <http://www.w3.org/ns/prov#>
PREFIX pv: <https://piveau.eu/ns/voc#>
PREFIX sh: <http://www.w3.org/ns/shacl#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
`
const ofDataset = 'GRAPH ?g { ?node a dcat:Dataset }'
const ofDistribution = 'GRAPH ?g { ?set a dcat:Dataset ; dcat:distribution ?node }'
const words = (list: readonly string[]) => list.map((word) => JSON.stringify(word)).join(', ')

const given = (property: string) =>
  `EXISTS { GRAPH ?g { ?node ${property} ?any } FILTER(isIRI(?any) || REGEX(STR(?any), "\\\\S")) }`

/** Written as a date, whether there is such a day or not. */
const dated = (property: string) =>
  `EXISTS { GRAPH ?g { ?node ${property} ?any } FILTER(isLiteral(?any) && REGEX(STR(?any), "^[0-9]{4}(-[0-9]{2}|$)")) }`

const host = 'https?://publications[.]europa[.]eu/resource/authority/'
const registry = 'https?://(www[.])?iana[.]org/assignments/media-types/'

/** What is common to all spellings of a licence. */
const normal = (variable: string) =>
  `REPLACE(REPLACE(REPLACE(REPLACE(STR(${variable}), "^https", "http"), "^http://www[.]", "http://"), "/$", ""), "/(legalcode|deed([.][a-z]+)?)$", "")`

/** A name of the table, looked up and not searched for. */
const inTable = (graph: string) => `EXISTS { GRAPH <${graph}> { ?entry <urn:test:name> ?form } }`

const known = `EXISTS {
  { GRAPH ?g { ?node dct:license ?licence } BIND(STR(?licence) AS ?name) }
  UNION { GRAPH ?g { ?node dct:license/skos:exactMatch ?match } BIND(STR(?match) AS ?name) }
  UNION { GRAPH ?g { ?node dct:license/(dct:identifier|dc:identifier) ?name } }
  BIND(${normal('?name')} AS ?form)
  FILTER(${inTable(graphs.licences)})
}`

const aligned = `(${given('dct:format')} && ${given('dcat:mediaType')}
  && NOT EXISTS { GRAPH ?g { ?node dct:format ?format }
    BIND(REPLACE(STR(?format), "^${host}file-type/", "") AS ?form)
    FILTER(isLiteral(?format) || !${inTable(graphs.fileTypes)}) }
  && NOT EXISTS { GRAPH ?g { ?node dcat:mediaType ?media }
    BIND(LCASE(REPLACE(STR(?media), "^${registry}", "")) AS ?form)
    FILTER(isLiteral(?media) || !REGEX(STR(?media), "^${registry}") || !${inTable(graphs.mediaTypes)}) })`

const listed = ({ fileTypes, mediaTypes }: Lists['machineReadable']) => `(
  EXISTS { GRAPH ?g { ?node dct:format ?format }
    FILTER(UCASE(REPLACE(STR(?format), "^${host}file-type/", "")) IN (${words(fileTypes)})) }
  || EXISTS { GRAPH ?g { ?node dcat:mediaType ?media }
    FILTER(LCASE(REPLACE(STR(?media), "^${registry}", "")) IN (${words(mediaTypes)})) })`

const rights = 'PUBLIC|RESTRICTED|NON_PUBLIC|CONFIDENTIAL|NORMAL|SENSITIVE'
const compliant = `NOT EXISTS { GRAPH ?m { ?node dqv:hasQualityAnnotation/<http://www.w3.org/ns/oa#hasBody>/sh:result/sh:resultSeverity sh:Violation } }`

const both = ['dataset', 'distribution'] as const

/** Name, where it is measured, and what makes it true. */
export const conditions = (
  lists: Lists,
): readonly (readonly [string, 'dataset' | 'distribution', string])[] => [
  ['keywordAvailability', 'dataset', given('dcat:keyword')],
  ['categoryAvailability', 'dataset', given('dcat:theme')],
  ['spatialAvailability', 'dataset', given('dct:spatial')],
  ['temporalAvailability', 'dataset', given('dct:temporal')],
  ['downloadUrlAvailability', 'distribution', given('dcat:downloadURL')],
  ['formatAvailability', 'distribution', given('dct:format')],
  ['mediaTypeAvailability', 'distribution', given('dcat:mediaType')],
  ['formatMediaTypeVocabularyAlignment', 'distribution', aligned],
  ['formatMediaTypeNonProprietary', 'distribution', listed(lists.nonProprietary)],
  ['formatMediaTypeMachineInterpretable', 'distribution', listed(lists.machineReadable)],
  ['dcatApCompliance', 'dataset', compliant],
  ['licenceAvailability', 'distribution', given('dct:license')],
  ['knownLicence', 'distribution', known],
  ['accessRightsAvailability', 'dataset', given('dct:accessRights')],
  [
    'accessRightsVocabularyAlignment',
    'dataset',
    `EXISTS { GRAPH ?g { ?node dct:accessRights ?right }
      FILTER(isIRI(?right) && REGEX(STR(?right), "^${host}access-right/(${rights})$")) }`,
  ],
  ['contactPointAvailability', 'dataset', given('dcat:contactPoint')],
  ['publisherAvailability', 'dataset', given('dct:publisher')],
  ['rightsAvailability', 'distribution', given('dct:rights')],
  ['byteSizeAvailability', 'distribution', given('dcat:byteSize')],
  ...both.map((level) => ['dateIssuedAvailability', level, dated('dct:issued')] as const),
  ...both.map((level) => ['dateModifiedAvailability', level, dated('dct:modified')] as const),
]

/** Each node with what its indicator must be, and what was measured. */
export const booleanQuery = ([name, level, condition]: readonly [string, string, string]): string =>
  `${prologue} SELECT DISTINCT ?node ?expected ?measured WHERE {
    ${level === 'dataset' ? ofDataset : ofDistribution}
    BIND(IRI(CONCAT("urn:test:metrics:", STR(?g))) AS ?m)
    OPTIONAL { GRAPH ?m { ?one dqv:computedOn ?node ; dqv:isMeasurementOf pv:${name} ; dqv:value ?measured } }
    BIND(${condition} AS ?expected)
  }`

/** The same for the answers of URLs: one row for each URL of a distribution. */
export const statusQuery = (name: 'accessUrl' | 'downloadUrl'): string =>
  `${prologue} SELECT ?node ?expected ?measured WHERE {
    ${ofDistribution}
    BIND(IRI(CONCAT("urn:test:metrics:", STR(?g))) AS ?m)
    GRAPH ?g { ?node dcat:${name.replace('Url', 'URL')} ?url }
    GRAPH <${graphs.answers}> { ?url <urn:test:status> ?expected }
    OPTIONAL { GRAPH ?m { ?one dqv:computedOn ?node ; dqv:isMeasurementOf pv:${name}StatusCode ;
      dqv:value ?measured ; prov:wasDerivedFrom ?url } }
  }`

/** Points of a metric that is true. */
const points = `
  ("keywordAvailability" "findability" 30) ("categoryAvailability" "findability" 30)
  ("spatialAvailability" "findability" 20) ("temporalAvailability" "findability" 20)
  ("accessUrlStatusCode" "accessibility" 50) ("downloadUrlAvailability" "accessibility" 20)
  ("downloadUrlStatusCode" "accessibility" 30) ("formatAvailability" "interoperability" 20)
  ("mediaTypeAvailability" "interoperability" 10)
  ("formatMediaTypeVocabularyAlignment" "interoperability" 10)
  ("formatMediaTypeNonProprietary" "interoperability" 20)
  ("formatMediaTypeMachineInterpretable" "interoperability" 20)
  ("dcatApCompliance" "interoperability" 30) ("licenceAvailability" "reusability" 20)
  ("knownLicence" "reusability" 10) ("accessRightsAvailability" "reusability" 10)
  ("accessRightsVocabularyAlignment" "reusability" 5)
  ("contactPointAvailability" "reusability" 20) ("publisherAvailability" "reusability" 10)
  ("rightsAvailability" "contextuality" 5) ("byteSizeAvailability" "contextuality" 5)
  ("dateIssuedAvailability" "contextuality" 5) ("dateModifiedAvailability" "contextuality" 5)`

/** Per distribution and dimension what it reaches together with its dataset; nothing where it reaches nothing. */
export const pointsQuery = `${prologue} SELECT ?dataset ?node ?dimension (SUM(?worth) AS ?points) WHERE {
  { SELECT DISTINCT ?dataset ?node ?name WHERE {
    GRAPH ?g { ?dataset a dcat:Dataset ; dcat:distribution ?node }
    BIND(IRI(CONCAT("urn:test:metrics:", STR(?g))) AS ?m)
    GRAPH ?m { ?one dqv:isMeasurementOf ?metric ; dqv:computedOn ?on ; dqv:value ?value }
    FILTER(IF(isNumeric(?value), ?value >= 200 && ?value <= 299, ?value))
    FILTER(?on = ?dataset || ?on = ?node)
    BIND(STRAFTER(STR(?metric), "#") AS ?name)
  } }
  VALUES (?name ?dimension ?worth) { ${points} }
} GROUP BY ?dataset ?node ?dimension`

/** The scores as they are stored. */
export const scoresQuery = `${prologue} SELECT ?dataset ?metric ?score WHERE {
  GRAPH ?m { ?one dqv:isMeasurementOf ?metric ; dqv:computedOn ?dataset ; dqv:value ?score }
  FILTER(STRENDS(LCASE(STR(?metric)), "scoring"))
}`
