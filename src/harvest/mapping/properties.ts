/**
 * The properties of datasets, distributions and services: one table with a writer for each, so that the mapping of a platform only
 * says which of its fields mean what.
 */

import type { NamedNode } from '@rdfjs/types'
import type { Finding } from '../../pipe/message.ts'
import { adms, dcat, dcatap, dct, foaf, owl, prov, rdfs, skos, xsd } from '../../rdf/namespaces.ts'
import { isJsonObject } from '../../text/json.ts'
import { type AuthorityName, conceptIri } from '../../vocabularies/authorities.ts'
import { accessOf, frequencyOf, languageOf, themesOf } from '../../vocabularies/coded-values.ts'
import { textFromHtml } from '../../vocabularies/html-text.ts'
import {
  fieldsOf,
  listOf,
  plainText,
  saidText,
  structuredList,
} from '../../vocabularies/loose-values.ts'
import { nameOf, separateAddresses } from './addresses.ts'
import {
  agent,
  boxFrom,
  type AgentFields,
  contact,
  type ContactFields,
  period,
  periodFrom,
  place,
  placeFrom,
} from './parts.ts'
import type { Subject } from './record.ts'

/** HTML as text, in lists and by language too. */
export function fromHtml(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromHtml)
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fromHtml(one)]))
  const text = plainText(value)
  return text === undefined ? value : textFromHtml(text)
}

type Slug = Finding['slug']

// Writers of one property; whatever a source sends may come in as their value.

const text = (predicate: NamedNode) => (node: Subject, value: unknown) =>
  node.text(predicate, value)
const plain = (predicate: NamedNode) => (node: Subject, value: unknown) =>
  node.literal(predicate, value)
const link = (predicate: NamedNode) => (node: Subject, value: unknown) =>
  node.link(predicate, value)

/** Writes the first of several dates that can be read. */
const date = (predicate: NamedNode) => (node: Subject, value: unknown) =>
  listOf(value).some((one) => node.date(predicate, one))

/** A name as sources write it → the IRI of a concept. */
type Lookup = typeof languageOf

/** Each value, or its `uri`, as `lookup` knows it; what it does not know is noted, unless IRIs stay as they are. */
const authorityValue =
  (
    predicate: NamedNode,
    lookup: Lookup,
    { slug, staysIri }: { slug?: Slug; staysIri?: true } = {},
  ) =>
  (node: Subject, value: unknown): boolean => {
    const all = structuredList(value).flatMap((one) =>
      staysIri ? separateAddresses(one, node.record, nameOf(predicate)) : [one],
    )
    const written = all.map((one) => {
      const name = saidText(one) ?? saidText(fieldsOf(one)['uri'])
      const iri = lookup(name, node.record.options.authorities) ?? (staysIri && name)
      if (node.iri(predicate, iri)) return true
      if (slug && name !== undefined) node.record.note(slug, name, nameOf(predicate))
      return slug ? false : node.noteLoss(predicate, one)
    })
    return written.includes(true)
  }
const iris = (predicate: NamedNode) =>
  authorityValue(predicate, () => undefined, { staysIri: true })
const concept = (predicate: NamedNode, table: AuthorityName) =>
  authorityValue(predicate, (name, all) => conceptIri(table, name, all), { staysIri: true })
const frequency = authorityValue(dct('accrualPeriodicity'), frequencyOf)

/** Text of one form; everything else is noted as lost. */
const typed = (predicate: NamedNode, form: RegExp, datatype: NamedNode) => {
  return (node: Subject, value: unknown): boolean =>
    form.test(saidText(value) ?? '')
      ? node.literal(predicate, value, datatype)
      : node.noteLoss(predicate, value)
}
/** ISO 8601-1, 5.5.2. */
const duration =
  /^P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/
const metres = /^\d{1,12}(?:\.\d{1,12})?$/

const agents =
  (predicate: NamedNode) => (node: Subject, value: AgentFields | readonly AgentFields[]) => {
    for (const one of [value].flat()) agent(node, predicate, one)
  }

