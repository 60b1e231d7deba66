/** The JSON of one value of each mapping class, as a schema. */

import { type JsonSchema, languageMap, list, object, reference, text } from './json-schema.ts'

// The JSON of concepts, places, languages, licences and formats, as schemas.

const label = text('Label, English where there is one')
const resource = text('IRI')
const concept = object('A concept of a vocabulary', {
  id: text('Code inside the vocabulary'),
  label,
  resource,
})
const known = { ...concept, required: ['resource'] }
const described = object('A resource with or without a label', { label, resource })
const skos = object(
  'A concept with its labels; of an unknown one the IRI',
  {
    id: text('Code inside the vocabulary'),
    label: languageMap('Labels by language key'),
    resource,
  },
  ['resource'],
)

/** Schemas by mapping class. */
const concepts = {
  Theme: { ...skos, required: ['id', 'label', 'resource'] },
  Language: object('A language; of an unknown one the IRI', {
    id: text('Two-letter code, three letters where there is none'),
    label: text('English name'),
    resource,
  }),
  SpatialResource: { ...known, description: 'A place; of an unknown one the IRI' },
  License: object(
    'A licence',
    {
      id: text('Code, else a name made of the label, else the IRI'),
      label: text('Name of the licence'),
      description: text('What it is about'),
      resource,
      la_url: text('Address of the licence in a licensing assistant'),
    },
    ['id', 'label'],
  ),
  Format: object(
    'A file format',
    { id: text('Code, media type or name'), label: text('Name of the format'), resource },
    ['id', 'label'],
  ),
  AccessRight: concept,
  Frequency: concept,
  FrequencyMultiLang: concept,
  AdmsSkos: described,
  LabeledResource: described,
  DatasetType: known,
  DistributionType: known,
  HvdCategory: skos,
  EuroVoc: skos,
  GenericSkosMultiLang: skos,
  Document: described,
} satisfies Readonly<Record<string, JsonSchema>>

// The JSON of persons, organisations and contact points, as schemas.

const agent = (name: JsonSchema) =>
  object(
    'A person or organisation',
    {
      type: { enum: ['Agent', 'Person', 'Organization'] },
      name,
      email: text('Mail address as mailto: IRI'),
      homepage: text('Address of the home page'),
      resource,
    },
    ['type'],
  )

/** Schemas by mapping class. */
const agents = {
  Agent: agent(text('Name, English where there is one')),
  AgentMultiLang: agent(languageMap('Names by language key')),
  ContactPoint: object(
    'Where to send questions',
    {
      type: { enum: ['Kind', 'Individual', 'Organization', 'Group'] },
      name: text('Name'),
      email: text('Mail address as mailto: IRI'),
      telephone: text('Telephone number as given'),
      address: text('Postal address on one line'),
      url: list(text('Address of a page')),
      organisation_name: text('Name of the organisation'),
      resource,
    },
    ['type'],
  ),
} satisfies Readonly<Record<string, JsonSchema>>

// The geometries of GeoJSON (RFC 7946, 3.1) as a schema.

const position: JsonSchema = {
  type: 'array',
  items: { type: 'number' },
  minItems: 2,
  maxItems: 2,
  description: 'Longitude and latitude in degrees (WGS 84)',
}
const line = list(position)
const rings = list(line)

const geometry = (type: string, coordinates: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { type: { const: type }, coordinates },
  required: ['type', 'coordinates'],
})

const simple: readonly JsonSchema[] = [
  geometry('Point', position),
  geometry('MultiPoint', line),
  geometry('LineString', line),
  geometry('MultiLineString', rings),
  geometry('Polygon', rings),
  geometry('MultiPolygon', list(rings)),
]

/** A geometry; `self` refers to this very schema, for collections. */
const geometrySchema = (self: JsonSchema): JsonSchema => ({
  description: 'A GeoJSON geometry',
  anyOf: [
    ...simple,
    {
      type: 'object',
      properties: { type: { const: 'GeometryCollection' }, geometries: list(self) },
      required: ['type', 'geometries'],
    },
  ],
})

