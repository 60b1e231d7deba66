/** Editors of fields: which control a mapping class or a constraint needs, and the parts of values that are described in place. */

import { adms, dcat, dct, foaf, rdf, rdfs, skos, spdx, vcard, xsd } from '../rdf/namespaces.ts'
import { schemes } from '../vocabularies/concept.ts'
import type { PropertyFacts } from './constraints.ts'
import type { MappingClass } from './profile.ts'

/** Kinds of controls of a form. */
const editors = [
  'texts',
  'prose',
  'text',
  'number',
  'boolean',
  'date',
  'address',
  'email',
  'telephone',
  'choice',
  'concept',
  'licence',
  'place',
  'area',
  'keywords',
  'nested',
] as const

/** Kind of control of a field. `texts` and `prose` have one text per language, in one line or in several. */
export type Editor = (typeof editors)[number]

const editorsByClass: Readonly<Partial<Record<MappingClass, Editor>>> = {
  SimpleMultiLangTitle: 'texts',
  MultiLangTitle: 'texts',
  TrimmedMultiLangTitle: 'texts',
  TrimmedMultiLangSubtitle: 'texts',
  SimpleMultiLang: 'prose',
  MultiLang: 'prose',
  Integer: 'number',
  Numeric: 'number',
  Boolean: 'boolean',
  DateTime: 'date',
  StandardResourceKeyword: 'address',
  StandardDisabled: 'address',
  Page: 'address',
  Document: 'address',
  License: 'licence',
  Spatial: 'place',
  SpatialResource: 'place',
  Keywords: 'keywords',
}

/** Schemes of concepts by mapping class. */
const vocabularies: Readonly<Partial<Record<MappingClass, string>>> = {
  Theme: schemes.dataTheme,
  EuroVoc: 'http://eurovoc.europa.eu/100141',
  HvdCategory: schemes.hvdCategory,
  Language: schemes.language,
  License: schemes.licence,
  Format: schemes.fileType,
  MediaType: 'https://www.iana.org/assignments/media-types',
  AccessRight: schemes.accessRight,
  Frequency: schemes.frequency,
  FrequencyMultiLang: schemes.frequency,
  DatasetType: schemes.datasetType,
  AdmsSkos: schemes.admsStatus,
  SpatialResource: schemes.country,
  Spatial: schemes.country,
}

/** Classes whose values are concepts. */
const conceptClasses: ReadonlySet<MappingClass> = new Set([
  ...([
    'Theme',
    'EuroVoc',
    'HvdCategory',
    'Language',
    'Format',
    'MediaType',
    'AccessRight',
  ] as const),
  ...([
    'Frequency',
    'FrequencyMultiLang',
    'DatasetType',
    'AdmsSkos',
    'GenericSkosMultiLang',
  ] as const),
])

/** Editors of DASH and SHACL UI that `m:editor` may name as well. */
const foreignEditors: Readonly<Record<string, Editor>> = {
  TextFieldEditor: 'text',
  TextAreaEditor: 'prose',
  TextAreaWithLangEditor: 'prose',
  TextFieldWithLangEditor: 'texts',
  DatePickerEditor: 'date',
  DateTimePickerEditor: 'date',
  URIEditor: 'address',
  BooleanSelectEditor: 'boolean',
  EnumSelectEditor: 'choice',
  InstancesSelectEditor: 'concept',
  AutoCompleteEditor: 'concept',
  DetailsEditor: 'nested',
}

const dateTypes = ['date', 'dateTime', 'gYear', 'gYearMonth'].map((name) => xsd(name).value)
const numberTypes = [
  'integer',
  'decimal',
  'double',
  'float',
  'int',
  'long',
  'nonNegativeInteger',
  'positiveInteger',
].map((name) => xsd(name).value)

/** Editor for what shapes alone say about a property. */
function editorOfFacts({
  datatypes = [],
  nodeKind,
  classes,
  in: values,
  languages,
  uniqueLang,
  ...facts
}: Facts): Editor {
  const isTyped = (types: readonly string[]) => datatypes.some((type) => types.includes(type))
  if (values) return 'choice'
  if (facts.vocabulary !== undefined || classes?.includes(skos('Concept').value)) return 'concept'
  if (isTyped([xsd('boolean').value])) return 'boolean'
  if (isTyped(numberTypes)) return 'number'
  if (isTyped(dateTypes)) return 'date'
  if (languages || uniqueLang || isTyped([rdf('langString').value])) return 'texts'
  if (classes || isTyped([xsd('anyURI').value]) || nodeKind?.includes('IRI')) return 'address'
  return 'text'
}

