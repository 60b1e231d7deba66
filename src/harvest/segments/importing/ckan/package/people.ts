/** Who publishes, made and answers for a package. */
import type { NamedNode } from '@rdfjs/types'
import { dcat, dct } from '../../../../../rdf/namespaces.ts'
import { agent, contact } from '../../../mapping/agents.ts'
import type { Subject } from '../../../mapping/subject.ts'
import { fieldsOf, saidText, structured, structuredList } from '../../../mapping/values/json.ts'
import { readerOf, type Reader } from './fields.ts'

export function people(dataset: Subject, reader: Reader): void {
  if (!named(dataset, dct('publisher'), reader, 'publisher')) organisation(dataset, reader)
  if (!named(dataset, dct('creator'), reader, 'creator'))
    agent(dataset, dct('creator'), {
      name: reader.get('author'),
      email: reader.get('author_email'),
    })
  contacts(dataset, reader)
}

/** From a list of objects (scheming) or from keys such as `publisher_name`. */
function named(dataset: Subject, predicate: NamedNode, reader: Reader, role: string): boolean {
  const list = structuredList(reader.get(role)).filter((one) => typeof one === 'object')
  // There is one publisher at most.
  const some = role === 'publisher' ? list.slice(0, 1) : list
  const written = some.map((one) => {
    const each = readerOf(fieldsOf(one))
    return agentOf(dataset, predicate, (name) =>
      name === 'name' ? each.translated('name') : each.get(name),
    )
  })
  if (written.includes(true)) return true
  return agentOf(dataset, predicate, (name) => reader.get(`${role}_${name}`))
}

function agentOf(dataset: Subject, predicate: NamedNode, get: (name: string) => unknown): boolean {
  const fields = {
    name: get('name'),
    iri: get('uri'),
    email: get('email'),
    url: get('url'),
    type: get('type'),
    identifier: get('identifier'),
  }
  return agent(dataset, predicate, fields) !== undefined
}

function organisation(dataset: Subject, reader: Reader): void {
  const organization = readerOf(fieldsOf(structured(reader.get('organization'))))
  const name = organization.translated('title') ?? organization.get('name')
  agent(dataset, dct('publisher'), { name })
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
      name: get('contact_name'),
      email: get('contact_email'),
      iri: get('contact_uri'),
      phone: get('contact_telephone', 'contact_phone'),
    },
    { name: get('maintainer'), email: get('maintainer_email') },
    { name: get('author'), email: get('author_email') },
  ].find((one) => Object.values(one).some((value) => saidText(value) !== undefined))
  if (first) contact(dataset, dcat('contactPoint'), first)
}
