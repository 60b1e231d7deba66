/** Persons and organisations (FOAF, ORG, schema.org, vCard). */

import type { Term } from '@rdfjs/types'
import { foaf, org, rdf, schema, vcard } from '../../rdf/namespaces.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import type { Concept } from '../../vocabularies/concept.ts'
import { languageMap, oneText } from '../../vocabularies/labels.ts'
import {
  eachValue,
  isBlank,
  keyedBy,
  type Mapping,
  nodeIri,
  objectOf,
  type Scene,
  type Site,
  valueTexts,
} from './mapping.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { labelMapOf, nodeLabel } from './texts.ts'

// Mail addresses, telephone numbers and web addresses, which vCard writes in three ways (vCard ontology 2.6).

const valuePredicates = [vcard('hasValue').value, vcard('value').value]

/** The text of a value: an IRI, a literal, or what a node gives as its value. */
function spelled(term: Term, scene: Scene): string | undefined {
  if (term.termType === 'Literal') return term.value.trim() || undefined
  for (const predicate of valuePredicates) {
    const [text] = valueTexts(scene, term, predicate)
    if (text !== undefined) return text
  }
  return isBlank(term, scene) ? undefined : term.value.trim() || undefined
}

/** All values of all predicates, in their order. */
const valuesOf = (predicates: readonly string[], node: Term, scene: Scene): string[] =>
  predicates.flatMap((predicate) =>
    scene.graph.objects(node, predicate).flatMap((term) => spelled(term, scene) ?? []),
  )

/** The first value, by code point, of the first predicate that has one. */
function valueOf(predicates: readonly string[], node: Term, scene: Scene): string | undefined {
  for (const predicate of predicates) {
    const [first] = valuesOf([predicate], node, scene).sort(compareCodePoints)
    if (first !== undefined) return first
  }
  return undefined
}

/** A mail address with `mailto:`, which is added when it is missing and the text looks like an address. */
function emailOf(predicates: readonly string[], node: Term, scene: Scene): string | undefined {
  const text = valueOf(predicates, node, scene)
  if (text === undefined || !text.includes('@')) return text
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `mailto:${text}`
}

