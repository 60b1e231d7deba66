/** Mapping of persons and organisations (FOAF, ORG, schema.org) and of contact points (vCard ontology). */

import type { Term } from '@rdfjs/types'
import { compareCodePoints } from '../../text/code-points.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import { labelTerms } from '../../vocabularies/described-values.ts'
import { languageMap, preferredText } from '../../vocabularies/labels.ts'
import {
  eachValue,
  predicateIris,
  isBlank,
  keyedBy,
  type Mapping,
  nodeIri,
  objectOf,
  type MappingContext,
  type CompiledField,
  valueTexts,
} from './mapping.ts'
import { allLabels, nodeLabel } from './texts.ts'

const [type = ''] = predicateIris('rdf:type')

/** Returns the name of the first group that contains a class of the node. */
function kindOf(
  node: Term,
  { graph }: MappingContext,
  kinds: Readonly<Record<string, readonly string[]>>,
) {
  const classes = graph.objects(node, type).map(({ value }) => value)
  return Object.keys(kinds).find((kind) => kinds[kind]?.some((iri) => classes.includes(iri)))
}

// Mail addresses, telephone numbers and web addresses, which vCard writes in three ways (vCard ontology 2.6).

const valuePredicates = predicateIris('vcard:hasValue vcard:value')

/** Returns the text of a value: a literal, or of a node the value that it describes, else its IRI. */
function valueText(term: Term, context: MappingContext): string | undefined {
  const isLiteral = term.termType === 'Literal'
  const texts = isLiteral
    ? []
    : valuePredicates.map((predicate) => valueTexts(context, term, predicate)[0])
  const text = !isLiteral && isBlank(term, context) ? '' : term.value.trim()
  return texts.find((text) => text !== undefined) ?? (text || undefined)
}

/** Returns all values of all predicates, in their order. */
const valuesOf = (predicates: readonly string[], node: Term, context: MappingContext): string[] =>
  predicates.flatMap((predicate) =>
    context.graph.objects(node, predicate).flatMap((term) => valueText(term, context) ?? []),
  )

/** Returns the first value, by code point, of the first predicate that has one. */
const valueOf = (
  predicates: readonly string[],
  node: Term,
  context: MappingContext,
): string | undefined =>
  predicates
    .map((predicate) => valuesOf([predicate], node, context).sort(compareCodePoints)[0])
    .find((text) => text !== undefined)

/** Returns a mail address with `mailto:`, which is added when the text has no scheme and an `@`. */
function emailOf(
  predicates: readonly string[],
  node: Term,
  context: MappingContext,
): string | undefined {
  const text = valueOf(predicates, node, context)
  if (text === undefined || !text.includes('@')) return text
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `mailto:${text}`
}

// Contact points.

const contactKinds = {
  Individual: predicateIris('vcard:Individual foaf:Person'),
  Organization: predicateIris('vcard:Organization foaf:Organization'),
  Group: predicateIris('vcard:Group foaf:Group'),
}
const contact = {
  email: predicateIris('vcard:hasEmail vcard:email foaf:mbox schema:email'),
  telephone: predicateIris('vcard:hasTelephone vcard:tel foaf:phone schema:telephone'),
  address: predicateIris('vcard:hasAddress'),
  url: predicateIris('vcard:hasURL vcard:url foaf:homepage schema:url'),
  organisation: predicateIris('vcard:organization-name vcard:hasOrganizationName'),
}
const addressParts = {
  street: predicateIris('vcard:street-address vcard:hasStreetAddress'),
  code: predicateIris('vcard:postal-code vcard:hasPostalCode'),
  locality: predicateIris('vcard:locality vcard:hasLocality'),
  region: predicateIris('vcard:region vcard:hasRegion'),
  country: predicateIris('vcard:country-name vcard:hasCountryName'),
}
const [given = '', family = '', formatted = '', name = ''] = predicateIris(
  'vcard:given-name vcard:family-name vcard:fn foaf:name',
)