type Facts = Partial<PropertyFacts>

/** Editor of a field: the one that its shapes name, else that of its class, else what the constraints suggest. */
export function editorOf(
  mapping: MappingClass | undefined,
  facts: Facts,
  hasFields: boolean,
): Editor {
  const named = facts.editor ?? ''
  const chosen = editors.find((editor) => editor === named) ?? foreignEditors[named]
  if (chosen && (chosen !== 'nested' || hasFields)) return chosen
  if (hasFields && mapping !== 'Spatial') return 'nested'
  if (mapping && conceptClasses.has(mapping)) return 'concept'
  // A nested shape without predicates is filled from a vocabulary: its value is the IRI of a concept.
  if (mapping === 'Nested') return facts.vocabulary === undefined ? 'address' : 'concept'
  return (mapping && editorsByClass[mapping]) ?? editorOfFacts(facts)
}

/** Scheme of the concepts of a mapping class, where no shape names another one. */
export const vocabularyOf = (mapping: MappingClass): string | undefined => vocabularies[mapping]

// Parts of values that are described in place.

/** Field of a described value. */
export type FormPart = {
  readonly name: string
  readonly mapping: MappingClass
  readonly paths: readonly string[]
  readonly single: boolean
  readonly editor?: Editor
  /** Scheme of its concepts. */
  readonly vocabulary?: string
}

type Part = { readonly class: string; readonly fields: readonly FormPart[] }

type Term = ReturnType<typeof dct>

/** Part with one value, or in languages with one text for each. */
const one = (name: string, mapping: MappingClass, path: Term, editor?: Editor): FormPart => ({
  name,
  mapping,
  paths: [path.value],
  single: mapping !== 'SimpleMultiLangTitle',
  ...(editor && { editor }),
})

const agent: Part = {
  class: foaf('Agent').value,
  fields: [
    one('name', 'SimpleMultiLangTitle', foaf('name')),
    {
      ...one('agent_type', 'GenericSkosMultiLang', dct('type')),
      vocabulary: schemes.publisherType,
    },
    one('homepage', 'StandardDisabled', foaf('homepage')),
    one('email', 'StandardKeyword', foaf('mbox'), 'email'),
  ],
}

const labelled: Part = {
  class: rdfs('Resource').value,
  fields: [one('label', 'SimpleMultiLangTitle', rdfs('label'))],
}

const parts: Readonly<Partial<Record<MappingClass, Part>>> = {
  Agent: agent,
  AgentMultiLang: agent,
  LabeledResource: labelled,
  ContactPoint: {
    class: vcard('Organization').value,
    fields: [
      one('fn', 'StandardText', vcard('fn')),
      one('email', 'StandardKeyword', vcard('hasEmail'), 'email'),
      one('url', 'StandardDisabled', vcard('hasURL')),
      one('telephone', 'StandardKeyword', vcard('hasTelephone'), 'telephone'),
    ],
  },
  DateRange: {
    class: dct('PeriodOfTime').value,
    fields: [one('from', 'DateTime', dcat('startDate')), one('until', 'DateTime', dcat('endDate'))],
  },
  Spatial: {
    class: dct('Location').value,
    fields: [one('area', 'StandardText', dcat('bbox'), 'area')],
  },
  Checksum: {
    class: spdx('Checksum').value,
    fields: [
      one('algorithm', 'StandardKeyword', spdx('algorithm'), 'address'),
      one('checksum_value', 'StandardText', spdx('checksumValue')),
    ],
  },
  AdmsIdentifier: {
    class: adms('Identifier').value,
    fields: [one('notation', 'StandardText', skos('notation'))],
  },
  QualifiedRelation: {
    class: dcat('Relationship').value,
    fields: [
      one('related', 'StandardResourceKeyword', dct('relation')),
      one('role', 'StandardResourceKeyword', dcat('hadRole')),
    ],
  },
}

/** Parts of a value of a mapping class; `undefined` where values are not described in place. */
export const partOf = (mapping: MappingClass): Part | undefined => parts[mapping]
