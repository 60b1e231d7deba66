/** Persons and organisations (FOAF, ORG, schema.org, vCard). */

import type { Term } from '@rdfjs/types'
import { foaf, org, rdf, schema, vcard } from '../../../rdf/namespaces.ts'
import type { Concept } from '../../../vocabularies/concept.ts'
import { objectOf, type Json, type JsonObject } from '../json.ts'
import { iriOf, settle, type Mapping, type Ranked, type Scene, type Site } from '../mapping.ts'
import { labelMapOf, labelOf } from '../text/labels.ts'
import { languageMap, oneText } from '../../../vocabularies/labels.ts'
import { emailOf, webAddress } from './contact-values.ts'

const type = rdf('type').value
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

function nameTerms(node: Term, scene: Scene): readonly Term[] {
  for (const predicate of names) {
    const found = scene.graph.objects(node, predicate)
    if (found.length > 0) return found
  }
  return []
}

const oneName: Naming = {
  ofNode: (node, scene) => oneText(nameTerms(node, scene), scene.language) ?? labelOf(node, scene),
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

function isDescribed(node: Term, scene: Scene): boolean {
  for (const _ of scene.graph.predicates(node)) return true
  return false
}

function agentOf(node: Term, naming: Naming, site: Site, scene: Scene): JsonObject | undefined {
  if (node.termType === 'Literal') {
    const name = naming.ofText(node, scene)
    return name === undefined ? undefined : { type: 'Agent', name }
  }
  const resource = iriOf(node, scene)
  if (resource !== undefined && !isDescribed(node, scene)) {
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

const keyOf = (json: JsonObject) => {
  const key = json['resource'] ?? json['name']
  return typeof key === 'string' ? key : JSON.stringify(key ?? json)
}

const agents =
  (naming: Naming): Mapping =>
  (nodes, site, scene) => {
    const values: Ranked[] = []
    for (const node of nodes) {
      const json = agentOf(node, naming, site, scene)
      if (json) values.push({ key: keyOf(json), json })
    }
    return settle(values, site, scene)
  }

/** Agent: `{type, name, email, homepage, resource}` with one name. */
export const agent = agents(oneName)

/** AgentMultiLang: the same with the name as object language → text. */
export const agentMultiLang = agents(allNames)