/** An absolute http(s) address. */
function webAddress(term: Term): string | undefined {
  const text = term.value.trim()
  return term.termType !== 'BlankNode' && /^https?:\/\/[^\s<>"{}|\\^`]+$/i.test(text)
    ? text
    : undefined
}

// Contact points (vCard ontology).

const kinds = [
  ['Individual', vcard('Individual').value, foaf('Person').value],
  ['Organization', vcard('Organization').value, foaf('Organization').value],
  ['Group', vcard('Group').value, foaf('Group').value],
] as const
const type = rdf('type').value
const contactEmails = [vcard('hasEmail').value, vcard('email').value, foaf('mbox').value]
const telephones = [vcard('hasTelephone').value, vcard('tel').value]
const addresses = vcard('hasAddress').value
const pages = [vcard('hasURL').value, vcard('url').value, foaf('homepage').value]
const organisation = [vcard('organization-name').value, vcard('hasOrganizationName').value]
const parts = {
  street: [vcard('street-address').value, vcard('hasStreetAddress').value],
  code: [vcard('postal-code').value, vcard('hasPostalCode').value],
  locality: [vcard('locality').value, vcard('hasLocality').value],
  region: [vcard('region').value, vcard('hasRegion').value],
  country: [vcard('country-name').value, vcard('hasCountryName').value],
} as const

function kindOf(node: Term, { graph }: Scene): string {
  const classes = new Set(graph.objects(node, type).map(({ value }) => value))
  return kinds.find(([, ...iris]) => iris.some((iri) => classes.has(iri)))?.[0] ?? 'Kind'
}

function nameOf(node: Term, scene: Scene): string | undefined {
  const text = (predicate: string) => oneText(scene.graph.objects(node, predicate), scene.language)
  const given = text(vcard('given-name').value)
  const family = text(vcard('family-name').value)
  const whole = [given, family].filter(Boolean).join(' ')
  return text(vcard('fn').value) ?? (whole || text(foaf('name').value) || nodeLabel(node, scene))
}

function lines(node: Term, scene: Scene): string | undefined {
  if (node.termType === 'Literal') return node.value.trim() || undefined
  const part = (name: keyof typeof parts) => valueOf(parts[name], node, scene)
  const place = [part('code'), part('locality')].filter(Boolean).join(' ')
  const all = [part('street'), place, part('region'), part('country')].filter(Boolean).join(', ')
  return all || undefined
}

function addressOf(node: Term, scene: Scene): string | undefined {
  const found = scene.graph.objects(node, addresses).flatMap((term) => lines(term, scene) ?? [])
  return found.sort(compareCodePoints)[0]
}

function urlsOf(node: Term, scene: Scene): Json | undefined {
  const isAbsolute = (text: string) => /^[a-z][a-z0-9+.-]*:[^\s<>"]+$/i.test(text)
  const urls = new Set(valuesOf(pages, node, scene).filter(isAbsolute))
  return urls.size > 0 ? [...urls].sort(compareCodePoints) : undefined
}

function contactOf(node: Term, scene: Scene): JsonObject | undefined {
  const rest = objectOf({
    name: nameOf(node, scene),
    email: emailOf(contactEmails, node, scene),
    telephone: valueOf(telephones, node, scene),
    address: addressOf(node, scene),
    url: urlsOf(node, scene),
    organisation_name: valueOf(organisation, node, scene),
    resource: nodeIri(node, scene),
  })
  return rest && { type: kindOf(node, scene), ...rest }
}

/** ContactPoint: `{type, name, email, telephone, address, url[], organisation_name, resource}`. */
export const contactPoint = eachValue((node, scene) =>
  node.termType === 'Literal' ? 'not-an-iri' : keyedBy(contactOf(node, scene), 'resource', 'name'),
)

const names = [foaf('name').value, vcard('fn').value]
const emails = [foaf('mbox').value, vcard('hasEmail').value, schema('email').value]
const homepages = [
  foaf('homepage').value,
  foaf('workplaceHomepage').value,
  schema('url').value,
  'https://schema.org/url',
]

const persons = new Set([
  foaf('Person').value,
  schema('Person').value,
  'https://schema.org/Person',
  vcard('Individual').value,
])
const organisations = new Set([
  foaf('Organization').value,
  org('Organization').value,
  schema('Organization').value,
  'https://schema.org/Organization',
  vcard('Organization').value,
])

function typeOf(node: Term, scene: Scene): string {
  const classes = scene.graph.objects(node, type)
  if (classes.some(({ value }) => persons.has(value))) return 'Person'
  return classes.some(({ value }) => organisations.has(value)) ? 'Organization' : 'Agent'
}

/** How the name of an agent is read: one text, or all languages. */
type Naming = {
  readonly ofNode: (node: Term, scene: Scene) => Json | undefined
  readonly ofText: (literal: Term, scene: Scene) => Json | undefined
  readonly ofConcept: (concept: Concept) => Json
}

const nameTerms = (node: Term, { graph }: Scene): readonly Term[] =>
  names.map((name) => graph.objects(node, name)).find((found) => found.length > 0) ?? []

const oneName: Naming = {
  ofNode: (node, scene) =>
    oneText(nameTerms(node, scene), scene.language) ?? nodeLabel(node, scene),
  ofText: (literal) => literal.value.trim() || undefined,
  ofConcept: (concept) => concept.label,
}

const allNames: Naming = {
  ofNode: (node, scene) =>
    languageMap(nameTerms(node, scene), scene.language) ?? labelMapOf(node, scene),
  ofText: (literal, scene) => languageMap([literal], scene.language),
  ofConcept: ({ label, prefLabel }) =>
    Object.keys(prefLabel).length > 0 ? prefLabel : { en: label },
}

function homepageOf(node: Term, site: Site, scene: Scene): string | undefined {
  const given = homepages
    .flatMap((predicate) => scene.graph.objects(node, predicate))
    .filter(({ value }) => value.trim() !== '')
  const addresses = given.flatMap((term) => webAddress(term) ?? []).sort()
  if (addresses.length < given.length) {
    const bad = given.find((term) => webAddress(term) === undefined)
    if (bad) scene.report(`${site.path}.homepage`, 'not-an-iri', bad)
  }
  return addresses[0]
}

/** Bodies of an installed vocabulary; other concepts are no agents of their own. */
function body(iri: string, concept: Concept, naming: Naming): JsonObject {
  const { foaf_homepage: homepage, foaf_mbox: email } = concept.extensions
  return {
    type: 'Organization',
    name: naming.ofConcept(concept),
    ...(email !== undefined && { email }),
    ...(homepage !== undefined && { homepage }),
    resource: iri,
  }
}

function agentOf(node: Term, naming: Naming, site: Site, scene: Scene): JsonObject | undefined {
  if (node.termType === 'Literal') {
    const name = naming.ofText(node, scene)
    return name === undefined ? undefined : { type: 'Agent', name }
  }
  const resource = nodeIri(node, scene)
  if (resource !== undefined && scene.graph.about(node).size === 0) {
    const concept = scene.concepts.find(resource)
    return concept ? body(resource, concept, naming) : { type: 'Agent', resource }
  }
  const rest = objectOf({
    name: naming.ofNode(node, scene),
    email: emailOf(emails, node, scene),
    homepage: homepageOf(node, site, scene),
    resource,
  })
  return rest && { type: typeOf(node, scene), ...rest }
}

const agents = (naming: Naming): Mapping =>
  eachValue((node, scene, site) => {
    const json = agentOf(node, naming, site, scene)
    const key = json && (json['resource'] ?? json['name'] ?? json)
    return json && { key: typeof key === 'string' ? key : JSON.stringify(key), json }
  })

/** Agent: `{type, name, email, homepage, resource}` with one name. */
export const agent = agents(oneName)

/** AgentMultiLang: the same with the name as object language → text. */
export const agentMultiLang = agents(allNames)
