/** Who publishes, made and answers for a package. */
import type { NamedNode } from '@rdfjs/types'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { agent, contact } from '../mapping/agents.ts'
import type { Subject } from '../mapping/subject.ts'
import {
  fieldsOf,
  listOf,
  saidText,
  structured,
  structuredList,
} from '../../vocabularies/loose-values.ts'
import { isUsableIri } from '../mapping/addresses.ts'
import { readerOf, type Reader } from './ckan-fields.ts'

export function people(dataset: Subject, reader: Reader, isDkan: boolean): void {
  publisher(dataset, reader, isDkan)
  creators(dataset, reader)
  contacts(dataset, reader)
}

/** A field of an agent by its bare name: `name`, `uri`, `email`. */
type Get = (name: string) => unknown

/** From keys such as `publisher_name`. */
const keyed =
  (reader: Reader, role: string): Get =>
  (name) =>
    reader.get(`${role}_${name}`)

/** From an object, as the schemas of scheming portals write it. */
function objectReader(value: unknown): Get {
  const each = readerOf(fieldsOf(value))
  return (name) => (name === 'name' ? each.translated('name') : each.get(name))
}

const objectsIn = (value: unknown) =>
  structuredList(value)
    .filter((one) => typeof one === 'object')
    .map(objectReader)

/** Each field falls back by itself: an e-mail address alone does not hide the organization's name. */
function publisher(dataset: Subject, reader: Reader, isDkan: boolean): void {
  // There is one publisher at most.
  const sources = [...objectsIn(reader.get('publisher')).slice(0, 1), keyed(reader, 'publisher')]
  const first = (name: string) => firstSaid(sources.map((get) => get(name)))
  const uris = sources.map((get) => get('uri'))
  const organization = readerOf(fieldsOf(structured(reader.get('organization'))))
  agent(dataset, dct('publisher'), {
    name: firstSaid([
      first('name'),
      ...uris.map(textOnly),
      saidText(reader.get('publisher')),
      organization.translated('title'),
      organization.get('name'),
      // Version 1 of DKAN has groups in place of organizations.
      isDkan ? groupTitle(reader) : undefined,
    ]),
    iri: uris.find((uri) => isUsableIri(saidText(uri))),
    email: first('email'),
    url: first('url'),
    type: first('type'),
    identifier: first('identifier'),
  })
}

function groupTitle(reader: Reader): unknown {
  const { title, display_name: shown, name } = fieldsOf(listOf(reader.get('groups'))[0])
  return firstSaid([title, shown, name])
}

/** The first value that is a text or texts by language. */
const firstSaid = (values: readonly unknown[]) =>
  values.find((value) =>
    typeof value === 'object' && value !== null
      ? Object.values(value).some((one) => listOf(one).some((text) => saidText(text) !== undefined))
      : saidText(value) !== undefined,
  )

function creators(dataset: Subject, reader: Reader): void {
  const write = (get: Get) => agentOf(dataset, dct('creator'), get)
  const written = objectsIn(reader.get('creator')).map(write)
  if (written.includes(true) || write(keyed(reader, 'creator'))) return
  const fields = { name: reader.get('author'), email: reader.get('author_email') }
  agent(dataset, dct('creator'), fields)
}

function agentOf(dataset: Subject, predicate: NamedNode, get: Get): boolean {
  const uri = get('uri')
  const fields = {
    name: firstSaid([get('name'), textOnly(uri)]),
    iri: uri,
    email: get('email'),
    url: get('url'),
    type: get('type'),
    identifier: get('identifier'),
  }
  return agent(dataset, predicate, fields) !== undefined
}

function contacts(dataset: Subject, reader: Reader): void {
  const list = structuredList(reader.get('contact')).filter((one) => typeof one === 'object')
  const written = list.map((one) => {
    const each = readerOf(fieldsOf(one))
    const name = each.translated('name')
    const iri = each.get('uri')
    const phone = each.get('telephone', 'phone')
    return contact(dataset, dcat('contactPoint'), {
      name,
      iri,
      phone,
      email: each.get('email'),
      url: each.get('url'),
    })
  })
  if (written.includes(true)) return
  const { get } = reader
  const first = [
    {
      name: firstSaid([get('contact_name'), textOnly(get('contact_uri'))]),
      email: get('contact_email'),
      iri: get('contact_uri'),
      phone: get('contact_telephone', 'contact_phone'),
    },
    { name: get('maintainer'), email: get('maintainer_email') },
    { name: get('author'), email: get('author_email') },
  ].find((one) => Object.values(one).some((value) => saidText(value) !== undefined))
  if (first) contact(dataset, dcat('contactPoint'), first)
}

/** What stands in a field for IRIs and is none. */
function textOnly(value: unknown): string | undefined {
  const text = saidText(value)
  return isUsableIri(text) ? undefined : text
}
