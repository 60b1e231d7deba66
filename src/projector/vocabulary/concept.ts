/** A concept of a vocabulary as mappings see it, and the vocabularies that mappings ask for by name. */

/** What a concept knows besides labels; the names are those of the search service. */
export type Extensions = {
  readonly foaf_homepage?: string
  readonly foaf_mbox?: string
  readonly foaf_type?: string
  readonly iso_31661_alpha2?: string
  readonly iso_6391_code?: string
  readonly licensing_assistant?: string
}

export type Concept = {
  readonly iri: string
  /** Code inside the vocabulary. */
  readonly id: string
  /** IRI of the concept scheme. */
  readonly scheme: string
  readonly deprecated: boolean
  /** Language key → label, keys in order. */
  readonly prefLabel: Readonly<Record<string, string>>
  /** English, else the first by language; the id when there is no label at all. */
  readonly label: string
  /** Language key → all alternative labels by code point. */
  readonly altLabel: Readonly<Record<string, readonly string[]>>
  /** By code point. */
  readonly exactMatch: readonly string[]
  /** English definition. */
  readonly definition?: string
  readonly extensions: Extensions
  /** File types: registered media types and usual endings, lower case. */
  readonly mediaTypes: readonly string[]
  readonly endings: readonly string[]
  /** File types: what the assessment of metadata quality counts. */
  readonly machineReadable: boolean
  readonly nonProprietary: boolean
}

const authority = 'http://publications.europa.eu/resource/authority/'

/** Scheme IRIs of the tables that mapping classes look into. */
export const schemes = {
  accessRight: `${authority}access-right`,
  continent: `${authority}continent`,
  corporateBody: `${authority}corporate-body`,
  country: `${authority}country`,
  datasetType: `${authority}dataset-type`,
  dataTheme: `${authority}data-theme`,
  distributionType: `${authority}distribution-type`,
  fileType: `${authority}file-type`,
  frequency: `${authority}frequency`,
  language: `${authority}language`,
  licence: `${authority}licence`,
  place: `${authority}place`,
} as const