/** An agent whose role is none of the usual ones. */
type Attribution = { readonly who: AgentFields; readonly role?: unknown }

/** An agent in a role of its own. */
function attribution(node: Subject, { who, role }: Attribution): void {
  const part = node.part(prov('qualifiedAttribution'), prov('Attribution'))
  if (agent(part, prov('agent'), who) && !part.iri(dcat('hadRole'), role))
    part.noteLoss(dcat('hadRole'), role)
}

/** A node that only says something in words. */
const statement = (predicate: NamedNode, type: NamedNode, label: NamedNode) => {
  return (node: Subject, value: unknown) => void node.part(predicate, type).text(label, value)
}
const provenance = statement(dct('provenance'), dct('ProvenanceStatement'), rdfs('label'))
const accessStatement = statement(dct('accessRights'), dct('RightsStatement'), rdfs('label'))
const rightsStatement = statement(dct('rights'), dct('RightsStatement'), rdfs('label'))
const standard = statement(dct('conformsTo'), dct('Standard'), dct('title'))

/**
 * A list of themes; each may be a list of names for the same thing, which are tried in their order. What is no theme of the authority
 * is a keyword by its last name; IRIs of other vocabularies stay themes.
 */
function themes(node: Subject, value: unknown): void {
  const { record } = node
  for (const one of listOf(value)) {
    const names = listOf(one).filter((name) => saidText(name) !== undefined)
    const found = names.map((name) => themesOf(name, record.options.authorities))
    const iris = found.find(({ length }) => length > 0)
    const last = names.at(-1)
    const text = saidText(last) ?? ''
    for (const iri of iris ?? []) node.iri(dcat('theme'), iri)
    if (iris) continue
    if (/^https?:\/\//.test(text) && node.iri(dcat('theme'), text))
      record.note('unknown-theme', text)
    else node.text(dcat('keyword'), last)
  }
}

/** Rights of access; each may be a list of names. One of the authority, else an IRI, else what the last name says. */
function accessRights(node: Subject, value: unknown): void {
  const predicate = dct('accessRights')
  for (const one of listOf(value)) {
    const names = listOf(one)
    const known = names.map((name) => accessOf(name, node.record.options.authorities)).find(Boolean)
    if (![known, ...names].some((iri) => node.iri(predicate, iri)))
      accessStatement(node, names.at(-1))
  }
}

/** One statement about rights: the IRI of one, or everything that is said in words. */
function rights(node: Subject, value: unknown): void {
  const said = listOf(value).flatMap((one) => saidText(one) ?? [])
  const [only = ''] = said
  const isAddress = said.length === 1 && /^https?:\/\/\S+$/.test(only)
  if (said.length > 0 && !(isAddress && node.iri(dct('rights'), only))) rightsStatement(node, said)
}

/** Standards by IRI, or by name as a `dct:Standard`. */
function standards(node: Subject, value: unknown): void {
  const where = nameOf(dct('conformsTo'))
  const all = listOf(value).flatMap((one) => separateAddresses(one, node.record, where))
  for (const name of all.flatMap((one) => saidText(one) ?? [])) {
    const isAddress = /^[a-z][a-z0-9+.-]*:\S+$/i.test(name)
    if (!isAddress || !node.iri(dct('conformsTo'), name)) standard(node, name)
  }
}

/** Other identifiers, each once. */
function otherIdentifiers(node: Subject, value: unknown): void {
  for (const id of new Set(listOf(value).flatMap((one) => saidText(one) ?? [])))
    node.part(adms('identifier'), adms('Identifier')).literal(skos('notation'), id)
}

type ServiceFields = Pick<PropertyValues, 'title' | 'description'> & {
  readonly iri?: unknown
  readonly endpoint: unknown
  readonly endpointDescription?: unknown
}

/** The services through which a distribution can be queried. */
function services(node: Subject, value: readonly ServiceFields[]): void {
  for (const { iri, title, description, endpoint, endpointDescription } of value) {
    const part = node.part(dcat('accessService'), dcat('DataService'), saidText(iri))
    write(part, { title, description })
    part.link(dcat('endpointURL'), endpoint)
    part.link(dcat('endpointDescription'), endpointDescription)
  }
}

const each =
  <T>(one: (node: Subject, value: T) => void) =>
  (node: Subject, values: readonly T[]) => {
    for (const value of values) one(node, value)
  }

/** In this order, so that the same source gives the same findings in the same order. */
const writers = {
  identifier: plain(dct('identifier')),
  otherIdentifiers,
  title: text(dct('title')),
  alternative: text(skos('altLabel')),
  description: text(dct('description')),
  /** Each a text, a list of texts, or texts by language. */
  keywords: each<unknown>(text(dcat('keyword'))),
  themes,
  hvdCategory: concept(dcatap('hvdCategory'), 'hvdCategory'),
  type: concept(dct('type'), 'datasetType'),
  landingPage: link(dcat('landingPage')),
  /** The first that is an address. */
  firstLandingPage(node: Subject, value: readonly unknown[]) {
    value.some((one) => node.link(dcat('landingPage'), one))
  },
  page: link(foaf('page')),
  publisher: agents(dct('publisher')),
  creator: agents(dct('creator')),
  contributor: agents(dct('contributor')),
  rightsHolder: agents(dct('rightsHolder')),
  attributions: each<Attribution>(attribution),
  contact: each<ContactFields>((node, one) => contact(node, dcat('contactPoint'), one)),
  issued: date(dct('issued')),
  created: date(dct('created')),
  modified: date(dct('modified')),
  /** Writes the first frequency that is known; the value may be a list. */
  frequency: (node: Subject, value: unknown) => listOf(value).some((one) => frequency(node, one)),
  language: authorityValue(dct('language'), languageOf, { slug: 'unknown-language' }),
  /** Only what the authority knows. */
  accessLevel: authorityValue(dct('accessRights'), accessOf),
  accessRights,
  rights,
  provenance: each<unknown>(provenance),
  conformsTo: standards,
  legislation: iris(dcatap('applicableLegislation')),
  version(node: Subject, value: unknown) {
    node.literal(dcat('version'), value)
    node.literal(owl('versionInfo'), value)
  },
  versionNotes: text(adms('versionNotes')),
  places: each<Parameters<typeof place>[1]>(place),
  /** IRIs, geometries or names. */
  spatial: (node: Subject, value: unknown) =>
    boxFrom(value)
      ? place(node, { bbox: value })
      : listOf(value).map((one) => placeFrom(node, one)),
  periods: each<Parameters<typeof period>[1]>(period),
  /** `start/end`, or single dates. */
  temporal: (node: Subject, value: unknown) => listOf(value).map((one) => periodFrom(node, one)),
  temporalResolution: typed(dcat('temporalResolution'), duration, xsd('duration')),
  spatialResolution: typed(dcat('spatialResolutionInMeters'), metres, xsd('decimal')),
  source: iris(dct('source')),
  sample: iris(adms('sample')),
  hasVersion: iris(dcat('hasVersion')),
  isVersionOf: iris(dct('isVersionOf')),
  isReferencedBy: iris(dct('isReferencedBy')),
  relation: iris(dct('relation')),
  /** Addresses of the web alone. */
  sourcePage: link(dct('source')),
  relatedPage: link(dct('relation')),
  wasGeneratedBy: iris(prov('wasGeneratedBy')),
  status: concept(adms('status'), 'distributionStatus'),
  availability: concept(dcatap('availability'), 'availability'),
  services,
}
type Writers = typeof writers

/** Values as a source gives them; absent or `undefined` where it has none. */
export type PropertyValues = {
  readonly [Name in keyof Writers]?: Parameters<Writers[Name]>[1]
}

/** Writes all properties that have a value. */
export function write(node: Subject, values: PropertyValues): void {
  for (const [name, writer] of Object.entries(writers)) {
    const value: unknown = Reflect.get(values, name)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of the values says so
    if (value !== undefined) (writer as (node: Subject, value: unknown) => unknown)(node, value)
  }
}
