/** The JSON of concepts, places, languages, licences and formats, as schemas. */

import type { MappingClass } from '../fields.ts'
import { languageMap, object, text, type JsonSchema } from './json-schema.ts'

const id = text('Code inside the vocabulary')
const label = text('Label, English where there is one')
const labels = languageMap('Labels by language key')
const resource = text('IRI')

const concept = object('A concept of a vocabulary', { id, label, resource })
const known = { ...concept, required: ['resource'] }
const described = object('A resource with or without a label', { label, resource })
const skos = object(
  'A concept with its labels; of an unknown one the IRI',
  { id, label: labels, resource },
  ['resource'],
)
const licence = object(
  'A licence',
  {
    id: text('Code, else a name made of the label, else the IRI'),
    label: text('Name of the licence'),
    description: text('What it is about'),
    resource,
    la_url: text('Address of the licence in a licensing assistant'),
  },
  ['id', 'label'],
)

const format = object(
  'A file format',
  { id: text('Code, media type or name'), label: text('Name of the format'), resource },
  ['id', 'label'],
)

/** Schemas by mapping class. */
export const concepts = {
  Theme: { ...skos, required: ['id', 'label', 'resource'] },
  Language: object('A language; of an unknown one the IRI', {
    id: text('Two-letter code, three letters where there is none'),
    label: text('English name'),
    resource,
  }),
  SpatialResource: { ...known, description: 'A place; of an unknown one the IRI' },
  License: licence,
  Format: format,
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
} satisfies Readonly<Partial<Record<MappingClass, JsonSchema>>>