function contactName(node: Term, context: MappingContext): string | undefined {
  const text = (predicate: string) =>
    preferredText(context.graph.objects(node, predicate), context.language)
  const fullName = [text(given), text(family)].filter(Boolean).join(' ')
  return text(formatted) ?? (fullName || text(name) || nodeLabel(node, context))
}

/** Joins the parts of an address in one line. */
function addressLine(node: Term, context: MappingContext): string {
  if (node.termType === 'Literal') return node.value.trim()
  const part = (name: keyof typeof addressParts) => valueOf(addressParts[name], node, context)
  const place = [part('code'), part('locality')].filter(Boolean).join(' ')
  return [part('street'), place, part('region'), part('country')].filter(Boolean).join(', ')
}

function contactOf(node: Term, context: MappingContext): JsonObject | undefined {
  const [address] = contact.address
    .flatMap((predicate) => context.graph.objects(node, predicate))
    .map((term) => addressLine(term, context))
    .filter((line) => line !== '')
    .sort(compareCodePoints)
  const urls = valuesOf(contact.url, node, context).filter((text) =>
    /^[a-z][a-z0-9+.-]*:[^\s<>"]+$/i.test(text),
  )
  const details = objectOf({
    name: contactName(node, context),
    email: emailOf(contact.email, node, context),
    telephone: valueOf(contact.telephone, node, context),
    address,
    url: urls.length > 0 ? [...new Set(urls)].sort(compareCodePoints) : undefined,
    organisation_name: valueOf(contact.organisation, node, context),
    resource: nodeIri(node, context),
  })
  return details && { type: kindOf(node, context, contactKinds) ?? 'Kind', ...details }
}

/** Reads a contact from a name, a mail address, a telephone number or an http address: `Jane Doe <jane@a.example>`. */
function contactIn(text: string): JsonObject | undefined {
  const scheme = /^(mailto|tel):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === 'tel') return objectOf({ telephone: text })
  const [mail = ''] = /[^\s<>()"',;:]{1,200}@[^\s<>()"',;:]{1,200}\.[a-z]{2,}/i.exec(text) ?? []
  const email = scheme === 'mailto' ? text : mail && `mailto:${mail}`
  const name =
    scheme || !mail ? '' : text.replace(mail, '').replaceAll(/^\W+|[^\p{L}\p{N}.)]+$/gu, '')
  if (email) return objectOf({ name: name || undefined, email })
  return objectOf(/^https?:\/\/\S+$/i.test(text) ? { url: [text] } : { name: text || undefined })
}

/** ContactPoint: `{type, name, email, telephone, address, url[], organisation_name, resource}`. */
export const contactPoint = eachValue((node, context) => {
  const isBare = node.termType === 'Literal' || /^(?:mailto|tel):/i.test(node.value)
  const contactFromText = isBare ? contactIn(node.value.trim()) : undefined
  const described = node.termType === 'Literal' ? undefined : contactOf(node, context)
  const json =
    contactFromText || described ? { type: 'Kind', ...described, ...contactFromText } : undefined
  return keyedBy(json, 'resource', 'name', 'email', 'telephone') ?? 'not-an-iri'
})

// Agents.

const agentKinds = {
  Person: predicateIris('foaf:Person schema:Person vcard:Individual'),
  Organization: predicateIris(
    'foaf:Organization org:Organization schema:Organization vcard:Organization',
  ),
}
const names = predicateIris('foaf:name vcard:fn')
const emails = predicateIris('foaf:mbox vcard:hasEmail schema:email')
const homepages = predicateIris('foaf:homepage foaf:workplaceHomepage schema:url')

type AgentNames = {
  readonly single: string | undefined
  readonly byLanguage: JsonObject | undefined
}
/** Form in which a class shows the names of an agent. */
type Naming = (names: AgentNames) => JsonObject | undefined

/** Returns one text, and all texts beside it where there are several languages: older clients expect `name` to be a string. */
const oneName: Naming = ({ single, byLanguage }) =>
  objectOf({
    name: single,
    name_translated: byLanguage && Object.keys(byLanguage).length > 1 ? byLanguage : undefined,
  })