const texts = languageMap('Text by language key')

/** Sources write fractions where whole numbers are asked for; they are kept. */
const integer: JsonSchema = { type: ['integer', 'number'], description: 'A whole number' }
const score: JsonSchema = { type: ['integer', 'number'], description: 'Points' }
const instant: JsonSchema = {
  type: 'string',
  format: 'date-time',
  description: 'yyyy-MM-ddTHH:mm:ssZ',
}

/** Names of the scores, in documents and as local names of the metrics. */
export const scores = [
  'scoring',
  'findabilityScoring',
  'accessibilityScoring',
  'interoperabilityScoring',
  'reusabilityScoring',
  'contextualityScoring',
] as const

const keyword = object('A keyword', {
  id: text('The label in lower case, with `-` for everything but letters, digits and `_`'),
  label: text('The keyword as given'),
  language: text('Language key of the label'),
})

const page = object('A web page or document', {
  resource,
  title: languageMap('Titles by language key'),
  description: languageMap('Descriptions by language key'),
  format: reference('Format'),
})

const translation = object(
  'Languages of a record',
  {
    full_available_languages: list(text('Language code')),
    details: {
      type: 'object',
      additionalProperties: object(
        '',
        {
          machine_translated: { type: 'boolean' },
          original_language: text('Language it was translated from'),
          issued: instant,
          received: instant,
        },
        ['machine_translated'],
      ),
      description: 'By language code',
    },
    status: { enum: ['unknown', 'processing', 'completed'] },
  },
  ['full_available_languages', 'details', 'status'],
)

/** What a value of a class looks like; `Nested` is made of its fields instead. */
const models = {
  ...agents,
  ...concepts,
  SimpleMultiLangTitle: texts,
  SimpleMultiLang: texts,
  MultiLang: texts,
  MultiLangTitle: texts,
  TrimmedMultiLangTitle: texts,
  TrimmedMultiLangSubtitle: texts,
  StandardText: text('Text'),
  StandardDisabled: text('Text or IRI, not searched'),
  Keywords: { ...keyword, required: ['id', 'label', 'language'] },
  DateTime: instant,
  Metrics: object(
    'Points for the quality of the metadata',
    Object.fromEntries(scores.map((name) => [name, score])),
  ),
  StandardKeyword: text('Text or IRI'),
  StandardResourceKeyword: text('IRI'),
  Integer: integer,
  Numeric: { type: 'number', description: 'A number' },
  Boolean: { type: 'boolean', description: 'Yes or no' },
  DateRange: object('A period; an open side is absent', { gte: instant, lte: instant }),
  LabeledText: text('Text'),
  MediaType: text('Media type, lower case, without parameters'),
  Page: page,
  Checksum: object(
    'A checksum',
    { algorithm: text('Name of the algorithm'), checksum_value: text('The checksum') },
    ['checksum_value'],
  ),
  AdmsIdentifier: object('An identifier', {
    resource,
    identifier: text('The identifier'),
    scheme: text('IRI of the datatype of the notation'),
  }),
  QualifiedRelation: object('A relation with a role', {
    relation: list(resource),
    had_role: list(resource),
  }),
  MetadataExtension: object('More about the record', { is_used_by: list(resource) }),
  Spatial: geometrySchema(reference('Spatial')),
  TranslationMeta: translation,
} satisfies Readonly<Record<string, JsonSchema>>

/** A mapping class with a schema of its own. */
export type ClassWithModel = keyof typeof models

export const isClassWithModel = (name: string): name is ClassWithModel =>
  Object.hasOwn(models, name)

export const classesWithModel: readonly string[] = Object.keys(models)

/** The schema of one value; `undefined` for `Nested`. */
export const modelOf = (mapping: string): JsonSchema | undefined =>
  isClassWithModel(mapping) ? models[mapping] : undefined

/** Other classes whose components a model refers to. */
export const referredBy = (mapping: string): readonly ClassWithModel[] =>
  mapping === 'Page' ? ['Format'] : []
