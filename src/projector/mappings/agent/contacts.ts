/** Contact points (vCard ontology). */

import { compareCodePoints } from '../../../text/code-points.ts'
import type { Term } from '@rdfjs/types'
import { foaf, rdf, vcard } from '../../../rdf/namespaces.ts'
import { objectOf, type Json, type JsonObject } from '../json.ts'
import { iriOf, settle, type Mapping, type Ranked, type Scene } from '../mapping.ts'
import { labelOf } from '../text/labels.ts'
import { oneText } from '../../../vocabularies/labels.ts'
import { emailOf, valueOf, valuesOf } from './contact-values.ts'

const kinds: readonly (readonly [string, string])[] = [
  [vcard('Individual').value, 'Individual'],
  [foaf('Person').value, 'Individual'],
  [vcard('Organization').value, 'Organization'],
  [foaf('Organization').value, 'Organization'],
  [vcard('Group').value, 'Group'],
  [foaf('Group').value, 'Group'],
]
const type = rdf('type').value
const emails = [vcard('hasEmail').value, vcard('email').value, foaf('mbox').value]
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

function kindOf(node: Term, scene: Scene): string {
  const classes = scene.graph.objects(node, type)
  return kinds.find(([iri]) => classes.some(({ value }) => value === iri))?.[1] ?? 'Kind'
}

function nameOf(node: Term, scene: Scene): string | undefined {
  const text = (predicate: string) => oneText(scene.graph.objects(node, predicate), scene.language)
  const given = text(vcard('given-name').value)
  const family = text(vcard('family-name').value)
  const whole = [given, family].filter(Boolean).join(' ')
  return text(vcard('fn').value) ?? (whole || text(foaf('name').value) || labelOf(node, scene))
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
    email: emailOf(emails, node, scene),
    telephone: valueOf(telephones, node, scene),
    address: addressOf(node, scene),
    url: urlsOf(node, scene),
    organisation_name: valueOf(organisation, node, scene),
    resource: iriOf(node, scene),
  })
  return rest && { type: kindOf(node, scene), ...rest }
}

const keyOf = (json: JsonObject) => {
  const key = json['resource'] ?? json['name']
  return typeof key === 'string' ? key : ''
}

/** ContactPoint: `{type, name, email, telephone, address, url[], organisation_name, resource}`. */
export const contactPoint: Mapping = (nodes, site, scene) => {
  const values: Ranked[] = []
  for (const node of nodes) {
    if (node.termType === 'Literal') {
      scene.report(site.path, 'not-an-iri', node)
      continue
    }
    const json = contactOf(node, scene)
    if (json) values.push({ key: keyOf(json), json })
  }
  return settle(values, site, scene)
}