const allNames: Naming = ({ byLanguage }) => objectOf({ name: byLanguage })

/** Reads all names of an agent; the single one is in the language of the catalogue, else English, else the first. */
function namesIn(terms: readonly Term[], { language }: MappingContext): AgentNames {
  const byLanguage = languageMap(terms, language)
  return { single: byLanguage?.[language] ?? preferredText(terms, language), byLanguage }
}

/** Returns the first absolute http(s) address in alphabetical order; of values that are none, one is reported. */
function homepageOf(node: Term, field: CompiledField, context: MappingContext): string | undefined {
  const isAddress = ({ termType, value }: Term) =>
    termType !== 'BlankNode' && /^https?:\/\/[^\s<>"{}|\\^`]+$/i.test(value.trim())
  const terms = homepages
    .flatMap((predicate) => context.graph.objects(node, predicate))
    .filter(({ value }) => value.trim() !== '')
  const invalid = terms.find((term) => !isAddress(term))
  if (invalid) context.report(`${field.path}.homepage`, 'not-an-iri', invalid)
  return terms
    .filter(isAddress)
    .map(({ value }) => value.trim())
    .sort()[0]
}

/** Languages of agents with names in one language alone, which their JSON does not tell. */
const languageByAgent = new WeakMap<object, string>()

/** Language of the names of an agent that has names in one language; `undefined` for others. */
export const agentLanguage = (agent: Json): string | undefined =>
  isJsonObject(agent) ? languageByAgent.get(agent) : undefined

type AgentParts = { readonly names: AgentNames; readonly others?: Parameters<typeof objectOf>[0] }

/** Makes the JSON of an agent; `undefined` without names and other members. */
function agentJson(
  type: string,
  naming: Naming,
  { names, others }: AgentParts,
): JsonObject | undefined {
  const details = objectOf({ ...naming(names), ...others })
  if (!details) return undefined
  const json = { type, ...details }
  const [language, second] = Object.keys(names.byLanguage ?? {})
  if (language !== undefined && second === undefined) languageByAgent.set(json, language)
  return json
}

function agentOf(
  node: Term,
  naming: Naming,
  field: CompiledField,
  context: MappingContext,
): JsonObject | undefined {
  const { graph, concepts } = context
  if (node.termType === 'Literal')
    return agentJson('Agent', naming, { names: namesIn([node], context) })
  const resource = nodeIri(node, context)
  if (resource !== undefined && graph.about(node).size === 0) {
    // A concept of any vocabulary, such as a corporate body, becomes an organisation.
    const concept = concepts.find(resource)
    if (!concept) return { type: 'Agent', resource }
    const { foaf_homepage: homepage, foaf_mbox: email } = concept.extensions
    const conceptNames = { single: concept.label, byLanguage: allLabels(concept) }
    return agentJson('Organization', naming, {
      names: conceptNames,
      others: { email, homepage, resource },
    })
  }
  const nameTerms = names.map((name) => graph.objects(node, name)).find((terms) => terms.length > 0)
  const ownNames = namesIn(nameTerms ?? [], context)
  const isNamed = ownNames.single !== undefined
  const others = {
    email: emailOf(emails, node, context),
    homepage: homepageOf(node, field, context),
    resource,
  }
  return agentJson(kindOf(node, context, agentKinds) ?? 'Agent', naming, {
    names: isNamed ? ownNames : namesIn(labelTerms(node, graph), context),
    others,
  })
}

const agents = (naming: Naming): Mapping =>
  eachValue((node, context, field) => {
    const json = agentOf(node, naming, field, context)
    const key = json && (json['resource'] ?? json['name'] ?? json)
    return json && { key: typeof key === 'string' ? key : JSON.stringify(key), json }
  })

/** Agent: `{type, name, name_translated?, email, homepage, resource}` with one name. */
export const namedAgent = agents(oneName)

/** AgentMultiLang: Agent with the name as object language → text. */
export const agentMultiLang = agents(allNames)
